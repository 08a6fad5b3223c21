/** The agent's Markdown in blocks that make sense on their own: a paragraph, a list with the line it hangs on. */
import { splitSentences } from '../../facts/sentences.ts'
import { clip, flatten } from './clip.ts'

export interface WordsLine {
  readonly text: string
  /** Whether it stood inside a code fence. */
  readonly isQuoted: boolean
  readonly isItem: boolean
  /** Whether it says nothing without what follows. */
  readonly isTitle: boolean
  /** Whether it goes on with what stands before it: the same paragraph, the same list. */
  readonly continues: boolean
}

const LONGEST_LINE = 300
const LONGEST_SENTENCE = 500
const MARK = /^\s*(?:[-*•]|#{1,6}|>)\s+/
const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/

/** Blocks of at most about `longest` characters, of the lines that `isNew` lets through; a title without a line below it is left out. */
export function splitBlocks(text: string, longest: number, isNew: (line: WordsLine) => boolean): WordsLine[][] {
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
    if (
      last &&
      ((!line.continues && !hangs) || length + line.text.length > longest || last.isQuoted !== line.isQuoted)
    ) {
      // A title goes with what it is the title of.
      const title = hangs && !line.isQuoted ? block.pop() : undefined
      close()
      if (title) block.push(title)
    }
    block.push(line)
    length += line.text.length
  }
  close()
  return blocks
}

/** "Scenarios:" and the head of a table say nothing without what follows. */
function isTitle(raw: string): boolean {
  const line = raw.replace(/^\d{1,2}[.)] /, '')
  return (
    /[:：][*_`\s]*$/.test(line) || /^\*\*[^*]*\*\*$/.test(line) || (line.length < 50 && !/\s[\p{Ll}\d]/u.test(line))
  )
}

function splitLines(text: string): WordsLine[] {
  const lines: WordsLine[] = []
  let isQuoted = false
  let isAfterGap = true
  for (const raw of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(raw)) {
      isQuoted = !isQuoted
      isAfterGap = true
      continue
    }
    const line = flatten(isQuoted ? raw : raw.replace(MARK, ''))
    if (line === '' || /^[|\s:`=*-]+$/.test(line)) {
      isAfterGap ||= line === ''
      continue
    }
    const isItem = !isQuoted && ITEM.test(raw)
    const isHeading = !isQuoted && /^\s*#/.test(raw)
    const continues = !isHeading && (!isAfterGap || (isItem && lines.at(-1)?.isItem === true))
    const pieces = line.length <= LONGEST_LINE ? [line] : splitSentences(line)
    pieces.forEach((piece, index) => {
      const isFirst = index === 0
      lines.push({
        text: clip(piece, LONGEST_SENTENCE),
        isQuoted,
        isItem: isItem && isFirst,
        isTitle: !isQuoted && (isHeading || isTitle(piece)),
        continues: continues || !isFirst,
      })
    })
    isAfterGap = false
  }
  return lines
}
