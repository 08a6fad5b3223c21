import { createRefusal } from '../engine/refusal.ts'
import { compressAutomatically } from './automatic.ts'
import type { CompressNowOptions, Context, ContextOptions, ContextState, PreparedRequest } from './context.ts'
import type { CompressionTrigger, ContextCompression } from './context-compression.ts'
import type { ContextEvents } from './context-events.ts'
import type { Decision } from './decision.ts'
import { compressOnDemand } from './demand.ts'
import { findOverflow, type Overflow } from './find-overflow.ts'
import { tellOne } from './listeners.ts'
import { LiveState } from './live-state.ts'
import { previewSwitch, switchModel } from './model-switch.ts'
import { compressAfterOverflow } from './overflow.ts'
import { SharedRun } from './shared-run.ts'
import type { SwitchOptions, SwitchPreview, SwitchResult } from './switch.ts'
import type { Usage } from './usage.ts'

/** Throws `RangeError` for numbers that cannot be, and `FormatError` for messages that the format does not know. */
export function createContext<Native extends object = object>(options: ContextOptions<Native>): Context<Native> {
  return new LiveContext(options)
}

type Waiting = { readonly signal?: AbortSignal }

class LiveContext<Native extends object> implements Context<Native> {
  readonly #live: LiveState<Native>
  #automatic: SharedRun<ContextCompression> | undefined
  #manual: SharedRun<ContextCompression> | undefined
  readonly #progress = new Set<NonNullable<CompressNowOptions['onProgress']>>()

  constructor(options: ContextOptions<Native>) {
    const { reserveTokens, windowTokens } = options
    if (reserveTokens !== undefined && windowTokens !== undefined && reserveTokens >= windowTokens) {
      throw new RangeError(
        `Creating a context with reserveTokens ${reserveTokens} of a window of ${windowTokens}: leave room for the prompt.`,
      )
    }
    this.#live = new LiveState(options)
  }

  get state(): ContextState {
    const { settings, measure, history, pause, lock, ahead, pins, needsCompression } = this.#live
    return {
      model: settings.name,
      windowTokens: settings.windowTokens,
      thresholdTokens: settings.thresholdTokens,
      reserveTokens: settings.reserveTokens,
      tokens: measure.tokens,
      fixedTokens: measure.fixedTokens,
      needsCompression,
      isCompressing: lock.isHeld,
      isPrepared: ahead.isReady,
      revision: history.revision,
      failures: pause.failures,
      isPaused: pause.isOn,
      pins: [...pins],
      undoable: history.undoable,
    }
  }

  get messages(): readonly Native[] {
    return this.#live.history.transcript.natives
  }

  append(...messages: readonly Native[]): void {
    if (this.#live.history.append(messages)) this.#live.settle()
  }

  async prepare({ signal }: Waiting = {}): Promise<PreparedRequest<Native>> {
    signal?.throwIfAborted()
    const live = this.#live
    let compression: ContextCompression | undefined
    while (live.lock.isHeld) compression = await this.#waitForOther(signal)
    const decision = live.advise()
    if (decision.action === 'compress' && (!compression || compression.outcome.type === 'compressed')) {
      compression = await this.#compressFirst(decision.reason === 'pays' ? 'economy' : 'threshold', signal)
    } else if (decision.action === 'wait' && live.needsCompression) {
      live.listeners.tell('compression-deferred', { decision })
    }
    signal?.throwIfAborted()
    return this.#createRequest(decision, compression)
  }

  recordUsage(usage: Usage): void {
    this.#live.record(usage)
  }

  async compress(options: CompressNowOptions = {}): Promise<ContextCompression> {
    const { signal, onProgress } = options
    const { tokens } = this.#live.measure
    const given: ContextCompression = {
      trigger: 'manual',
      outcome: { type: 'aborted' },
      report: undefined,
      tokensBefore: tokens,
      tokensAfter: tokens,
    }
    if (signal?.aborted) return given
    if (onProgress) this.#progress.add(onProgress)
    try {
      return await this.#joinManual(options).join(signal)
    } catch (error) {
      if (signal?.aborted) return given
      throw error
    } finally {
      if (onProgress) this.#progress.delete(onProgress)
    }
  }

  async previewSwitch(model: string, options: SwitchOptions = {}): Promise<SwitchPreview> {
    return await previewSwitch(this.#live, model, options)
  }

  async switchModel(model: string, options: SwitchOptions & Waiting = {}): Promise<SwitchResult> {
    return await switchModel(this.#live, model, options)
  }

  undo(): boolean {
    const { lock, history } = this.#live
    if (lock.isHeld || !history.undo()) return false
    this.#live.settle()
    return true
  }

  async send<Response>(
    send: (request: PreparedRequest<Native>) => Promise<Response>,
    options: Waiting = {},
  ): Promise<Response> {
    const request = await this.prepare(options)
    try {
      return await send(request)
    } catch (error) {
      const overflow = findOverflow(error)
      const retry = overflow && !options.signal?.aborted ? await this.#shrink(overflow, options.signal) : undefined
      if (!retry) throw error
      return await send(retry)
    }
  }

  pin(text: string): void {
    const { pins } = this.#live
    if (text.trim() !== '' && !pins.includes(text)) pins.push(text)
  }

  advise(): Decision {
    return this.#live.advise()
  }

  on<Name extends keyof ContextEvents>(name: Name, listener: (event: ContextEvents[Name]) => void): () => void {
    return this.#live.listeners.add(name, listener)
  }

  /** One that runs for another request is this one's too; anything else just has to end first. */
  async #waitForOther(signal: AbortSignal | undefined): Promise<ContextCompression | undefined> {
    const running = this.#automatic?.isAborted ? undefined : this.#automatic
    if (!running) await this.#live.lock.untilFree(signal)
    const joined = await running?.join(signal)
    return joined?.outcome.type === 'aborted' ? undefined : joined
  }

  async #compressFirst(trigger: CompressionTrigger, signal: AbortSignal | undefined): Promise<ContextCompression> {
    const live = this.#live
    return await this.#begin((own) => compressAutomatically(live, trigger, own)).join(signal)
  }

  /** Holds the lock from now on; requests that come meanwhile join. */
  #begin(job: (signal: AbortSignal) => Promise<ContextCompression>): SharedRun<ContextCompression> {
    const automatic = new SharedRun(async (signal) => {
      try {
        return await this.#live.lock.hold(() => job(signal), signal)
      } finally {
        if (this.#automatic === automatic) this.#automatic = undefined
      }
    })
    this.#automatic = automatic
    return automatic
  }

  #joinManual(options: CompressNowOptions): SharedRun<ContextCompression> {
    const live = this.#live
    if (this.#manual && !this.#manual.isAborted) return this.#manual
    const manual = new SharedRun(async (signal) => {
      try {
        while (live.lock.isHeld) await live.lock.untilFree(signal)
        const onProgress: CompressNowOptions['onProgress'] = (step, done, total) => {
          for (const listener of this.#progress) tellOne(() => listener(step, done, total), undefined)
        }
        return await live.lock.hold(() => compressOnDemand(live, { ...options, onProgress }, signal), signal)
      } finally {
        if (this.#manual === manual) this.#manual = undefined
      }
    })
    this.#manual = manual
    return manual
  }

  async #shrink(overflow: Overflow, signal: AbortSignal | undefined): Promise<PreparedRequest<Native> | undefined> {
    const live = this.#live
    while (live.lock.isHeld) await live.lock.untilFree(signal)
    const decision = live.advise()
    const compression = await this.#begin((own) => compressAfterOverflow(live, overflow, own)).join(signal)
    return compression.outcome.type === 'compressed' ? this.#createRequest(decision, compression) : undefined
  }

  #createRequest(decision: Decision, compression: ContextCompression | undefined): PreparedRequest<Native> {
    const live = this.#live
    const { settings, measure, history, fits } = live
    const { tokens } = measure
    live.noteSent()
    this.#beginAhead()
    const outcome = compression?.outcome
    const refusal = outcome?.type === 'cannot-fit' ? outcome.refusal : undefined
    return {
      model: settings.name,
      // A list that nothing else holds; readonly, clients would not take it.
      messages: history.transcript.natives as Native[],
      tokens,
      fits,
      decision,
      ...(!fits && { refusal: refusal ?? this.#refuse() }),
      ...(compression && { compression }),
    }
  }

  #refuse() {
    const { settings, history, limits } = this.#live
    const { conversation } = history.transcript
    return createRefusal(conversation, conversation, settings.counter, { ...limits, tokens: settings.windowTokens })
  }

  #beginAhead(): void {
    const live = this.#live
    const { prepareAhead } = live.options
    if (prepareAhead === undefined || live.lock.isHeld || live.needsCompression) return
    if (live.measure.tokens < prepareAhead * live.settings.windowTokens) return
    const order = live.createOrder({ trigger: 'threshold', ...live.findBudget() })
    live.ahead.begin(order, live.history.revision)
  }
}
