/**
 * Markdown as lines of a terminal. The text may be anything, so everything that acts on a terminal
 * is removed first.
 */
import { visibleWidth } from '@mariozechner/pi-tui'
import { neutralizeText } from '@precis/core/text'
import { Lexer, type MarkedToken, type Tokens } from 'marked'
import type { Colors } from '../contract/ports.ts'
import { type MarkdownPage, OPTIONS, renderInline } from './markdown-inline.ts'
import { renderTable } from './markdown-table.ts'
import { type Indent, wrapExactly, wrapText } from './wrap.ts'

const TAB = '    '
const MAX_INDENT = 12
const MIN_COLUMNS = 10
// A line with more marks of quotes and lists is treated as text, because the parser takes quadratic
// time for them.
const NESTED = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))){8}/m

// A longer open end is finished at the next line end, so that rendering it again stays cheap.
const MAX_OPEN_LENGTH = 16_000
const FENCE = /^ {0,12}(`{3,}|~{3,})([^`]*)$/

/**
 * A growing answer. Finished parts are rendered once, and only the open end is rendered again.
 *
 *   paragraph ¶ list ¶ ```code … ``` ¶ par‸
 *   └─────────── finished ──────────┘ └ open
 */
export class StreamingMarkdown {
  readonly #finished: MarkdownPiece[] = []
  #open = ''
  #scanned = 0
  // The line that opened the code at the scan's position, and at the beginning of the open end.
  #fence: string | undefined
  #openFence: string | undefined
  #isJoined = false
  #cache: { columns: number; pieces: number; lines: string[] } | undefined

  constructor(initial = '') {
    this.append(initial)
  }

  /** Reads each complete line once. */
  append(delta: string): void {
    this.#open += delta
    for (let end = this.#findLineEnd(); end >= 0; end = this.#findLineEnd()) {
      const line = this.#open.slice(this.#scanned, end)
      this.#scanned = end + 1
      if (this.#fence === undefined) this.#fence = FENCE.test(line) ? line.trim() : undefined
      else if (closesFence(line, this.#fence)) this.#fence = undefined
      const isBlank = line.trim() === '' && this.#fence === undefined
      if (isBlank || this.#scanned > MAX_OPEN_LENGTH) this.#finish(this.#scanned, !isBlank)
    }
    while (this.#open.length > 2 * MAX_OPEN_LENGTH) {
      this.#scanned = Math.max(this.#scanned, MAX_OPEN_LENGTH)
      this.#finish(MAX_OPEN_LENGTH, true)
    }
  }

  render(columns: number, colors: Colors): readonly string[] {
    if (this.#cache?.columns !== columns) this.#cache = { columns, pieces: 0, lines: [] }
    const cache = this.#cache
    for (const piece of this.#finished.slice(cache.pieces))
      addPiece(cache.lines, piece, columns, colors)
    cache.pieces = this.#finished.length
    if (this.#open.trim() === '') return cache.lines
    const lines = [...cache.lines]
    addPiece(
      lines,
      { text: this.#open, fence: this.#openFence, isJoined: this.#isJoined },
      columns,
      colors,
    )
    return lines
  }

  #findLineEnd(): number {
    return this.#open.indexOf('\n', this.#scanned)
  }

  #finish(end: number, isMiddle: boolean): void {
    this.#finished.push({
      text: this.#open.slice(0, end),
      fence: this.#openFence,
      isJoined: this.#isJoined,
    })
    this.#open = this.#open.slice(end)
    this.#scanned -= end
    this.#openFence = this.#fence
    this.#isJoined = isMiddle
  }
}

interface MarkdownPiece {
  readonly text: string
  /** The line that opened the code of an earlier piece, if this piece continues it. */
  readonly fence: string | undefined
  /** Whether an earlier piece ends in the middle of its last block. */
  readonly isJoined: boolean
}

function closesFence(line: string, fence: string): boolean {
  const [, mark = '', language = ''] = FENCE.exec(line) ?? []
  return mark !== '' && language.trim() === '' && mark.startsWith(FENCE.exec(fence)?.[1] ?? '')
}

function addPiece(
  lines: string[],
  { text, fence, isJoined }: MarkdownPiece,
  columns: number,
  colors: Colors,
): void {
  const added = renderMarkdown(fence === undefined ? text : `${fence}\n${text}`, columns, colors)
  // The frame of continued code is not opened again.
  if (fence !== undefined) added.shift()
  if (added.length > 0 && lines.length > 0 && !isJoined) lines.push('')
  for (const line of added) lines.push(line)
}

/** Lines of at most `columns`. */
function renderMarkdown(text: string, columns: number, colors: Colors): string[] {
  const safe = neutralizeText(text.replaceAll('\r\n', '\n').replaceAll('\t', TAB))
  const { dedented, indent } = dedent(safe)
  return hang(columns, { first: indent }, (room) => {
    if (NESTED.test(dedented)) return wrapText(dedented, room)
    try {
      return renderBlocks(new Lexer(OPTIONS).blockTokens(dedented) as MarkedToken[], {
        columns: room,
        colors,
      })
    } catch (error) {
      // Nested too deep for the stack.
      if (!(error instanceof RangeError)) throw error
      return wrapText(dedented, room)
    }
  })
}

/**
 * Removes the indentation of the first line from all lines, because a block inside a list item is
 * indented.
 */
function dedent(text: string): { dedented: string; indent: string } {
  const [, indent = ''] = /^\s*?( *)\S/.exec(text) ?? []
  const width = Math.min(indent.length, MAX_INDENT)
  return {
    dedented: text.replace(new RegExp(`^ {1,${Math.max(width, 1)}}`, 'gm'), width > 0 ? '' : '$&'),
    indent: ' '.repeat(width),
  }
}

/** Puts a prefix before each line, if it fits. */
function hang(
  columns: number,
  { first = '', rest = first }: Indent,
  render: (columns: number) => string[],
): string[] {
  const room = columns - Math.max(visibleWidth(first), visibleWidth(rest))
  if (room < MIN_COLUMNS) return render(columns)
  return render(room).map((line, index) => ((index === 0 ? first : rest) + line).trimEnd())
}

function renderBlocks(
  tokens: readonly MarkedToken[],
  page: MarkdownPage,
  isTight = false,
): string[] {
  const lines: string[] = []
  let before: MarkedToken | undefined
  for (const token of tokens) {
    if (token.type === 'space' || token.type === 'checkbox') continue
    const followsText =
      token.type === 'list' && (before?.type === 'list' || before?.type === 'paragraph')
    if (before && !isTight && !followsText) lines.push('')
    for (const line of renderBlock(token, page)) lines.push(line)
    before = token
  }
  return lines
}

function renderBlock(token: MarkedToken, page: MarkdownPage): string[] {
  const { columns, colors } = page
  switch (token.type) {
    case 'heading': {
      const style =
        token.depth === 1 ? (text: string) => colors.bold(colors.underline(text)) : colors.bold
      const mark = colors.isColorSupported ? '' : `${'#'.repeat(token.depth)} `
      return wrapText(mark + style(renderInline(token.text, page)), columns)
    }
    case 'list':
      return token.items.flatMap((item) => renderItem(item, token.ordered, page))
    case 'blockquote':
      return hang(columns, { first: colors.dim('│ ') }, (room) =>
        renderBlocks(token.tokens as MarkedToken[], { ...page, columns: room, isQuote: true }),
      )
    case 'code':
      return renderCode(token, page)
    case 'table':
      return renderTable(token, page)
    case 'hr':
      return [colors.dim('─'.repeat(Math.min(columns, 60)))]
    default: {
      const text = renderInline('text' in token ? token.text : token.raw, page)
      return wrapText(page.isQuote ? colors.italic(text) : text, columns)
    }
  }
}

function renderItem(item: Tokens.ListItem, isOrdered: boolean, page: MarkdownPage): string[] {
  const marker = isOrdered ? (/\d{1,9}[.)]/.exec(item.raw)?.[0] ?? '1.') : '•'
  const box = item.task ? `${item.checked ? '☑' : '☐'} ` : ''
  const indent = {
    first: `${page.colors.cyan(marker)} ${box}`,
    rest: ' '.repeat(marker.length + 1),
  }
  return hang(page.columns, indent, (columns) => {
    const lines = renderBlocks(item.tokens as MarkedToken[], { ...page, columns }, true)
    return lines.length === 0 ? [''] : lines
  })
}

function renderCode(
  { raw, text, lang = '' }: Tokens.Code,
  { columns, colors }: MarkdownPage,
): string[] {
  const language = lang.trim().split(' ')[0] ?? ''
  const bar = colors.dim('│ ')
  const [title = ''] = wrapExactly(
    language === '' ? '╭──' : `╭─ ${language.slice(0, 20)} ─`,
    columns,
  )
  const isClosed = /\n *(?:`{3,}|~{3,}) *\n*$/.test(raw)
  const body = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const lines = body.flatMap((line) =>
    wrapExactly(line, columns - 2).map((part) => bar + colorCode(line, part, language, colors)),
  )
  return [colors.dim(title), ...lines, ...(isClosed ? [colors.dim('╰──')] : [])]
}

/** Only a diff has colors, for added and removed lines. */
function colorCode(line: string, part: string, language: string, colors: Colors): string {
  if (language !== 'diff' && language !== 'patch') return part
  if (line.startsWith('+')) return colors.green(part)
  if (line.startsWith('-')) return colors.red(part)
  return line.startsWith('@@') ? colors.cyan(part) : part
}
