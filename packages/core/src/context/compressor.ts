import type { Conversation } from '../conversation/message.ts'
import { type CompressOptions, compressConversation } from '../engine/compress-conversation.ts'
import { createCompressionMemory } from '../engine/compression-memory.ts'
import type { Ladder } from '../engine/ladder.ts'
import type { Report } from '../engine/report.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { ArchivedChange } from './archive.ts'
import type { ContextOptions } from './context.ts'
import type { CompressionTrigger, ContextCompression, ContextOutcome } from './context-compression.ts'
import type { CompressionBeginning } from './context-events.ts'
import { joinInstructions } from './join-instructions.ts'
import type { Listeners } from './listeners.ts'
import type { LiveHistory, Snapshot } from './live-history.ts'
import type { Pause } from './pause.ts'
import { untilAborted } from './until-aborted.ts'

/** What is to be done. */
export interface CompressionOrder {
  readonly trigger: CompressionTrigger
  readonly tokens: number
  readonly budgetTokens: number
  /** A wish; the budget itself where undefined. */
  readonly targetTokens?: number | undefined
  readonly budgetBytes?: number
  readonly budgetImages?: number
  readonly counter: TokenCounter
  readonly strategy: Strategy | Ladder
  readonly summarizer: Summarizer
  readonly keep?: CompressOptions['keep']
  readonly pins: readonly string[]
  readonly instructions?: string
  /** A person asked: a small saving is one too, and what came to nothing before is tried again. */
  readonly isDemand?: boolean
  readonly isAhead?: boolean
  /** The conversation as the result has to obey it, where that is not as it is. */
  readonly adapt?: (conversation: Conversation) => Conversation
  readonly onProgress?: (step: string, done?: number, total?: number) => void
}

/** A result that nobody has applied yet, or why there is none. */
export interface Computed {
  readonly beginning: CompressionBeginning
  readonly snapshot: Snapshot
  readonly outcome: ContextOutcome
  readonly conversation: Conversation
  readonly report: Report | undefined
}

/** Plans, asks the hook and the engine, keeps what is removed, and tells who listens. */
export class Compressor {
  readonly #history: LiveHistory
  readonly #options: ContextOptions
  readonly #listeners: Listeners
  readonly #pause: Pause
  readonly #memory = createCompressionMemory()
  #count = 0

  constructor(history: LiveHistory, options: ContextOptions, listeners: Listeners, pause: Pause) {
    this.#history = history
    this.#options = options
    this.#listeners = listeners
    this.#pause = pause
  }

  /** Changes nothing, and never rejects. */
  async compute(order: CompressionOrder, signal: AbortSignal): Promise<Computed> {
    const { trigger, tokens, budgetTokens, targetTokens = budgetTokens, isAhead = false } = order
    const snapshot = this.#history.take()
    const beginning = { id: ++this.#count, trigger, tokens, budgetTokens, targetTokens, isAhead }
    const end = (outcome: ContextOutcome): Computed => ({
      beginning,
      snapshot,
      outcome,
      conversation: snapshot.conversation,
      report: undefined,
    })
    this.#listeners.tell('compression-planned', beginning)
    try {
      const answer = await this.#ask(beginning, signal)
      if (answer && 'veto' in answer) return end({ type: 'vetoed', reason: answer.veto })
      this.#listeners.tell('compression-started', beginning)
      const { instructions } = joinInstructions(order.instructions, answer?.instructions)
      return { beginning, snapshot, ...(await this.#compress(snapshot, { ...order, instructions }, signal)) }
    } catch (error) {
      return end(signal.aborted ? { type: 'aborted' } : { type: 'failed', error: toError(error) })
    }
  }

  /** Tells the end of a result that is not applied. */
  end(computed: Computed, outcome = computed.outcome): ContextCompression {
    const { beginning, report } = computed
    const { trigger, tokens } = beginning
    const compression = { trigger, outcome, report, tokensBefore: tokens, tokensAfter: tokens }
    const event = { ...beginning, compression }
    this.#listeners.tell(isFailure(outcome) ? 'compression-failed' : 'compression-skipped', event)
    return compression
  }

  /** Applies a result, or says why not. `settle` runs when it is in place and gives what the request has then. */
  async apply(computed: Computed, signal: AbortSignal, settle: () => number): Promise<ContextCompression> {
    const { beginning, snapshot, outcome, conversation, report } = computed
    if (outcome.type !== 'compressed') return this.end(computed)
    try {
      await untilAborted(this.#archive(computed), signal)
      signal.throwIfAborted()
      if (!this.#history.commit(snapshot, conversation.messages)) return this.end(computed, { type: 'discarded' })
    } catch (error) {
      return this.end(computed, signal.aborted ? { type: 'aborted' } : { type: 'failed', error: toError(error) })
    }
    const { trigger, tokens } = beginning
    const compression = { trigger, outcome, report, tokensBefore: tokens, tokensAfter: settle() }
    this.#listeners.tell('compression-applied', { ...beginning, compression })
    return compression
  }

  async #ask(beginning: CompressionBeginning, signal: AbortSignal) {
    const hook = this.#options.hooks?.beforeCompression
    return hook ? await untilAborted(Promise.resolve(hook(beginning)), signal) : undefined
  }

  async #compress(
    { conversation }: Snapshot,
    order: Omit<CompressionOrder, 'instructions'> & { readonly instructions: string | undefined },
    signal: AbortSignal,
  ): Promise<Pick<Computed, 'outcome' | 'conversation' | 'report'>> {
    const { budgetTokens, budgetBytes, budgetImages, counter, strategy, keep, pins, instructions, onProgress } = order
    const { targetTokens = budgetTokens } = order
    const { recall } = this.#options
    const given = order.adapt?.(conversation) ?? conversation
    // What the person asked for is paid for also while models pause; nobody else's wish is.
    const isPaused = this.#pause.isOn && !order.isDemand
    const watched = this.#pause.watch(isPaused ? digest() : order.summarizer)
    const computing = compressConversation(given, {
      budgetTokens,
      targetTokens,
      counter,
      strategy,
      pins,
      signal,
      summarizer: watched.summarizer,
      ...(budgetBytes !== undefined && { budgetBytes }),
      ...(budgetImages !== undefined && { budgetImages }),
      ...(keep && { keep }),
      ...(recall && { recall }),
      ...(instructions !== undefined && { instructions }),
      ...(onProgress && { onProgress }),
      ...(!order.isDemand && { triggerTokens: targetTokens, memory: this.#memory }),
    })
    // A summarizer that does not hear the signal is left behind; what it gives later is nobody's.
    const result = await untilAborted(computing, signal)
    watched.settle()
    return result
  }

  async #archive({ beginning, snapshot, conversation }: Computed): Promise<void> {
    const { archive } = this.#options
    if (!archive) return
    const kept = new Set(conversation.messages)
    const removed = snapshot.conversation.messages.filter((message) => !kept.has(message))
    const natives = this.#history.transcript.nativesOf(new Set(removed))
    const change: ArchivedChange = { id: beginning.id, removed, natives }
    await archive.store(change)
  }
}

/** Nothing to do, no wish to do it, or too late is no failure. */
function isFailure({ type }: ContextOutcome): boolean {
  return (
    type === 'cannot-fit' ||
    type === 'summary-failed' ||
    type === 'ineffective' ||
    type === 'recall-too-low' ||
    type === 'failed'
  )
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
