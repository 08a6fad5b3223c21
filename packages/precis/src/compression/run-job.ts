/**
 * Runs in a process of the pool: turns the bytes of one session into the bytes of its result. It
 * writes no file.
 */
import { digest } from '@precis/core'
import { findRecordChanges } from '../archive/hash-pieces.ts'
import { asBuffer } from '../files/lines.ts'
import { createMemorySource } from '../files/read-document.ts'
import { openSession } from '../sessions/find-sessions.ts'
import { describeOriginal } from '../sessions/lineage.ts'
import { type LoadedSession, loadDocument } from '../sessions/load-session.ts'
import {
  type CompressPorts,
  compressSession,
  type DoneCompression,
  describeCannotFit,
  describeFilled,
  type RefusedCompression,
} from './compress-session.ts'
import {
  createIdSource,
  describeFailure,
  type Job,
  type JobDocument,
  type JobResult,
} from './job.ts'
import type { Destination } from './ports.ts'
import { openSummarizer } from './settings.ts'
import { describeTarget } from './target.ts'

// Ctrl-C reaches every process of a terminal. The submitting process decides what happens to a job.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// A supervisor also sends SIGTERM to each. A job in progress ends, and between jobs it ends the
// process.
let isBusy = false
process.on('SIGTERM', () => {
  if (!isBusy) process.exit()
})
// After the end of that process, nothing reads the answer.
process.on('disconnect', () => process.exit())

/** Failures are values, because an error loses its class on the way to another process. */
export async function runJob(job: Job): Promise<JobResult> {
  isBusy = true
  try {
    const session = await load(job.document)
    try {
      return await compress(session, job)
    } finally {
      session.document.close()
    }
  } catch (error) {
    return describeFailure(error)
  } finally {
    isBusy = false
  }
}

async function load(document: JobDocument): Promise<LoadedSession> {
  if (document.type === 'path') return loadDocument(document.path, await openSession(document.path))
  // Bytes from another process are a plain array, not always a `Buffer`.
  const { bytes, name, workingDirectory } = document
  const source = createMemorySource(asBuffer(bytes))
  const session = loadDocument(name, { source, path: undefined, stats: undefined, close: () => {} })
  if (session.conversation.workingDirectory !== undefined || workingDirectory === undefined)
    return session
  return { ...session, conversation: { ...session.conversation, workingDirectory } }
}

async function compress(session: LoadedSession, job: Job): Promise<JobResult> {
  const { document, settings, isDryRun, newSession, recall, isKept } = job
  const original = describeOriginal(session.document, session.head?.sessionId)
  if (original.sha256 !== document.sha256) return { type: 'skipped', reason: 'in-use' }
  const { sessionId } = newSession
  const elsewhere: Destination = job.destination ?? { type: 'standard-output', sessionId }
  const output: Uint8Array[] = []
  const ports: CompressPorts = {
    archive: isDryRun ? undefined : job.archive,
    // A dry run calls no model.
    summarizer: isDryRun ? digest() : await openSummarizer(settings.summarizer),
    write: async (chunks) => collect(chunks, isDryRun ? undefined : output),
    // The result itself contains the problems.
    note: () => {},
    progress: () => {},
  }
  const result = await compressSession(
    session,
    {
      settings,
      destination: isDryRun ? { type: 'nowhere' } : elsewhere,
      newSession: { ...newSession, createId: createIdSource(sessionId) },
      recall,
      isKept,
    },
    ports,
  )
  if (result.type === 'refused') return explainRefusal(result.why)
  const { outcome, report, target, recorded, kept, bytes: bytesAfter } = result
  if (outcome.type !== 'compressed') return explainUnchanged(outcome)
  return {
    type: 'compressed',
    format: session.format.name,
    report: {
      ...report,
      budget: describeTarget(target),
      notInFileTokens: recorded?.notInFileTokens,
    },
    bytesBefore: original.bytes,
    damage: session.damage,
    bytesAfter,
    output: isDryRun ? undefined : Buffer.concat(output),
    fates: ports.archive
      ? []
      : [...findRecordChanges(session.conversation, result.conversation, session.format)],
    originalId: original.sessionId,
    kept,
  }
}

function explainRefusal(why: RefusedCompression['why']): JobResult {
  switch (why.type) {
    case 'too-small':
      return { type: 'skipped', reason: 'too-small', detail: `${why.tokens} tokens` }
    case 'window-filled':
      return { type: 'failed', code: 'cannot-fit', message: describeFilled(why), mayPass: false }
    case 'cannot-fit': {
      const { obstacle, enough } = describeCannotFit(why)
      return {
        type: 'failed',
        code: why.type,
        message: enough === undefined ? obstacle : `${obstacle}; ${enough} are enough`,
        mayPass: false,
      }
    }
    case 'summary-failed': {
      const message = `${why.summarizer} gave no summary that can be used: ${why.problems.join(' ')}`
      return { type: 'failed', code: why.type, message, mayPass: true }
    }
  }
}

function explainUnchanged(outcome: DoneCompression['outcome']): JobResult {
  const reason = outcome.type === 'unchanged' ? outcome.reason : outcome.type
  if (reason === 'already-under-target') return { type: 'skipped', reason: 'within-budget' }
  return { type: 'skipped', reason: 'nothing-to-gain', detail: reason.replaceAll('-', ' ') }
}

/**
 * Returns the size in bytes, and puts a copy of each piece into `output`. The pieces are views that
 * are valid until the next one is read.
 */
function collect(chunks: Iterable<Uint8Array>, output: Uint8Array[] | undefined): number {
  let bytes = 0
  for (const chunk of chunks) {
    bytes += chunk.length
    output?.push(Buffer.from(chunk))
  }
  return bytes
}
