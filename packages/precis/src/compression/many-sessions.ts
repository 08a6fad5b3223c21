/**
 * Compresses many sessions, each in a separate process, and puts each result where its agent finds
 * it.
 */

import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Agent, ListedTitle } from '../agents/shared/agent.ts'
import { resolveRealPlace } from '../agents/shared/session-files.ts'
import { CompressionError, quietly, SessionError } from '../files/errors.ts'
import { acquireLease, type Lease } from '../files/file-lease.ts'
import { findUserFolders } from '../files/user-folders.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { findRecallPathOf } from '../installation/recall-tool.ts'
import type { SessionFile } from '../sessions/find-sessions.ts'
import { writeLineage } from '../sessions/lineage.ts'
import { renderDamagedLines } from '../sessions/load-session.ts'
import { type Placement, placeSession } from '../sessions/place-session.ts'
import { renderPlural } from '../terminal/render.ts'
import { readMode } from './destination.ts'
import {
  describeFailure,
  type Job,
  type JobCompressed,
  type JobFailed,
  type JobResult,
  type JobSkipped,
} from './job.ts'
import type { Pool } from './pool.ts'
import type { ArchivePlace } from './ports.ts'
import type { SessionCandidate } from './select-sessions.ts'
import { type CompressionSettings, renderSettings } from './settings.ts'

export interface BatchOptions {
  readonly settings: CompressionSettings
  readonly isDryRun: boolean
  /** Undefined to keep no original. */
  readonly archive: ArchivePlace | undefined
  readonly createTitle: (candidate: SessionCandidate) => string
}

/** The outcome for one session. */
export interface BatchOutcome {
  readonly session: SessionFile
  readonly result: Omit<JobCompressed, 'output' | 'fates' | 'damage'> | JobSkipped | JobFailed
  /** The path of the new session. Undefined if none was written. */
  readonly placement?: Placement
  /** Refusals by its agent, or by the archive. */
  readonly problems: readonly string[]
}

export interface BatchListener {
  onStart?(candidate: SessionCandidate): void
  onOutcome(outcome: BatchOutcome): void
}

/**
 * Compresses all sessions, as many at the same time as the pool has processes. A failure is an
 * outcome, and the rest continues.
 */
export async function compressManySessions(
  candidates: readonly SessionCandidate[],
  options: BatchOptions,
  pool: Pool,
  listener: BatchListener,
): Promise<void> {
  const waiting = candidates.values()
  // Each process takes its next session only after its result is on the disk. Memory then holds at
  // most one result per process.
  const lane = async () => {
    for (const candidate of waiting) {
      listener.onStart?.(candidate)
      listener.onOutcome(await compressCandidate(candidate, options, pool))
    }
  }
  await Promise.all(Array.from({ length: pool.jobs }, lane))
}

async function compressCandidate(
  candidate: SessionCandidate,
  options: BatchOptions,
  pool: Pool,
): Promise<BatchOutcome> {
  const { session, sha256, resultId } = candidate
  const { settings, isDryRun, archive } = options
  const place = preparePlace(candidate, options.createTitle(candidate))
  const { placement, newSession } = place
  const { agent, id, path, workingDirectory } = session
  return await whileLocked(candidate, place, isDryRun, async () => {
    const job: Job = {
      document: { type: 'path', path, sha256, name: `${agent.name} ${id}`, workingDirectory },
      settings,
      newSession,
      isDryRun,
      destination: { type: 'agent', path: placement.path, sessionId: resultId, placement },
      recall: archive && findRecallPathOf(sha256, agent),
      archive,
    }
    const outcome = await finish(candidate, place, await pool.run(job), settings)
    await pool.forget?.(job)
    return outcome
  })
}

/** The place of a result, and its name. */
interface PreparedPlace {
  readonly placement: Placement
  readonly newSession: ListedTitle
}

function preparePlace({ session, resultId }: SessionCandidate, title: string): PreparedPlace {
  const time = new Date()
  const placement = placeSession({
    agent: session.agent,
    sessionId: resultId,
    time,
    originalPath: session.path,
    workingDirectory: session.workingDirectory,
  })
  return { placement, newSession: { sessionId: resultId, timestamp: time.toISOString(), title } }
}

/**
 * Does the work unless another process is doing it, or was faster. Rejects only if nothing more can
 * be done.
 */
async function whileLocked(
  { session, resultId }: SessionCandidate,
  { placement }: PreparedPlace,
  isDryRun: boolean,
  work: () => Promise<BatchOutcome>,
): Promise<BatchOutcome> {
  try {
    if (isDryRun) return await work()
    const lock = lockSession(resultId)
    if (!lock) return skip(session, 'done-elsewhere')
    try {
      return isPlaced(session.agent, placement.path, resultId)
        ? skip(session, 'done-already')
        : await work()
    } finally {
      lock.release()
    }
  } catch (error) {
    if (error instanceof CompressionError && error.code === 'queue-unavailable') throw error
    return { session, result: describeFailure(error), problems: [] }
  }
}

function skip(session: SessionFile, reason: JobSkipped['reason']): BatchOutcome {
  return { session, result: { type: 'skipped', reason }, problems: [] }
}

/** Writes the result of a job. Throws `SessionError` if it cannot. */
async function finish(
  candidate: SessionCandidate,
  { placement, newSession }: PreparedPlace,
  result: JobResult,
  settings: CompressionSettings,
): Promise<BatchOutcome> {
  const { session } = candidate
  if (result.type !== 'compressed') return { session, result, problems: [] }
  const { output, fates: _fates, damage, ...reported } = result
  if (!output) return { session, result: reported, problems: [] }
  const mode = readMode(statSync(session.path, { throwIfNoEntry: false }))
  await writeFileAtomically(placement.path, [output], { ...mode, createFolders: true })
  const problem = session.agent.register?.(placement.path, newSession, process.env, session.path)
  const { kept } = result
  const isRecorded = kept !== undefined && 'name' in kept
  if (!isRecorded) await recordBeside(candidate, placement.path, result, settings)
  const problems = [
    ...(problem === undefined ? [] : [problem]),
    ...(damage.lines > 0
      ? [`damaged in the original, and no part of the conversation: ${renderDamagedLines(damage)}`]
      : []),
    ...(damage.records === undefined
      ? []
      : [
          `damaged in its store, and no part of the conversation: ${renderPlural(damage.records, 'record')}`,
        ]),
    ...(kept && 'problem' in kept ? [`the original is not in the archive: ${kept.problem}`] : []),
  ]
  return { session, result: reported, placement, problems }
}

/** Marks a result that no archive knows as written by precis. */
async function recordBeside(
  { session, sha256, bytes, resultId }: SessionCandidate,
  path: string,
  { report, originalId }: JobCompressed,
  settings: CompressionSettings,
): Promise<void> {
  const { before, after } = report
  await writeLineage(path, [
    {
      sessionId: resultId,
      original: { sessionId: originalId, path: resolveRealPlace(session.path), sha256, bytes },
      clonedAt: new Date().toISOString(),
      settings: { compress: renderSettings(settings) },
      statistics: { tokensBefore: before.tokens, tokensAfter: after.tokens },
    },
  ])
}

/**
 * Whether another run wrote it since the sessions were listed, perhaps under a name with another
 * minute.
 */
function isPlaced({ ids }: Agent, path: string, resultId: string): boolean {
  const mark = resultId.slice(0, ids.charactersInNames)
  // Hidden files are incomplete.
  return listNames(dirname(path)).some(
    (name) => name.includes(mark) && !name.startsWith('.') && !name.endsWith('.precis.json'),
  )
}

/** Empty if the folder does not exist yet. The first result or the first lock creates it. */
function listNames(folder: string): string[] {
  return quietly(() => readdirSync(folder)) ?? []
}

// Only one process compresses a session at the same time. The lock of a killed process does not
// count.
const held = new Set<Lease>()

/** Undefined while another process has it. The lock is named after the result. */
function lockSession(resultId: string): Lease | undefined {
  try {
    const lease = acquireLease(join(findLocksFolder(), resultId))
    held.add(lease)
    return {
      release() {
        held.delete(lease)
        lease.release()
      },
    }
  } catch (error) {
    if (error instanceof SessionError && error.code === 'in-use') return undefined
    throw error
  }
}

/** Synchronous, because it also runs while the process ends. */
export function releaseLocks(): void {
  for (const lease of held) lease.release()
  held.clear()
}

/** Removes locks of killed processes. */
export function removeStaleLocks(): void {
  for (const name of listNames(findLocksFolder())) {
    const [, resultId] = /^([\w-]{1,80})\.lock\.\d+$/.exec(name) ?? []
    if (resultId !== undefined) lockSession(resultId)?.release()
  }
}

function findLocksFolder(): string {
  return join(findUserFolders().data, 'locks')
}
