/** What a process of the pool does: one session from its bytes to the bytes of its result. It writes no file. */
import {
  auto,
  type Compression,
  compressConversation,
  createTokenCounter,
  digest,
  findModel,
  type Outcome,
  withoutRecall,
} from '@precis/core'
import type { FormatOutput, NewSession } from '@precis/core/formats'
import { findRecordFates } from '../archive/record-fates.ts'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import { describeOriginal } from '../sessions/lineage.ts'
import { type LoadedSession, loadDocument } from '../sessions/load-session.ts'
import { openSession } from '../sessions/open-session.ts'
import { createMemorySource } from '../sessions/read-document.ts'
import { splitOutput } from '../sessions/split-output.ts'
import { countBudgetTokens } from './budget-tokens.ts'
import { describeFailure } from './describe-failure.ts'
import type { Job, JobCompressed, JobDocument, JobResult } from './job.ts'
import { keepResult } from './keep-result.ts'
import { createIdSource } from './result-id.ts'

// Ctrl-C reaches every process of a terminal: what then becomes of a job, the process that gave it decides.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// Without that process nobody waits for an answer.
process.on('disconnect', () => process.exit())

/** Failures are values: an error loses its class on the way to another process. */
export async function runJob(job: Job): Promise<JobResult> {
  try {
    const session = await load(job.document)
    try {
      return await compress(session, job)
    } finally {
      session.document.close()
    }
  } catch (error) {
    return describeFailure(error)
  }
}

async function load(document: JobDocument): Promise<LoadedSession> {
  if (document.type === 'path') return loadDocument(document.path, await openSession(document.path))
  // What came from another process is a plain array, not always a `Buffer`.
  const { bytes, name, workingDirectory } = document
  const source = createMemorySource(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const session = loadDocument(name, { source, path: undefined, stats: undefined, close: () => {} })
  if (session.conversation.workingDirectory !== undefined || workingDirectory === undefined) return session
  return { ...session, conversation: { ...session.conversation, workingDirectory } }
}

async function compress(session: LoadedSession, job: Job): Promise<JobResult> {
  const { document, settings, isDryRun, archive } = job
  const { conversation, head } = session
  const original = describeOriginal(session.document, head?.sessionId)
  if (document.type === 'path' && original.sha256 !== document.sha256) return { type: 'skipped', reason: 'in-use' }
  const counter = createTokenCounter(findModel(settings.model ?? conversation.model ?? ''))
  const { upper: tokens } = counter.countConversation(conversation)
  if (tokens <= settings.largerThanTokens) return { type: 'skipped', reason: 'too-small', detail: `${tokens} tokens` }
  const { keep, instructions, pins, budget } = settings
  const compression = await compressConversation(conversation, {
    counter,
    strategy: strategyChoices[settings.strategy] ?? auto,
    summarizer: await openSummarizer(settings, isDryRun),
    budgetTokens: countBudgetTokens(budget, conversation, counter),
    ...(keep && { keep }),
    ...(instructions !== undefined && { instructions }),
    ...(pins && { pins }),
    ...(job.recall && { recall: job.recall }),
  })
  if (compression.outcome.type !== 'compressed') return explainOutcome(compression.outcome)
  const { source, path } = session.document
  const made = { session, compression, job, bytesBefore: original.bytes }
  const result = write(made)
  if (!archive || isDryRun) return result
  const kept = await keepResult(source, path, result, job, archive)
  // What is not kept cannot be recalled.
  const isLost = job.recall !== undefined && 'problem' in kept
  return { ...(isLost ? write({ ...made, compression: withoutRecall(compression) }) : result), kept }
}

interface Made {
  readonly session: LoadedSession
  readonly compression: Compression
  readonly job: Job
  readonly bytesBefore: number
}

function write({ session, compression, job, bytesBefore }: Made): JobCompressed {
  const { newSession, isDryRun } = job
  const named: NewSession = { ...newSession, createId: createIdSource(newSession.sessionId) }
  const output = collect(session.format.serialize(compression.conversation, named), !isDryRun)
  return {
    type: 'compressed',
    format: session.format.name,
    report: compression.report,
    bytesBefore,
    damage: session.damage,
    bytesAfter: output.bytes,
    output: output.content,
    fates: [...findRecordFates(session.conversation, compression.conversation)],
    originalId: session.head?.sessionId,
    kept: undefined,
  }
}

/** A dry run pays for nothing. */
async function openSummarizer({ summarizer }: Job['settings'], isDryRun: boolean) {
  if (isDryRun || summarizer.name === digest().name) return digest()
  return await (await import('../summarizers/create-summarizer.ts')).createSummarizer(summarizer)
}

function explainOutcome(outcome: Exclude<Outcome, { type: 'compressed' }>): JobResult {
  switch (outcome.type) {
    case 'cannot-fit': {
      const { item, itemTokens, budgetTokens, smallestTokens } = outcome.refusal
      const message = `it cannot fit ${budgetTokens} tokens: the largest item that has to stay is ${item} with ${itemTokens}; ${smallestTokens} are enough`
      return { type: 'failed', code: 'cannot-fit', message, mayPass: false }
    }
    case 'summary-failed': {
      const message = `${outcome.summarizer} gave no summary that can be used: ${outcome.problems.join(' ')}`
      return { type: 'failed', code: outcome.type, message, mayPass: true }
    }
    case 'unchanged':
      if (outcome.reason === 'already-under-target') return { type: 'skipped', reason: 'within-budget' }
      return { type: 'skipped', reason: 'nothing-to-gain', detail: outcome.reason.replaceAll('-', ' ') }
    default:
      return { type: 'skipped', reason: 'nothing-to-gain', detail: outcome.type.replaceAll('-', ' ') }
  }
}

/** The pieces are views that live until the next one is read. */
function collect(output: FormatOutput, isKept: boolean): { readonly bytes: number; readonly content?: Uint8Array } {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for (const piece of splitOutput(output)) {
    bytes += piece.length
    if (isKept) pieces.push(Buffer.from(piece))
  }
  return isKept ? { bytes, content: Buffer.concat(pieces) } : { bytes }
}
