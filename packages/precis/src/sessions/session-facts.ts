/**
 * The data of a session in an overview. Small, and without the session's words, except its title
 * and the names that were lost.
 */
import { createHash } from 'node:crypto'
import { redactSecrets } from '@precis/core/secrets'
import type { BilledRequest } from '../agents/shared/agent.ts'
import { sumTokens } from '../agents/shared/session-lines.ts'
import { SessionError } from '../files/errors.ts'
import { readSessionCompactions, type SessionCompaction } from './compactions.ts'
import { describeSession } from './describe-session.ts'
import { openSession, type SessionFile } from './find-sessions.ts'
import { sumUsage } from './read-usage.ts'

export interface SessionFacts {
  /** The whole id, even if the name of its file contains only the beginning. */
  readonly id: string
  readonly title: string | undefined
  readonly project: string | undefined
  /** In order. Empty if the agent records no usage. */
  readonly requests: readonly RequestCost[]
  readonly compactions: readonly PastCompaction[]
}

/** One request with its answer, as billed. */
export interface RequestCost {
  /** The same in every copy of the request. Undefined if it has no identity. */
  readonly key: string | undefined
  readonly tokens: number
  /** US dollars at list prices. Undefined if the price of the model is unknown. */
  readonly dollars: number | undefined
}

export interface PastCompaction
  extends Omit<SessionCompaction, 'record' | 'lastRecord' | 'summary' | 'request' | 'time'> {
  /** Milliseconds since 1970. */
  readonly time: number | undefined
}

const LONGEST_TITLE = 200

/** Reads the whole session. Throws `SessionError` if that is not possible. */
export async function readSessionFacts(file: SessionFile): Promise<SessionFacts> {
  const { agent, path } = file
  const { id, title, firstPrompt, workingDirectory } = describeSession(file)
  const document = await openSession(path, [agent])
  try {
    const called = title ?? firstPrompt
    return {
      id,
      title: called === undefined ? undefined : redactSecrets(called.slice(0, LONGEST_TITLE)),
      project: workingDirectory,
      requests: agent.readRequests(document.source).map(toRequestCost),
      compactions: readSessionCompactions(agent, document.source).map(toPast),
    }
  } catch (error) {
    // A document that is too large for one text of the language, or that a disk gave half of.
    if (error instanceof SessionError || !(error instanceof RangeError)) throw error
    throw new SessionError('unreadable', `Reading "${path}": ${error.message}.`)
  } finally {
    document.close()
  }
}

// Digits of base 64: 72 bits distinguish all requests of a machine.
const KEY_LENGTH = 12

function toRequestCost(request: BilledRequest): RequestCost {
  const { id } = request
  const key =
    id === undefined
      ? undefined
      : createHash('sha256').update(id).digest('base64url').slice(0, KEY_LENGTH)
  return { key, tokens: sumTokens(request), dollars: sumUsage([request])?.cost }
}

function toPast({
  time,
  trigger,
  by,
  durationMs,
  tokensBefore,
  tokensAfter,
  lost,
  cost,
}: SessionCompaction): PastCompaction {
  const weightiest = lost?.facts?.weightiest.map((fact) => ({
    ...fact,
    text: redactSecrets(fact.text),
  }))
  return {
    time: time?.getTime(),
    trigger,
    by,
    durationMs,
    tokensBefore,
    tokensAfter,
    lost: lost && { ...lost, facts: lost.facts && weightiest && { ...lost.facts, weightiest } },
    cost,
  }
}
