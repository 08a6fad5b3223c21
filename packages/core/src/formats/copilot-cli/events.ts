/**
 * The lines of a session of GitHub Copilot CLI, each linked to the line before it:
 *
 *   {"type":"user.message","data":{…},"id":"b","timestamp":"…","parentId":"a"}
 *   {"type":"assistant.message","data":{…},"id":"c","timestamp":"…","parentId":"b"}
 *
 * Lines of sub-agents stand between, with an `agentId`.
 */
import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember, readString, toObject } from '../shared/json.ts'
import { type JsonlSource, readLines } from '../shared/lines.ts'
import type { SessionDocument } from '../shared/session-format.ts'

export const FORMAT_NAME = 'copilot-cli'

/** The facts of a line that are kept in memory. */
export interface CopilotEvent {
  readonly line: number
  readonly start: number
  readonly end: number
  readonly id: string | undefined
  readonly type: string
  /** Whether it belongs to a sub-agent, or was taken back. */
  readonly isAside: boolean
}

export interface CopilotCliDocument extends SessionDocument {
  readonly events: readonly CopilotEvent[]
  readonly lineBreak: string
  /** Lines that hold the data of pictures, by the line that names them. */
  readonly assets: ReadonlyMap<number, readonly number[]>
}

export function isStart(value: unknown): boolean {
  return (
    readMember(value, 'type') === 'session.start' &&
    typeof readMember(readMember(value, 'data'), 'copilotVersion') === 'string'
  )
}

/** Throws `FormatError` if no line is an event. */
export function readEvents(source: JsonlSource): {
  readonly events: CopilotEvent[]
  readonly lineBreak: string
} {
  const events: CopilotEvent[] = []
  const gone = new Set<string>()
  const rewind = createRewind(gone)
  let lineBreak = '\n'
  for (const { index: line, start, end, next, value } of readLines(source, FORMAT_NAME)) {
    if (next - end === 2) lineBreak = '\r\n'
    if (!isJsonObject(value) || typeof value.type !== 'string') continue
    const id = readString(value, 'id')
    const isAside = value.agentId !== undefined
    const event = { line, start, end, id, type: value.type, isAside }
    events.push(event)
    rewind(event, value)
  }
  if (!events.some(({ type }) => /^(?:session|user|assistant)\./.test(type))) {
    throw new FormatError(
      'unknown-format',
      `Reading a ${FORMAT_NAME} session: none of its lines is an event of GitHub Copilot CLI. Give ~/.copilot/session-state/<id>/events.jsonl.`,
    )
  }
  const live = events.map((event) =>
    event.id !== undefined && gone.has(event.id) ? { ...event, isAside: true } : event,
  )
  return { events: live, lineBreak }
}

/**
 * Adds to `gone` what each rewind took back: the events that it lists, or all from one on. However
 * many rewinds there are, each event is taken back only once.
 */
function createRewind(gone: Set<string>) {
  const live: CopilotEvent[] = []
  const lines = new Map<string, number>()
  return (event: CopilotEvent, { data }: JsonObject): void => {
    const { upToEventId, eventIds } = event.type === REWIND ? toObject(data) : {}
    if (Array.isArray(eventIds)) {
      for (const id of eventIds) if (typeof id === 'string') gone.add(id)
    } else if (typeof upToEventId === 'string') {
      const first = lines.get(upToEventId) ?? event.line
      for (let last = live.at(-1); last && last.line >= first; last = live.at(-1)) {
        if (last.id !== undefined) gone.add(last.id)
        live.pop()
      }
    }
    if (event.id !== undefined) lines.set(event.id, event.line)
    live.push(event)
  }
}

const REWIND = 'session.snapshot_rewind'

const SENT: ReadonlySet<string> = new Set([
  'user.message',
  'assistant.message',
  'tool.execution_complete',
  'system.notification',
])

export const isSent = ({ type, isAside }: CopilotEvent): boolean => !isAside && SENT.has(type)

export const COMPACTION = 'session.compaction_complete'

/** A compaction that failed replaces nothing. */
export function readSummary({ type, data }: JsonObject): string | undefined {
  return type === COMPACTION && readMember(data, 'success') === true
    ? readString(data, 'summaryContent')
    : undefined
}
