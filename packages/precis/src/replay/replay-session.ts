/**
 * Replays a recorded session through the live context, request by request, with the recorded
 * answers as the model:
 *
 *   append(input) ─► prepare ─► bill it, with and without ─► recordUsage, append(answer) ─► append(input) ─► …
 */

import { setImmediate } from 'node:timers/promises'
import {
  type Context,
  type ContextCompression,
  createContext,
  type Decision,
  findModel,
  type Ladder,
  type Strategy,
  type Summarizer,
} from '@precis/core'
import type { Spend } from '@precis/core/context'
import { type Pricing, pricePrompt, priceSummary, UNIT_PRICES } from '@precis/core/engine'
import { Account } from './account.ts'
import { findMissingNames, HORIZON_CALLS } from './carried-names.ts'
import { entityValue } from './entities.ts'
import type { KnownItem } from './items.ts'
import { chooseReserve, type MeasuredSession, type MeasuredStep, sum } from './recorded-session.ts'
import type { Replay, ReplayedCompression, ReplayedRequest, ReplayRun } from './replay.ts'

export interface ReplayOptions {
  readonly strategy: Strategy | Ladder
  readonly summarizer: Summarizer
  /** By default the one that the agent used. */
  readonly windowTokens?: number
  /** By default the largest answer of the recording, and at most a fifth of the window. */
  readonly reserveTokens?: number
  /** Share of the window. By default that of the live context. */
  readonly threshold?: number
  /**
   * Share of the window minus the reserve that a compression aims at. By default that of the live
   * context.
   */
  readonly target?: number
  readonly spend?: Spend
  /** Also compresses below the threshold if the live context expects that to save money. */
  readonly save?: boolean
  /** By default all that the provider has. */
  readonly cacheLifetimesSeconds?: readonly (number | undefined)[]
  /**
   * Compressions in addition to the automatic ones: the request before which each runs, from 0, and
   * the tokens of history that it leaves.
   */
  readonly plan?: ReadonlyMap<number, number>
  /** Ends after this many, because such a replay teaches nothing. By default never. */
  readonly mostCompressions?: number
  /** Called with how much is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** Once for each lifetime of the provider's cache. */
export async function replaySession(
  session: MeasuredSession,
  options: ReplayOptions,
): Promise<Replay> {
  const { recorded, model, steps } = session
  const { strategy, summarizer, onProgress, mostCompressions = Number.POSITIVE_INFINITY } = options
  const { windowTokens = session.windowTokens } = options
  const reserveTokens = options.reserveTokens ?? chooseReserve(steps, windowTokens)
  const prices = model.pricesPerMillionTokens
  const lifetimes = options.cacheLifetimesSeconds ??
    (prices && model.cache?.lifetimesSeconds) ?? [undefined]
  const runs: ReplayRun[] = []
  let thresholdTokens = windowTokens
  for (const [index, cacheLifetimeSeconds] of lifetimes.entries()) {
    const pricing: Pricing = prices
      ? {
          prices,
          cache: model.cache,
          isLongLived:
            (cacheLifetimeSeconds ?? 0) > (model.cache?.lifetimesSeconds[0] ?? Infinity) &&
            prices.cacheWriteLong !== undefined,
        }
      : { prices: UNIT_PRICES, cache: undefined }
    const run = new Run(session, {
      ...options,
      windowTokens,
      reserveTokens,
      pricing,
      cacheLifetimeSeconds,
    })
    thresholdTokens = run.context.state.thresholdTokens
    for (const [position, step] of steps.entries()) {
      await setImmediate()
      onProgress?.((index + position / steps.length) / lifetimes.length)
      await run.take(step)
      if (run.compressions > mostCompressions) break
    }
    runs.push(run.describe())
  }
  return {
    session: recorded.name,
    format: recorded.format,
    model: model.id,
    hasPrices: prices !== undefined,
    hasTimes: recorded.hasTimes,
    windowTokens,
    reserveTokens,
    thresholdTokens,
    saves: options.save === true,
    notInFileTokens: session.notInFileTokens,
    strategy: strategy.name,
    summarizer: summarizer.name,
    recordedCompactions: recorded.compactions,
    runs,
  }
}

/** A compression and the request that it was made for. */
interface ReplayChange {
  readonly request: number
  readonly compression: ContextCompression
  readonly decision: Decision
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** For the compressed history. */
  readonly text: string
}

interface RunTerms extends Omit<ReplayOptions, keyof RunWindow>, RunWindow {
  readonly pricing: Pricing
  readonly cacheLifetimeSeconds: number | undefined
}

type RunWindow = Pick<Replay, 'reserveTokens' | 'windowTokens'>

/** The session with one lifetime of the cache, as far as it was replayed. */
class Run {
  readonly context: Context<object>
  readonly #session: MeasuredSession
  readonly #terms: RunTerms
  readonly #requests: ReplayedRequest[] = []
  readonly #changes: ReplayChange[] = []
  readonly #without: Account
  readonly #with: Account
  #nowMs = 0
  #sent: readonly object[] = []
  #sentAtMs: number | undefined
  #turn = 0
  #waited = 0

  constructor(session: MeasuredSession, terms: RunTerms) {
    const { recorded, model, fixedTokens } = session
    const { strategy, summarizer, windowTokens, reserveTokens, pricing, cacheLifetimeSeconds } =
      terms
    this.#session = session
    this.#terms = terms
    this.#without = new Account(fixedTokens, pricing)
    this.#with = new Account(fixedTokens, pricing)
    this.context = createContext<object>({
      model: model.id,
      format: recorded.requestFormat,
      strategy,
      summarizer,
      windowTokens,
      reserveTokens,
      system: recorded.system,
      tools: recorded.tools.length > 0 ? recorded.tools : undefined,
      threshold: terms.threshold,
      target: terms.target,
      save: terms.save,
      spend: terms.spend,
      cacheLifetimeSeconds,
      // A session without times: the cache is taken to be warm.
      clock: { now: () => this.#nowMs },
    })
  }

  /** Tried so far. */
  get compressions(): number {
    return this.#changes.length
  }

  async take(step: MeasuredStep): Promise<void> {
    const { context } = this
    const { timeMs, inputTokens, answerTokens } = step
    this.#nowMs = Math.max(this.#nowMs, timeMs ?? 0)
    if (step.startsTurn) this.#turn++
    context.append(...step.input)
    this.#without.tokens += inputTokens
    this.#with.tokens += inputTokens
    await this.#follow(this.#terms.plan?.get(this.#requests.length))
    const prepared = await context.prepare()
    const { messages, compression, decision, fits } = prepared
    if (compression) this.#note(compression, decision, messages)
    const isAbove = decision.tokens >= context.state.thresholdTokens
    if (isAbove && decision.action === 'wait' && decision.reason === 'below-break-even')
      this.#waited++
    const secondsSinceLast = this.#measurePause(timeMs)
    const isWarm =
      secondsSinceLast === undefined || secondsSinceLast <= (this.#terms.cacheLifetimeSeconds ?? 0)
    const without = this.#without.send(answerTokens, isWarm)
    const sent = this.#with.send(answerTokens, isWarm)
    this.#requests.push({
      request: this.#requests.length + 1,
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
    // The provider counts like the context, plus the agent's own tokens. It also reports tokens
    // read from its cache.
    const { cachedTokens: cachedInputTokens } = sent
    context.recordUsage({ inputTokens: sent.tokens, outputTokens: answerTokens, cachedInputTokens })
    context.append(...step.answer)
    this.#sent = messages
  }

  /** Compresses if the plan says so. */
  async #follow(historyTokens: number | undefined): Promise<void> {
    if (historyTokens === undefined) return
    const { context } = this
    const { fixedTokens, notInFileTokens } = this.#session
    const budgetTokens = fixedTokens - notInFileTokens + historyTokens
    const decision = context.advise()
    this.#note(await context.compress({ budgetTokens }), decision, context.messages)
    this.#sent = context.messages
  }

  #note(compression: ContextCompression, decision: Decision, messages: readonly object[]): void {
    const session = this.#session
    const tokensBefore = this.#with.tokens
    if (compression.outcome.type === 'compressed') {
      const end = messages.findIndex((native, index) => native !== this.#sent[index])
      this.#with.heldTokens =
        session.fixedTokens + session.countNatives(end < 0 ? messages : messages.slice(0, end))
      this.#with.tokens = session.fixedTokens + session.countNatives(messages)
    }
    const request = this.#requests.length + 1
    const tokensAfter = this.#with.tokens
    this.#changes.push({
      request,
      compression,
      decision,
      tokensBefore,
      tokensAfter,
      text: session.render(messages),
    })
  }

  /** In seconds. Undefined for the first request, and if the recording has no times. */
  #measurePause(timeMs: number | undefined): number | undefined {
    const before = this.#sentAtMs
    this.#sentAtMs = timeMs ?? before
    return timeMs === undefined || before === undefined
      ? undefined
      : Math.max(timeMs - before, 0) / 1000
  }

  describe(): ReplayRun {
    const { pricing, cacheLifetimeSeconds, windowTokens, reserveTokens, summarizer } = this.#terms
    const requests = this.#requests
    const compressions = describeChanges(this.#session, this.#changes)
    const readAgainMoney = sum(
      compressions.map(({ readAgainTokens }) => priceReading(readAgainTokens, pricing)),
    )
    const summaryMoney = sum(
      this.#changes.map(({ compression }) => priceSummaries(summarizer, compression)),
    )
    return {
      cacheLifetimeSeconds,
      requests,
      compressions,
      without: this.#without.total(),
      with: this.#with.total(summaryMoney, readAgainMoney),
      waited: this.#waited,
      needed: sum(compressions.map(({ needed }) => needed)),
      missing: sum(compressions.map(({ missing }) => missing.length)),
      firstTooLarge: requests.find(
        ({ tokensWithout }) => tokensWithout + reserveTokens > windowTokens,
      )?.request,
      firstRefused: requests.find(({ fits }) => !fits)?.request,
    }
  }
}

/** A text that is read again comes after a prompt that is cached, however little it is. */
function priceReading(tokens: number, { cache, ...pricing }: Pricing): number {
  return pricePrompt(tokens, 0, {
    ...pricing,
    cache: cache && { ...cache, minimumPrefixTokens: 0 },
  })
}

/** A model is named after its provider and itself. */
function priceSummaries({ name }: Summarizer, { report }: ContextCompression): number {
  const usage = report?.usage
  const models = usage && (usage.models ?? [{ ...usage, model: name }])
  return sum(
    (models ?? []).map(({ model, inputTokens, outputTokens }) => {
      const prices = findModel(model.slice(model.indexOf('/') + 1)).pricesPerMillionTokens
      return prices ? priceSummary(prices, inputTokens, outputTokens) : 0
    }),
  )
}

/**
 * The losses of each compression for later calls: up to the next one, which is measured on its own.
 */
function describeChanges(
  session: MeasuredSession,
  changes: readonly ReplayChange[],
): ReplayedCompression[] {
  const { items, mentions, steps, counter } = session
  const startOf = (request: number) => steps[request - 1]?.answerItem ?? items.length
  const applied = changes.filter(({ compression }) => compression.outcome.type === 'compressed')
  return changes.map(({ request, compression, decision, tokensBefore, tokensAfter, text }) => {
    const next = applied.find((change) => change.request > request)
    const start = startOf(request)
    const future = items.slice(start, next && startOf(next.request))
    const isApplied = compression.outcome.type === 'compressed'
    const found = isApplied
      ? findMissingNames({ past: mentions.findBefore(start, listUsed(future)), future, text })
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
