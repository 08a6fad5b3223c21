/** Selects the sessions that need a compression. */
import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type ArchivedCompression, listCompressions, readReport } from '../archive/compressions.ts'
import { openArchive } from '../archive/open-archive.ts'
import { findRealPath } from '../files/find-real-path.ts'
import { addToList } from '../files/lists.ts'
import { type DescribedSession, describeSession } from '../sessions/describe-session.ts'
import {
  completeDocument,
  findAgent,
  locateStored,
  openSession,
  type SessionFile,
} from '../sessions/find-sessions.ts'
import { describeOriginal, findLineagePath, readLineage } from '../sessions/lineage.ts'
import {
  deriveResultId,
  describeFailure,
  type JobFailed,
  nameSession,
  type SkipReason,
} from './job.ts'
import { type CompressionSettings, renderSettings } from './settings.ts'

/** A session that changed later may be in use. */
export const DEFAULT_IDLE_MINUTES = 10

/** A session that needs a compression. */
export interface SessionCandidate {
  readonly session: DescribedSession
  /** Hash of its bytes, in hexadecimal digits. */
  readonly sha256: string
  readonly bytes: number
  readonly resultId: string
}

export interface SessionSelection {
  /** Largest first, so that the longest work does not start last. */
  readonly candidates: readonly SessionCandidate[]
  readonly skipped: readonly {
    readonly session: SessionFile
    readonly reason: SkipReason
    readonly detail?: string
  }[]
  readonly failed: readonly { readonly session: SessionFile; readonly failure: JobFailed }[]
}

export interface SelectionRules {
  readonly settings: CompressionSettings
  /** Sessions that were modified later are in use. */
  readonly idleSince: Date
  readonly journal: Journal
  /** Every session of this machine, even if not requested, because results are among them. */
  readonly all: readonly SessionFile[]
  readonly onProgress?: (done: number, total: number) => void
}

/** Reads every requested session once, for the hash of its bytes. */
export async function selectSessions(
  asked: readonly SessionFile[],
  rules: SelectionRules,
): Promise<SessionSelection> {
  const { settings, idleSince, journal, onProgress } = rules
  const existing = new Set(rules.all.map(({ agent, id }) => nameSession(agent, id)))
  const results = new Set<string>()
  const continued = new Set<string>()
  const skipped: SessionSelection['skipped'][number][] = []
  const failed: SessionSelection['failed'][number][] = []
  const candidates: SessionCandidate[] = []
  for (const [index, session] of asked.entries()) {
    onProgress?.(index, asked.length)
    // Reading blocks the process. An interruption takes effect here.
    await setImmediate()
    const origin = await journal.findOrigin(session)
    if (origin === 'continued') continued.add(session.path)
    const reason = findReason(session, origin, idleSince)
    if (reason) {
      skipped.push({ session, reason })
      continue
    }
    try {
      const { sha256, bytes } = await readOriginal(session)
      const resultId = deriveResultId(sha256, settings, session.agent)
      const result = nameSession(session.agent, resultId)
      // A copy of a session has the same result.
      const isDone =
        results.has(result) ||
        existing.has(result) ||
        (await journal.hasResult(sha256, renderSettings(settings)))
      // A token has at least one byte.
      const isSmall = bytes <= (settings.largerThanTokens ?? 0)
      if (isSmall) skipped.push({ session, reason: 'too-small', detail: `${bytes} bytes` })
      else if (isDone) skipped.push({ session, reason: 'done-already' })
      else candidates.push({ session: describeSession(session), sha256, bytes, resultId })
      results.add(result)
    } catch (error) {
      failed.push({ session, failure: describeFailure(error) })
    }
  }
  // A run that was killed could not record its result, which is recognized by its id.
  const isResult = ({ session }: SessionCandidate) =>
    !continued.has(session.path) && results.has(nameSession(session.agent, session.id))
  for (const { session } of candidates.filter(isResult))
    skipped.push({ session, reason: 'written-by-precis' })
  const others = candidates.filter((candidate) => !isResult(candidate))
  return { candidates: others.sort((a, b) => b.bytes - a.bytes), skipped, failed }
}

/** Why a session is skipped without reading it. */
function findReason(
  { agent, modified }: SessionFile,
  origin: 'written' | 'continued' | undefined,
  idleSince: Date,
): SkipReason | undefined {
  if (!agent.place) return 'read-only'
  if (origin === 'written') return 'written-by-precis'
  return modified > idleSince ? 'in-use' : undefined
}

async function readOriginal(session: SessionFile) {
  const document = await openSession(session.path)
  try {
    return describeOriginal(completeDocument(document, session.agent), undefined)
  } finally {
    document.close()
  }
}

/**
 * Earlier results of precis on this machine: the journal of the archive, and the file next to a
 * clone.
 */
export interface Journal {
  /**
   * `written`: by precis, and not continued since. Undefined if nothing shows that precis wrote it.
   */
  findOrigin(session: SessionFile): Promise<'written' | 'continued' | undefined>
  /**
   * Whether any command compressed the bytes with the same settings, and the result still exists.
   */
  hasResult(sha256: string, settings: string): Promise<boolean>
  close(): Promise<void>
}

// A file that was written shortly after its entry in the journal is the result itself.
const WRITING_MS = 60_000

/** `place` is a file or an address. By default the user's own file. Throws `ArchiveError`. */
export async function openJournal(place: string | undefined): Promise<Journal> {
  const database = await openArchive(place)
  const entries = database ? await listCompressions(database) : []
  const results = indexResults(entries)
  const byOriginal = indexOriginals(entries)
  return {
    async findOrigin(session) {
      const { agent, id, path } = session
      const entry = results.get(findRealPath(path)) ?? results.get(nameSession(agent, id))
      if (!entry) return await findCloned(session)
      return isAsWritten(session, entry) ? 'written' : 'continued'
    },
    async hasResult(sha256, settings) {
      for (const entry of byOriginal.get(sha256) ?? []) {
        if (!database || entry.path === null || !existsSync(entry.path)) continue
        if ((await readReport(database, entry)).settings === settings) return true
      }
      return false
    },
    close: async () => await database?.close(),
  }
}

/**
 * By path, and by id for sessions that were moved or imported since. The latest entry wins.
 * Sessions that an agent compacted in place are not results, nor are those that "precis undo" put
 * together: their entries have no size.
 */
function indexResults(
  newestFirst: readonly ArchivedCompression[],
): Map<string, ArchivedCompression> {
  const index = new Map<string, ArchivedCompression>()
  for (const entry of newestFirst.toReversed()) {
    const isJoined = entry.resultBytes === null && entry.resultMessages !== null
    if (entry.command === 'compact' || isJoined) continue
    if (entry.path !== null) index.set(entry.path, entry)
    const agent = findAgent(entry.format, entry.path ?? undefined)
    if (agent && entry.sessionId !== null) index.set(nameSession(agent, entry.sessionId), entry)
  }
  return index
}

function indexOriginals(
  entries: readonly ArchivedCompression[],
): Map<string, ArchivedCompression[]> {
  const index = new Map<string, ArchivedCompression[]>()
  for (const entry of entries) {
    addToList(index, entry.originalHash, entry)
  }
  return index
}

/** A continued session is longer. An imported one has another length in any case. */
function isAsWritten(
  { path, bytes, modified }: SessionFile,
  { resultBytes, storedAt }: ArchivedCompression,
): boolean {
  if (resultBytes !== null && !locateStored(path)) return bytes === resultBytes
  return modified.getTime() <= Date.parse(storedAt) + WRITING_MS
}

/** A clone, or a result that no archive knows. */
async function findCloned({
  agent,
  path,
  modified,
}: SessionFile): Promise<'written' | 'continued' | undefined> {
  if (!existsSync(findLineagePath(path))) return undefined
  const document = await openSession(path)
  try {
    const [newest] = readLineage(document, agent.readHead(document.source).sessionId)
    if (!newest) return undefined
    return modified.getTime() <= Date.parse(newest.clonedAt) + WRITING_MS ? 'written' : 'continued'
  } finally {
    document.close()
  }
}
