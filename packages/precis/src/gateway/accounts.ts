/**
 * The accounts of all sessions, in the gateway's store. New records wait here for a second, and are
 * then added to the stored accounts. No request waits for a database, and several instances can add
 * to the same account.
 */
import { hash, randomUUID } from 'node:crypto'
import type { ConversationStore } from '@precis/core/following'
import { redactSecrets } from '@precis/core/secrets'
import { KEPT_DAYS } from '../archive/check-archive.ts'
import { DatabaseError, reasonOf } from '../files/errors.ts'
import { asBuffer } from '../files/lines.ts'
import type { AccountEvent } from './account-turn.ts'
import { addEvent } from './add-event.ts'
import type { ActRequest, ActResult, ObservedAnswer, Owner } from './gateway.ts'
import { parseAccount, renderAccount, type SessionAccount } from './session-account.ts'

export interface RecordedRequest {
  readonly request: ActRequest
  /** Undefined if no action was considered. */
  readonly result: ActResult | undefined
  readonly answer: ObservedAnswer
}

export interface ListedAccount {
  /** Empty for requests that name no session. */
  readonly session: string
  readonly account: SessionAccount
}

export interface Accounts {
  /** Called when any answer ended. Keeps nothing of the request, and returns immediately. */
  record(recorded: RecordedRequest): void
  /**
   * At most 100 accounts, last used first, including what this process has not stored yet, unless
   * the database takes nothing.
   */
  list(ownerId: string): Promise<readonly ListedAccount[]>
  /** The ids of all owners with an account. */
  listOwners(): Promise<readonly string[]>
  /** Stores what waits, within five seconds, and stops. Never rejects. */
  close(): Promise<void>
}

export interface AccountsOptions {
  readonly store: ConversationStore
  /** For people: one line, with nothing of a request. */
  readonly note: (text: string) => void
  readonly now?: () => number
}

const FLUSH_MS = 1000
// Another process may hold the database for minutes.
const MOST_FLUSH_MS = 5000
const DAY_MS = 86_400_000
const MOST_LISTED = 100
// Two instances add to one session only if an agent sends requests in parallel.
const MOST_ATTEMPTS = 20
// Applies while a database is unreachable.
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
          note(`what a session cost is not stored yet: ${reasonOf(error)}`)
        }
      }
    })
    return flushing
  }
  /** Whether everything that waited is stored in time. */
  const flushInTime = () =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), MOST_FLUSH_MS)
      void flush().then(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  const putBack = (key: string, events: readonly AccountEvent[]) => {
    const room = Math.max(MOST_WAITING - count, 0)
    const kept = events.slice(0, room)
    if (kept.length < events.length)
      note(`${events.length - kept.length} requests are missing from the accounts`)
    waiting.set(key, [...kept, ...(waiting.get(key) ?? [])])
    count += kept.length
  }
  /** A damaged account must not hide the others. */
  const readValue = async (key: string) => {
    try {
      return (await store.find([key]))?.value ?? ''
    } catch (error) {
      if (!(error instanceof DatabaseError && error.code === 'damaged')) throw error
      note(`what a session cost is not known any more: ${reasonOf(error)}`)
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
      note(`old state is not deleted: ${reasonOf(error)}`)
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
      await flushInTime()
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
      await flushInTime()
      const keys = (await store.list(''))
        .map(({ key }) => key)
        .filter((key) => key.includes(ACCOUNT))
      return [...new Set(keys.map((key) => key.slice(0, key.indexOf(ACCOUNT))))]
    },
    async close() {
      clearInterval(timer)
      if (!(await flushInTime()))
        note('what sessions cost last is not stored: the database takes nothing')
    },
  }
}

/** Adds to the stored account. Retries whenever another instance was faster. */
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
  const name = session.length > LONGEST_SESSION ? hash('sha256', session) : session
  // A database cannot store half a character or a zero byte.
  return `${id}${ACCOUNT}${Buffer.from(name).toString().replaceAll('\0', '')}`
}

// The spellings of the SDKs in JavaScript and in Python.
const LONG_LIFETIMES = ['"ttl":"1h"', '"ttl": "1h"']
const LONGEST_MODEL = 100
const LONGEST_PROBLEM = 300

/** Undefined for requests that cost nothing and for which no action was considered. */
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
  const bytes = asBuffer(body)
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
