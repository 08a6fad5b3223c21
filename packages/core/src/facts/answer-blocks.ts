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
  /** Whether it stays with the whole code that it is a line of. */
  readonly isWhole?: boolean
  readonly isItem: boolean
  /** Whether it is an item below another one. */
  readonly isNested: boolean
  /** Whether it is a row of a table. */
  readonly isRow: boolean
  /** Whether it says nothing without what follows. */
  readonly isTitle: boolean
  /** Whether it belongs to the paragraph or the list of the line before. */
  readonly continues: boolean
  /** Whether it says how far the table or the numbers right before it hold. */
  readonly isLimit: boolean
}

const LONGEST_LINE = 300
const LONGEST_SENTENCE = 500
const MARK = /^\s*(?:[-*•]|#{1,6}|>)\s+/
const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/
const NESTED_INDENT = 2
const ROW = /^\s*\|/

/**
 * Blocks of at most about `longest` characters, from the lines that `isNew` accepts. A title is
 * left out if nothing below it, or nothing of what it announces, is accepted. Code of that length
 * stays whole if one of its lines is accepted, since it says something else without the others.
 */
export function splitBlocks(
  text: string,
  longest: number,
  isNew: (line: WordsLine) => boolean,
): WordsLine[][] {
  const blocks: WordsLine[][] = []
  let block: WordsLine[] = []
  // Where its last line that is no title ends.
  let end = 0
  let length = 0
  // Titles stay with the lines below them.
  const close = () => {
    if (end > 0) blocks.push(block.slice(0, end))
    block = end > 0 ? block.slice(end) : block
    end = 0
    length = 0
  }
  // The newest line that was left out since the last title, and whether the paragraph or the list
  // has a line that was not.
  let dropped: WordsLine | undefined
  let isBegun = false
  const lines = splitLines(text)
  const wholeCode = findWholeCode(lines, longest, isNew)
  for (const line of lines.map((one) => wholeCode.get(one) ?? withoutIndent(one))) {
    if (!line.continues) isBegun = false
    if (!line.isTitle && !line.isWhole && !isNew(line)) {
      dropped = line
      continue
    }
    while (dropped && !isBodyOf(block.at(-1), line, dropped)) block.pop()
    const last = block.at(-1)
    const hangs = last?.isTitle === true
    const isApart =
      (!(line.continues && isBegun) && !hangs) ||
      (last?.isQuoted !== line.isQuoted && !line.isLimit)
    if (
      last &&
      (isApart || (length + line.text.length > longest && !line.isLimit && !line.isNested))
    )
      close()
    block.push(line)
    if (!line.isTitle) end = block.length
    length += line.text.length
    dropped = undefined
    isBegun = true
  }
  if (end > 0) blocks.push(block)
  return blocks
}

/** The columns of code, and of what a program printed, stay. `indent`: that of the whole. */
const readCode = (raw: string, indent: number): string =>
  raw
    .slice(Math.min(indent, Math.max(0, raw.search(/\S/))))
    .trimEnd()
    .replace(/[^\S ]/g, ' ')

/** The lines of each piece of code that is short enough, if one of them is accepted. */
function findWholeCode(
  lines: readonly WordsLine[],
  longest: number,
  isNew: (line: WordsLine) => boolean,
): ReadonlyMap<WordsLine, WordsLine> {
  const found = new Map<WordsLine, WordsLine>()
  for (let start = 0, end = 0; start < lines.length; start = end + 1) {
    for (end = start; lines[end]?.isQuoted; ) end++
    const code = lines.slice(start, end)
    const length = code.reduce((sum, { text }) => sum + text.length, 0)
    if (length > longest || !code.some((line) => isNew(withoutIndent(line)))) continue
    for (const [row, line] of code.entries())
      found.set(line, { ...line, isWhole: true, continues: row > 0 })
  }
  return found
}

/** Columns say nothing if lines between them may be left out. */
const withoutIndent = (line: WordsLine): WordsLine =>
  line.isQuoted ? { ...line, text: line.text.trim() } : line

/** The sentences of a long line. What announces what follows is a line of its own. */
function splitLine(line: string): string[] {
  const isLong = line.length > LONGEST_LINE
  if (!isLong && !COLON.test(line)) return [line]
  const sentences = splitSentences(line)
  return isLong || sentences.length < 2
    ? sentences
    : [sentences.slice(0, -1).join(' '), sentences.at(-1)!]
}

/** Whether a line may stand below a title of which a line was left out. */
function isBodyOf(title: WordsLine | undefined, line: WordsLine, dropped: WordsLine): boolean {
  if (!title?.isTitle) return true
  if (line.isTitle) return false
  // What stands after a colon ends with its paragraph, its list or its code.
  return !COLON.test(title.text) || line.continues || (line.isQuoted && dropped.isQuoted)
}

const COLON = /[:：][*_`\s]{0,8}$/

// A sentence alone may say too little.
const SHORTEST_PIECE = 150

/**
 * The pieces in which a block is taken: its first line below its titles, then each item, and a few
 * sentences at a time. A table, and code, stay whole.
 */
export function splitPieces(block: readonly WordsLine[]): WordsLine[][] {
  const pieces: WordsLine[][] = [[]]
  let length = 0
  for (const [index, line] of block.entries()) {
    const before = block[index - 1]
    const goesOn = !line.isItem && !line.isRow && !line.isQuoted && length < SHORTEST_PIECE
    const joins =
      !before ||
      before.isTitle ||
      leads(before, line) ||
      line.isLimit ||
      goesOn ||
      (line.isRow && before.isRow) ||
      (line.isQuoted && before.isQuoted)
    if (!joins) {
      pieces.push([])
      length = 0
    }
    pieces.at(-1)!.push(line)
    length += line.text.length
  }
  return pieces
}

/** "**What is here** (version 2)" says nothing without the first item below it. */
const leads = (line: WordsLine, next: WordsLine): boolean =>
  next.isItem && !line.isItem && !line.isRow && !line.isQuoted && !ENDED.test(line.text)

const ENDED = /[.!?。！？]["'`*_)\s]{0,6}$/

/** "Scenarios:" and "Next steps" say nothing without what follows. A short item of a list may. */
function isTitle(raw: string, isItem: boolean): boolean {
  const line = raw.replace(/^\d{1,2}[.)] /, '')
  return (
    COLON.test(line) ||
    BOLD_ALONE.test(line) ||
    // "Next Steps" is one, "Recomiendo A." and "我建议方案A。" say something.
    (!isItem && line.length < 50 && !ENDED.test(line) && !/\s[\p{Ll}\d]/u.test(line))
  )
}

// "**What happens now** (nothing changed)". A longer remark says something alone.
const BOLD_ALONE = /^\*\*[^*]*[^*.!?。]\*\*(?: \([^()]{0,60}\))?$/

// "**Don't use these two numbers for a comparison.**", "Only the first run was cold."
const LIMITS =
  /^[*_("'\s]{0,6}(?:(?:don['’]t|do not|not|but|only|these|this|those|both|note|nb|caution|careful|warning|beware|caveat|correction|however|except|though|aber|nur|nicht|diese|achtung|vorsicht|allerdings|mais|seulement|ces|attention|pero|solo|sólo|estos|estas|nota|cuidado|mas|só|apenas|não|estes|ma|però|questi|queste|attenzione|но|только|не|эти|внимание|однако)(?!\p{L})|但|注意|只|不要|这些|ただし|しかし|この|これら|단,|하지만|주의)/iu

const hasNumbers = ({ text, isRow, isItem }: WordsLine): boolean =>
  isRow || (isItem && /\d/.test(text.replace(/^\d{1,2}[.)]\s/, '')))

function splitLines(text: string): WordsLine[] {
  const lines: WordsLine[] = []
  // How far its opening is indented.
  let fence: number | undefined
  let isAfterGap = true
  let listIndent: number | undefined
  for (const raw of text.split('\n')) {
    const opening = /^\s*(?=```|~~~)/.exec(raw)
    if (opening) {
      fence = fence === undefined ? opening[0].length : undefined
      isAfterGap = true
      continue
    }
    const before = lines.at(-1)
    // As a digest quotes it.
    const isMarked = raw.startsWith('\t') && (before?.isQuoted === true || !ITEM.test(raw))
    const isQuoted = fence !== undefined || isMarked
    const line = isQuoted ? readCode(raw, fence ?? 1) : flatten(raw.replace(MARK, ''))
    if (line === '' || /^[|\s:`=*-]+$/.test(line)) {
      isAfterGap ||= line === ''
      continue
    }
    const isItem = !isQuoted && ITEM.test(raw)
    const isRow = !isQuoted && ROW.test(raw)
    const isHeading = !isQuoted && /^\s*#/.test(raw)
    // A table goes with the paragraph above it.
    const isJoined = (isItem && before?.isItem === true) || (isRow && before?.isItem === false)
    const isLimit =
      !isQuoted &&
      !isHeading &&
      !isItem &&
      !isTitle(line, false) &&
      before !== undefined &&
      hasNumbers(before) &&
      LIMITS.test(line)
    const continues = !isHeading && (!isAfterGap || isJoined || isLimit)
    const indent = raw.search(/\S/)
    if (!continues) listIndent = undefined
    if (isItem) listIndent ??= indent
    const isNested = isItem && indent >= (listIndent ?? 0) + NESTED_INDENT
    const pieces = isRow || isQuoted ? [line] : splitLine(line)
    for (const [index, piece] of pieces.entries()) {
      lines.push({
        text: clip(piece, LONGEST_SENTENCE),
        isQuoted,
        isItem: isItem && index === 0,
        isNested: isNested && index === 0,
        isRow,
        isTitle: !isQuoted && !isRow && (isHeading || isTitle(piece, isItem)),
        continues: continues || index > 0,
        isLimit: isLimit && index === 0,
      })
    }
    isAfterGap = false
  }
  return lines
}
