/** Commands that outlive their call: the host names a session, and later calls ask how it goes. */
import { parseJson } from '../../conversation/json-text.ts'
import type { ToolCallPart } from '../../conversation/message.ts'
import type { Outcome } from '../../facts/outcome.ts'
import type { CallEvent } from './event.ts'

const POLLING_TOOLS = new Set(['write_stdin', 'bashoutput', 'taskoutput', 'bash_output'])
const SESSION_FIELDS = ['session_id', 'bash_id', 'task_id', 'shell_id']
// Codex; Claude Code.
const STARTED = /^(?:Process running with session ID|Command running in background with ID:) ([\w-]{1,64})/m
const STILL_RUNNING = /^<status>running<\/status>/m
const EXIT_CODE = /^<exit_code>(-?\d{1,4})<\/exit_code>/m
// The host speaks before the output, after the command it repeats there.
const HEADER_LENGTH = 2_000

/** The session that a call asks about; undefined for every other call. */
export function readPolledSession({ name, input }: ToolCallPart): string | undefined {
  if (!POLLING_TOOLS.has(name.toLowerCase())) return undefined
  const fields: unknown = typeof input === 'string' ? parseJson(input) : input
  if (typeof fields !== 'object' || fields === null) return undefined
  for (const [field, value] of Object.entries(fields))
    if (SESSION_FIELDS.includes(field) && (typeof value === 'string' || typeof value === 'number')) return String(value)
  return undefined
}

/** The session in which a command goes on; undefined when it has ended. `raw` is the result with the host's frame. */
export function readStartedSession(raw: string): string | undefined {
  return STARTED.exec(readFrame(raw))?.[1]
}

/** Adds what a later call heard of a command. */
export function joinOutcome(event: CallEvent, raw: string, heard: Outcome): void {
  const frame = readFrame(raw)
  const code = EXIT_CODE.exec(frame)?.[1]
  const exitCode = heard.exitCode ?? (code === undefined ? undefined : Number(code))
  event.isRunning = STARTED.test(frame) || STILL_RUNNING.test(frame)
  event.outcome = {
    failed: heard.failed || (exitCode ?? 0) !== 0,
    text: [event.outcome?.text ?? '', heard.text].filter((text) => text.trim() !== '').join('\n'),
    ...(exitCode !== undefined && { exitCode }),
  }
}

function readFrame(raw: string): string {
  const head = raw.slice(0, HEADER_LENGTH)
  const output = head.search(/^Output:$/m)
  return output < 0 ? head : head.slice(0, output)
}
