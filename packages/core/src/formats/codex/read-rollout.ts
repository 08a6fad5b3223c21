import { FormatError } from '../format.ts'
import { type JsonlLine, type JsonlSource, readLines } from '../json/lines.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import type { Span } from '../json/spans.ts'
import { appendItem, compactHistory, createHistory, type History } from './history.ts'
import { readEvent } from './read-events.ts'
import { FORMAT_NAME, type Rollout } from './rollout.ts'
import { withTypedOrigin } from './typed-origin.ts'

interface Reading {
  readonly history: History
  meta?: Rollout['meta']
  isNumbered: boolean
  lineCount: number
  turnContext?: Span
  lineBreak: string
  timestamp: string
  model?: string
  workingDirectory?: string
}

/** Throws `FormatError` for a file without a `session_meta` line. */
export function readRollout(source: JsonlSource): Rollout {
  const history = createHistory()
  const reading: Reading = { history, isNumbered: false, lineCount: 0, lineBreak: '\n', timestamp: '' }
  for (const line of readLines(source, FORMAT_NAME)) {
    if (line.next - line.end === 2) reading.lineBreak = '\r\n'
    if (!isJsonObject(line.value)) continue
    reading.lineCount++
    readLine(reading, line, line.value)
  }
  const { history: _, meta, ...facts } = reading
  if (!meta) {
    throw new FormatError(
      'malformed',
      'Reading a codex session: it has no session_meta line. Give a whole rollout file.',
    )
  }
  const { items, turns, typedTexts } = history
  return { ...facts, meta, turns, items: typedTexts ? items.map((item) => withTypedOrigin(item, typedTexts)) : items }
}

function readLine(reading: Reading, line: JsonlLine, value: JsonObject): void {
  const { type, payload } = value
  if (!isJsonObject(payload) || typeof type !== 'string') {
    if (!reading.meta && typeof value.id === 'string' && typeof value.timestamp === 'string') {
      throw new FormatError(
        'unknown-version',
        'Reading a codex session: its first line is of a version before session_meta. Resume it once in a newer Codex and give the file that makes.',
      )
    }
    return
  }
  if (typeof value.timestamp === 'string') reading.timestamp = value.timestamp
  const span = { start: line.start, end: line.end }
  switch (type) {
    case 'session_meta':
      // A fork repeats the lines of the session it came from, its session_meta too.
      if (!reading.meta) reading.isNumbered = typeof value.ordinal === 'number'
      reading.meta ??= { line: span, payload }
      if (typeof payload.cwd === 'string') reading.workingDirectory ??= payload.cwd
      return
    case 'turn_context':
      reading.turnContext = span
      if (typeof payload.model === 'string') reading.model = payload.model
      if (typeof payload.cwd === 'string') reading.workingDirectory = payload.cwd
      return
    case 'response_item':
      appendItem(reading.history, { item: payload, record: line.index, line: span })
      return
    case 'event_msg':
      readEvent(reading.history, span, payload)
      return
    case 'compacted':
      compactHistory(reading.history, line.index, span, payload)
  }
}
