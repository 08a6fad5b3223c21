/** Finds what an agent added to a compressed session since it was written, and whether all of that is somewhere else. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Conversation, Message } from '@precis/core'
import {
  type ByteSource,
  beginsWith,
  describeMessages,
  describeParts,
  type Format,
  findGrowth,
  type Growth,
  readWhole,
} from '@precis/core/formats'
import { type ArchivedCompression, findRealPath } from '../archive/compressions.ts'
import { readInputFile } from '../input-file.ts'
import { findSessionPath } from '../sessions/find-sessions.ts'
import { parseObject, readLines } from '../sessions/lines.ts'
import { type LoadedSession, loadSession } from '../sessions/load-session.ts'
import { createMemorySource } from '../sessions/read-document.ts'
import { SessionError } from '../sessions/session-error.ts'

/** The compressed session as it is now; undefined when it is gone. A file that was moved is found by its name or id. */
export async function openCompressed(name: string, entry: ArchivedCompression): Promise<LoadedSession | undefined> {
  const { sessionId, path, originalPath } = entry
  // A document without an id is known by its place alone.
  const isMoved = sessionId !== null && existsSync(name) && findRealPath(name) !== originalPath
  for (const candidate of [isMoved ? name : undefined, sessionId, path]) {
    if (!candidate) continue
    try {
      const session = await loadSession(findSessionPath(candidate))
      // The original was named, or a file that was put in its place.
      if (sessionId === null || session.head?.sessionId === sessionId) return session
      session.document.close()
    } catch (error) {
      if (!(error instanceof SessionError && error.code === 'no-such-session')) throw error
    }
  }
  return undefined
}

/**
 * None where the session is byte for byte what was written. Where an agent compacted it in its place, what was there before
 * is `original` itself.
 */
export function findAdded(entry: ArchivedCompression, original: Conversation, grown: LoadedSession): Growth {
  const { path, command } = entry
  const { format, document, conversation } = grown
  const { source } = document
  if (command === 'compact' && beginsWith(conversation, original)) return { messages: [] }
  const start = findWrittenEnd(entry, source)
  if (start === source.byteLength) return { messages: [] }
  if (start !== undefined) return findGrowth(format, format.parse(cutAt(source, start)), conversation, start)
  if (command === 'compact') return findGrowth(format, original, conversation, undefined)
  // What waits to be imported stays as it was written, when the agent goes on in its store.
  const written = path !== null && path !== document.path && existsSync(path) ? readInputFile(path) : undefined
  if (written && createHash('sha256').update(written).digest('hex') === entry.resultHash) {
    return findGrowth(format, format.parse(createMemorySource(written)), conversation, undefined)
  }
  const messages = readWhole(format, conversation)
  return { messages: messages.slice(entry.resultMessages ?? findFirstUnknown(messages, original)) }
}

/** Where in the session ends what precis wrote, or what was there at a compaction in its place; undefined where it begins otherwise. */
function findWrittenEnd(entry: ArchivedCompression, source: ByteSource): number | undefined {
  const { command, originalBytes, originalHash, resultBytes, resultHash } = entry
  const [bytes, hash] = command === 'compact' ? [originalBytes, originalHash] : [resultBytes, resultHash]
  if (bytes === null || hash === null || source.byteLength < bytes) return undefined
  return hashBeginning(source, bytes) === hash ? bytes : undefined
}

/** The first request that is not in the original: all before it was written by precis, which was interrupted and recorded nothing. */
function findFirstUnknown(messages: readonly Message[], original: Conversation): number {
  const known = new Set(describeMessages(original.messages))
  const first = messages.findIndex(
    (message) => message.origin === 'user' && !known.has(describeMessages([message])[0] ?? ''),
  )
  return first < 0 ? messages.length : first
}

/**
 * How many records that an agent added say something that none of `kept` says. Branches that the user left are looked at
 * too, so each line is read by itself. A record without a message, such as a title, counts where the original alone is left.
 */
export function countUnkept(
  entry: ArchivedCompression,
  { format, document: { source }, conversation }: LoadedSession,
  kept: readonly Message[],
  isOriginalAlone: boolean,
): number {
  const start = findWrittenEnd(entry, source)
  if (start === source.byteLength) return 0
  const written = start === undefined ? [] : format.parse(cutAt(source, start)).messages
  const known = new Set([...written, ...kept].flatMap(describeParts))
  const isKept = (message: Message) =>
    // Where nobody knows what precis wrote, its summary is in nobody's name.
    (start === undefined && message.origin === 'synthetic') || describeParts(message).every((part) => known.has(part))
  if (!format.isCompaction) return conversation.messages.filter((message) => !isKept(message)).length
  const [first] = readLines(source)
  const header = first && readRecord(format, [], first)?.messages.length === 0 ? [first] : []
  let count = 0
  for (const line of readLines(source, start)) {
    if (line.toString('utf8').trim() === '') continue
    const record = readRecord(format, header, line)
    if (!record?.messages.every(isKept) || (isOriginalAlone && record.messages.length === 0)) count++
  }
  return count
}

/** Undefined for a line that was cut off, which may hold anything. */
function readRecord(format: Format, header: readonly Buffer[], line: Buffer): Conversation | undefined {
  const value = parseObject(line)
  if (!value) return undefined
  // What a helper of the agent said counts as well.
  const { isSidechain: _isSidechain, ...record } = value
  return format.parse(`${[...header, JSON.stringify(record)].join('\n')}\n`)
}

/** All of a source up to a place. */
function cutAt(source: ByteSource, end: number): ByteSource {
  return { byteLength: end, read: (from, to) => source.read(from, Math.min(to, end)) }
}

const CHUNK_BYTES = 1 << 20

function hashBeginning(source: ByteSource, end: number): string {
  const sha256 = createHash('sha256')
  for (let start = 0; start < end; start += CHUNK_BYTES) {
    sha256.update(source.read(start, Math.min(start + CHUNK_BYTES, end)))
  }
  return sha256.digest('hex')
}
