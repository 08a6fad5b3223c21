/**
 * A session request by request, with the recorded answers as the model:
 *
 *   append(input) ─► prepare ─► bill it, with and without ─► recordUsage, append(answer) ─► append(input) ─► …
 */
import { setImmediate } from 'node:timers/promises'
import {
  type Context,
  type ContextCompression,
  type Decision,
  findModel,
  type Pricing,
  pricePrompt,
  priceSummary,
  type Summarizer,
} from '@precis/core'
import { entityValue } from '../entities/find-entities.ts'
import { HORIZON_CALLS } from '../point.ts'
import type { KnownItem } from '../recording.ts'
import { sum } from '../sum.ts'
import { Account } from './account.ts'
import type { MeasuredSession, MeasuredStep } from './measured-session.ts'
import { findMissing } from './missing.ts'
import type { ReplayedCompression, ReplayedRequest, ReplayRun } from './replay.ts'

export interface LiveSession {
  readonly context: Context<object>
  readonly summarizer: Summarizer
  readonly setTime: (timeMs: number) => void
}

export interface RunTerms {
  readonly pricing: Pricing
  readonly cacheLifetimeSeconds: number | undefined
  readonly windowTokens: number
  readonly reserveTokens: number
  readonly onProgress: (share: number) => void
}

export async function replayRun(session: MeasuredSession, live: LiveSession, terms: RunTerms): Promise<ReplayRun> {
  const { pricing, cacheLifetimeSeconds, windowTokens, reserveTokens } = terms
  const runner = new Runner(session, live, terms)
  for (const [index, step] of session.steps.entries()) {
    await setImmediate()
    terms.onProgress(index / session.steps.length)
    await runner.take(step)
  }
  const { requests, changes } = runner
  const compressions = describeChanges(session, changes)
  const readAgainMoney = sum(compressions.map(({ readAgainTokens }) => priceReading(readAgainTokens, pricing)))
  const summaryMoney = sum(changes.map(({ compression }) => priceSummaries(live.summarizer, compression)))
  return {
    cacheLifetimeSeconds,
    requests,
    compressions,
    without: runner.without.total(),
    with: runner.with.total(summaryMoney, readAgainMoney),
    needed: sum(compressions.map(({ needed }) => needed)),
    missing: sum(compressions.map(({ missing }) => missing.length)),
    firstTooLarge: requests.find(({ tokensWithout }) => tokensWithout + reserveTokens > windowTokens)?.request,
    firstRefused: requests.find(({ fits }) => !fits)?.request,
  }
}

/** A compression and the request that it was made for. */
interface Change {
  readonly request: number
  readonly compression: ContextCompression
  readonly decision: Decision
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Of what was left. */
  readonly text: string
}

/** Where a replay is. */
class Runner {
  readonly requests: ReplayedRequest[] = []
  readonly changes: Change[] = []
  readonly without: Account
  readonly with: Account
  readonly #session: MeasuredSession
  readonly #live: LiveSession
  readonly #lifetimeSeconds: number
  #sent: readonly object[] = []
  #sentAtMs: number | undefined
  #turn = 0

  constructor(session: MeasuredSession, live: LiveSession, { pricing, cacheLifetimeSeconds = 0 }: RunTerms) {
    this.#session = session
    this.#live = live
    this.#lifetimeSeconds = cacheLifetimeSeconds
    this.without = new Account(session.fixedTokens, pricing)
    this.with = new Account(session.fixedTokens, pricing)
  }

  async take(step: MeasuredStep): Promise<void> {
    const { context, setTime } = this.#live
    const { timeMs, inputTokens, answerTokens } = step
    if (timeMs !== undefined) setTime(timeMs)
    if (step.startsTurn) this.#turn++
    context.append(...step.input)
    const prepared = await context.prepare()
    this.without.tokens += inputTokens
    this.with.tokens += inputTokens
    const { messages, compression, decision, fits } = prepared
    if (compression) this.#note(compression, decision, messages)
    const secondsSinceLast = this.#measurePause(timeMs)
    const isWarm = secondsSinceLast === undefined || secondsSinceLast <= this.#lifetimeSeconds
    const without = this.without.send(answerTokens, isWarm)
    const sent = this.with.send(answerTokens, isWarm)
    this.requests.push({
      request: this.requests.length + 1,
      turn: this.#turn,
      time: timeMs === undefined ? undefined : new Date(timeMs).toISOString(),
      secondsSinceLast,
      ...sent,
      tokensWithout: without.tokens,
      cachedTokensWithout: without.cachedTokens,
      moneyWithout: without.money,
      fits,
      decision: decision.reason,
    })
    // The provider counts as the context does; what it says beside is what it read from its cache.
    const { cachedTokens: cachedInputTokens } = sent
    context.recordUsage({ inputTokens: prepared.tokens, outputTokens: answerTokens, cachedInputTokens })
    context.append(...step.answer)
    this.#sent = messages
  }

  #note(compression: ContextCompression, decision: Decision, messages: readonly object[]): void {
    const session = this.#session
    const tokensBefore = this.with.tokens
    if (compression.outcome.type === 'compressed') {
      const end = messages.findIndex((native, index) => native !== this.#sent[index])
      this.with.heldTokens = session.fixedTokens + session.countNatives(end < 0 ? messages : messages.slice(0, end))
      this.with.tokens = session.fixedTokens + session.countNatives(messages)
    }
    const request = this.requests.length + 1
    const tokensAfter = this.with.tokens
    this.changes.push({ request, compression, decision, tokensBefore, tokensAfter, text: session.render(messages) })
  }

  /** In seconds; undefined for the first request, and where the recording has no times. */
  #measurePause(timeMs: number | undefined): number | undefined {
    const before = this.#sentAtMs
    this.#sentAtMs = timeMs ?? before
    return timeMs === undefined || before === undefined ? undefined : Math.max(timeMs - before, 0) / 1000
  }
}

/** What is read again goes behind a prompt that is cached, however little it is. */
function priceReading(tokens: number, { cache, ...pricing }: Pricing): number {
  return pricePrompt(tokens, 0, { ...pricing, cache: cache && { ...cache, minimumPrefixTokens: 0 } })
}

/** A summarizer that is a model is named after its provider and itself. */
function priceSummaries({ name }: Summarizer, { report }: ContextCompression): number {
  const usage = report?.usage
  const prices = usage && findModel(name.slice(name.indexOf('/') + 1)).pricesPerMillionTokens
  return prices ? priceSummary(prices, usage.inputTokens, usage.outputTokens) : 0
}

/** What each compression cost later calls: up to the next one, which is measured on its own. */
function describeChanges(session: MeasuredSession, changes: readonly Change[]): ReplayedCompression[] {
  const { items, mentions, steps, counter } = session
  const startOf = (request: number) => steps[request - 1]?.answerItem ?? items.length
  const applied = changes.filter(({ compression }) => compression.outcome.type === 'compressed')
  return changes.map(({ request, compression, decision, tokensBefore, tokensAfter, text }) => {
    const next = applied.find((change) => change.request > request)
    const start = startOf(request)
    const future = items.slice(start, next && startOf(next.request))
    const isApplied = compression.outcome.type === 'compressed'
    const found = isApplied
      ? findMissing({ past: mentions.findBefore(start, listUsed(future)), future, text })
      : NOTHING
    return {
      request,
      trigger: compression.trigger,
      outcome: compression.outcome.type,
      tokensBefore,
      tokensAfter,
      explanation: decision.explanation,
      needed: found.needed,
      missing: [...new Set(found.missing.map(entityValue))],
      readAgainTokens: sum(found.readAgain.map((item) => counter.countText(item.text).upper)),
    }
  })
}

/** Names that the calls use: nothing else can be needed. */
function listUsed(items: readonly KnownItem[]): Set<string> {
  const calls = items.filter(({ kind }) => kind === 'call').slice(0, HORIZON_CALLS)
  return new Set(calls.flatMap(({ entities }) => [...entities]))
}

const NOTHING = { needed: 0, missing: [], readAgain: [] } as const
