/**
 * The agent's words in blocks that make sense alone: a paragraph, a list or a table with the line
 * above it, a piece of code.
 */
import { clip, flatten } from './flatten.ts'
import { splitSentences } from './sentences.ts'

/** A line or a sentence of the agent. */
export interface WordsLine {
  readonly text: string
  /** Whether it was inside a code fence. */
  readonly isQuoted: boolean
  readonly isItem: boolean
  /** Whether it is a row of a table. */
  readonly isRow: boolean
  /** Whether it says nothing without what follows. */
  readonly isTitle: boolean
  /** Whether it belongs to the paragraph or the list of the line before. */
  readonly continues: boolean
}

const LONGEST_LINE = 300
const LONGEST_SENTENCE = 500
const MARK = /^\s*(?:[-*•]|#{1,6}|>)\s+/
const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/
const ROW = /^\s*\|/

/**
 * Blocks of at most about `longest` characters, from the lines that `isNew` accepts. A title
 * without a line below it is left out.
 */
export function splitBlocks(
  text: string,
  longest: number,
  isNew: (line: WordsLine) => boolean,
): WordsLine[][] {
  const blocks: WordsLine[][] = []
  let block: WordsLine[] = []
  let length = 0
  const close = () => {
    if (block.some((line) => !line.isTitle)) blocks.push(block)
    block = []
    length = 0
  }
  for (const line of splitLines(text).filter((one) => one.isTitle || isNew(one))) {
    const last = block.at(-1)
    const hangs = last?.isTitle === true
    const isApart = (!line.continues && !hangs) || last?.isQuoted !== line.isQuoted
    if (last && (isApart || length + line.text.length > longest)) {
      // A title stays with the lines below it.
      const title = hangs ? block.pop() : undefined
      close()
      if (title) block.push(title)
    }
    block.push(line)
    length += line.text.length
  }
  close()
  return blocks
}

/** "Scenarios:" and "Next steps" say nothing without what follows. A short item of a list may. */
function isTitle(raw: string, isItem: boolean): boolean {
  const line = raw.replace(/^\d{1,2}[.)] /, '')
  return (
    /[:：][*_`\s]*$/.test(line) ||
    /^\*\*[^*]*\*\*$/.test(line) ||
    (!isItem && line.length < 50 && !/\s[\p{Ll}\d]/u.test(line))
  )
}

function splitLines(text: string): WordsLine[] {
  const lines: WordsLine[] = []
  let isFenced = false
  let isAfterGap = true
  for (const raw of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(raw)) {
      isFenced = !isFenced
      isAfterGap = true
      continue
    }
    // As a digest quotes it.
    const isQuoted = isFenced || (raw.startsWith('\t') && !ITEM.test(raw))
    const line = flatten(isQuoted ? raw : raw.replace(MARK, ''))
    if (line === '' || /^[|\s:`=*-]+$/.test(line)) {
      isAfterGap ||= line === ''
      continue
    }
    const before = lines.at(-1)
    const isItem = !isQuoted && ITEM.test(raw)
    const isRow = !isQuoted && ROW.test(raw)
    const isHeading = !isQuoted && /^\s*#/.test(raw)
    // A table goes with the paragraph above it.
    const isJoined = (isItem && before?.isItem === true) || (isRow && before?.isItem === false)
    const continues = !isHeading && (!isAfterGap || isJoined)
    const pieces = line.length <= LONGEST_LINE || isRow ? [line] : splitSentences(line)
    for (const [index, piece] of pieces.entries()) {
      lines.push({
        text: clip(piece, LONGEST_SENTENCE),
        isQuoted,
        isItem: isItem && index === 0,
        isRow,
        isTitle: !isQuoted && !isRow && (isHeading || isTitle(piece, isItem)),
        continues: continues || index > 0,
      })
    }
    isAfterGap = false
  }
  return lines
}
