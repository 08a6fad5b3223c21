/** Which sessions need it. */
import { setImmediate } from 'node:timers/promises'
import { type DescribedSession, describeSession } from '../sessions/describe-session.ts'
import { describeOriginal } from '../sessions/lineage.ts'
import { openSession } from '../sessions/open-session.ts'
import type { SessionFile } from '../sessions/session-file.ts'
import { describeFailure } from './describe-failure.ts'
import type { JobFailed, SkipReason } from './job.ts'
import type { Journal } from './journal.ts'
import { deriveResultId, nameSession } from './result-id.ts'
import { type BatchSettings, renderSettings } from './settings.ts'

/** A session that is to be compressed. */
export interface Candidate {
  readonly session: DescribedSession
  /** Of its bytes, in hexadecimal digits. */
  readonly sha256: string
  readonly bytes: number
  readonly resultId: string
}

export interface Selection {
  /** Largest first: what takes longest must not be what everything waits for at the end. */
  readonly candidates: readonly Candidate[]
  readonly skipped: readonly { readonly session: SessionFile; readonly reason: SkipReason; readonly detail?: string }[]
  readonly failed: readonly { readonly session: SessionFile; readonly failure: JobFailed }[]
}

export interface SelectionRules {
  readonly settings: BatchSettings
  /** What was modified later is in use. */
  readonly idleSince: Date
  readonly journal: Journal
  /** Every session of this machine, also those that are not asked for: results are among them. */
  readonly all: readonly SessionFile[]
  readonly onProgress?: (done: number, total: number) => void
}

/** Reads every session that is asked for once, to know its bytes. */
export async function selectSessions(asked: readonly SessionFile[], rules: SelectionRules): Promise<Selection> {
  const { settings, idleSince, journal, onProgress } = rules
  const existing = new Set(rules.all.map(({ agent, id }) => nameSession(agent, id)))
  const results = new Set<string>()
  const continued = new Set<string>()
  const skipped: Selection['skipped'][number][] = []
  const failed: Selection['failed'][number][] = []
  const candidates: Candidate[] = []
  for (const [index, session] of asked.entries()) {
    onProgress?.(index, asked.length)
    // Reading holds the process; an interruption gets through here.
    await setImmediate()
    const origin = await journal.findOrigin(session)
    if (origin === 'continued') continued.add(session.path)
    const reason = origin === 'written' ? 'written-by-precis' : session.modified > idleSince ? 'in-use' : undefined
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
        results.has(result) || existing.has(result) || (await journal.hasResult(sha256, renderSettings(settings)))
      // A token has a byte at least.
      const isSmall = bytes <= settings.largerThanTokens
      if (isSmall) skipped.push({ session, reason: 'too-small', detail: `${bytes} bytes` })
      else if (isDone) skipped.push({ session, reason: 'done-already' })
      else candidates.push({ session: describeSession(session), sha256, bytes, resultId })
      results.add(result)
    } catch (error) {
      failed.push({ session, failure: describeFailure(error) })
    }
  }
  // A result of a run that was killed before it could be recorded is known by its id.
  const isResult = ({ session }: Candidate) =>
    !continued.has(session.path) && results.has(nameSession(session.agent, session.id))
  for (const { session } of candidates.filter(isResult)) skipped.push({ session, reason: 'written-by-precis' })
  const others = candidates.filter((candidate) => !isResult(candidate))
  return { candidates: others.sort((a, b) => b.bytes - a.bytes), skipped, failed }
}

async function readOriginal(session: SessionFile) {
  const document = await openSession(session.path)
  try {
    return describeOriginal(document, undefined)
  } finally {
    document.close()
  }
}
