/** Markdown as a flat list of blocks, line by line: nothing nests deeper than a list in a list. */

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'item'; readonly depth: number; readonly marker: string; readonly text: string }
  | { readonly type: 'quote'; readonly depth: number; readonly text: string }
  | { readonly type: 'code'; readonly language: string; readonly lines: readonly string[]; readonly isOpen: boolean }
  | { readonly type: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: 'rule' }

/** A line that begins or ends a block of code: three or more backticks or tildes. */
export interface Fence {
  readonly indent: number
  readonly mark: string
  readonly language: string
}

const FENCE = /^( {0,12})(`{3,}|~{3,}) *([^`]*)$/
const HEADING = /^ {0,3}(#{1,6})(?: +(.*))?$/
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?: +(.*))?$/
const RULE = /^ {0,3}(?:-[- ]*-[- ]*-[- ]*|\*[* ]*\*[* ]*\*[* ]*|_[_ ]*_[_ ]*_[_ ]*)$/
const QUOTE = /^ {0,3}>/
const MAX_DEPTH = 5
const MAX_RULE_LENGTH = 200

export function readFence(line: string): Fence | undefined {
  const [match, indent = '', mark = '', info = ''] = FENCE.exec(line) ?? []
  if (match === undefined) return undefined
  return { indent: indent.length, mark, language: info.trim().split(' ')[0] ?? '' }
}

export function closesFence(line: string, { mark }: Fence): boolean {
  const fence = readFence(line)
  return fence !== undefined && fence.language === '' && fence.mark.startsWith(mark)
}

/** `inside` is a fence that an earlier piece of the same text has opened. */
export function parseBlocks(text: string, inside?: Fence): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  let at = 0
  if (inside) at = readCode(lines, 0, inside, blocks)
  while (at < lines.length) at = readBlock(lines, at, blocks)
  return blocks
}

/** Adds the block that begins at a line, and gives where the next one begins. */
function readBlock(lines: readonly string[], at: number, blocks: Block[]): number {
  const line = lines[at] ?? ''
  if (line.trim() === '') return at + 1
  const fence = readFence(line)
  if (fence) return readCode(lines, at + 1, fence, blocks)
  const heading = HEADING.exec(line)
  if (heading) {
    const text = (heading[2] ?? '').trim()
    blocks.push({ type: 'heading', level: heading[1]?.length ?? 1, text: stripClosing(text) })
    return at + 1
  }
  if (line.length <= MAX_RULE_LENGTH && RULE.test(line)) {
    blocks.push({ type: 'rule' })
    return at + 1
  }
  if (QUOTE.test(line)) return readQuote(lines, at, blocks)
  const header = splitCells(line)
  if (header.length > 1 && isDelimiterRow(lines[at + 1] ?? '', header.length)) return readTable(lines, at, blocks)
  const item = ITEM.exec(line)
  if (item) return readItem(lines, at, item, blocks)
  return readParagraph(lines, at, blocks)
}

function stripClosing(text: string): string {
  let end = text.length
  while (text[end - 1] === '#') end--
  return end < text.length && (end === 0 || text[end - 1] === ' ') ? text.slice(0, end).trimEnd() : text
}

function readCode(lines: readonly string[], start: number, fence: Fence, blocks: Block[]): number {
  let end = start
  while (end < lines.length && !closesFence(lines[end] ?? '', fence)) end++
  const code = lines.slice(start, end).map((line) => removeIndent(line, fence.indent))
  const isOpen = end >= lines.length
  if (isOpen && code.at(-1) === '') code.pop()
  blocks.push({ type: 'code', language: fence.language, lines: code, isOpen })
  return end + 1
}

function removeIndent(line: string, indent: number): string {
  let start = 0
  while (start < indent && line[start] === ' ') start++
  return line.slice(start)
}

function readQuote(lines: readonly string[], start: number, blocks: Block[]): number {
  let end = start
  const texts: string[] = []
  let depth = 1
  while (end < lines.length && QUOTE.test(lines[end] ?? '')) {
    let text = (lines[end] ?? '').trimStart()
    let marks = 0
    while (text.startsWith('>') && marks < MAX_DEPTH) {
      text = text.slice(1).trimStart()
      marks++
    }
    if (texts.length === 0) depth = marks
    texts.push(text)
    end++
  }
  blocks.push({ type: 'quote', depth, text: texts.join('\n') })
  return end
}

function readItem(lines: readonly string[], start: number, item: RegExpExecArray, blocks: Block[]): number {
  const [, indent = '', marker = '-', text = ''] = item
  const texts = [text]
  let end = start + 1
  while (end < lines.length && continuesText(lines[end] ?? '')) texts.push((lines[end++] ?? '').trim())
  const depth = Math.min(Math.floor(indent.length / 2), MAX_DEPTH)
  blocks.push({ type: 'item', depth, marker: /\d/.test(marker) ? marker : '•', text: readTask(texts.join(' ')) })
  return end
}

function readTask(text: string): string {
  const box = /^\[([ xX])\] /.exec(text)
  return box ? `${box[1] === ' ' ? '☐' : '☑'} ${text.slice(4)}` : text
}

function readParagraph(lines: readonly string[], start: number, blocks: Block[]): number {
  const texts = [(lines[start] ?? '').trim()]
  let end = start + 1
  while (end < lines.length && continuesText(lines[end] ?? '')) {
    // Two spaces or a backslash before it keep a line feed.
    const before = lines[end - 1] ?? ''
    texts.push(before.endsWith('  ') || before.endsWith('\\') ? '\n' : ' ', (lines[end++] ?? '').trim())
  }
  blocks.push({ type: 'paragraph', text: texts.join('') })
  return end
}

function continuesText(line: string): boolean {
  return (
    line.trim() !== '' &&
    !readFence(line) &&
    !HEADING.test(line) &&
    !ITEM.test(line) &&
    !QUOTE.test(line) &&
    !line.trimStart().startsWith('|')
  )
}

function readTable(lines: readonly string[], start: number, blocks: Block[]): number {
  const header = splitCells(lines[start] ?? '')
  const rows: string[][] = []
  let end = start + 2
  while (end < lines.length && (lines[end] ?? '').includes('|')) {
    const cells = splitCells(lines[end] ?? '')
    rows.push(header.map((_, column) => cells[column] ?? ''))
    end++
  }
  blocks.push({ type: 'table', header, rows })
  return end
}

function isDelimiterRow(line: string, columns: number): boolean {
  if (!line.includes('-') || !/^[\s|:-]*$/.test(line)) return false
  return splitCells(line).length === columns
}

/** Cells of a row; `\|` and the bars in code are text. */
function splitCells(line: string): string[] {
  const row = line.trim()
  const cells: string[] = []
  let cell = ''
  let isCode = false
  const lastTick = row.lastIndexOf('`')
  for (let at = row.startsWith('|') ? 1 : 0; at < row.length; at++) {
    const character = row[at] ?? ''
    if (character === '\\' && row[at + 1] === '|') {
      cell += '|'
      at++
    } else if (character === '|' && !isCode) {
      cells.push(cell.trim())
      cell = ''
    } else {
      if (character === '`') isCode = !isCode && lastTick > at
      cell += character
    }
  }
  if (cell.trim() !== '' || !row.endsWith('|')) cells.push(cell.trim())
  return cells
}
