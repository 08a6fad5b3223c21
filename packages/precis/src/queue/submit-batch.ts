/** Leaves the work to workers, and puts their results where the agents of this machine find them. */
import { createHash } from 'node:crypto'
import { findRecallPathOf } from '../agents/find-recall-path.ts'
import { describeFailure } from '../batch/describe-failure.ts'
import type { JobCompressed, JobResult } from '../batch/job.ts'
import { keepResult } from '../batch/keep-result.ts'
import { deriveUuid } from '../batch/result-id.ts'
import {
  type BatchListener,
  type BatchOptions,
  type BatchOutcome,
  finish,
  type Place,
  preparePlace,
  whileLocked,
} from '../batch/run-batch.ts'
import type { Candidate } from '../batch/select-sessions.ts'
import { openSession } from '../sessions/open-session.ts'
import { createMemorySource } from '../sessions/read-document.ts'
import { SessionError } from '../sessions/session-error.ts'
import { MOST_DOCUMENT_BYTES } from './documents.ts'
import { openQueue, type Queue } from './open-queue.ts'
import { QueueError } from './queue-error.ts'
import type { TaskRequest } from './request.ts'
import { pause, repeat } from './run-worker.ts'
import { type FinishedTask, readFinished, readStates, reapTasks, removeTask, submitTask, tidyQueue } from './tasks.ts'

export interface SubmitListener extends BatchListener {
  onNote(text: string): void
}

const POLL_MS = 500
const KEEP_MS = 10_000
const LONELY_MS = 10_000

interface Submitted {
  readonly candidate: Candidate
  readonly place: Place
}

/** What fails is an outcome; the rest goes on. Throws `QueueError`. */
export async function submitBatch(
  candidates: readonly Candidate[],
  options: BatchOptions,
  { address, precis }: { readonly address: string; readonly precis: string },
  listener: SubmitListener,
): Promise<void> {
  let awayUntil = 0
  const queue = await openQueue(address, {
    isKeeper: false,
    onAway(isAway) {
      awayUntil = performance.now() + 2 * KEEP_MS
      listener.onNote(isAway ? 'the database does not answer; waiting for it.' : 'the database is back.')
    },
  })
  const ended = new AbortController()
  const keeping = repeat(KEEP_MS, ended.signal, async () => {
    if (performance.now() > awayUntil) await reapTasks(queue)
  })
  try {
    await tidyQueue(queue)
    const waiting = new Map<string, Submitted>()
    const state = { queue, options, precis, listener, waiting }
    let isSubmitting = true
    const submitting = submitAll(state, candidates).finally(() => {
      isSubmitting = false
    })
    await Promise.all([submitting, collectAll(state, () => isSubmitting)])
  } finally {
    ended.abort()
    await keeping
    await queue.close()
  }
}

interface SubmitState {
  readonly queue: Queue
  readonly options: BatchOptions
  readonly precis: string
  readonly listener: SubmitListener
  readonly waiting: Map<string, Submitted>
}

async function submitAll(state: SubmitState, candidates: readonly Candidate[]): Promise<void> {
  for (const candidate of candidates) {
    try {
      const submitted = { candidate, place: preparePlace(candidate, state.options.createTitle(candidate)) }
      const task = await submit(state, submitted)
      state.waiting.set(task, submitted)
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      state.listener.onOutcome({ session: candidate.session, result: describeFailure(error), problems: [] })
    }
  }
}

/** Gives the name of the task. The same session and settings have the same one, whoever submits them. */
async function submit({ queue, options, precis }: SubmitState, { candidate, place }: Submitted): Promise<string> {
  const { session, resultId, sha256, bytes } = candidate
  const { name, strongModel } = options.settings.summarizer
  const recall = options.archive && findRecallPathOf(sha256, session.agent)
  const request: TaskRequest = {
    // Its keys, addresses and files are those of the worker.
    settings: { ...options.settings, summarizer: { name, ...(strongModel !== undefined && { strongModel }) } },
    newSession: place.newSession,
    name: `${session.agent} ${session.id}`,
    workingDirectory: session.workingDirectory,
    recall,
  }
  if (bytes > MOST_DOCUMENT_BYTES) {
    throw new SessionError('unreadable', `it has ${bytes} bytes, more than a queue takes. Compress it without --queue`)
  }
  const { largerThanTokens } = options.settings
  const task = deriveUuid(`precis task\n${session.agent}\n${resultId}\n${largerThanTokens}\n${recall?.tool ?? ''}`)
  await submitTask(queue, task, precis, request, () => readBytes(candidate))
  return task
}

async function readBytes({ session, sha256 }: Candidate): Promise<Buffer> {
  const document = await openSession(session.path)
  try {
    // A view that lives until the next read.
    const bytes = Buffer.from(document.source.read(0, document.source.byteLength))
    if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes
    throw new SessionError('changed', 'it went on while it was submitted. Run this again when its agent has ended')
  } finally {
    document.close()
  }
}

async function collectAll(state: SubmitState, isSubmitting: () => boolean): Promise<void> {
  const { queue, listener, waiting } = state
  let lonelyAt = performance.now() + LONELY_MS
  while (isSubmitting() || waiting.size > 0) {
    const { finished, missing, underWay } = await readStates(queue, [...waiting.keys()])
    for (const task of finished) await collect(state, task)
    for (const task of missing) {
      const submitted = waiting.get(task)
      if (submitted) await submit(state, submitted)
    }
    if (finished.length > 0 || underWay > 0) lonelyAt = Number.POSITIVE_INFINITY
    if (performance.now() > lonelyAt && waiting.size > 0) {
      lonelyAt = Number.POSITIVE_INFINITY
      listener.onNote('no worker is at it yet. Start some: precis worker --database <the same address>')
    }
    if (finished.length === 0) await pause(POLL_MS)
  }
}

/** Its documents go when the result is in its place: killed before, the next run finds them. */
async function collect({ queue, options, listener, waiting }: SubmitState, task: string): Promise<void> {
  const submitted = waiting.get(task)
  const finished = submitted && (await readWhole(queue, task, submitted.candidate))
  if (!submitted || !finished) return
  const { candidate, place } = submitted
  listener.onStart?.(candidate)
  let isSettled = finished.outcome.type !== 'compressed'
  const outcome = await whileLocked(candidate, place, false, async (): Promise<BatchOutcome> => {
    const result = await keep(finished, submitted, options)
    const placed = await finish(candidate, place, result, options.settings)
    isSettled = true
    return placed
  })
  if (isSettled || isDoneAlready(outcome)) await removeTask(queue, task)
  waiting.delete(task)
  listener.onOutcome(outcome)
}

/** What is damaged, or was made of something else, is a failure of that session: its task goes, the others go on. */
async function readWhole(queue: Queue, task: string, { sha256 }: Candidate): Promise<FinishedTask | undefined> {
  const fail = (message: string): FinishedTask => {
    const outcome = { type: 'failed', code: 'queue-damaged', message, mayPass: true } as const
    return { outcome, original: Buffer.alloc(0), output: undefined }
  }
  try {
    const finished = await readFinished(queue, task)
    if (finished?.outcome.type !== 'compressed') return finished
    const isSame = createHash('sha256').update(finished.original).digest('hex') === sha256
    return isSame ? finished : fail('what its worker had is not what was submitted. Submit it again')
  } catch (error) {
    if (!(error instanceof QueueError && error.code === 'queue-damaged')) throw error
    return fail(error.message)
  }
}

function isDoneAlready({ result }: BatchOutcome): boolean {
  return result.type === 'skipped' && result.reason === 'done-already'
}

/** The original goes into the archive as the worker had it. */
async function keep(
  { outcome, original, output }: FinishedTask,
  { candidate, place }: Submitted,
  { archive, settings }: BatchOptions,
): Promise<JobResult> {
  if (outcome.type !== 'compressed') return outcome
  const result: JobCompressed = { ...outcome, output }
  if (!archive) return result
  const { newSession, placement } = place
  const where = { ...archive, newPath: placement.path }
  const kept = await keepResult(
    createMemorySource(original),
    candidate.session.path,
    result,
    { settings, newSession },
    where,
  )
  return { ...result, kept }
}
