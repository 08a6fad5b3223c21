import { parseJson } from '../conversation/json-text.ts'
import { renderPart, type ToolResultPart } from '../conversation/message.ts'

/** How a tool call ended, and what it printed without the harness's own words around it. */
export interface Outcome {
  readonly failed: boolean
  /** Undefined when the agent does not tell. */
  readonly exitCode?: number
  readonly text: string
}

const EXIT_CODE = /(?:Process exited with code|Exit code:?|exit code|exited with code|exit status) (-?\d{1,4})/
// A header stands before the output, a tail behind it; nowhere else is an exit code the command's own.
const HEADER_LENGTH = 2_000

/** `showsContent`: the output is what stands in files, where an exit code is nobody's unless the host says it in its frame. */
export function readOutcome(result: ToolResultPart, showsContent = false): Outcome {
  const raw = renderPart(result)
  const wrapped = readWrapped(raw)
  if (wrapped) return { ...wrapped, failed: result.isError || wrapped.failed }
  const head = raw.slice(0, HEADER_LENGTH)
  const outputStart = head.includes('Output:') ? head.search(/^Output:$/m) : -1
  const isFramed = outputStart >= 0 && /^(?:Chunk ID|Wall time|Process exited|Exit code)/m.test(head)
  const spoken = isFramed ? head.slice(0, outputStart) : showsContent ? '' : head.split('\n', 2).join('\n')
  const code = EXIT_CODE.exec(spoken)?.[1]
  const exitCode = code === undefined ? undefined : Number(code)
  const unframed = isFramed ? raw.slice(outputStart + 'Output:\n'.length) : raw
  const failed = result.isError || (exitCode !== undefined && exitCode !== 0)
  return { failed, text: removeReminders(unframed), ...(exitCode !== undefined && { exitCode }) }
}

/** Older versions of Codex wrap what a command printed: `{"output":"…","metadata":{"exit_code":0}}`. */
function readWrapped(raw: string): Outcome | undefined {
  const value = raw.startsWith('{"output":') ? parseJson(raw) : undefined
  if (typeof value !== 'object' || value === null || !('output' in value)) return undefined
  const { output } = value
  if (typeof output !== 'string') return undefined
  const metadata = 'metadata' in value ? value.metadata : undefined
  const hasCode = typeof metadata === 'object' && metadata !== null && 'exit_code' in metadata
  const exitCode = hasCode && typeof metadata.exit_code === 'number' ? metadata.exit_code : undefined
  return { failed: (exitCode ?? 0) !== 0, text: output, ...(exitCode !== undefined && { exitCode }) }
}

const REMINDER = '<system-reminder>'
const REMINDER_END = '</system-reminder>'

/** Without the reminders that a host puts into results: they are for the moment, not for the record. */
export function removeReminders(text: string): string {
  if (!text.includes(REMINDER)) return text
  const kept: string[] = []
  let position = 0
  for (;;) {
    const start = text.indexOf(REMINDER, position)
    const end = start < 0 ? -1 : text.indexOf(REMINDER_END, start)
    if (end < 0) break
    kept.push(text.slice(position, start))
    position = end + REMINDER_END.length
  }
  kept.push(text.slice(position))
  return kept.join('')
}
