/**
 * Both ends of a compression: its original from the archive, and what an agent added to the result
 * later.
 */

import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Conversation, Message } from '@precis/core'
import {
  type ByteSource,
  beginsWith,
  describeMessages,
  describeParts,
  type Format,
  FormatError,
  findGrowth,
  formats,
  type Growth,
  readWhole,
} from '@precis/core/formats'
import type { Agent } from '../agents/shared/agent.ts'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { readWholeOriginal } from '../archive/read-original.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError, SessionError } from '../files/errors.ts'
import { findRealPath } from '../files/find-real-path.ts'
import { parseObject, readLines } from '../files/lines.ts'
import { createMemorySource, readInputFile } from '../files/read-document.ts'
import {
  completeIfPossible,
  findAgent,
  findSessionPath,
  isSessionMissing,
  openSession,
} from '../sessions/find-sessions.ts'
import { hashSource } from '../sessions/lineage.ts'
import { type LoadedSession, loadSession, NO_DAMAGE } from '../sessions/load-session.ts'

/** `longer`: its agent continued it. `nowhere`: it came from standard input. */
export type OriginalState = 'same' | 'longer' | 'changed' | 'gone' | 'nowhere'

export interface OriginalSession {
  /** In the same form as if it had been read from its file. */
  readonly session: LoadedSession
  readonly bytes: Buffer
  readonly state: OriginalState
}

/**
 * Reads it from the archive completely, and compares it with its file. Throws `ArchiveError` if it
 * is damaged.
 */
export async function findOriginal(
  database: Database,
  entry: ArchivedCompression,
  format: Format,
  agents?: readonly Agent[],
): Promise<OriginalSession> {
  const bytes = await readWholeOriginal(database, entry)
  const conversation = format.parse(createMemorySource(bytes))
  const agent = findAgent(format.name, entry.originalPath ?? undefined, agents)
  const state = await compareWithFile(entry, bytes, conversation, format, agent, agents)
  const path = entry.originalPath !== null && state !== 'gone' ? entry.originalPath : undefined
  const source = createMemorySource(bytes)
  const session: LoadedSession = {
    name: entry.originalPath ?? entry.name,
    document: { source, path, stats: undefined, close: () => {} },
    format,
    conversation,
    agent,
    head: agent?.readHead(source),
    damage: NO_DAMAGE,
  }
  return { session, bytes, state }
}

/**
 * For a complete entry. If it is damaged, what was added since is unknown. Throws `ArchiveError`.
 */
export function findFormat(entry: ArchivedCompression): Format {
  if (entry.damaged) {
    throw new ArchiveError(
      'archive-damaged',
      `Undoing ${entry.name}: its entry in the archive is damaged (${entry.damaged.join(', ')}), and what was added since cannot be told. "precis restore ${entry.name} --out <file>" writes the original.`,
    )
  }
  const format = Object.values(formats).find(({ name }) => name === entry.format)
  if (format) return format
  throw new ArchiveError(
    'archive-too-new',
    `Undoing ${entry.name}: it is of the format "${entry.format}", which this precis does not know. Install the newest precis.`,
  )
}

async function compareWithFile(
  { originalPath: path }: ArchivedCompression,
  bytes: Buffer,
  conversation: Conversation,
  format: Format,
  agent: Agent | undefined,
  agents: readonly Agent[] | undefined,
): Promise<OriginalState> {
  if (path === null) return 'nowhere'
  if (isSessionMissing(path, agents)) return 'gone'
  const now = await readAll(path, agent, agents)
  if (now === undefined) return 'gone'
  if (now.equals(bytes)) return 'same'
  // A store returns its sessions in different bytes each time, and a longer file may be compacted.
  // Therefore messages are compared.
  const after = parseAgain(format, now)
  if (!after || !beginsWith(after, conversation)) return 'changed'
  return after.messages.length > conversation.messages.length ? 'longer' : 'same'
}

/**
 * Undefined if the session is no longer in its store. Throws if it cannot be read: it may have
 * grown, and must not be replaced by what the archive has.
 */
async function readAll(
  path: string,
  agent: Agent | undefined,
  agents: readonly Agent[] | undefined,
): Promise<Buffer | undefined> {
  try {
    const document = await openSession(path, agents)
    try {
      // Without what it only refers to, it differs from the original.
      const { source } = completeIfPossible(document, agent)
      return Buffer.from(source.read(0, source.byteLength))
    } finally {
      document.close()
    }
  } catch (error) {
    if (error instanceof SessionError && error.code === 'no-such-session') return undefined
    throw error
  }
}

/** Undefined for what is not of the format. */
function parseAgain(format: Format, bytes: Buffer): Conversation | undefined {
  try {
    return format.parse(createMemorySource(bytes))
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/**
 * The compressed session in its present state. Undefined if it is gone. A moved file is found by
 * its name or id.
 */
export async function openCompressed(
  name: string,
  entry: ArchivedCompression,
  agents?: readonly Agent[],
): Promise<LoadedSession | undefined> {
  const { sessionId, path, originalPath } = entry
  // A document without an id is known only by its place.
  const isMoved = sessionId !== null && existsSync(name) && findRealPath(name) !== originalPath
  for (const candidate of [isMoved ? name : undefined, sessionId, path]) {
    if (!candidate) continue
    try {
      const session = await loadSession(findSessionPath(candidate, agents), undefined, agents)
      // The user named the original, or another file that is now in its place.
      if (sessionId === null || session.head?.sessionId === sessionId) return session
      session.document.close()
    } catch (error) {
      if (!(error instanceof SessionError && error.code === 'no-such-session')) throw error
    }
  }
  return undefined
}

/**
 * Undefined if the session is byte for byte what was written. If an agent compacted it in place,
 * its earlier content is `original` itself.
 */
export function findAdded(
  entry: ArchivedCompression,
  original: Conversation,
  grown: LoadedSession,
): Growth {
  const { path, command } = entry
  const { format, document, conversation } = grown
  const { source } = document
  if (command === 'compact' && beginsWith(conversation, original)) return { messages: [] }
  const start = findWrittenEnd(entry, source)
  if (start === source.byteLength) return { messages: [] }
  if (start !== undefined)
    return findGrowth(format, format.parse(cutAt(source, start)), conversation, start)
  if (command === 'compact') return findGrowth(format, original, conversation)
  // An imported file stays as it was written, because the agent continues in its store.
  const written =
    path !== null && path !== document.path && existsSync(path) ? readInputFile(path) : undefined
  if (written && hash('sha256', written) === entry.resultHash) {
    return findGrowth(format, format.parse(createMemorySource(written)), conversation)
  }
  const messages = readWhole(format, conversation)
  return { messages: messages.slice(entry.resultMessages ?? findFirstUnknown(messages, original)) }
}

/**
 * The end of what precis wrote in the session, or of what replaced it in a compaction. Undefined if
 * the session begins differently.
 */
function findWrittenEnd(entry: ArchivedCompression, source: ByteSource): number | undefined {
  const { command, originalBytes, originalHash, resultBytes, resultHash } = entry
  const [bytes, hash] =
    command === 'compact' ? [originalBytes, originalHash] : [resultBytes, resultHash]
  if (bytes === null || hash === null || source.byteLength < bytes) return undefined
  return hashSource(source, bytes) === hash ? bytes : undefined
}

/**
 * How many messages precis wrote in the session, as its agent reads them: of several answers
 * without a border some agents read one. What the archive has if the session begins differently.
 */
export function countWritten(
  entry: ArchivedCompression,
  { format, document: { source } }: LoadedSession,
): number | null {
  const end = findWrittenEnd(entry, source)
  return end === undefined
    ? entry.resultMessages
    : readWhole(format, format.parse(cutAt(source, end))).length
}

/**
 * The first request that is not in the original. An interrupted precis wrote everything before it,
 * and recorded nothing.
 */
function findFirstUnknown(messages: readonly Message[], original: Conversation): number {
  const known = new Set(describeMessages(original.messages))
  const first = messages.findIndex(
    (message) => message.origin === 'user' && !known.has(describeMessages([message])[0] ?? ''),
  )
  return first < 0 ? messages.length : first
}

/**
 * How many records that an agent added contain something that is not in `kept`. Branches that the
 * user left count too, so each line is read separately. A record without a message, such as a
 * title, counts only if nothing but the original is left.
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
    // If it is unknown what precis wrote, its summary has no known author.
    (start === undefined && message.origin === 'synthetic') ||
    describeParts(message).every((part) => known.has(part))
  if (!format.isCompaction)
    return conversation.messages.filter((message) => !isKept(message)).length
  const [first] = readLines(source)
  const header = first && readRecord(format, [], first)?.messages.length === 0 ? [first] : []
  let count = 0
  for (const line of readLines(source, start)) {
    if (line.toString('utf8').trim() === '') continue
    const record = readRecord(format, header, line)
    if (!record?.messages.every(isKept) || (isOriginalAlone && record.messages.length === 0))
      count++
  }
  return count
}

/** Undefined for a line that is cut off or of nothing known, which may contain anything. */
function readRecord(
  format: Format,
  header: readonly Buffer[],
  line: Buffer,
): Conversation | undefined {
  const value = parseObject(line)
  if (!value) return undefined
  // Words of a subagent count too.
  const { isSidechain: _isSidechain, ...record } = value
  return parseAgain(format, Buffer.from(`${[...header, JSON.stringify(record)].join('\n')}\n`))
}

/** Everything in a source up to a position. */
function cutAt(source: ByteSource, end: number): ByteSource {
  return { byteLength: end, read: (from, to) => source.read(from, Math.min(to, end)) }
}
