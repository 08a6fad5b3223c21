import type { Ladder } from '../engine/ladder.ts'
import { auto } from '../engine/ladder.ts'
import { openTranscript } from '../formats/transcript.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { type Clock, systemClock } from './clock.ts'
import { type CompressionOrder, Compressor } from './compressor.ts'
import type { ContextOptions } from './context.ts'
import type { ContextCompression } from './context-compression.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import { joinInstructions } from './join-instructions.ts'
import { Listeners } from './listeners.ts'
import { LiveHistory } from './live-history.ts'
import { Lock } from './lock.ts'
import { Measure, type MeasuredLimits } from './measure.ts'
import { Pause } from './pause.ts'
import { PreparedAhead } from './prepare-ahead.ts'
import { createSettings, findRequestFormat, type Settings } from './settings.ts'
import type { Usage } from './usage.ts'

// A compression that came to nothing is worth another try when this much has come since: as a share of what is there, so
// that all tries together read the history a constant number of times.
const NEW_CONTENT_SHARE = 0.05

const VAIN: ReadonlySet<string> = new Set([
  'cannot-fit',
  'summary-failed',
  'ineffective',
  'unchanged',
  'recall-too-low',
])

/** All that a context knows, in one place; what is done with it is in the files beside. */
export class LiveState<Native extends object = object> {
  readonly options: ContextOptions
  readonly history: LiveHistory<Native>
  readonly listeners = new Listeners()
  readonly lock = new Lock()
  readonly clock: Clock
  readonly pause: Pause
  readonly compressor: Compressor
  readonly ahead: PreparedAhead
  readonly strategy: Strategy | Ladder
  readonly summarizer: Summarizer
  readonly pins: string[]
  limits: MeasuredLimits
  settings: Settings
  measure: Measure
  /** What was last given out to be sent. */
  #sent: { readonly tokens: number; readonly revision: number } | undefined
  #sentAt: number | undefined
  #hasCacheReports = false
  /** Where the last compression that nobody asked for came to nothing. */
  #vain:
    | {
        readonly revision: number
        readonly length: number
        readonly tokens: number
        /** Above this it is tried again whatever came since. */
        readonly mostTokens: number
        readonly isRepeatable: boolean
      }
    | undefined

  constructor(options: ContextOptions<Native>) {
    const { model, messages, system, tools, format = findRequestFormat(model) } = options
    this.options = options
    this.clock = options.clock ?? systemClock
    this.settings = createSettings(model, options)
    const body = { ...(messages && { messages }), ...(tools && { tools }), system }
    this.history = new LiveHistory(openTranscript<Native>(format, body, this.settings.protocol))
    this.pins = [...new Set(options.pins ?? [])]
    this.strategy = options.strategy ?? auto
    this.summarizer = options.summarizer ?? digest()
    this.limits = {
      ...(options.budgetBytes !== undefined && { bytes: options.budgetBytes }),
      ...(options.budgetImages !== undefined && { images: options.budgetImages }),
    }
    this.pause = new Pause(this.clock)
    this.compressor = new Compressor(this.history, options, this.listeners, this.pause)
    this.ahead = new PreparedAhead(this.compressor)
    this.measure = this.#createMeasure()
  }

  get fits(): boolean {
    return this.measure.tokens <= this.settings.windowTokens && !this.measure.isOverLimits
  }

  get needsCompression(): boolean {
    return this.measure.tokens >= this.settings.thresholdTokens || this.measure.isOverLimits
  }

  /** What the provider holds of the beginning of the next request, as far as anyone can know. */
  get cachedTokens(): number {
    return this.#sent?.revision === this.history.revision ? this.#sent.tokens : 0
  }

  advise(): Decision {
    const { settings, measure, options } = this
    const { windowTokens, reserveTokens, thresholdTokens, targetTokens, model } = settings
    const decision = decide({
      windowTokens,
      reserveTokens,
      thresholdTokens,
      targetTokens,
      tokens: measure.tokens,
      fixedTokens: measure.fixedTokens + measure.hiddenTokens,
      isThresholdFixed: options.threshold !== undefined,
      cachedTokens: this.cachedTokens,
      ...(this.#sentAt !== undefined && { secondsSinceLastRequest: (this.clock.now() - this.#sentAt) / 1000 }),
      prices: model.pricesPerMillionTokens,
      cache: model.cache,
      ...(options.expectedRequests !== undefined && { expectedRequests: options.expectedRequests }),
      isCacheUsed: this.#hasCacheReports || options.cacheLifetimeSeconds !== undefined,
      ...(options.cacheLifetimeSeconds !== undefined && { cacheLifetimeSeconds: options.cacheLifetimeSeconds }),
      wasIneffective: this.#isVain(),
    })
    if (!measure.isOverLimits || decision.action === 'compress' || decision.reason === 'ineffective') return decision
    const explanation = 'The next request has more bytes or images than it may have.'
    return { ...decision, action: 'compress', reason: 'over-window', explanation }
  }

  /** The most that a compression may leave, and its aim, in the tokens that are counted here, where the provider counts more. */
  findBudget(
    targetTokens = this.settings.targetTokens,
    limitTokens = this.settings.roomTokens,
  ): Pick<CompressionOrder, 'budgetTokens' | 'targetTokens'> {
    const { tokens, countedTokens, hiddenTokens } = this.measure
    const toCounted = (most: number) => {
      const scaled = tokens > most ? (countedTokens * most) / tokens : most
      return Math.max(Math.floor(Math.min(most - hiddenTokens, scaled)), 0)
    }
    const budgetTokens = toCounted(limitTokens)
    return { budgetTokens, targetTokens: Math.min(toCounted(targetTokens), budgetTokens) }
  }

  /** What every compression has in common. */
  createOrder(order: Pick<CompressionOrder, 'trigger' | 'budgetTokens'> & Partial<CompressionOrder>): CompressionOrder {
    const { keep, instructions } = this.options
    const { bytes, images } = this.limits
    return {
      tokens: this.measure.tokens,
      counter: this.settings.counter,
      strategy: this.strategy,
      summarizer: this.summarizer,
      pins: [...this.pins],
      ...(bytes !== undefined && { budgetBytes: bytes }),
      ...(images !== undefined && { budgetImages: images }),
      ...(keep && { keep }),
      ...order,
      ...joinInstructions(instructions, order.instructions),
    }
  }

  /** The history is another one: what was reported of it is stale. Gives what the next request has now. */
  settle(): number {
    this.ahead.discard()
    this.measure = this.#createMeasure(this.measure.hiddenTokens)
    return this.measure.tokens
  }

  record(usage: Usage): void {
    // A report of a request from before a compression says nothing of what is there now.
    if (this.#sent && this.#sent.revision !== this.history.revision) return
    this.measure.record(usage)
    if (this.#sent && usage.inputTokens > 0) this.#sent = { ...this.#sent, tokens: usage.inputTokens }
    if ((usage.cachedInputTokens ?? 0) + (usage.cacheWriteTokens ?? 0) > 0) this.#hasCacheReports = true
    this.#sentAt = this.clock.now()
  }

  noteSent(): void {
    this.measure.notePrepared()
    this.#sent = { tokens: this.measure.tokens, revision: this.history.revision }
    this.#sentAt = this.clock.now()
  }

  /** Another model has nothing of it in its cache. */
  forgetSent(): void {
    // What is still under way to the model before will report of a history that nobody has any more.
    if (this.#sent) this.#sent = { tokens: 0, revision: -1 }
    this.#sentAt = undefined
    this.#hasCacheReports = false
  }

  /**
   * Remembers what came to nothing, or to no less than the threshold, so that it is not repeated before there is something
   * new: any message where it was the summarizer that failed, else more than a little.
   */
  noteOutcome({ outcome }: ContextCompression, isRepeatable: boolean): void {
    const { roomTokens, windowTokens } = this.settings
    const isDone = outcome.type === 'compressed' && this.needsCompression
    const isVain = isDone || VAIN.has(outcome.type)
    const { revision, transcript } = this.history
    const found = {
      revision,
      length: transcript.messages.length,
      tokens: this.measure.tokens,
      mostTokens: isDone ? roomTokens : windowTokens,
      isRepeatable,
    }
    this.#vain = isVain ? found : undefined
  }

  #isVain(): boolean {
    const { revision, transcript } = this.history
    if (this.#vain?.revision !== revision) return false
    if (this.#vain.length === transcript.messages.length) return true
    const { tokens } = this.measure
    const isLittle = tokens < this.#vain.tokens * (1 + NEW_CONTENT_SHARE)
    return isLittle && !this.#vain.isRepeatable && this.fits && tokens <= this.#vain.mostTokens
  }

  #createMeasure(hiddenTokens?: number): Measure {
    return new Measure(this.history.transcript, this.settings, this.limits, hiddenTokens)
  }
}
