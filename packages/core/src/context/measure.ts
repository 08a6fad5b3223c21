import { findCompaction } from '../conversation/compaction.ts'
import type { MediaPart, Message } from '../conversation/message.ts'
import { keepsLimits, listMedia, type RequestLimits } from '../conversation/request-limits.ts'
import type { Steps } from '../conversation/steps.ts'
import { countMessageBytes } from '../engine/limits.ts'
import type { Transcript } from '../formats/transcript/transcript.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { Usage } from './context.ts'
import type { Settings } from './settings.ts'

interface Reported {
  readonly tokens: number
  readonly end: number
  /** Of these tokens, if the answer that follows has no reasoning in it. */
  readonly reasoningTokens?: number
}

/** What was reported, as plain values. */
export interface SavedMeasure {
  readonly preparedEnd?: number | undefined
  readonly report?: Reported | undefined
  readonly hiddenTokens: number
}

/**
 * The size of the next request. Every message is counted once on first use, and again after the
 * vocabulary is loaded.
 *
 *   prompt of the last request   answer   results, requests, …
 *   ├──── as it was reported ───────────┤├── counted here ────┤
 */
export class Measure {
  readonly #transcript: Transcript
  readonly #counter: TokenCounter
  readonly #limits: RequestLimits
  #toolTokens: number
  /**
   * `[i]` is the tokens of all messages before `i`. The newest may still grow: it is never in here.
   */
  #before: number[] = [0]
  #systemTokens = 0
  #bytes = 0
  /** Tokens of all messages except the newest. */
  #media: MediaPart[] = []
  #preparedEnd: number | undefined
  #report: Reported | undefined
  #hiddenTokens: number
  readonly #mostHiddenTokens: number
  readonly #windowTokens: number
  /** Reports from before the vocabulary was loaded. Undefined after that. */
  #early: { readonly usage: Usage; readonly end: number }[] | undefined
  /** What is known without any of them. */
  #initial: Pick<SavedMeasure, 'report' | 'hiddenTokens'>

  constructor(
    transcript: Transcript,
    {
      counter,
      targetTokens,
      windowTokens,
    }: Pick<Settings, 'counter' | 'targetTokens' | 'windowTokens'>,
    limits: RequestLimits = {},
    hiddenTokens = 0,
  ) {
    this.#transcript = transcript
    this.#counter = counter
    this.#limits = limits
    this.#toolTokens = counter.countFixed(transcript.conversation).upper
    this.#mostHiddenTokens = Math.floor(targetTokens * MOST_HIDDEN_SHARE)
    this.#windowTokens = windowTokens
    this.#initial = { hiddenTokens: Math.min(hiddenTokens, this.#mostHiddenTokens) }
    this.#hiddenTokens = this.#initial.hiddenTokens
    this.#early = counter.isLoaded ? undefined : []
  }

  /** Tokens of the next request: the reported usage plus later messages, or all of it counted. */
  get tokens(): number {
    this.#recount()
    if (!this.#report) return this.countedTokens + this.#hiddenTokens
    const { messages } = this.#transcript
    let { end } = this.#report
    // The answer is in the report.
    while (messages[end]?.role === 'assistant') end++
    const answer = messages.slice(this.#report.end, end)
    const { tokens, reasoningTokens = 0 } = this.#report
    const left = answer.length === 0 || answer.some(hasReasoning) ? 0 : reasoningTokens
    return tokens - left + Math.max(this.#countBefore(messages.length) - this.#countBefore(end), 0)
  }

  /** By upper bounds, regardless of what was reported. */
  get countedTokens(): number {
    this.#recount()
    return this.#toolTokens + this.#countBefore(this.#transcript.messages.length)
  }

  /** System prompt and tool schemas. */
  get fixedTokens(): number {
    this.#recount()
    const { messages } = this.#transcript
    this.#count()
    const last = messages.at(-1)
    const lastTokens = last?.role === 'system' ? this.#counter.countMessage(last).upper : 0
    return this.#toolTokens + this.#systemTokens + lastTokens
  }

  /**
   * Tokens that the provider counts and the context does not know of, such as a system prompt that
   * the host adds.
   */
  get hiddenTokens(): number {
    this.#recount()
    return this.#hiddenTokens
  }

  /** A limit except tokens that the history exceeds. */
  get isOverLimits(): boolean {
    const { bytes } = this.#limits
    if (Object.keys(this.#limits).length === 0) return false
    this.#count()
    const last = this.#transcript.messages.at(-1)
    const newest = last ? listMedia([last]).map(({ media }) => media) : []
    if (!keepsLimits([...this.#media, ...newest], this.#limits)) return true
    return bytes !== undefined && this.#bytes + (last ? countMessageBytes(last) : 0) > bytes
  }

  /** Everything there is now went into a request. */
  notePrepared(): void {
    this.#preparedEnd = this.#transcript.messages.length
  }

  /** False for impossible numbers, which are passed over: nothing is ever "0 tokens, fits". */
  record(usage: Usage): boolean {
    if (!(Number.isFinite(usage.inputTokens) && usage.inputTokens > 0)) return false
    this.#recount()
    const end = this.#preparedEnd ?? this.#findRequestEnd()
    this.#early?.push({ usage, end })
    return this.#take(usage, end)
  }

  #take(usage: Usage, end: number): boolean {
    const { inputTokens, outputTokens, reasoningTokens = 0 } = usage.last ?? usage
    const counted =
      this.#toolTokens + this.#countBefore(Math.min(end, this.#transcript.messages.length))
    // Some servers report only tokens that were not in their cache. Such a count is far below the
    // certain size.
    if (inputTokens < counted * LEAST_REPORTED_SHARE) return false
    // Some hosts report the sum of several requests. The window may be larger than it is said to
    // be.
    const most = Math.max(this.#windowTokens, counted) * MOST_REPORTED_FACTOR
    if (this.#counter.model.known && inputTokens > most) return false
    const answer = Number.isFinite(outputTokens) && outputTokens > 0 ? outputTokens : 0
    this.#report = { tokens: Math.ceil(inputTokens + answer), end }
    if (reasoningTokens > 0 && reasoningTokens <= answer)
      this.#report = { ...this.#report, reasoningTokens: Math.floor(reasoningTokens) }
    // The last of several requests has results of tools that are a part of the answer.
    if (!usage.last) {
      this.#hiddenTokens = Math.min(
        Math.max(Math.ceil(inputTokens) - counted, 0),
        this.#mostHiddenTokens,
      )
    }
    return true
  }

  /** Tokens of the whole request, as a provider counted it when it refused the request. */
  correct(requestTokens: number): void {
    this.#recount()
    this.#report = undefined
    this.#hiddenTokens = Math.min(
      Math.max(requestTokens - this.countedTokens, 0),
      this.#mostHiddenTokens,
    )
  }

  save(): SavedMeasure {
    return {
      preparedEnd: this.#preparedEnd,
      report: this.#report,
      hiddenTokens: this.#hiddenTokens,
    }
  }

  load({ preparedEnd, ...initial }: SavedMeasure): void {
    this.#preparedEnd = preparedEnd
    this.#initial = initial
    this.#report = initial.report
    this.#hiddenTokens = initial.hiddenTokens
  }

  /**
   * Where a request ended that was reported but not prepared here: after the latest answer, which
   * must have been part of it.
   */
  #findRequestEnd(): number {
    const { messages } = this.#transcript
    return messages.findLastIndex(({ role }) => role === 'assistant') + 1 || messages.length
  }

  #countBefore(end: number): number {
    this.#count()
    const { messages } = this.#transcript
    const closed = Math.min(end, this.#before.length - 1)
    const last = end > closed ? messages[closed] : undefined
    return (this.#before[closed] ?? 0) + (last ? this.#counter.countMessage(last).upper : 0)
  }

  /** Goes over everything again, once, so that nothing depends on when the vocabulary came. */
  #recount(): void {
    if (!this.#early || !this.#counter.isLoaded) return
    const early = this.#early
    this.#early = undefined
    this.#before = [0]
    this.#systemTokens = this.#bytes = 0
    this.#media = []
    this.#toolTokens = this.#counter.countFixed(this.#transcript.conversation).upper
    this.#hiddenTokens = this.#initial.hiddenTokens
    this.#report = this.#initial.report
    for (const { usage, end } of early) this.#take(usage, end)
  }

  /**
   * Counts messages that were not counted yet, the newest among them: it is remembered as long as
   * it stays what it is.
   */
  *countInSteps(): Steps<void> {
    yield* this.#counter.countInSteps(this.#transcript.messages.slice(this.#before.length - 1))
  }

  #count(): void {
    for (const message of this.#transcript.messages.slice(this.#before.length - 1, -1))
      this.#add(message)
  }

  #add(message: Message): void {
    const tokens = this.#counter.countMessage(message).upper
    const { protocol } = this.#transcript.conversation
    const forgets = protocol === 'anthropic-messages' && findCompaction([message]) === 0
    this.#before.push((forgets ? this.#systemTokens : (this.#before.at(-1) ?? 0)) + tokens)
    if (message.role === 'system') this.#systemTokens += tokens
    for (const { media } of listMedia([message])) this.#media.push(media)
    if (this.#limits.bytes !== undefined) this.#bytes += countMessageBytes(message)
  }
}

/** Servers return it in fields of many names. */
const hasReasoning = ({ parts }: Message): boolean =>
  parts.some(({ type }) => type === 'reasoning' || type === 'opaque')

const LEAST_REPORTED_SHARE = 0.3
const MOST_REPORTED_FACTOR = 2
// Above this a report says more of its provider's arithmetic than of a prompt that the host added.
const MOST_HIDDEN_SHARE = 0.5
