import type { Conversation } from '../conversation/message.ts'
import { digest } from '../digest/digest.ts'
import type { Compression } from '../engine/compress-conversation.ts'
import { createCompressionMemory } from '../engine/compression-memory.ts'
import type { Ladder } from '../engine/ladder.ts'
import type { CompressOptions } from '../engine/options.ts'
import type { Report } from '../engine/report.ts'
import { withoutPins } from '../engine/unpin.ts'
import { keepsRequest } from '../engine/view.ts'
import type { Strategy } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type {
  CompressionBeginning,
  CompressionTrigger,
  ContextCompression,
  ContextOutcome,
} from './compressions.ts'
import type { ContextEvents, ContextOptions } from './context.ts'
import type { Cooldown } from './cooldown.ts'
import type { LiveHistory, Snapshot } from './live-history.ts'
import { SharedRun, untilAborted } from './shared-run.ts'

export interface SparingOptions extends CompressOptions {
  /** The limit for a result if the last request does not stay whole within the budget. */
  readonly stretchTokens?: number | undefined
}

/** One compression to be made: what the engine is asked for, and what the context wants with it. */
export interface CompressionOrder extends SparingOptions {
  readonly trigger: CompressionTrigger
  readonly tokens: number
  readonly counter: TokenCounter
  readonly strategy: Strategy | Ladder
  readonly summarizer: Summarizer
  readonly pins: readonly string[]
  /** Pins that have ended. */
  readonly unpins: readonly string[]
  /**
   * The user or a switch asked for it: a small saving counts too, and what came to nothing before
   * is tried again.
   */
  readonly isWanted?: boolean
  readonly isAhead?: boolean
  /** Changes the conversation to the rules of the result, if they are different. */
  readonly adapt?: (conversation: Conversation) => Conversation
}

/** A result that is not applied yet, or the reason why there is no result. */
export interface Computed {
  readonly beginning: CompressionBeginning
  readonly snapshot: Snapshot
  readonly outcome: ContextOutcome
  readonly conversation: Conversation
  readonly report: Report | undefined
}

/**
 * Runs one compression: asks the hook and the engine, archives removed messages, notifies
 * listeners.
 */
export class Compressor {
  readonly #history: LiveHistory
  readonly #options: ContextOptions
  readonly #listeners: Listeners
  readonly #cooldown: Cooldown
  readonly #memory = createCompressionMemory()
  #count = 0

  constructor(
    history: LiveHistory,
    options: ContextOptions,
    listeners: Listeners,
    cooldown: Cooldown,
  ) {
    this.#history = history
    this.#options = options
    this.#listeners = listeners
    this.#cooldown = cooldown
  }

  /** The number of compressions so far. The next one's `id` is one more. */
  get count(): number {
    return this.#count
  }

  set count(count: number) {
    this.#count = count
  }

  /** Changes nothing, and never rejects. */
  async compute(order: CompressionOrder, signal: AbortSignal): Promise<Computed> {
    const { trigger, tokens, budgetTokens, targetTokens = budgetTokens, isAhead = false } = order
    const snapshot = this.#history.take()
    const beginning = { id: ++this.#count, trigger, tokens, budgetTokens, targetTokens, isAhead }
    const { conversation } = snapshot
    const end = (outcome: ContextOutcome) => ({
      beginning,
      snapshot,
      outcome,
      conversation,
      report: undefined,
    })
    this.#listeners.tell('compression-planned', beginning)
    try {
      const answer = await this.#ask(beginning, signal)
      if (answer && 'veto' in answer) return end({ type: 'vetoed', reason: answer.veto })
      this.#listeners.tell('compression-started', beginning)
      const instructions = joinInstructions(order.instructions, answer?.instructions)
      return {
        beginning,
        snapshot,
        ...(await this.#compress(snapshot, { ...order, instructions }, signal)),
      }
    } catch (error) {
      return end(readFailure(error, signal))
    }
  }

  /** Notifies listeners that a result is not applied. */
  end(computed: Computed, outcome = computed.outcome): ContextCompression {
    const { beginning, report } = computed
    const { trigger, tokens } = beginning
    const size = report?.before.tokens ?? tokens
    const compression = { trigger, outcome, report, tokensBefore: size, tokensAfter: size }
    const event = { ...beginning, compression }
    this.#listeners.tell(
      FAILURES.has(outcome.type) ? 'compression-failed' : 'compression-skipped',
      event,
    )
    return compression
  }

  /**
   * Applies a result, or returns the reason why not. `remeasure` runs after that and returns the
   * size of the request. A report has its own counts.
   */
  async apply(
    computed: Computed,
    signal: AbortSignal,
    remeasure: () => number,
  ): Promise<ContextCompression> {
    const { beginning, snapshot, outcome, conversation, report } = computed
    if (outcome.type !== 'compressed') return this.end(computed)
    try {
      await untilAborted(this.#archive(computed), signal)
      signal.throwIfAborted()
      if (!this.#history.commit(snapshot, conversation.messages))
        return this.end(computed, { type: 'discarded' })
    } catch (error) {
      return this.end(computed, readFailure(error, signal))
    }
    const { trigger, tokens } = beginning
    const remeasured = remeasure()
    const { before = { tokens }, after = { tokens: remeasured } } = report ?? {}
    const compression = {
      trigger,
      outcome,
      report,
      tokensBefore: before.tokens,
      tokensAfter: after.tokens,
    }
    this.#listeners.tell('compression-applied', { ...beginning, compression })
    return compression
  }

  async #ask(beginning: CompressionBeginning, signal: AbortSignal) {
    const hook = this.#options.hooks?.beforeCompression
    return hook ? await untilAborted(Promise.resolve(hook(beginning)), signal) : undefined
  }

  async #compress(
    { conversation }: Snapshot,
    order: CompressionOrder,
    signal: AbortSignal,
  ): Promise<Compression> {
    const { targetTokens = order.budgetTokens, isWanted = false } = order
    const given = withoutPins(order.adapt?.(conversation) ?? conversation, order.unpins)
    // During a cooldown a model is paid only for what the user asked for.
    const isCooling = this.#cooldown.isOn && !isWanted
    const { summarizer, note } = this.#cooldown.watch(isCooling ? digest() : order.summarizer)
    const { recall } = this.#options
    const repeated = isWanted ? {} : { triggerTokens: targetTokens, memory: this.#memory }
    const request = { ...order, ...repeated, targetTokens, recall, summarizer, signal }
    // The compression does not wait for a summarizer that ignores the signal. Its late answer is
    // dropped.
    const result = await untilAborted(compressSparingRequest(given, request), signal)
    note()
    return result
  }

  async #archive({ beginning, snapshot, conversation }: Computed): Promise<void> {
    const { archive } = this.#options
    if (!archive) return
    const kept = new Set(conversation.messages)
    const removed = snapshot.conversation.messages.filter((message) => !kept.has(message))
    const natives = this.#history.transcript.nativesOf(new Set(removed))
    await archive.store({ id: beginning.id, removed, natives })
  }
}

/**
 * Compresses without cutting the user's last request, if slightly more space than the budget allows
 * that.
 */
export async function compressSparingRequest(
  given: Conversation,
  { stretchTokens = 0, ...options }: SparingOptions,
): Promise<Compression> {
  // A host that has not compressed yet does not load the engine.
  const { compressConversation } = await import('../engine/compress-conversation.ts')
  const compression = await compressConversation(given, options)
  const isWhole = keepsRequest(given, compression.conversation)
  if (isWhole || stretchTokens <= options.budgetTokens) return compression
  const stretched = await compressConversation(given, { ...options, budgetTokens: stretchTokens })
  const fits = stretched.report.after.tokens <= stretchTokens
  return fits && keepsRequest(given, stretched.conversation) ? stretched : compression
}

/** Outcomes that are failures. Nothing to do, a veto and a late result are not failures. */
const FAILURES: ReadonlySet<string> = new Set([
  'cannot-fit',
  'summary-failed',
  'ineffective',
  'recall-too-low',
  'failed',
])

function readFailure(error: unknown, signal: AbortSignal): ContextOutcome {
  if (signal.aborted) return { type: 'aborted' }
  return { type: 'failed', error: error instanceof Error ? error : new Error(String(error)) }
}

/**
 * Holds one compression that was computed in parallel with requests, so that applying it waits for
 * no model.
 */
export class PreparedAhead {
  readonly #compressor: Compressor
  #run: SharedRun<Computed> | undefined
  #computed: Computed | undefined
  #failedRevision: number | undefined

  constructor(compressor: Compressor) {
    this.#compressor = compressor
  }

  /** Whether a result waits to be applied. */
  get isReady(): boolean {
    return this.#computed !== undefined
  }

  /** Begins one, unless one was begun or failed in this revision of the history. */
  begin(order: CompressionOrder, revision: number): void {
    if (this.#run || this.#computed || this.#failedRevision === revision) return
    const run = new SharedRun(async (signal) => {
      // The request is sent first: planning takes the thread for a moment.
      for (let turn = 0; turn < TURNS_OF_THE_HOST; turn++) await Promise.resolve()
      const computed = await this.#compressor.compute({ ...order, isAhead: true }, signal)
      if (this.#run !== run) this.#compressor.end(computed, { type: 'discarded' })
      else if (computed.outcome.type === 'compressed') this.#computed = computed
      else {
        if (computed.outcome.type !== 'aborted') this.#failedRevision = revision
        this.#compressor.end(computed)
      }
      if (this.#run === run) this.#run = undefined
      return computed
    })
    this.#run = run
  }

  /**
   * Returns the result, and waits for a compression that is running. Undefined if there is no
   * compression.
   */
  async take(signal: AbortSignal): Promise<Computed | undefined> {
    if (this.#run) await this.#run.join(signal)
    const computed = this.#computed
    this.#computed = undefined
    return computed
  }

  /** Drops the result: the history has changed. */
  discard(): void {
    const stale = this.#computed
    const run = this.#run
    this.#computed = undefined
    this.#run = undefined
    run?.abort()
    if (stale) this.#compressor.end(stale, { type: 'discarded' })
  }
}

const TURNS_OF_THE_HOST = 10

/** The instructions for one summary, one per line. Undefined if there are no instructions. */
export function joinInstructions(
  ...instructions: readonly (string | undefined)[]
): string | undefined {
  return (
    instructions.filter((text) => text !== undefined && text.trim() !== '').join('\n') || undefined
  )
}

type Listener<Name extends keyof ContextEvents> = (event: ContextEvents[Name]) => unknown

/** Listeners by event. An error in a listener, now or later, is dropped. */
export class Listeners {
  readonly #listeners = new Map<keyof ContextEvents, Set<(event: never) => unknown>>()

  add<Name extends keyof ContextEvents>(name: Name, listener: Listener<Name>): () => void {
    // The same function may listen twice, and each ends on its own.
    const own = (event: ContextEvents[Name]) => listener(event)
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(own))
    return () => {
      listeners.delete(own)
    }
  }

  tell<Name extends keyof ContextEvents>(name: Name, event: ContextEvents[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])] as Listener<Name>[])
      tellOne(listener, event)
  }
}

/** Calls a listener. Its errors and rejections are dropped. */
export function tellOne<T>(listener: (event: T) => unknown, event: T): void {
  try {
    const answer = listener(event)
    if (answer instanceof Promise) answer.catch(() => undefined)
  } catch {
    // Display and logs of the host: a fault there must not change a history.
  }
}
