/**
 * A session as Markdown for people, one block of lines per message. Nothing in it acts on a
 * terminal or a browser.
 */
import type { Message, Part } from '@precis/core'
import { readSummary, readText, renderPart } from '@precis/core/conversation'
import { redactSecrets } from '@precis/core/secrets'
import type { SessionCompaction } from '../sessions/compactions.ts'
import { describeCompaction, listLostNames } from '../terminal/compaction-cells.ts'
import {
  neutralizeText,
  renderCount,
  renderPlural,
  renderPreview,
  renderTime,
  withoutSequences,
} from '../terminal/render.ts'

/** One message. A message with calls includes their results. */
export interface SessionEntry {
  /** From 1. 0 before the user's first request. */
  readonly turn: number
  readonly isRequest: boolean
  readonly message: Message
  readonly timeMs: number | undefined
  /** Lines of the file, or messages of a document, from 1. */
  readonly records: readonly number[]
}

export interface EntryStyle {
  /** Whether results, thoughts and injected texts are shown in full. */
  readonly isWhole: boolean
  /** By the call that each answers, and by itself. */
  readonly results: ReadonlyMap<Part, ShownResult>
  /** Results of calls that failed. */
  readonly failed: ReadonlySet<Part>
  /** The entry above. Calls that continue it need no name. */
  readonly before?: SessionEntry | undefined
}

export interface ShownResult {
  readonly part: Extract<Part, { type: 'tool-result' }>
  readonly record: number | undefined
}

/** The heading of a turn. */
export function renderTurn({ turn, timeMs }: SessionEntry): string {
  const time = timeMs === undefined ? '' : ` · ${renderTime(new Date(timeMs))}`
  return turn === 0 ? '## Before your first message' : `## Turn ${renderCount(turn)}${time}`
}

const FRAME = /^<conversation-summary [^>]*>\n|\n<\/conversation-summary>$/g

/**
 * In the place of a compaction: its cost and its summary. The messages that it removed are still
 * shown.
 */
export function renderCompaction(compaction: SessionCompaction, isWhole: boolean): string {
  const { record, time, trigger, by, summary } = compaction
  const when = time === undefined ? '' : ` · ${renderTime(time).slice(-5)}`
  const who = by === 'precis' ? 'precis' : 'the agent'
  const names = listLostNames(compaction, MOST_NAMES).map((name) =>
    renderContentLine(renderPreview(name, SHORT_COLUMNS)),
  )
  return [
    `### Compaction${when} · record ${record + 1}`,
    `*${trigger === 'manual' ? `You asked, ${who}` : who.replace('the', 'The')} made the history shorter: ${describeCompaction(compaction)}*`,
    ...(names.length > 0 ? [`*Gone, such as:* ${names.join(' · ')}`] : []),
    ...(summary === undefined
      ? []
      : [isWhole ? tameMarkdown(summary) : renderShort('Summary', summary)]),
  ].join('\n\n')
}

/** Empty if there is nothing to show, because results are shown with their calls. */
export function renderEntry(entry: SessionEntry, style: EntryStyle): string {
  const { message } = entry
  if (readSummary(message) !== undefined) {
    return [
      renderWho('Summary by precis', entry),
      tameMarkdown(readText(message).replace(FRAME, '')),
    ].join('\n\n')
  }
  const blocks = message.parts
    .map((part) => renderShownPart(part, entry, style))
    .filter((block) => block !== '')
  if (blocks.length === 0) return ''
  return (
    goesOn(entry, style.before) ? blocks : [renderWho(nameAuthor(message), entry), ...blocks]
  ).join('\n\n')
}

function goesOn({ message, turn }: SessionEntry, before: SessionEntry | undefined): boolean {
  if (before?.turn !== turn || nameAuthor(before.message) !== nameAuthor(message)) return false
  return message.role === 'assistant' && message.parts.every(({ type }) => type !== 'text')
}

function nameAuthor({ role, origin }: Message): string {
  if (role === 'assistant') return 'Agent'
  if (role === 'system') return 'System'
  if (role === 'tool') return 'Tool'
  return origin === 'user' ? 'You' : 'Written in your place'
}

function renderWho(name: string, { timeMs, records }: SessionEntry): string {
  const time = timeMs === undefined ? '' : ` · ${renderTime(new Date(timeMs)).slice(-5)}`
  const record = records[0] === undefined ? '' : ` · record ${records[0]}`
  return `### ${name}${time}${record}`
}

function renderShownPart(part: Part, { message }: SessionEntry, style: EntryStyle): string {
  const { isWhole, results } = style
  switch (part.type) {
    case 'text': {
      if (part.text.trim() === '') return ''
      if (message.role === 'user' && message.origin === 'user')
        return quoteBlock(tameMarkdown(part.text))
      const isSaid = message.role === 'assistant' || isWhole
      return isSaid
        ? tameMarkdown(part.text)
        : renderShort(message.role === 'system' ? 'prompt' : 'text', part.text)
    }
    case 'reasoning': {
      if (part.text.trim() === '') return ''
      return isWhole
        ? `*Thought:*\n\n${tameMarkdown(part.text)}`
        : renderShort('Thought', part.text)
    }
    case 'tool-call':
      return renderCall(part, results.get(part), style)
    case 'tool-result':
      return results.has(part) ? '' : renderResult({ part, record: undefined }, style)
    case 'opaque':
      return isWhole ? renderCode(part.text) : renderShort(part.kind, part.text)
    case 'image':
    case 'file':
      return renderContentLine(renderPart(part))
  }
}

const SHORT_COLUMNS = 100
const MOST_NAMES = 5
const CALL_COLUMNS = 120
const MOST_LINES = 8
const MOST_CHARACTERS = 1200

/** One line of a less important text. */
function renderShort(what: string, text: string): string {
  const [short, length] = [
    renderContentLine(renderPreview(text, SHORT_COLUMNS)),
    text.trim().length,
  ]
  return `*${renderContentLine(what)}* (${renderPlural(length, 'character')}): ${short}`
}

function renderCall(
  part: Extract<Part, { type: 'tool-call' }>,
  result: ShownResult | undefined,
  style: EntryStyle,
) {
  const { isWhole } = style
  const name = `**${renderContentLine(renderPreview(part.name, SHORT_COLUMNS))}**`
  const subject = renderPreview(findSubject(part.input), CALL_COLUMNS)
  const head = isWhole || subject === '' ? name : `${name} ${renderInlineCode(subject)}`
  const input =
    isWhole && part.input !== undefined
      ? [renderCode(renderPart({ ...part, name: '' }).trim())]
      : []
  return [head, ...input, ...(result ? [renderResult(result, style)] : ['*No result.*'])].join(
    '\n\n',
  )
}

function renderResult({ part, record }: ShownResult, { isWhole, failed }: EntryStyle): string {
  const text = redactSecrets(part.output.map(renderPart).join('\n')).trimEnd()
  const error = failed.has(part) ? '*Failed:*\n\n' : ''
  if (text.trim() === '') return `${error}*(an empty result)*`
  if (isWhole) return error + renderCode(text)
  const lines = text.slice(0, MOST_CHARACTERS).split('\n')
  const shown = lines.slice(0, MOST_LINES).join('\n')
  if (shown.length === text.length) return error + renderCode(text)
  const left = renderPlural(text.length - shown.length, 'character')
  const whole = record === undefined ? '' : `: --record ${record}`
  return `${error}${renderCode(`${shown.trimEnd()} …`)}\n*and ${left} more${whole}*`
}

const MOST_INPUT_CHARACTERS = 20_000

/** The subject of a call: its first text argument, which is usually a command or a path. */
function findSubject(input: unknown): string {
  const value = typeof input === 'string' ? readArguments(input) : input
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return ''
  const values: readonly unknown[] = Object.values(value)
  const first = values.find((each) => typeof each === 'string' || Array.isArray(each))
  return Array.isArray(first)
    ? first.filter((word) => typeof word === 'string').join(' ')
    : String(first ?? '')
}

function readArguments(text: string): unknown {
  if (!text.startsWith('{') || text.length > MOST_INPUT_CHARACTERS) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Content in the middle of a line by precis. */
export function renderContentLine(text: string): string {
  return renderPreview(text, Number.MAX_SAFE_INTEGER).replace(/[\\`*[\]<>]/g, '\\$&')
}

/** Between more backticks than the text contains in a row. */
function renderInlineCode(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const ticks = '`'.repeat(longest + 1)
  return longest === 0 ? `${ticks}${text}${ticks}` : `${ticks} ${text} ${ticks}`
}

// Headings by precis have three levels.
const HEADING = /^( {0,3})(#{1,6})(?=\s|$)/
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/
const BLANK = /^ *$/
const MARKS = /^[`~ ]*$/
// As entities: a backslash may be part of an address, or itself be escaped.
const TAG = /<(?=[a-z/!?])/gi
const PICTURE = /!\[/g
// Backticks may begin no inline code: escaped, of more than one, after a tilde, in the cell of a table,
// in an address or a formula.
const UNSURE = /[\\~`]`|\||:\/\/|www\.|\$[^$`]*`[^$]*\$/i

/**
 * Puts headings below those of precis, escapes tags and pictures, and closes an open block of code.
 * A block of code leaves its list, because the end of the list would also end the block.
 */
export function tameMarkdown(content: string): string {
  const lines: string[] = []
  let fence = ''
  let indent = 0
  // Inline code may begin on the line before. Backticks are not trusted until a blank line.
  let isLoose = false
  // A formula may begin there too.
  let isFormula = false
  for (const given of neutralizeText(redactSecrets(withoutSequences(content)))
    .trim()
    .split('\n')) {
    const spaces = given.search(/[^ ]|$/)
    const line = fence === '' ? given : given.slice(Math.min(indent, spaces))
    const { marks, rest } = readFence(line)
    if (fence !== '') {
      const isEnd = marks.startsWith(fence) && BLANK.test(rest)
      // Some viewers end it with marks of both kinds.
      const isLike = !isEnd && marks.startsWith(fence) && MARKS.test(rest)
      lines.push(isLike ? `    ${line}` : line)
      if (isEnd) fence = ''
      continue
    }
    if (marks !== '') {
      fence = marks
      indent = spaces
      // Some viewers look for the address of a link or the heading of a table first.
      if (lines.at(-1)?.trimEnd().endsWith(']:')) lines.push('')
      lines.push(line.slice(spaces).replaceAll('|', ' '))
      continue
    }
    if (BLANK.test(line)) isLoose = isFormula = false
    const pieces = line.split('`')
    isLoose ||= pieces.length % 2 === 0 || UNSURE.test(isFormula ? `$${line}` : line)
    isFormula ||= line.includes('$')
    const spell = (text: string) => text.replace(TAG, '&lt;').replace(PICTURE, '!&#91;')
    const tamed = isLoose
      ? spell(line)
      : pieces.map((piece, index) => (index % 2 === 0 ? spell(piece) : piece)).join('`')
    lines.push(
      UNDERLINE.test(tamed) && !BLANK.test(lines.at(-1) ?? '')
        ? `\\${tamed.trim()}`
        : tamed.replace(
            HEADING,
            (_, start: string, signs: string) => start + '#'.repeat(Math.max(signs.length, 4)),
          ),
    )
  }
  return [...lines, ...(fence === '' ? [] : [fence])].join('\n')
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** The marks with which a line may begin or end a block of code, and what follows them. */
export function readFence(line: string): { readonly marks: string; readonly rest: string } {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? []
  const isCode = marks.startsWith('`') && rest.includes('`')
  return isCode ? { marks: '', rest } : { marks, rest }
}

/** A block of code that its content cannot end. */
export function renderCode(content: string): string {
  const text = neutralizeText(redactSecrets(withoutSequences(content))).trimEnd()
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** Markdown as a quotation. */
export function quoteBlock(markdown: string): string {
  return markdown.replace(/^/gm, '> ').replace(/^> $/gm, '>')
}
