import { realpathSync } from 'node:fs'
import { findRecallPathOf } from '../agents/find-recall-path.ts'
import { type AgentHome, findAgentHome } from '../sessions/agent-home.ts'
import { writeLineage } from '../sessions/lineage.ts'
import { renderDamagedLines } from '../sessions/load-session.ts'
import { type Placement, placeSession } from '../sessions/place-session.ts'
import type { SessionFile } from '../sessions/session-file.ts'
import { describeFailure } from './describe-failure.ts'
import type { JobArchive, JobCompressed, JobFailed, JobResult, JobSession, JobSkipped } from './job.ts'
import { isPlaced, placeResult } from './place-result.ts'
import type { Pool } from './pool.ts'
import type { Candidate } from './select-sessions.ts'
import { lockSession } from './session-lock.ts'
import { type BatchSettings, renderSettings } from './settings.ts'

export interface BatchOptions {
  readonly settings: BatchSettings
  readonly isDryRun: boolean
  /** Undefined to keep no original. */
  readonly archive: Omit<JobArchive, 'newPath'> | undefined
  readonly createTitle: (candidate: Candidate) => string
}

/** What became of a session. */
export interface BatchOutcome {
  readonly session: SessionFile
  readonly result: Omit<JobCompressed, 'output' | 'fates' | 'damage'> | JobSkipped | JobFailed
  /** Where the new session is; undefined when none was written. */
  readonly placement?: Placement
  /** What its agent, or the archive, did not take. */
  readonly problems: readonly string[]
}

export interface BatchListener {
  onStart?(candidate: Candidate): void
  onOutcome(outcome: BatchOutcome): void
}

/** Compresses all of them, as many at a time as the pool has processes. What fails is an outcome; the rest goes on. */
export async function runBatch(
  candidates: readonly Candidate[],
  options: BatchOptions,
  pool: Pool,
  listener: BatchListener,
): Promise<void> {
  const waiting = candidates.values()
  // Each takes the next one only when its result is on the disk: memory holds one result for each process.
  const lane = async () => {
    for (const candidate of waiting) {
      listener.onStart?.(candidate)
      listener.onOutcome(await compressCandidate(candidate, options, pool))
    }
  }
  await Promise.all(Array.from({ length: pool.jobs }, lane))
}

async function compressCandidate(candidate: Candidate, options: BatchOptions, pool: Pool): Promise<BatchOutcome> {
  const { session, sha256 } = candidate
  const place = preparePlace(candidate, options.createTitle(candidate))
  const recall = options.archive && findRecallPathOf(sha256, session.agent)
  return await whileLocked(candidate, place, options.isDryRun, async () => {
    const result = await pool.run({
      document: { type: 'path', path: session.path, sha256 },
      settings: options.settings,
      newSession: place.newSession,
      isDryRun: options.isDryRun,
      ...(recall && { recall }),
      ...(options.archive && { archive: { ...options.archive, newPath: place.placement.path } }),
    })
    return await finish(candidate, place, result, options.settings)
  })
}

/** Where a result will be, and what it is called. */
export interface Place {
  readonly home: AgentHome
  readonly placement: Placement
  readonly newSession: JobSession
}

export function preparePlace({ session, resultId }: Candidate, title: string, time = new Date()): Place {
  const home = findAgentHome(session.agent)
  if (!home) throw new TypeError(`Placing a session of ${session.agent}: this agent has no home.`)
  const placement = placeSession({
    home,
    sessionId: resultId,
    time,
    originalPath: session.path,
    workingDirectory: session.workingDirectory,
  })
  return { home, placement, newSession: { sessionId: resultId, timestamp: time.toISOString(), title } }
}

/** Does the work unless another process is at it, or was faster. Never rejects. */
export async function whileLocked(
  { session, resultId }: Candidate,
  { placement }: Place,
  isDryRun: boolean,
  work: () => Promise<BatchOutcome>,
): Promise<BatchOutcome> {
  try {
    if (isDryRun) return await work()
    const lock = lockSession(resultId)
    if (!lock) return skip(session, 'done-elsewhere')
    try {
      return isPlaced(placement.path, resultId) ? skip(session, 'done-already') : await work()
    } finally {
      lock.release()
    }
  } catch (error) {
    return { session, result: describeFailure(error), problems: [] }
  }
}

function skip(session: SessionFile, reason: JobSkipped['reason']): BatchOutcome {
  return { session, result: { type: 'skipped', reason }, problems: [] }
}

/** Writes the result of a job. Throws `SessionError` where that cannot be. */
export async function finish(
  candidate: Candidate,
  { home, placement, newSession }: Place,
  result: JobResult,
  settings: BatchSettings,
): Promise<BatchOutcome> {
  const { session } = candidate
  if (result.type !== 'compressed') return { session, result, problems: [] }
  const { output, fates: _fates, damage, ...told } = result
  if (!output) return { session, result: told, problems: [] }
  const problem = await placeResult(placement.path, output, session, home, newSession)
  const { kept } = result
  const isRecorded = kept !== undefined && 'name' in kept
  if (!isRecorded) await recordBeside(candidate, placement.path, result, settings)
  const problems = [
    ...(problem === undefined ? [] : [problem]),
    ...(damage.lines > 0
      ? [`damaged in the original, and no part of the conversation: ${renderDamagedLines(damage)}`]
      : []),
    ...(kept && 'problem' in kept ? [`the original is not in the archive: ${kept.problem}`] : []),
  ]
  return { session, result: told, placement, problems }
}

/** What no archive knows has to be known as a result of precis all the same. */
async function recordBeside(
  { session, sha256, bytes, resultId }: Candidate,
  path: string,
  { report, originalId }: JobCompressed,
  settings: BatchSettings,
): Promise<void> {
  const { before, after } = report
  await writeLineage(path, [
    {
      sessionId: resultId,
      original: { sessionId: originalId, path: resolveReal(session.path), sha256, bytes },
      clonedAt: new Date().toISOString(),
      settings: { compress: renderSettings(settings) },
      statistics: { tokensBefore: before.tokens, tokensAfter: after.tokens },
    },
  ])
}

function resolveReal(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A row of a database.
    return path
  }
}
