/** A chat session of VS Code, whether it is one object or a log. */
import { parseJson, toJsonText } from '../../conversation/json-text.ts'
import { FormatError } from '../format.ts'
import type { JsonlSource } from '../json/lines.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'
import { createSlot, type MutationLog, readMutationLog, type Slot } from './mutation-log.ts'

export interface Storage {
  /** The whole value of a document that is one object; undefined for a log. */
  readonly body: JsonObject | undefined
  readonly log: MutationLog | undefined
  /** The session without its requests. */
  readonly facts: JsonObject
  readonly slots: readonly Slot[]
}

// The object of VS Code 1.108 and later; older ones have the same members where it matters here.
const NEWEST_VERSION = 3

/** Throws `FormatError` for what is no session, and for a version that is not known. */
export function readStorage(source: JsonlSource): Storage {
  const storage = readBody(source) ?? readLog(source)
  if (!storage) {
    throw new FormatError(
      'unknown-format',
      'Reading a copilot session: found neither an object with a list of requests nor a log that begins with one. Give a file of "chatSessions".',
    )
  }
  const { version } = storage.facts
  if (version !== undefined && !(typeof version === 'number' && version <= NEWEST_VERSION)) {
    throw new FormatError(
      'unknown-version',
      `Reading a copilot session: found version ${toJsonText(version).slice(0, 20)}, known are those up to ${NEWEST_VERSION}.`,
    )
  }
  return storage
}

function readBody(source: JsonlSource): Storage | undefined {
  const beginning = source.readText(0, Math.min(source.length, 1 << 16)).replace(/^\ufeff/, '')
  const lineEnd = beginning.indexOf('\n')
  // A first line that is a whole value is a log, unless nothing follows.
  if (lineEnd >= 0 && beginning.slice(lineEnd).trim() !== '' && isJsonObject(parseJson(beginning.slice(0, lineEnd)))) {
    return undefined
  }
  const body = parseJson(source.readText(0, source.length).replace(/^\ufeff/, ''))
  if (!isJsonObject(body)) return undefined
  const { requests, ...facts } = body
  if (!Array.isArray(requests)) return undefined
  const slots = requests.map((value: unknown, index) => createSlot(value, index, ['requests', index]))
  return { body, log: undefined, facts, slots }
}

function readLog(source: JsonlSource): Storage | undefined {
  const log = readMutationLog(source)
  return log && { body: undefined, log, facts: log.facts, slots: log.slots }
}

/** What the extension keeps with an answer: its rounds and the results of its tools. */
export function readMetadata(request: unknown): JsonObject {
  const metadata = readMember(readMember(request, 'result'), 'metadata')
  return isJsonObject(metadata) ? metadata : {}
}

export function listObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

export function readString(value: unknown, key: string): string | undefined {
  const member = readMember(value, key)
  return typeof member === 'string' ? member : undefined
}
