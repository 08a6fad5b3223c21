/**
 * A pool whose processes are workers on other machines. It submits jobs and waits for their
 * answers.
 */
import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { detectFormat } from '@precis/core/formats'
import pLimit from 'p-limit'
import { deriveUuid, type Job, type JobCompressed, type JobResult } from '../compression/job.ts'
import { keep, recordWritten, withoutFacts } from '../compression/keep-original.ts'
import type { Pool } from '../compression/pool.ts'
import { renderSettings } from '../compression/settings.ts'
import { CompressionError, SessionError } from '../files/errors.ts'
import { findRealPath } from '../files/find-real-path.ts'
import { createMemorySource } from '../files/read-document.ts'
import { completeDocument, findAgent, openSession } from '../sessions/find-sessions.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import {
  type FinishedJob,
  type JobRequest,
  MOST_CONTENT_BYTES,
  readFinished,
  readStates,
  removeJob,
  submitJob,
  tidyQueue,
} from './jobs.ts'
import { openQueue, type Queue } from './open-queue.ts'

const POLL_MS = 500
const LONELY_MS = 10_000

/** `jobs`: how many sessions wait for their results at the same time. Throws `CompressionError`. */
export async function openQueuePool(
  {
    address,
    precis,
    jobs,
  }: { readonly address: string; readonly precis: string; readonly jobs: number },
  note: (text: string) => void,
): Promise<Pool> {
  const queue = await openQueue(address, {
    isKeeper: false,
    onAway: (isAway) =>
      note(isAway ? 'the database does not answer. Waiting for it.' : 'the database is back.'),
  })
  await tidyQueue(queue)
  // Each is read completely.
  const limit = pLimit(1)
  const waiter = createWaiter(queue, note)
  return {
    jobs,
    async run(job) {
      const id = nameJob(job)
      for (;;) {
        await limit(() => submit(queue, id, job, precis))
        // Another submitter of the same session may have taken its result.
        if (!(await waiter.wait(id))) continue
        const finished = await readWhole(queue, id, job.document.sha256)
        if (finished) return await keepFinished(finished, job)
      }
    },
    forget: (job) => removeJob(queue, nameJob(job)),
    kill: () => {},
    async close() {
      await waiter.close()
      await queue.close()
    },
  }
}

/** The same session and settings have the same name, from any submitter. */
function nameJob({ newSession, settings, recall, archive }: Job): string {
  const kept = archive ? 'kept' : ''
  return deriveUuid(
    `precis job\n${newSession.sessionId}\n${settings.largerThanTokens ?? ''}\n${recall?.tool ?? ''}\n${kept}`,
  )
}

async function submit(queue: Queue, id: string, job: Job, precis: string): Promise<void> {
  const { document, settings, newSession, recall, archive } = job
  const { name, workingDirectory, sha256 } = document
  const { name: summarizer, strongModel } = settings.summarizer
  // The worker uses its own keys, addresses and files for the summarizer.
  const own = { ...settings, summarizer: { name: summarizer, strongModel } }
  const request: JobRequest = {
    settings: own,
    newSession,
    name,
    workingDirectory,
    recall,
    isKept: archive !== undefined,
  }
  await submitJob(queue, id, { precis, sha256, request }, () => readBytes(job))
}

async function readBytes({ document }: Job): Promise<Uint8Array> {
  if (document.type === 'bytes') return document.bytes
  const opened = await openSession(document.path)
  try {
    const agent = findAgent(detectFormat(opened.source), document.path)
    const { source } = completeDocument(opened, agent)
    if (source.byteLength > MOST_CONTENT_BYTES) {
      const bytes = `it has ${source.byteLength} bytes, more than a queue takes`
      throw new SessionError('unreadable', `${bytes}. Compress it without --queue`)
    }
    // The view is valid only until the next read, so it is copied.
    const bytes = Buffer.from(source.read(0, source.byteLength))
    if (hash('sha256', bytes) === document.sha256) return bytes
    throw new SessionError(
      'changed',
      'it went on while it was submitted. Run this again when its agent has ended',
    )
  } finally {
    opened.close()
  }
}

interface Waiting {
  readonly resolve: (isThere: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Asks for all jobs in one query, and reports once that there is no worker. */
function createWaiter(queue: Queue, note: (text: string) => void) {
  const waiting = new Map<string, Waiting>()
  const ended = new AbortController()
  let lonelyAt = performance.now() + LONELY_MS
  const look = async () => {
    const { finished, missing, underWay } = await readStates(queue, [...waiting.keys()])
    for (const id of [...finished, ...missing]) {
      waiting.get(id)?.resolve(finished.includes(id))
      waiting.delete(id)
    }
    if (finished.length > 0 || underWay > 0) lonelyAt = Number.POSITIVE_INFINITY
    if (performance.now() < lonelyAt || waiting.size === 0) return
    lonelyAt = Number.POSITIVE_INFINITY
    note('no worker is at it yet. Start some: precis worker --database <the same address>')
  }
  const looking = (async () => {
    while (!ended.signal.aborted) {
      try {
        if (waiting.size > 0) await look()
      } catch (error) {
        for (const { reject } of waiting.values()) reject(error)
        waiting.clear()
      }
      await setTimeout(POLL_MS)
    }
  })()
  return {
    /** False if it does not exist any more. */
    wait: (id: string) =>
      new Promise<boolean>((resolve, reject) => waiting.set(id, { resolve, reject })),
    async close() {
      ended.abort()
      await looking
    },
  }
}

/** A damaged result, or one of other bytes, is a failure of that session. The others continue. */
async function readWhole(
  queue: Queue,
  id: string,
  sha256: string,
): Promise<FinishedJob | undefined> {
  try {
    return await readFinished(queue, id, sha256)
  } catch (error) {
    if (!(error instanceof CompressionError && error.code === 'queue-damaged')) throw error
    const { code, message } = error
    return {
      outcome: { type: 'failed', code, message, mayPass: true },
      original: Buffer.alloc(0),
      output: undefined,
    }
  }
}

/** Archives the original as the worker had it. */
async function keepFinished(
  { outcome, original, output }: FinishedJob,
  job: Job,
): Promise<JobResult> {
  if (outcome.type !== 'compressed' || !output)
    return outcome.type === 'compressed' ? { ...outcome, output } : outcome
  const { archive, document, destination, newSession, settings } = job
  const result: JobCompressed = { ...outcome, output }
  if (!archive) return result
  const kept = await keep(
    {
      command: 'compress',
      source: createMemorySource(original),
      format: outcome.format,
      sessionId: outcome.originalId,
      path: document.type === 'path' ? findRealPath(document.path) : undefined,
      changes: new Map(outcome.fates),
      newSessionId: newSession.sessionId,
      newPath: destination && 'path' in destination ? findRealPath(destination.path) : undefined,
      report: {
        ...withoutFacts(outcome.report),
        settings: renderSettings(settings),
        ...toDamageJson(outcome),
      },
    },
    archive,
  )
  await recordWritten(
    kept,
    { bytes: output.length, hash: hash('sha256', output), messages: outcome.report.after.messages },
    archive,
  )
  return { ...result, kept }
}
