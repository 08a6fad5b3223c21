/** A tool call on one line, with what came back beside or below it. */
import { renderBytes, renderPlural } from '../../terminal/render.ts'
import { measureWidth } from '../../terminal/spans.ts'
import { cutToWidth, neutralizeLine, renderPreview } from '../../terminal/terminal-text.ts'
import type { Palette } from './palette.ts'

export interface ToolRun {
  readonly name: string
  readonly input: unknown
  /** Undefined while it runs. */
  readonly result?: ToolOutput
  /** The answer ended before it did. */
  readonly isAbandoned?: boolean
}

/** What is shown of an output; the whole of it is the model's. */
export interface ToolOutput {
  readonly isError: boolean
  readonly size: string
  readonly beginning: string
}

// What says most of a call, in this order.
const TELLING = ['command', 'path', 'file_path', 'file', 'pattern', 'query', 'url']
const MAX_SUMMARY = 400
const MAX_NAME = 24
const SHOWN_LINES = 3
const BEGINNING_LENGTH = 3000

export function toToolOutput(output: string, isError: boolean): ToolOutput {
  return { isError, size: describeSize(output), beginning: output.slice(0, BEGINNING_LENGTH) }
}

export function renderToolRun(run: ToolRun, columns: number, palette: Palette): string[] {
  const { result, isAbandoned } = run
  const mark = result ? (result.isError ? palette.bad('✗') : palette.good('●')) : palette.quiet(isAbandoned ? '◌' : '○')
  const name = renderPreview(run.name, Math.min(MAX_NAME, Math.floor(columns / 2)))
  const outcome = result ? result.size : isAbandoned ? 'stopped' : '…'
  const size = cutToWidth(outcome, Math.max(columns - measureWidth(name) - 5, 1))
  const room = columns - measureWidth(name) - measureWidth(size) - 6
  const summary = room > 4 ? cutToWidth(summarizeInput(run.input), room) : ''
  const line = `${mark} ${palette.strong(name)}${summary && ` ${summary}`} ${palette.quiet(`· ${size}`)}`
  return [line, ...(result ? renderFirstLines(run, result, columns, palette) : [])]
}

/** The output of a command and the words of an error are worth a look; a file that was read is not. */
function renderFirstLines(
  { name, input }: ToolRun,
  { beginning, isError }: ToolOutput,
  columns: number,
  palette: Palette,
): string[] {
  const isCommand = name === 'shell' || name === 'bash' || hasField(input, 'command')
  if (!isError && !isCommand) return []
  const lines = beginning
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, SHOWN_LINES)
  const style = isError ? palette.bad : palette.quiet
  return lines.map((line) => style(cutToWidth(`  │ ${neutralizeLine(line.replaceAll('\t', '  '))}`, columns)))
}

/** What a call is about, on one line and safe. */
export function summarizeInput(input: unknown): string {
  if (typeof input === 'string') return renderPreview(input, MAX_SUMMARY)
  if (typeof input !== 'object' || input === null) return ''
  const entries = Object.entries(input)
  const telling = TELLING.flatMap((key) => entries.filter(([name]) => name === key))
  const [, value] = telling.find(([, candidate]) => typeof candidate === 'string' && candidate !== '') ?? []
  if (typeof value === 'string') return renderPreview(value, MAX_SUMMARY)
  const short = entries.filter(([, candidate]) => typeof candidate !== 'object')
  return renderPreview(
    short.map(([key, candidate]) => `${key}=${String(candidate).slice(0, 80)}`).join(' '),
    MAX_SUMMARY,
  )
}

function hasField(input: unknown, key: string): boolean {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, key)
}

function describeSize(output: string): string {
  if (output === '') return 'empty'
  const bytes = Buffer.byteLength(output)
  let lines = output.endsWith('\n') ? 0 : 1
  for (let at = output.indexOf('\n'); at >= 0; at = output.indexOf('\n', at + 1)) lines++
  return `${renderPlural(lines, 'line')}, ${renderBytes(bytes)}`
}
