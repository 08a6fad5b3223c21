/**
 * The accounts of all sessions, in the store of the gateway. What is recorded waits here for a
 * second and is then added to what stands there, so that no request waits for a database and
 * several instances add to the same account.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { ConversationStore } from '@precis/core/following'
import { redactSecrets } from '@precis/core/secrets'
import { DatabaseError } from '../files/errors.ts'
import { type AccountEvent, addEvent } from './account.ts'
import type { ActRequest, ActResult, ObservedAnswer, Owner } from './gateway.ts'
import { parseAccount, renderAccount, type SessionAccount } from './session-account.ts'

export interface RecordedRequest {
  readonly request: ActRequest
  /** Undefined where no act was asked. */
  readonly result: ActResult | undefined
  readonly answer: ObservedAnswer
}

export interface ListedAccount {
  /** Empty for requests that name no session. */
  readonly session: string
  readonly account: SessionAccount
}

export interface Accounts {
  /**
   * Called when an answer ended, whoever gave it. Keeps nothing of the request, and takes no time
   * of its own.
   */
  record(recorded: RecordedRequest): void
  /** Those used last first, and at most 100 of them, with what this process has not stored yet. */
  list(ownerId: string): Promise<readonly ListedAccount[]>
  /** The ids of all owners with an account. */
  listOwners(): Promise<readonly string[]>
  /** Stores what waits, and stops. Never rejects. */
  close(): Promise<void>
}

export interface AccountsOptions {
  readonly store: ConversationStore
  /** For people: one line, nothing of a request. */
  readonly note: (text: string) => void
  readonly now?: () => number
}

/**
 * What nobody added to and nobody looked at for so long is deleted: accounts, and what takes the
 * place of histories.
 */
export const KEPT_DAYS = 30
const FLUSH_MS = 1000
const DAY_MS = 86_400_000
const MOST_LISTED = 100
// More than one instance adds to one session only when an agent sends requests side by side.
const MOST_ATTEMPTS = 20
// While a database cannot be reached.
const MOST_WAITING = 10_000
const ACCOUNT = '/account/'

export function createAccounts({ store, note, now = Date.now }: AccountsOptions): Accounts {
  let waiting = new Map<string, AccountEvent[]>()
  let count = 0
  let flushing: Promise<void> = Promise.resolve()
  let expiresAt = 0

  const flush = () => {
    flushing = flushing.then(async () => {
      const taken = waiting
      waiting = new Map()
      count = 0
      for (const [key, events] of taken) {
        try {
          await addToStore(store, key, events)
        } catch (error) {
          putBack(key, events)
          note(`what a session cost is not stored yet: ${describe(error)}`)
        }
      }
    })
    return flushing
  }
  const putBack = (key: string, events: readonly AccountEvent[]) => {
    const room = Math.max(MOST_WAITING - count, 0)
    const kept = events.slice(0, room)
    if (kept.length < events.length)
      note(`${events.length - kept.length} requests are missing from the accounts`)
    waiting.set(key, [...kept, ...(waiting.get(key) ?? [])])
    count += kept.length
  }
  /** One that is damaged keeps no other from being listed. */
  const readValue = async (key: string) => {
    try {
      return (await store.find([key]))?.value ?? ''
    } catch (error) {
      if (!(error instanceof DatabaseError && error.code === 'damaged')) throw error
      note(`what a session cost is not known any more: ${describe(error)}`)
      return ''
    }
  }
  const expire = async () => {
    if (now() < expiresAt) return
    expiresAt = now() + DAY_MS
    const unusedSince = now() - KEPT_DAYS * DAY_MS
    try {
      await store.delete('', unusedSince)
    } catch (error) {
      note(`old state is not deleted: ${describe(error)}`)
    }
  }
  const timer = setInterval(() => {
    if (count > 0) void flush().then(expire)
  }, FLUSH_MS)
  timer.unref()

  return {
    record(recorded) {
      const event = describeRequest(recorded, now())
      const key = nameAccount(recorded.request.owner)
      if (!event) return
      if (count >= MOST_WAITING)
        return note('a request is missing from the accounts: the database takes nothing')
      count += 1
      waiting.set(key, [...(waiting.get(key) ?? []), event])
    },
    async list(ownerId) {
      await flush()
      const prefix = `${ownerId}${ACCOUNT}`
      const entries = [...(await store.list(prefix))].sort(
        (left, right) => right.usedAt - left.usedAt,
      )
      const listed: ListedAccount[] = []
      for (const { key } of entries.slice(0, MOST_LISTED)) {
        const account = parseAccount(await readValue(key))
        if (account) listed.push({ session: key.slice(prefix.length), account })
      }
      return listed.sort((left, right) => right.account.used - left.account.used)
    },
    async listOwners() {
      await flush()
      const keys = (await store.list(''))
        .map(({ key }) => key)
        .filter((key) => key.includes(ACCOUNT))
      return [...new Set(keys.map((key) => key.slice(0, key.indexOf(ACCOUNT))))]
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Adds to what stands there, as often as another instance was faster. */
async function addToStore(
  store: ConversationStore,
  key: string,
  events: readonly AccountEvent[],
): Promise<void> {
  let found = await store.find([key])
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const account = events.reduce<SessionAccount | undefined>(
      addEvent,
      found && parseAccount(found.value),
    )
    if (!account) return
    const value = renderAccount(account, randomUUID())
    const after = await store.write(key, value, found?.version)
    if (after?.value === value) return
    found = after
  }
  throw new Error(`others wrote the account of the session ${MOST_ATTEMPTS} times meanwhile`)
}

const LONGEST_SESSION = 200

function nameAccount({ id, session = '' }: Owner): string {
  const isLong = session.length > LONGEST_SESSION
  const name = isLong ? createHash('sha256').update(session).digest('hex') : session
  // A half of a character, or a zero byte, is nothing that a database keeps.
  return `${id}${ACCOUNT}${Buffer.from(name).toString().replaceAll('\0', '')}`
}

// Written so by the SDKs in JavaScript and by those in Python.
const LONG_LIFETIMES = ['"ttl":"1h"', '"ttl": "1h"']
const LONGEST_MODEL = 100
const LONGEST_PROBLEM = 300

/** Undefined for requests that cost nothing and that no act was asked for. */
function describeRequest(
  { request, result, answer }: RecordedRequest,
  time: number,
): AccountEvent | undefined {
  const { purpose, body, owner, windowTokens } = request
  const done =
    result && 'record' in result && result.record
      ? { type: result.type, record: result.record }
      : undefined
  if (purpose !== 'generate' && purpose !== 'compact' && !done) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const model = done?.record.model ?? answer.model ?? request.model ?? 'unknown'
  const pass =
    result && 'reason' in result && result.reason
      ? { reason: result.reason, problem: shorten(result.problem) }
      : undefined
  return {
    time,
    agent: owner.agent,
    model: model.slice(0, LONGEST_MODEL),
    windowTokens,
    status: answer.status,
    usage: answer.usage,
    isLongLived: LONG_LIFETIMES.some((mark) => bytes.includes(mark)),
    milliseconds: answer.milliseconds,
    firstByteMilliseconds: answer.firstByteMilliseconds,
    ...(done && {
      done: { ...done, record: { ...done.record, problem: shorten(done.record.problem) } },
    }),
    ...(pass && { pass }),
  }
}

const shorten = (problem: string | undefined) =>
  problem && redactSecrets(problem).slice(0, LONGEST_PROBLEM)
const describe = (error: unknown) => (error instanceof Error ? error.message : String(error))
