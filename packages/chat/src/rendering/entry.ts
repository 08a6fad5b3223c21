/**
 * The entries of the transcript. Each renders itself for a width, with two columns for its mark.
 */
import { visibleWidth } from '@mariozechner/pi-tui'
import { neutralizeLine, neutralizeText, renderBytes, renderPlural } from '@precis/core/text'
import { type ChatEntry, MARGIN, type Palette } from './chat-view.ts'
import { StreamingMarkdown } from './markdown.ts'
import { wrapText } from './wrap.ts'

const MAX_REQUEST_LINES = 30

export function createRequestEntry(text: string): ChatEntry {
  const lines = neutralizeText(text.replaceAll('\t', '  ')).split('\n')
  const shown = lines.slice(0, MAX_REQUEST_LINES).join('\n')
  const more = lines.length - MAX_REQUEST_LINES
  return {
    kind: 'request',
    version: 0,
    render: (columns, { prompt, quiet, strong }) => [
      ...wrapText(strong(shown), columns, { first: `${prompt('›')} `, rest: MARGIN }),
      ...(more > 0 ? [quiet(`${MARGIN}… ${more} more lines`)] : []),
    ],
  }
}

export class AnswerEntry implements ChatEntry {
  readonly kind = 'answer'
  version = 0
  #markdown: StreamingMarkdown

  constructor(initial = '') {
    this.#markdown = new StreamingMarkdown(initial)
  }

  append(delta: string): void {
    this.#markdown.append(delta)
    this.version++
  }

  /** Discards everything that was appended. */
  clear(): void {
    this.#markdown = new StreamingMarkdown()
    this.version++
  }

  render(columns: number, { colors }: Palette): readonly string[] {
    const lines = this.#markdown.render(columns - MARGIN.length, colors)
    return lines.map((line) => (line === '' ? '' : MARGIN + line))
  }
}

const MAX_REASONING = 2000

/** One line: that there was reasoning, and how it begins. */
export class ReasoningEntry implements ChatEntry {
  readonly kind = 'reasoning'
  version = 0
  #beginning = ''

  append(delta: string): void {
    if (this.#beginning.length >= MAX_REASONING) return
    this.#beginning += delta
    this.version++
  }

  clear(): void {
    this.#beginning = ''
    this.version++
  }

  render(columns: number, { colors, quiet, preview }: Palette): readonly string[] {
    const text = preview(this.#beginning.replaceAll('**', ''), columns - 4)
    return text === '' ? [] : [`${quiet('✻')} ${quiet(colors.italic(text))}`]
  }
}

/** Any text by precis itself. What it renders has to be safe already. */
export function createNoticeEntry(render: ChatEntry['render']): ChatEntry {
  return { kind: 'notice', version: 0, render }
}

export function createNotice(mark: string, text: string): ChatEntry {
  return createNoticeEntry((columns) =>
    wrapText(text, columns, { first: `${mark} `, rest: MARGIN }),
  )
}

export class ToolEntry implements ChatEntry {
  readonly kind = 'tool'
  version = 0
  #run: ToolRun
  #isCleared = false

  constructor(run: ToolRun) {
    this.#run = run
  }

  change(change: Partial<ToolRun>): void {
    this.#run = { ...this.#run, ...change }
    this.version++
  }

  clear(): void {
    this.#isCleared = true
    this.version++
  }

  render(columns: number, palette: Palette): readonly string[] {
    if (this.#isCleared) return []
    return renderToolRun(this.#run, columns - MARGIN.length, palette).map((line) => MARGIN + line)
  }
}

/** A tool call. */
interface ToolRun {
  readonly name: string
  readonly input: unknown
  /** Undefined while it runs. */
  readonly result?: ReturnType<typeof toToolOutput>
  /** The answer ended before the call did. */
  readonly isAbandoned?: boolean
}

const BEGINNING_LENGTH = 3000

/** The part of an output that is shown. The model gets the whole output. */
export function toToolOutput(output: string, isError: boolean) {
  const lines = output.split('\n').length - (output.endsWith('\n') ? 1 : 0)
  const size =
    output === ''
      ? 'empty'
      : `${renderPlural(lines, 'line')}, ${renderBytes(Buffer.byteLength(output))}`
  return { isError, size, beginning: output.slice(0, BEGINNING_LENGTH) }
}

const MAX_NAME = 24

/** A tool call on one line, with its result next to it or below. */
export function renderToolRun(run: ToolRun, columns: number, palette: Palette): string[] {
  const { result, isAbandoned } = run
  const done = result?.isError ? palette.bad('✗') : palette.good('●')
  const mark = result ? done : palette.quiet(isAbandoned ? '◌' : '○')
  const name = palette.preview(run.name, Math.min(MAX_NAME, Math.floor(columns / 2)))
  const pending = isAbandoned ? 'stopped' : '…'
  const size = palette.cut(result?.size ?? pending, Math.max(columns - visibleWidth(name) - 5, 1))
  const room = columns - visibleWidth(name) - visibleWidth(size) - 6
  const summary = room > 4 ? palette.cut(summarizeInput(run.input, palette), room) : ''
  const line = `${mark} ${palette.strong(name)}${summary && ` ${summary}`} ${palette.quiet(`· ${size}`)}`
  return [line, ...(result ? renderFirstLines(result, columns, palette) : [])]
}

const SHOWN_LINES = 3

/** The text of an error matters to the user. The content of a file does not. */
function renderFirstLines(
  { beginning, isError }: ReturnType<typeof toToolOutput>,
  columns: number,
  palette: Palette,
): string[] {
  if (!isError) return []
  const lines = beginning.split('\n').filter((line) => line.trim() !== '')
  return lines
    .slice(0, SHOWN_LINES)
    .map((line) =>
      palette.bad(palette.cut(`  │ ${neutralizeLine(line.replaceAll('\t', '  '))}`, columns)),
    )
}

// The most informative fields of a call, best first.
const TELLING = ['command', 'path', 'file_path', 'file', 'pattern', 'query', 'url']
const MAX_SUMMARY = 400

/** The subject of a call, on one line and safe. */
export function summarizeInput(input: unknown, { preview }: Palette): string {
  if (typeof input === 'string') return preview(input, MAX_SUMMARY)
  if (typeof input !== 'object' || input === null) return ''
  const fields = new Map<string, unknown>(Object.entries(input))
  const telling = TELLING.map((key) => fields.get(key)).find(isText)
  if (telling !== undefined) return preview(telling, MAX_SUMMARY)
  const short = [...fields].filter(([, candidate]) => typeof candidate !== 'object')
  return preview(
    short.map(([key, candidate]) => `${key}=${String(candidate).slice(0, 80)}`).join(' '),
    MAX_SUMMARY,
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
