/**
 * What a session was billed. Some of it occurs in several sessions, and some in none:
 *
 *   requests   a fork, a clone and an undone session repeat the requests of another session
 *   sums       of everything that the agent sent; what two sums differ by beyond their requests
 *              was sent elsewhere, by a sub-agent or for a compaction
 */
import { hash } from 'node:crypto'
import type { ByteSource } from '@precis/core/formats'
import type { Agent } from '../agents/shared/agent.ts'
import { sumTokens } from '../agents/shared/billed.ts'
import {
  type Amount,
  addDollars,
  priceRequests,
  type ReadRequest,
  readSessionRequests,
} from './read-usage.ts'

export interface Bill {
  /** In order. Empty if the agent records no usage. */
  readonly requests: readonly RequestBill[]
  /** In order. Empty if the agent records none. */
  readonly sums: readonly SumCost[]
}

/** One request with its answer, as billed. */
export interface RequestBill extends Amount {
  readonly model: string
  /** Milliseconds since 1970. Undefined if that is not recorded. */
  readonly timeMs: number | undefined
  /** Tokens, each counted once. */
  readonly input: number
  readonly cacheWrite: number
  readonly cacheRead: number
  readonly output: number
  /** The same in every copy of the request. Undefined if it has no identity. */
  readonly key: string | undefined
  /** Whether its output was counted, because less was recorded. */
  readonly isOutputCounted?: boolean
}

/** Everything that was billed up to a place in a session. */
interface SumCost extends Amount {
  /** The same in a fork and its source, which the fork continues. */
  readonly account: string
  /** How many of the requests come before it. */
  readonly requests: number
}

// Digits of base 64: 72 bits distinguish all requests of a machine.
const KEY_LENGTH = 12

/** Reads the whole document. */
export function readBill(
  agent: Agent,
  source: ByteSource,
  requests = readSessionRequests(agent, source),
): Bill {
  const dollars = priceRequests(requests)
  const sums = agent.readSums?.(source) ?? []
  return {
    requests: requests.map((request, index) => ({
      key: createKey(request.id),
      model: request.model,
      timeMs: request.timeMs,
      input: request.input,
      cacheWrite: request.cacheWrite + request.cacheWriteLong,
      cacheRead: request.cachedInput,
      output: request.output,
      tokens: sumTokens(request),
      dollars: dollars[index],
      ...(request.isOutputCounted && { isOutputCounted: true }),
    })),
    sums: sums.map(({ account, record, models }) => ({
      account,
      requests: countBefore(requests, record),
      tokens: models.reduce((total, model) => total + sumTokens(model), 0),
      dollars: addDollars(priceRequests(models)),
    })),
  }
}

/** They are in the order of their first records, not of the newest. */
const countBefore = (requests: readonly ReadRequest[], record: number): number =>
  requests.findLastIndex((request) => request.record < record) + 1

/** Short. A hash, so that it does not reveal what the id was made of. */
export const createKey = (id: string | undefined): string | undefined =>
  id && hash('sha256', id, 'base64url').slice(0, KEY_LENGTH)

/**
 * For each session, what was sent for it elsewhere, never counted twice. If it is not certain which
 * sum of another session a fork continues, the sum that leaves the least is used.
 */
export function findElsewhere(bills: readonly Bill[]): Amount[] {
  const found = new Map<Bill, Amount>()
  const families = new Map<string, Set<Bill>>()
  const counted = new Set<string>()
  // The sum that a session continues is smaller than its own first sum.
  for (const bill of bills.toSorted((a, b) => findStart(a) - findStart(b))) {
    const differences = bill.sums.map((sum, index) => {
      const base = findBase(bill, index, families.get(sum.account))
      const name = `${sum.account} ${base?.sum.tokens} ${sum.tokens}`
      if (!base || counted.has(name)) return NOTHING
      counted.add(name)
      return subtract(sum, [base.sum, ...base.own])
    })
    found.set(bill, addAmounts(differences))
    for (const { account } of bill.sums)
      families.set(account, (families.get(account) ?? new Set()).add(bill))
  }
  return bills.map((bill) => found.get(bill) ?? NOTHING)
}

const findStart = ({ sums }: Bill): number => sums.find(({ tokens }) => tokens > 0)?.tokens ?? 0

interface Base {
  /** The sum that another one continues. */
  readonly sum: Amount
  /** The requests between the two that are in the file. */
  readonly own: readonly Amount[]
}

/** Undefined if the sum that it continues is unknown. */
function findBase(
  { sums, requests }: Bill,
  index: number,
  family: Iterable<Bill> = [],
): Base | undefined {
  const { [index - 1]: before, [index]: sum = NO_SUM } = sums
  const own = requests.slice(before?.requests ?? 0, sum.requests)
  const isSame = before?.account === sum.account
  if (isSame && before.tokens > 0) return { sum: before, own }
  const bases: Base[] = before ? [{ sum: isSame ? before : NOTHING, own }] : []
  for (const other of family) {
    const places = new Map(other.requests.map(({ key }, place) => [key, place]))
    places.delete(undefined)
    const added = addAmounts(own.filter(({ key }) => !places.has(key)))
    for (const from of other.sums) {
      if (from.account !== sum.account || from.tokens + added.tokens > sum.tokens) continue
      const later = own.filter(({ key }) => (places.get(key) ?? Infinity) >= from.requests)
      bases.push({ sum: from, own: later })
    }
  }
  const measure = (base: Base) => subtract(sum, [base.sum, ...base.own]).tokens
  return bases.sort((a, b) => measure(a) - measure(b))[0]
}

const NOTHING: Amount = { tokens: 0, dollars: 0 }
const NO_SUM: SumCost = { ...NOTHING, account: '', requests: 0 }

export function addAmounts(amounts: readonly Amount[]): Amount {
  return {
    tokens: amounts.reduce((sum, { tokens }) => sum + tokens, 0),
    dollars: addDollars(amounts.map(({ dollars }) => dollars)),
  }
}

function subtract(sum: Amount, amounts: readonly Amount[]): Amount {
  const { tokens, dollars } = addAmounts(amounts)
  const difference =
    sum.dollars === undefined || dollars === undefined ? undefined : sum.dollars - dollars
  return sum.tokens > tokens
    ? { tokens: sum.tokens - tokens, dollars: difference && Math.max(difference, 0) }
    : NOTHING
}
