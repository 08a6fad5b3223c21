/**
 * The data of a session in an overview. Small, and without the session's words, except its title,
 * and sentences and names that were lost.
 */
import { redactSecrets } from '@precis/core/secrets'
import { SessionError } from '../files/errors.ts'
import { type Bill, createKey, readBill } from './bill.ts'
import { readSessionCompactions, type SessionCompaction } from './compactions.ts'
import { describeSession } from './describe-session.ts'
import { openSession, type SessionFile } from './find-sessions.ts'
import { readSessionRequests } from './read-usage.ts'

export interface SessionFacts extends Bill {
  /** The whole id, even if the name of its file contains only the beginning. */
  readonly id: string
  readonly title: string | undefined
  readonly project: string | undefined
  /** Size of the context, as the agent recorded it. */
  readonly contextTokens: number | undefined
  readonly compactions: readonly PastCompaction[]
}

export interface PastCompaction
  extends Omit<SessionCompaction, 'record' | 'lastRecord' | 'summary' | 'request' | 'time'> {
  /** Milliseconds since 1970. */
  readonly time: number | undefined
  /** The key of the request before it. */
  readonly after: string | undefined
}

const LONGEST_TITLE = 200

/** Reads the whole session. Throws `SessionError` if that is not possible. */
export async function readSessionFacts(file: SessionFile): Promise<SessionFacts> {
  const { agent, path } = file
  const { id, title, firstPrompt, workingDirectory, contextTokens } = describeSession(file)
  const document = await openSession(path, [agent])
  try {
    const called = title ?? firstPrompt
    const requests = readSessionRequests(agent, document.source)
    const findBefore = ({ record }: SessionCompaction) =>
      requests.findLast((request) => request.record < record)
    return {
      id,
      title: called === undefined ? undefined : redactSecrets(called.slice(0, LONGEST_TITLE)),
      project: workingDirectory,
      contextTokens,
      ...readBill(agent, document.source, requests),
      compactions: readSessionCompactions(agent, document.source).map((compaction) =>
        toPast(compaction, createKey(findBefore(compaction)?.id)),
      ),
    }
  } catch (error) {
    // A document that is too large for one text of the language, or that a disk gave half of.
    if (error instanceof SessionError || !(error instanceof RangeError)) throw error
    throw new SessionError('unreadable', `Reading "${path}": ${error.message}.`)
  } finally {
    document.close()
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
