/**
 * The data of a session in an overview. Small, and without the session's words, except its title,
 * and sentences and names that were lost.
 */
import type { ByteSource } from '@precis/core/formats'
import { redactSecrets } from '@precis/core/secrets'
import type { Agent } from '../agents/shared/agent.ts'
import { SessionError } from '../files/errors.ts'
import { createMemorySource } from '../files/read-document.ts'
import { addAmounts, type Bill, createKey, type RequestBill, readBill } from './bill.ts'
import { readSessionCompactions, type SessionCompaction } from './compactions.ts'
import { type DescribedSession, describeDocument } from './describe-session.ts'
import { completeIfPossible, openSession, type SessionFile } from './find-sessions.ts'
import { type Amount, readSessionRequests } from './read-usage.ts'

export interface SessionFacts extends Bill {
  /** The whole id, even if the name of its file contains only the beginning. */
  readonly id: string
  /** The agent's name for it. */
  readonly title: string | undefined
  readonly firstPrompt: string | undefined
  readonly project: string | undefined
  /** Size of the context, as the agent recorded it. */
  readonly contextTokens: number | undefined
  /** Of its first request, in milliseconds since 1970. */
  readonly startMs: number | undefined
  /** The keys of its requests, in order. */
  readonly keys: readonly (string | undefined)[]
  /** All of its requests, even if another session contains them. */
  readonly total: RequestTotal
  readonly compactions: readonly PastCompaction[]
  /** Whether the sentences and facts that its compactions lost were not looked for. */
  readonly isBrief: boolean
}

export interface RequestTotal extends Amount {
  /** Whether some output was counted, because less was recorded. */
  readonly isOutputCounted: boolean
}

export interface PastCompaction
  extends Omit<SessionCompaction, 'record' | 'lastRecord' | 'summary' | 'request' | 'time'> {
  /** Milliseconds since 1970. */
  readonly time: number | undefined
  /** The key of the request before it. */
  readonly after: string | undefined
}

/**
 * Reads the whole session. Throws `SessionError` if that is not possible. `isBrief`: see
 * `SessionFacts`. It takes half of the time.
 */
export async function readSessionFacts(file: SessionFile, isBrief: boolean): Promise<SessionFacts> {
  const { agent, path } = file
  const document = await openSession(path, [agent])
  try {
    const source = agent.store ? document.source : keepInMemory(document.source)
    const { id, title, firstPrompt, workingDirectory, contextTokens } = describeDocument(
      file,
      source,
    )
    const requests = readSessionRequests(agent, source)
    const findBefore = ({ record }: SessionCompaction) =>
      requests.findLast((request) => request.record < record)
    const bill = readBill(agent, source, requests)
    const { source: whole } = completeIfPossible({ ...document, source }, agent)
    const compactions =
      whole === source
        ? readSessionCompactions(agent, source, { requests, isBrief })
        : readForkCompactions(agent, { source, whole, isBrief })
    return {
      id,
      title,
      firstPrompt,
      project: workingDirectory,
      contextTokens,
      startMs: bill.requests[0]?.timeMs,
      keys: bill.requests.map(({ key }) => key),
      total: sumRequests(bill.requests),
      ...bill,
      compactions: compactions.map((compaction) =>
        toPast(compaction, createKey(findBefore(compaction)?.id)),
      ),
      isBrief: isBrief && compactions.length > 0,
    }
  } catch (error) {
    // A document that is too large for one text of the language, or that a disk gave half of.
    if (error instanceof SessionError || !(error instanceof RangeError)) throw error
    throw new SessionError('unreadable', `Reading "${path}": ${error.message}.`)
  } finally {
    document.close()
  }
}

/** Its own, measured against what was before the fork too. */
function readForkCompactions(
  agent: Agent,
  {
    source,
    whole,
    isBrief,
  }: { readonly source: ByteSource; readonly whole: ByteSource; readonly isBrief: boolean },
): SessionCompaction[] {
  const own = agent.readCompactions?.(source) ?? []
  if (own.length === 0) return []
  const requests = readSessionRequests(agent, whole)
  return readSessionCompactions(agent, whole, { requests, isBrief })
    .slice(-own.length)
    .map((compaction, index) => ({ ...compaction, record: own[index]?.record ?? 0 }))
}

const MOST_KEPT_BYTES = 1 << 26

/** Read once for all that look through it. A larger one is read again by each. */
function keepInMemory(source: ByteSource): ByteSource {
  const { byteLength } = source
  return byteLength > MOST_KEPT_BYTES ? source : createMemorySource(source.read(0, byteLength))
}

export function sumRequests(requests: readonly RequestBill[]): RequestTotal {
  return {
    ...addAmounts(requests),
    isOutputCounted: requests.some((request) => request.isOutputCounted),
  }
}

/** As `describeSession`, by what an earlier run read. */
export function describeKnown(file: SessionFile, facts: SessionFacts): DescribedSession {
  const { id, title, project, contextTokens } = facts
  return {
    ...file,
    id,
    title,
    // Most lists need it of a few sessions.
    get firstPrompt() {
      return facts.firstPrompt
    },
    workingDirectory: project,
    contextTokens,
  }
}

function toPast(compaction: SessionCompaction, after: string | undefined): PastCompaction {
  const { time, trigger, by, durationMs, tokensBefore, tokensAfter, lost, cost, model } = compaction
  const sentences = lost?.words.sentences.map((sentence) => ({
    ...sentence,
    text: redactSecrets(sentence.text),
  }))
  const weightiest = lost?.facts?.weightiest.map((fact) => ({
    ...fact,
    text: redactSecrets(fact.text),
  }))
  return {
    time: time?.getTime(),
    after,
    trigger,
    by,
    durationMs,
    tokensBefore,
    tokensAfter,
    lost: lost && {
      words: { ...lost.words, sentences: sentences ?? [] },
      facts: lost.facts && weightiest && { ...lost.facts, weightiest },
    },
    cost,
    model,
  }
}
