/**
 * Keeps originals: before a new session is written, and before an agent compacts a session in
 * place.
 */
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Compression, Conversation, Report } from '@precis/core'
import {
  type ByteSource,
  beginsWith,
  type Format,
  FormatError,
  formats,
} from '@precis/core/formats'
import {
  type ArchivedCompression,
  forgetCompression,
  listTaken,
  recordResult,
} from '../archive/compressions.ts'
import { sourceChanged } from '../archive/encode-pieces.ts'
import { findRecordChanges } from '../archive/hash-pieces.ts'
import { createArchive, explainArchiveError, openArchive } from '../archive/open-archive.ts'
import { readWholeOriginal } from '../archive/read-original.ts'
import { type Stored, type StoredOriginal, storeOriginal } from '../archive/store-original.ts'
import { type Database, isDatabaseAddress } from '../database/database.ts'
import { ArchiveError, SessionError } from '../files/errors.ts'
import { findRealPath } from '../files/find-real-path.ts'
import { createMemorySource } from '../files/read-document.ts'
import { hashSource } from '../sessions/lineage.ts'
import {
  type Damage,
  type LoadedSession,
  loadSession,
  toDamageJson,
} from '../sessions/load-session.ts'
import { splitOutput } from './destination.ts'
import type { ArchivePlace, Kept, NewResult, Ports } from './ports.ts'

/** A result that is about to be written. */
export interface MadeResult extends NewResult, Pick<Compression, 'conversation'> {
  readonly command: 'compress' | 'clone'
  readonly report: {
    readonly receipt: { readonly facts: unknown }
    readonly budget?: string
    readonly notInFileTokens?: number | undefined
  }
}

/**
 * The SHA-256 of a session that was just parsed, for `keepOriginal`: a model may take minutes, and
 * the agent may write its file again in its place. Undefined if it cannot change.
 */
export function hashParsed({ document: { source, stats } }: LoadedSession): string | undefined {
  return stats && hashSource(source)
}

/** Throws `SessionError` if the session is no longer what was parsed. */
export function assertUnchanged(session: LoadedSession, parsedHash: string | undefined): void {
  if (hashParsed(session) !== parsedHash) throw sourceChanged()
}

/**
 * Undefined if nothing is to be kept: there is no archive, or nothing will be written. Throws
 * `SessionError` if the session is no longer what was parsed.
 */
export async function keepOriginal(
  source: LoadedSession,
  parsedHash: string | undefined,
  made: MadeResult,
  { archive, note }: Pick<Ports, 'archive' | 'note'>,
): Promise<Kept | undefined> {
  const { newSession, destination } = made
  const { document, format, head, conversation } = source
  if (!archive || destination.type === 'nowhere') {
    assertUnchanged(source, parsedHash)
    return undefined
  }
  const original: StoredOriginal = {
    command: made.command,
    source: document.source,
    parsedHash,
    format: format.name,
    sessionId: head?.sessionId,
    path: document.path === undefined ? undefined : findRealPath(document.path),
    changes: findRecordChanges(conversation, made.conversation, format),
    newSessionId: newSession?.sessionId,
    newPath: 'path' in destination ? findRealPath(destination.path) : undefined,
    report: { ...withoutFacts(made.report), ...toDamageJson(source) },
  }
  const kept = await keep(original, archive)
  if ('problem' in kept) {
    assertUnchanged(source, parsedHash)
    const where =
      document.path === undefined
        ? 'It came from standard input: keep it yourself.'
        : 'Its file stays as it is.'
    note(`the original is not in the archive. ${where} ${kept.problem}`)
  }
  return kept
}

/**
 * The records contain every fact. The report only needs their number, and the most important
 * removed ones.
 */
export function withoutFacts({ receipt, ...report }: MadeResult['report']): object {
  const { facts: _facts, ...counts } = receipt
  return { ...report, receipt: counts }
}

/**
 * A compression whose original cannot be kept is still valid, and the original stays where it was.
 * Throws only `SessionError`, if the original itself cannot be read or changes.
 */
export async function keep(original: StoredOriginal, archive: ArchivePlace): Promise<Kept> {
  const { database: place, quotaBytes, attempts = 1 } = archive
  for (let attempt = 1; ; attempt++) {
    try {
      const database = await createArchive(place)
      try {
        return await storeOriginal(database, original, quotaBytes)
      } finally {
        await database.close()
      }
    } catch (error) {
      if (error instanceof SessionError) throw error
      const explained = explainArchiveError(error, place)
      const isAway = explained instanceof ArchiveError && explained.code === 'archive-unavailable'
      const canRetry = isAway && attempt < attempts
      if (!canRetry || place === undefined || !isDatabaseAddress(place)) {
        return { problem: explained instanceof Error ? explained.message : String(explained) }
      }
    }
    await setTimeout(RETRY_MS)
  }
}

const RETRY_MS = 2000

/**
 * Writes the result and reports it to the archive. If the result cannot be written, its entry is
 * deleted again, and the next collection removes its records.
 */
export async function writeKept(
  kept: Kept | undefined,
  {
    conversation,
    report: { after },
    ...result
  }: NewResult & { conversation: Conversation; report: Pick<Report, 'after'> },
  { archive, write }: Pick<Ports, 'archive' | 'write'>,
): Promise<number> {
  const { session, newSession } = result
  const serialize = () => splitOutput(session.format.serialize(conversation, newSession))
  if (!kept || 'problem' in kept) return await write(serialize(), result)
  const sha256 = createHash('sha256')
  try {
    const bytes = await write(watchChunks(serialize(), sha256), result)
    const written = { bytes, hash: sha256.digest('hex'), messages: after.messages }
    await recordWritten(kept, written, archive)
    return bytes
  } catch (error) {
    // The reason of the failed write matters more than why the entry could not be deleted.
    await Promise.allSettled([
      withArchive(archive, (database) => forgetCompression(database, kept.name)),
    ])
    throw error
  }
}

/** The original stays kept even if this fails. */
export async function recordWritten(
  kept: Kept,
  written: Parameters<typeof recordResult>[2],
  archive: ArchivePlace | undefined,
): Promise<void> {
  if ('problem' in kept) return
  await Promise.allSettled([
    withArchive(archive, (database) => recordResult(database, kept.name, written)),
  ])
}

function* watchChunks(
  chunks: Iterable<Uint8Array>,
  sha256: ReturnType<typeof createHash>,
): Generator<Uint8Array> {
  for (const chunk of chunks) {
    sha256.update(chunk)
    yield chunk
  }
}

async function withArchive(
  archive: ArchivePlace | undefined,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = await openArchive(archive?.database)
  if (!database) return
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

export interface SessionToKeep {
  readonly source: ByteSource
  readonly format: string
  readonly sessionId: string | undefined
  readonly path: string | undefined
  readonly conversation: Conversation
  readonly damage: Damage
  /** Messages that the agent leaves unchanged. Empty by default. */
  readonly kept?: Conversation['messages']
  /** Facts about the compaction, as plain JSON. */
  readonly report?: object
  /** What goes on instead of it. The session itself by default. */
  readonly result?: { readonly sessionId: string | undefined; readonly path: string | undefined }
}

/**
 * By path, or by id of any agent's session. `keptMessages` are the latest messages that the agent
 * leaves unchanged. Undefined if it is not about to compact the session. Throws like `loadSession`
 * and `storeOriginal`.
 */
export async function keepSession(
  name: string,
  place: ArchivePlace,
  keptMessages: number,
  isDue: (session: LoadedSession) => boolean,
): Promise<Stored | undefined> {
  const session = await loadSession(name)
  try {
    if (!isDue(session)) return undefined
    const kept = keptMessages === 0 ? [] : session.conversation.messages.slice(-keptMessages)
    return await keepDocument({ ...describeSession(session), kept }, place)
  } finally {
    session.document.close()
  }
}

export function describeSession({
  document,
  format,
  head,
  conversation,
  damage,
}: LoadedSession): SessionToKeep {
  const { source, path } = document
  return { source, format: format.name, sessionId: head?.sessionId, path, conversation, damage }
}

/**
 * The result of such a compaction is the session itself, with the same id and path. Agents call
 * their hook even if a compaction is cancelled or fails. An entry stays only if the session was
 * compacted afterwards.
 */
export async function keepDocument(
  session: SessionToKeep,
  { database: place, quotaBytes }: ArchivePlace,
): Promise<Stored> {
  const { sessionId, path, conversation } = session
  const database = await createArchive(place)
  try {
    const stored = await storeAsItIs(database, session, quotaBytes)
    for (const entry of await listTaken(
      database,
      sessionId,
      path === undefined ? undefined : findRealPath(path),
    )) {
      if (entry.name === stored.name) continue
      const isSame = entry.originalHash === stored.hash
      if (!isSame && !(await isContained(database, entry, conversation))) break
      await forgetCompression(database, entry.name)
    }
    return stored
  } finally {
    await database.close()
  }
}

/** Stores an entry of a session in its present state. Throws like `storeOriginal`. */
export async function storeAsItIs(
  database: Database,
  session: SessionToKeep,
  quotaBytes: number,
): Promise<Stored> {
  const { source, format, sessionId, conversation, kept = [], result = session } = session
  const findPlace = (path: string | undefined) => path && findRealPath(path)
  const original: StoredOriginal = {
    command: 'compact',
    source,
    format,
    sessionId,
    path: findPlace(session.path),
    changes: findRecordChanges(conversation, { messages: kept }, findFormat(format)),
    newSessionId: result.sessionId,
    newPath: findPlace(result.path),
    report: { ...session.report, ...toDamageJson(session) },
  }
  return await storeOriginal(database, original, quotaBytes)
}

function findFormat(name: string): Format | undefined {
  return Object.values(formats).find((format) => format.name === name)
}

/**
 * Whether everything that was kept is still sent unchanged. A damaged entry stays for "precis
 * archive verify" to find.
 */
async function isContained(
  database: Database,
  entry: ArchivedCompression,
  conversation: Conversation,
): Promise<boolean> {
  const format = findFormat(entry.format)
  try {
    const before = format?.parse(createMemorySource(await readWholeOriginal(database, entry)))
    return before !== undefined && beginsWith(conversation, before)
  } catch (error) {
    if (error instanceof ArchiveError || error instanceof FormatError) return false
    throw error
  }
}
