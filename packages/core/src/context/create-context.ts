import { createRefusal } from '../engine/refusal.ts'
import type { RequestFormat } from '../formats/request-formats.ts'
import { compressAfterOverflow, compressAutomatically, compressOnDemand } from './automatic.ts'
import type { CompressNowOptions, ContextCompression } from './compressions.ts'
import { tellOne } from './compressor.ts'
import type {
  Context,
  ContextEvents,
  ContextOptions,
  ContextSnapshot,
  ContextState,
  PreparedRequest,
  SwitchOptions,
  SwitchPreview,
  SwitchResult,
  Usage,
} from './context.ts'
import type { Decision } from './decision.ts'
import { findOverflow, type Overflow } from './find-overflow.ts'
import { LiveState } from './live-state.ts'
import { previewSwitch, switchModel } from './model-switch.ts'
import type { MessageOf } from './native-message.ts'
import {
  assertMessages,
  checkCompressNow,
  checkContextOptions,
  checkListener,
  checkPin,
  checkSend,
  checkSignal,
  checkSwitch,
  checkUsage,
} from './option-kinds.ts'
import type { SavedState } from './saved-state.ts'
import type { LiveOptions } from './settings.ts'
import { SharedRun } from './shared-run.ts'
import { createSnapshot, readSnapshot } from './snapshot.ts'

type OptionsOf<
  Model extends string,
  Format extends RequestFormat | undefined,
  Options = ContextOptions<MessageOf<Model, Format>>,
> = Options & { readonly model: Model; readonly format?: Format }

/**
 * Messages have the types of the official package of their API, or those of `messages`. Throws
 * `RangeError` for impossible numbers, `TypeError` for other invalid options, and `FormatError` for
 * messages that the format does not know.
 */
export function createContext<
  const Model extends string,
  const Format extends RequestFormat | undefined = undefined,
>(options: OptionsOf<Model, Format>): Context<MessageOf<Model, Format>>
export function createContext<Native extends object>(
  options: ContextOptions<Native>,
): Context<Native>
export function createContext<Native extends object>(
  options: ContextOptions<Native>,
): Context<Native> {
  checkContextOptions('Creating a context', options)
  return new LiveContext(options)
}

/** With options that were checked, and for a model without a name too. */
export function openContext<Native extends object>(options: LiveOptions<Native>): Context<Native> {
  return new LiveContext(options)
}

/**
 * Restores a context as it was when `snapshot` was called, in this process or another one. It sends
 * the same bytes. `options` are the options that it was created with. Its messages, pins and model
 * are in the snapshot. Throws `TypeError` if the value is not from `snapshot`, and the errors of
 * `createContext`.
 */
export function restoreContext<
  const Model extends string,
  const Format extends RequestFormat | undefined = undefined,
>(
  snapshot: unknown,
  options: OptionsOf<Model, Format, RestoredOptions>,
): Context<MessageOf<Model, Format>>
export function restoreContext<Native extends object>(
  snapshot: unknown,
  options: RestoredOptions,
): Context<Native>
export function restoreContext<Native extends object>(
  snapshot: unknown,
  options: RestoredOptions,
): Context<Native> {
  checkContextOptions('Restoring a context', options)
  return new LiveContext<Native>(options, readSnapshot(snapshot, options))
}

type RestoredOptions = Omit<ContextOptions, 'messages' | 'pins' | 'unpins'>
type Abortable = { readonly signal?: AbortSignal | undefined }
type CompressionJob = (signal: AbortSignal) => Promise<ContextCompression>

class LiveContext<Native extends object> implements Context<Native> {
  readonly #live: LiveState<Native>
  /** Compressions under way, which others may join. */
  readonly #runs: {
    automatic?: SharedRun<ContextCompression>
    manual?: SharedRun<ContextCompression>
  } = {}
  readonly #progress = new Set<NonNullable<CompressNowOptions['onProgress']>>()
  /** The newest revision that a provider refused as too long, and what it became. */
  #shrunk: { readonly from: number; readonly to: number } | undefined

  constructor(options: LiveOptions<Native>, saved?: SavedState) {
    this.#live = new LiveState(options)
    if (saved) this.#live.load(saved)
  }

  snapshot(): ContextSnapshot {
    return createSnapshot(this.#live)
  }

  get state(): ContextState {
    const { settings, measure, history, cooldown, lock, ahead, pins, needsCompression } = this.#live
    return {
      model: settings.name,
      modelKnown: settings.model.known,
      windowTokens: settings.windowTokens,
      thresholdTokens: settings.thresholdTokens,
      reserveTokens: settings.reserveTokens,
      tokens: measure.tokens,
      isEstimated: !settings.counter.isLoaded,
      fixedTokens: measure.fixedTokens,
      needsCompression,
      isCompressing: lock.isHeld,
      isPrepared: ahead.isReady,
      revision: history.revision,
      failures: cooldown.failures,
      isPaused: cooldown.isOn,
      pins: [...pins],
      undoable: history.undoable,
    }
  }

  get pins(): readonly string[] {
    return [...this.#live.pins]
  }

  get messages(): readonly Native[] {
    return this.#live.history.transcript.natives
  }

  append(...messages: readonly Native[]): void {
    assertMessages('Appending to a context', messages)
    if (this.#live.history.append(messages)) this.#live.remeasure()
  }

  async load(): Promise<void> {
    await this.#beginLoading()
  }

  async prepare(options: Abortable = {}): Promise<PreparedRequest<Native>> {
    checkSignal(options)
    const { signal } = options
    signal?.throwIfAborted()
    const live = this.#live
    const loading = this.#beginLoading()
    if (loading) await loading
    let compression: ContextCompression | undefined
    while (live.lock.isHeld) compression = await this.#waitForOther(signal)
    const decision = live.advise()
    if (
      decision.action === 'compress' &&
      (!compression || compression.outcome.type === 'compressed')
    ) {
      compression = await this.#begin((own) => compressAutomatically(live, decision, own)).join(
        signal,
      )
    } else if (decision.action === 'wait' && live.needsCompression) {
      live.listeners.tell('compression-deferred', { decision })
    }
    signal?.throwIfAborted()
    return this.#createRequest(decision, compression)
  }

  recordUsage(usage: Usage): void {
    checkUsage(usage)
    this.#live.record(usage)
  }

  async compress(options: CompressNowOptions = {}): Promise<ContextCompression> {
    checkCompressNow(options)
    const { signal, onProgress } = options
    const loading = this.#beginLoading()
    if (loading) await loading
    const { tokens } = this.#live.measure
    const sizes = { report: undefined, tokensBefore: tokens, tokensAfter: tokens }
    const given: ContextCompression = { trigger: 'manual', outcome: { type: 'aborted' }, ...sizes }
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
    checkSwitch(model, options)
    return await previewSwitch(this.#live, model, options)
  }

  async switchModel(model: string, options: SwitchOptions & Abortable = {}): Promise<SwitchResult> {
    checkSwitch(model, options)
    return await switchModel(this.#live, model, options)
  }

  undo(): boolean {
    const { lock, history } = this.#live
    if (lock.isHeld || !history.undo()) return false
    this.#live.noteUndone()
    return true
  }

  async send<Response>(
    send: (request: PreparedRequest<Native>) => Promise<Response>,
    options: Abortable = {},
  ): Promise<Response> {
    checkSend(send, options)
    const request = await this.prepare(options)
    const { revision } = this.#live.history
    try {
      return await send(request)
    } catch (error) {
      const overflow = findOverflow(error)
      const retry =
        overflow && !options.signal?.aborted
          ? await this.#shrink(overflow, revision, options.signal)
          : undefined
      if (!retry) throw error
      return await send(retry)
    }
  }

  pin(text: string): void {
    checkPin('Pinning', text)
    this.#live.pin(text)
  }

  unpin(text: string): boolean {
    checkPin('Ending a pin', text)
    return this.#live.unpin(text)
  }

  listPins(): readonly string[] {
    return this.#live.listPins()
  }

  advise(): Decision {
    return this.#live.advise()
  }

  on<Name extends keyof ContextEvents>(
    name: Name,
    listener: (event: ContextEvents[Name]) => void,
  ): () => void {
    checkListener(name, listener)
    return this.#live.listeners.add(name, listener)
  }

  /** Undefined if there is nothing to wait for. */
  #beginLoading(): Promise<void> | undefined {
    const live = this.#live
    const { counter } = live.settings
    return counter.isLoaded ? live.count() : counter.load().then(() => live.count())
  }

  /**
   * Joins a compression that runs for another request. Waits for the end of any other compression.
   */
  async #waitForOther(signal: AbortSignal | undefined): Promise<ContextCompression | undefined> {
    const { automatic } = this.#runs
    const running = automatic?.isAborted ? undefined : automatic
    if (!running) await this.#live.lock.untilFree(signal)
    const joined = await running?.join(signal)
    return joined?.outcome.type === 'aborted' ? undefined : joined
  }

  #share(kind: 'automatic' | 'manual', job: CompressionJob): SharedRun<ContextCompression> {
    const run = new SharedRun(async (signal) => {
      try {
        return await job(signal)
      } finally {
        if (this.#runs[kind] === run) this.#runs[kind] = undefined
      }
    })
    this.#runs[kind] = run
    return run
  }

  /** Starts a compression that holds the lock. Requests that arrive meanwhile join it. */
  #begin(job: CompressionJob): SharedRun<ContextCompression> {
    return this.#share('automatic', (signal) => this.#live.lock.hold(() => job(signal), signal))
  }

  #joinManual(options: CompressNowOptions): SharedRun<ContextCompression> {
    const live = this.#live
    const { manual } = this.#runs
    if (manual && !manual.isAborted) return manual
    const onProgress: CompressNowOptions['onProgress'] = (step, done, total) => {
      for (const listener of this.#progress) tellOne(() => listener(step, done, total), undefined)
    }
    return this.#share('manual', async (signal) => {
      while (live.lock.isHeld) await live.lock.untilFree(signal)
      return await live.lock.hold(
        () => compressOnDemand(live, { ...options, onProgress }, signal),
        signal,
      )
    })
  }

  async #shrink(
    overflow: Overflow,
    revision: number,
    signal: AbortSignal | undefined,
  ): Promise<PreparedRequest<Native> | undefined> {
    const live = this.#live
    while (live.lock.isHeld) await live.lock.untilFree(signal)
    const decision = live.advise()
    // Of requests side by side, the first that is refused shortens the history of all.
    const isShrunk = this.#shrunk?.from === revision && this.#shrunk.to === live.history.revision
    if (isShrunk) return this.#createRequest(decision, undefined)
    const compression = await this.#begin(async (own) => {
      const shortened = await compressAfterOverflow(live, overflow, own)
      if (shortened.outcome.type === 'compressed')
        this.#shrunk = { from: revision, to: live.history.revision }
      return shortened
    }).join(signal)
    if (compression.outcome.type !== 'compressed') return undefined
    return this.#createRequest(decision, compression)
  }

  #createRequest(
    decision: Decision,
    compression: ContextCompression | undefined,
  ): PreparedRequest<Native> {
    const live = this.#live
    const { settings, measure, history, fits } = live
    const { tokens } = measure
    const { conversation, natives } = history.transcript
    live.noteSent(decision)
    this.#beginAhead()
    const messages = [...natives]
    const request = { model: settings.name, messages, tokens, decision, compression }
    if (fits) return { ...request, fits }
    const outcome = compression?.outcome
    const most = { ...live.limits.find(settings), tokens: settings.windowTokens }
    const refusal =
      outcome?.type === 'cannot-fit'
        ? outcome.refusal
        : createRefusal(conversation, conversation, settings.counter, most)
    return { ...request, fits, refusal }
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
