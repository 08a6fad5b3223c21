import { createPause, inSteps } from '../conversation/steps.ts'
import { digest } from '../digest/digest.ts'
import { auto, type Ladder } from '../engine/ladder.ts'
import { cleanPin, listPins } from '../engine/unpin.ts'
import { openTranscript } from '../formats/transcript/transcript.ts'
import { findModel } from '../models/find-model.ts'
import type { Strategy } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { ContextCompression } from './compressions.ts'
import {
  type CompressionOrder,
  Compressor,
  joinInstructions,
  Listeners,
  PreparedAhead,
} from './compressor.ts'
import type { Clock, Usage } from './context.ts'
import { Cooldown, VainTry } from './cooldown.ts'
import { createPricing, decide, priceRemoval } from './decide.ts'
import type { Decision } from './decision.ts'
import { LiveHistory } from './live-history.ts'
import { LiveLimits } from './live-limits.ts'
import { Measure } from './measure.ts'
import { findFirstPlaces, RemovedIds } from './removed-ids.ts'
import type { SavedRequest, SavedState } from './saved-state.ts'
import {
  assertApart,
  createSettings,
  findRequestFormat,
  type LiveOptions,
  type SentBefore,
  type Settings,
} from './settings.ts'
import { Lock } from './shared-run.ts'
import { Spending } from './spending.ts'

/** The default clock. No result depends on any other clock that core reads. */
export const systemClock: Clock = { now: () => Date.now() }

/** The whole state of a context, in one place. The files next to this one use it. */
export class LiveState<Native extends object = object> {
  readonly options: LiveOptions
  readonly history: LiveHistory<Native>
  readonly listeners = new Listeners()
  readonly lock = new Lock()
  readonly clock: Clock
  readonly cooldown: Cooldown
  readonly compressor: Compressor
  readonly ahead: PreparedAhead
  readonly strategy: Strategy | Ladder
  readonly summarizer: Summarizer
  readonly pins: string[]
  /** Pins that have ended, as a ledger has them. */
  readonly unpins: Set<string>
  /** The newest switch of the model: the next one ends it if it still runs. */
  switching: AbortController | undefined
  readonly limits: LiveLimits
  settings: Settings
  measure: Measure
  #sent: SavedRequest | undefined
  #sentAt: number | undefined
  #hasCacheReports = false
  #spending = new Spending()
  readonly #vain = new VainTry()

  constructor(options: LiveOptions<Native>) {
    const { model, messages = [], system, tools, replaced = [] } = options
    const format = options.format ?? findRequestFormat(model)
    this.options = options
    this.clock = options.clock ?? systemClock
    this.settings = createSettings(model, options)
    assertApart(options, this.settings)
    const body = { ...(tools && { tools }), system }
    const removed = findFirstPlaces(openTranscript(format, { messages: replaced }).messages)
    const transcript = openTranscript<Native>(format, body, this.settings.protocol)
    this.history = new LiveHistory(transcript, new RemovedIds(removed))
    this.history.append(messages)
    this.pins = [...new Set(options.pins ?? [])]
    this.unpins = new Set((options.unpins ?? []).map(cleanPin))
    this.strategy = options.strategy ?? auto
    this.summarizer = options.summarizer ?? digest()
    this.limits = new LiveLimits(options)
    this.cooldown = new Cooldown(this.clock)
    this.compressor = new Compressor(this.history, options, this.listeners, this.cooldown)
    this.ahead = new PreparedAhead(this.compressor)
    this.measure = this.#createMeasure()
    if (options.sentBefore) this.#noteSentBefore(options.sentBefore)
  }

  get fits(): boolean {
    return this.measure.tokens <= this.settings.windowTokens && !this.measure.isOverLimits
  }

  get needsCompression(): boolean {
    return this.measure.tokens >= this.settings.thresholdTokens || this.measure.isOverLimits
  }

  /** Tokens of the next request that the provider's cache holds, as far as anyone can know. */
  get cachedTokens(): number {
    return this.#sent?.revision === this.history.revision ? this.#sent.tokens : 0
  }

  advise(): Decision {
    const { settings, measure, options } = this
    const decision = decide({
      ...settings,
      ...this.#terms,
      tokens: measure.tokens,
      fixedTokens: measure.fixedTokens + measure.hiddenTokens,
      isThresholdFixed: options.threshold !== undefined,
      requests: options.spend === 'most-context' ? undefined : this.#spending.requests,
      cachedTokens: this.cachedTokens,
      secondsSinceLastRequest:
        this.#sentAt === undefined ? undefined : (this.clock.now() - this.#sentAt) / 1000,
      expectedRequests: options.expectedRequests,
      isCacheUsed: this.#hasCacheReports || options.cacheLifetimeSeconds !== undefined,
      spending: options.save ? this.#spending : undefined,
      wasIneffective: this.#vain.isSoon(this),
    })
    if (
      !measure.isOverLimits ||
      decision.action === 'compress' ||
      decision.reason === 'ineffective'
    )
      return decision
    const explanation = 'The next request has more bytes, images or pages than its provider allows.'
    return { ...decision, action: 'compress', reason: 'over-window', explanation }
  }

  /**
   * The limit and the aim of a compression, in the tokens counted here, if the provider counts
   * more.
   */
  findBudget(
    targetTokens = this.settings.targetTokens,
    limitTokens = this.settings.roomTokens,
  ): Pick<CompressionOrder, 'budgetTokens' | 'targetTokens' | 'stretchTokens'> {
    const { tokens, countedTokens, hiddenTokens } = this.measure
    const toCounted = (most: number) => {
      const scaled = tokens > most ? (countedTokens * most) / tokens : most
      return Math.max(Math.floor(Math.min(most - hiddenTokens, scaled)), 0)
    }
    const budgetTokens = toCounted(limitTokens)
    const stretchTokens = toCounted(this.settings.stretchTokens)
    return {
      budgetTokens,
      targetTokens: Math.min(toCounted(targetTokens), budgetTokens),
      stretchTokens,
    }
  }

  /**
   * Counts messages that are not counted yet. Undefined if that took no longer than other code may
   * wait.
   */
  count(): Promise<void> | undefined {
    const pause = createPause()
    const steps = this.measure.countInSteps()
    while (!steps.next().done) {
      const others = pause()
      // And what came meanwhile.
      if (others) return others.then(() => inSteps(steps, pause)).then(() => this.count())
    }
    return undefined
  }

  /** Fills in what every compression has in common. */
  createOrder(
    order: Pick<CompressionOrder, 'trigger' | 'budgetTokens'> & Partial<CompressionOrder>,
  ): CompressionOrder {
    const { keep, instructions } = this.options
    return {
      tokens: this.measure.tokens,
      counter: this.settings.counter,
      strategy: this.strategy,
      summarizer: this.summarizer,
      pins: [...this.pins],
      unpins: [...this.unpins],
      requestLimits: this.limits.findRoomy(this.settings),
      keep,
      ...order,
      instructions: joinInstructions(instructions, order.instructions),
    }
  }

  pin(text: string): void {
    if (text.trim() === '') return
    if (!this.pins.includes(text)) this.pins.push(text)
    this.unpins.delete(cleanPin(text))
    // What was computed ahead does not say it.
    this.ahead.discard()
  }

  unpin(text: string): boolean {
    const pin = cleanPin(text)
    if (!this.listPins().includes(pin)) return false
    this.pins.splice(0, Infinity, ...this.pins.filter((one) => cleanPin(one) !== pin))
    this.unpins.add(pin)
    this.ahead.discard()
    return true
  }

  listPins(): readonly string[] {
    return listPins(this.history.transcript.conversation, this.pins).filter(
      (pin) => !this.unpins.has(pin),
    )
  }

  /**
   * After a change of the history, the reported usage is stale. Returns the size of the next
   * request.
   */
  remeasure(): number {
    this.ahead.discard()
    this.measure = this.#createMeasure(this.measure.hiddenTokens)
    return this.measure.tokens
  }

  record(usage: Usage): void {
    // Usage reported for a request before a compression does not apply after it.
    if (this.#sent && this.#sent.revision !== this.history.revision) return
    const isTaken = this.measure.record(usage)
    if (this.#sent && isTaken) this.#sent = { ...this.#sent, tokens: usage.inputTokens }
    if (hasCacheReport(usage)) this.#hasCacheReports = true
    this.#sentAt = this.clock.now()
  }

  /** `decision` is that before the compression which the request may have had. */
  noteSent(decision: Decision): void {
    this.#noteSpending(decision)
    this.measure.notePrepared()
    this.#sent = { tokens: this.measure.tokens, revision: this.history.revision }
    this.#sentAt = this.clock.now()
  }

  /** The newest compression is taken back. */
  noteUndone(): void {
    this.#spending.forgetRemoved()
    this.remeasure()
  }

  /** Another model has nothing of it in its cache. */
  forgetSent(): void {
    // A request still under way to the previous model will report usage of a history that is gone.
    if (this.#sent) this.#sent = { tokens: 0, revision: -1 }
    this.#sentAt = undefined
    this.#hasCacheReports = false
    this.#spending = new Spending()
  }

  /**
   * Remembers a compression that failed, or stayed above the threshold, so that it is not repeated
   * before there is something new. If the summarizer failed, any message is new. Otherwise more
   * than a little is needed.
   */
  noteOutcome({ outcome }: ContextCompression, isRepeatable: boolean): void {
    const { roomTokens, windowTokens } = this.settings
    const isTooLittle = outcome.type === 'compressed' && this.needsCompression
    const isTransient = outcome.type === 'failed'
    const { revision, transcript } = this.history
    this.#vain.note(isTooLittle ? 'too-little' : outcome.type, {
      revision,
      length: transcript.messages.length,
      tokens: this.measure.tokens,
      mostTokens: isTooLittle || isTransient ? roomTokens : windowTokens,
      isRepeatable,
      isTransient,
    })
  }

  /** All that a context knows and its options do not say. */
  save(): SavedState {
    const { requests, savedDollars, removedTokens } = this.#spending
    return {
      model: this.settings.name,
      windowTokens: this.settings.windowTokens,
      history: this.history.save(),
      pins: [...this.pins],
      unpins: [...this.unpins],
      limits: this.limits.save(),
      measure: this.measure.save(),
      cooldown: this.cooldown.save(),
      compressions: this.compressor.count,
      sent: this.#sent,
      sentAt: this.#sentAt,
      hasCacheReports: this.#hasCacheReports,
      spending: { requests, savedDollars, removedTokens },
      vain: this.#vain.last,
    }
  }

  /** Builds a new state. Throws `FormatError`. */
  load(saved: SavedState): void {
    this.settings = createSettings(saved.model, this.options, saved.windowTokens)
    this.history.transcript.obey(this.settings.protocol)
    this.history.load(saved.history)
    this.pins.splice(0, Infinity, ...saved.pins)
    for (const pin of saved.unpins) this.unpins.add(pin)
    this.limits.load(saved.limits)
    this.measure = this.#createMeasure()
    this.measure.load(saved.measure)
    this.cooldown.load(saved.cooldown)
    this.compressor.count = saved.compressions
    this.#sent = saved.sent
    this.#sentAt = saved.sentAt
    this.#hasCacheReports = saved.hasCacheReports
    Object.assign(this.#spending, saved.spending)
    this.#vain.last = saved.vain
  }

  /** The input of the decisions about money. */
  get #terms() {
    const { model } = this.settings
    const { save, cacheLifetimeSeconds } = this.options
    // A summarizer that is a model is named after its provider and itself.
    const { name } = this.summarizer
    const summarizerPrices = save
      ? findModel(name.slice(name.indexOf('/') + 1)).pricesPerMillionTokens
      : undefined
    return {
      prices: model.pricesPerMillionTokens,
      cache: model.cache,
      cacheLifetimeSeconds,
      summarizerPrices,
    }
  }

  #noteSentBefore({ at, usage }: SentBefore): void {
    this.#sent = { tokens: usage.inputTokens, revision: this.history.revision }
    this.#hasCacheReports = hasCacheReport(usage)
    this.#sentAt = at
  }

  #noteSpending(decision: Decision): void {
    this.#spending.note({
      decision,
      tokens: this.measure.tokens,
      fixedTokens: this.measure.fixedTokens + this.measure.hiddenTokens,
      sentTokens: this.#sent?.tokens ?? 0,
      pricing: this.options.save ? createPricing(this.#terms) : undefined,
      priceRemoval: (tokens) => priceRemoval(tokens, this.#terms, true),
    })
  }

  #createMeasure(hiddenTokens?: number): Measure {
    return new Measure(
      this.history.transcript,
      this.settings,
      this.limits.find(this.settings),
      hiddenTokens,
    )
  }
}

const hasCacheReport = ({ cachedInputTokens = 0, cacheWriteTokens = 0 }: Usage): boolean =>
  cachedInputTokens + cacheWriteTokens > 0
