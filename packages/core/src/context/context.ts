/**
 * The live history of an agent: it grows message by message, and always fits before it is sent.
 *
 *   append ──► prepare ──► the provider ──► append the answer, recordUsage ──► append ──► …
 *                 │
 *                 └─ over the threshold: compress first. What is appended meanwhile stays.
 */

import type { Message } from '../conversation/message.ts'
import type { RecallPath } from '../conversation/summary-message.ts'
import type { Ladder } from '../engine/ladder.ts'
import type { Outcome, Refusal, Report } from '../engine/report.ts'
import type { RequestFormat } from '../formats/index.ts'
import type { Keep, Strategy } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { Decision } from './decide.ts'

/** Only the model has to be given. */
export interface ContextOptions<Native extends object = object> {
  /** Decides window, counter, prices and, unless `format` is given, the shape of the messages. */
  readonly model: string
  /**
   * The shape of the messages; by default that of the API of the model's provider, Chat Completions
   * for OpenAI.
   */
  readonly format?: RequestFormat
  /**
   * A history to continue, oldest first. Too large a one is compressed before its first request.
   */
  readonly messages?: readonly Native[]
  /**
   * The system prompt, where the format has it apart from the messages: it counts and is never
   * edited.
   */
  readonly system?: unknown
  /** Schemas of tools as the API takes them: they count and are never edited. */
  readonly tools?: readonly object[]
  /** Prompt and answer together; by default what the catalogue knows of the model. */
  readonly windowTokens?: number
  /**
   * Kept free for the answer; by default what the model can answer at most, and at most a fifth of
   * the window.
   */
  readonly reserveTokens?: number
  /**
   * Share of the window from which on a request is compressed before it is sent; 0.8 by default.
   */
  readonly threshold?: number
  /**
   * Share of the window less the reserve that a compression aims at; 0.5 by default, and less or
   * more as `threshold` is.
   */
  readonly target?: number
  /**
   * Share of the window from which on the next compression is computed ahead, beside the requests;
   * off by default.
   */
  readonly prepareAhead?: number
  /**
   * Upper limit of messages and tool schemas as JSON in UTF-8; by default what the provider of the
   * model takes.
   */
  readonly budgetBytes?: number
  /**
   * Upper limit of images, those in results of tools included; by default what the provider of the
   * model takes.
   */
  readonly budgetImages?: number
  /** `auto` by default. */
  readonly strategy?: Strategy | Ladder
  /** `digest` by default. */
  readonly summarizer?: Summarizer
  /** How much stays verbatim at both ends; by default that of the strategy. */
  readonly keep?: { readonly head?: Keep; readonly tail?: Keep }
  /** Says what to keep above all, in every summary. */
  readonly instructions?: string
  /** Texts that are kept verbatim in every compression from the first on. */
  readonly pins?: readonly string[]
  /** Pins that summaries in `messages` carry and that end: no later compression keeps them. */
  readonly unpins?: readonly string[]
  /**
   * How the model looks up what was removed, where the host gives it a tool for that: part of every
   * summary.
   */
  readonly recall?: RecallPath
  /**
   * How many more requests the host expects. With it, a compression below the threshold is made as
   * soon as it pays.
   */
  readonly expectedRequests?: number
  /** Compresses below the threshold too where that is expected to save money; off by default. */
  readonly save?: boolean
  /**
   * How long the host asks the provider to keep what it sends; by default the shortest that the
   * provider has.
   */
  readonly cacheLifetimeSeconds?: number
  /**
   * For the lifetime of the provider's cache and the cooldown after failures; `Date` by default.
   */
  readonly clock?: Clock
  /** Takes what compressions remove; in memory by default. */
  readonly archive?: Archive
  /** Asked before a compression: may veto it or add to its instructions. */
  readonly hooks?: ContextHooks
}

/** Made by `createContext`. `Native` is a message as the provider's API has it. */
export interface Context<Native extends object = object> {
  readonly state: ContextState
  /** Of `state`, without counting anything. */
  readonly pins: readonly string[]
  /**
   * The history as it would be sent now. A new list after every change, the same one in between.
   */
  readonly messages: readonly Native[]
  /**
   * Messages go after all others, also while a compression runs. Throws `FormatError` for what the
   * format does not know.
   */
  append(...messages: readonly Native[]): void
  /**
   * Loads the vocabulary of the model and counts what was not counted yet, without holding the
   * thread: `state` and `advise` are exact after it, and take no time.
   */
  load(): Promise<void>
  /**
   * The next request, compressed first when due; as it is, with a refusal, where nothing fits.
   * Rejects only when aborted.
   */
  prepare(options?: { readonly signal?: AbortSignal | undefined }): Promise<PreparedRequest<Native>>
  /**
   * Takes the usage that the provider reported of the newest request; it sets
   * `state.needsCompression`.
   */
  recordUsage(usage: Usage): void
  /**
   * Compresses because the user asked: ignores threshold and cooldown. A second one while the first
   * runs joins it.
   */
  compress(options?: CompressNowOptions): Promise<ContextCompression>
  /** The effect that a switch would have. Changes nothing, and asks no model. */
  previewSwitch(model: string, options?: SwitchOptions): Promise<SwitchPreview>
  /**
   * All or nothing: refused, it leaves model, settings and history as they were. A newer switch
   * ends an older one.
   */
  switchModel(
    model: string,
    options?: SwitchOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<SwitchResult>
  /**
   * Takes back the newest compression; what was appended since stays. False when there is none, or
   * one runs.
   */
  undo(): boolean
  /**
   * Sends a prepared request, and once more, further compressed, when it was too long. Rejects as
   * `send` does.
   */
  send<Response>(
    send: (request: PreparedRequest<Native>) => Promise<Response>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Response>
  /** Keeps a text verbatim in every later compression. */
  pin(text: string): void
  /**
   * Ends a pin: no compression that begins later keeps it, whoever pinned it. False where there is
   * no such pin.
   */
  unpin(text: string): boolean
  /** All pins: given, pinned since, or carried by a summary of the history. */
  listPins(): readonly string[]
  /** Whether compressing now would pay, and why. */
  advise(): Decision
  /**
   * All that it knows, as one value that can be JSON; `restoreContext` goes on from there. A
   * compression that runs is not in it. Throws `TypeError` where a message holds what JSON cannot
   * say, such as bytes.
   */
  snapshot(): ContextSnapshot
  /**
   * Calls `listener` at every such event; gives the function that ends it. Errors of a listener are
   * dropped.
   */
  on<Name extends keyof ContextEvents>(
    name: Name,
    listener: (event: ContextEvents[Name]) => void,
  ): () => void
}

/** A snapshot. Tokens are upper bounds where the tokenizer is only estimated. */
export interface ContextState {
  readonly model: string
  readonly windowTokens: number
  /** From here on a request is compressed first. */
  readonly thresholdTokens: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
  /**
   * Of the next request: what was last reported, and what came since; measured where nothing was
   * reported.
   */
  readonly tokens: number
  /**
   * Whether `tokens` is an upper bound made of characters alone, until the first `prepare`,
   * `compress` or switch has loaded the vocabulary; never with `@precis/core/tokens/o200k`
   * imported.
   */
  readonly isEstimated: boolean
  /** Of them, system prompt and tool schemas. */
  readonly fixedTokens: number
  /** The threshold is reached, and no compression has succeeded since. */
  readonly needsCompression: boolean
  readonly isCompressing: boolean
  /** A compression was computed ahead and waits to be applied. */
  readonly isPrepared: boolean
  /** Counts every change of the history but appending: compressions, undo, switch. */
  readonly revision: number
  /** Failures of summarizers in a row. From three on no model is asked for a while. */
  readonly failures: number
  readonly isPaused: boolean
  /** Given, or pinned since; `listPins` has those of earlier summaries too. */
  readonly pins: readonly string[]
  /** How many compressions `undo` can take back. */
  readonly undoable: number
}

/**
 * Made by `snapshot`, read by `restoreContext`; what is in it may be other from version to version.
 */
export interface ContextSnapshot {
  readonly type: 'precis-context-1'
  /** Of the messages. */
  readonly format: RequestFormat
  readonly state: object
}

/**
 * The next request. `messages` is a list of its own: what the context gets later is not in it, and
 * nothing that is put into it is in the context.
 */
export interface PreparedRequest<Native extends object = object> {
  readonly model: string
  readonly messages: readonly Native[]
  /** Of the whole request, system prompt and tool schemas included, without the reserve. */
  readonly tokens: number
  readonly fits: boolean
  /** The item that is too large, when the request does not fit. */
  readonly refusal?: Refusal
  /** Present when this call compressed. */
  readonly compression?: ContextCompression
  readonly decision: Decision
}

export interface CompressNowOptions {
  /** Says what to keep above all: the words after `/compress`. */
  readonly instructions?: string
  /** By default the target of the context, or half of what there is when that is less. */
  readonly budgetTokens?: number
  readonly signal?: AbortSignal | undefined
  /** Called with the name of each step as it begins, and how many of its summaries are finished. */
  readonly onProgress?: (step: string, done?: number, total?: number) => void
}

/** The end of a compression. Failure is a value. */
export interface ContextCompression {
  readonly trigger: CompressionTrigger
  readonly outcome: ContextOutcome
  /** Undefined when nothing was tried. */
  readonly report: Report | undefined
  /**
   * As the report counts, where there is one; else of the next request, with what a provider
   * reported.
   */
  readonly tokensBefore: number
  readonly tokensAfter: number
}

export type CompressionTrigger = 'threshold' | 'manual' | 'model-switch' | 'overflow' | 'economy'

export type ContextOutcome =
  | Outcome
  /** A hook refused. */
  | { readonly type: 'vetoed'; readonly reason: string }
  /** An undo or a switch changed the history meanwhile. */
  | { readonly type: 'discarded' }
  | { readonly type: 'aborted' }
  /** A bug or a broken port; the history is untouched. */
  | { readonly type: 'failed'; readonly error: Error }

/**
 * A compression is `-planned`, `-started` when a strategy is really asked, and then one of
 * `-applied`, `-skipped`, `-failed`.
 */
export interface ContextEvents {
  readonly 'compression-planned': CompressionBeginning
  readonly 'compression-started': CompressionBeginning
  readonly 'compression-applied': CompressionEnd
  /** Nothing was done, for a reason that is no failure. */
  readonly 'compression-skipped': CompressionEnd
  readonly 'compression-failed': CompressionEnd
  /** Due, and left for later because of the cache. */
  readonly 'compression-deferred': { readonly decision: Decision }
  /** `tokens` are those of the next request, counted for the new model. */
  readonly 'model-switched': { readonly from: string; readonly to: string; readonly tokens: number }
}

export interface CompressionBeginning {
  /** Counts the compressions of a context; the same at beginning and end. */
  readonly id: number
  readonly trigger: CompressionTrigger
  /** Of the request as it is. */
  readonly tokens: number
  /** The most that may be left, and what is aimed at. */
  readonly budgetTokens: number
  readonly targetTokens: number
  /** Computed ahead, beside the requests. */
  readonly isAhead: boolean
}

export interface CompressionEnd extends CompressionBeginning {
  readonly compression: ContextCompression
}

/**
 * A hook that throws fails the compression. One that waits for `prepare` or `compress` of its own
 * context waits forever.
 */
export interface ContextHooks {
  /** May end a compression with a reason, or add to the instructions of its summaries. */
  readonly beforeCompression?: (beginning: CompressionBeginning) => HookAnswer | Promise<HookAnswer>
}

export type HookAnswer = undefined | { readonly veto: string } | { readonly instructions: string }

/** Tokens of one request, as the provider reported them. */
export interface Usage {
  /** All of the prompt, cached or not. */
  readonly inputTokens: number
  /** The answer, reasoning included. */
  readonly outputTokens: number
  /** Of the prompt, read from the provider's cache. */
  readonly cachedInputTokens?: number
  /** Of the prompt, written to it. */
  readonly cacheWriteTokens?: number
}

export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number
}

/** The messages that a compression takes out of a history; stored before it is applied. */
export interface ArchivedChange {
  readonly id: number
  /** The messages that are no longer there as they were, oldest first, and their native form. */
  readonly removed: readonly Message[]
  readonly natives: readonly object[]
}

/** Keeps removed messages. */
export interface Archive {
  /** Rejects when it could not be kept; the compression is then not applied. */
  store(change: ArchivedChange): Promise<void>
}

export interface SwitchOptions {
  /** Of the model to switch to, where the catalogue is to be overruled. */
  readonly windowTokens?: number
}

/** The effect that a switch to a model would have. */
export interface SwitchPreview {
  readonly from: string
  readonly to: string
  readonly verdict: SwitchVerdict
  /** Counted for the model to switch to. */
  readonly tokens: number
  readonly windowTokens: number
  /** Upper limit of the history there: 0.9 of the window. */
  readonly safeTokens: number
  /** Tokens left after clearing or the summary that the verdict names. */
  readonly tokensAfter: number
  readonly losses: readonly SwitchLoss[]
  /** The item that is too large, when the verdict is `cannot-fit`. */
  readonly refusal?: Refusal
}

export type SwitchVerdict =
  | 'same-model'
  | 'fits'
  | 'fits-after-clearing'
  | 'fits-after-summary'
  | 'cannot-fit'
  /** A compression runs. */
  | 'busy'

/** Something that the new model cannot use, or will not see word for word. */
export interface SwitchLoss {
  /**
   * `messages` are removed or summarized, `parts` is of messages that lose some of their content,
   * `request` of the last one.
   */
  readonly of: 'images' | 'reasoning' | 'cache' | 'messages' | 'parts' | 'request'
  /** Images, reasoning parts or messages; tokens of the cached prefix or of the last request. */
  readonly amount: number
  /** In words for the user. */
  readonly explanation: string
}

export type SwitchResult =
  | {
      readonly type: 'switched'
      readonly preview: SwitchPreview
      readonly compression?: ContextCompression
    }
  | { readonly type: 'unchanged' }
  | {
      readonly type: 'refused'
      readonly reason: 'busy' | 'cannot-fit' | 'aborted' | 'vetoed' | 'failed'
      readonly explanation: string
      readonly preview: SwitchPreview
    }
