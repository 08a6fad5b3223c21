/**
 * The live history of an agent. It grows message by message, and always fits before it is sent.
 *
 *   append ──► prepare ──► the provider ──► append the answer, recordUsage ──► append ──► …
 *                 │
 *                 └─ over the threshold: compress first. Messages appended meanwhile stay.
 */

import type { Message } from '../conversation/message.ts'
import type { RecallPath } from '../conversation/summary-message.ts'
import type { Ladder } from '../engine/ladder.ts'
import type { Refusal } from '../engine/refusal.ts'
import type { RequestFormat } from '../formats/index.ts'
import type { ContextWindow } from '../models/model.ts'
import type { Keep, Strategy } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type {
  CompressionBeginning,
  CompressionEnd,
  CompressNowOptions,
  ContextCompression,
  ContextHooks,
  ContextOutcome,
} from './compressions.ts'
import type { Decision } from './decision.ts'

/** Only the model has to be given. */
export interface ContextOptions<Native extends object = object> {
  /** Decides window, counter, prices and, unless `format` is given, the shape of the messages. */
  readonly model: string
  /**
   * The shape of the messages. By default the shape of the API of the model's provider, Chat
   * Completions for OpenAI.
   */
  readonly format?: RequestFormat
  /**
   * A history to continue, oldest first. Too large a one is compressed before its first request.
   */
  readonly messages?: readonly Native[]
  /**
   * The system prompt, if the format has it apart from the messages. It counts and is never edited.
   */
  readonly system?: unknown
  /** Schemas of tools as the API takes them: they count and are never edited. */
  readonly tools?: readonly object[]
  /**
   * Tokens of prompt and answer together. By default the window that the catalogue has for the
   * model.
   */
  readonly windowTokens?: number
  /**
   * Tokens kept free for the answer. By default the model's output limit, and at most 20% of the
   * window.
   */
  readonly reserveTokens?: number
  /**
   * What a long history may cost: `balanced` by default. `least` compresses early and to little,
   * `most-context` as late as the window allows. It decides `threshold` and `target`.
   */
  readonly spend?: Spend
  /**
   * Share of the window from which a request is compressed before it is sent. By default as `spend`
   * says, or as high as a given `target` needs, and at most 0.8.
   */
  readonly threshold?: number
  /**
   * Share of the window minus the reserve that a compression aims at. By default as `spend` says,
   * and less or more as `threshold` is.
   */
  readonly target?: number
  /**
   * Share of the window from which the next compression is computed ahead, in parallel with
   * requests. Off by default.
   */
  readonly prepareAhead?: number
  /**
   * Upper limit of messages and tool schemas as JSON in UTF-8. By default the limit of the model's
   * provider.
   */
  readonly budgetBytes?: number
  /**
   * Upper limit of images, including images in results of tools. By default the limit of the
   * model's provider.
   */
  readonly budgetImages?: number
  /** `auto` by default. */
  readonly strategy?: Strategy | Ladder
  /** `digest` by default. */
  readonly summarizer?: Summarizer
  /** How much stays verbatim at both ends. By default the strategy decides. */
  readonly keep?: { readonly head?: Keep; readonly tail?: Keep }
  /** Says what to keep above all, in every summary. */
  readonly instructions?: string
  /** Texts that are kept verbatim in every compression from the first on. */
  readonly pins?: readonly string[]
  /** Pins that summaries in `messages` carry and that end: no later compression keeps them. */
  readonly unpins?: readonly string[]
  /**
   * How the model looks up removed text, if the host gives it a tool. It is part of every summary.
   */
  readonly recall?: RecallPath
  /** @deprecated Compare it with `advise().breakEvenRequests`, and call `compress()`. */
  readonly expectedRequests?: number
  /** Also compresses below the threshold if that is expected to save money. Off by default. */
  readonly save?: boolean
  /**
   * How long the host asks the provider to cache requests. By default the shortest lifetime of the
   * provider.
   */
  readonly cacheLifetimeSeconds?: number
  /**
   * The clock for the lifetime of the provider's cache and the cooldown after failures. `Date` by
   * default.
   */
  readonly clock?: Clock
  /** Receives the messages that compressions remove. In memory by default. */
  readonly archive?: Archive
  /** Asked before a compression: may veto it or add to its instructions. */
  readonly hooks?: ContextHooks
}

export type Spend = 'least' | 'balanced' | 'most-context'

/** Made by `createContext`. `Native` is a message as the provider's API has it. */
export interface Context<Native extends object = object> {
  readonly state: ContextState
  /** The same as in `state`, without counting anything. */
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
   * The next request, compressed first if it is due. If nothing fits, it returns the request
   * unchanged with a refusal. Rejects only if aborted.
   */
  prepare(options?: { readonly signal?: AbortSignal | undefined }): Promise<PreparedRequest<Native>>
  /**
   * Records the usage that the provider reported for the newest request. It sets
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
   * Undoes the newest compression. Messages appended since stay. False if there is no compression,
   * or one is running.
   */
  undo(): boolean
  /**
   * Sends a prepared request. If it was too long, compresses it further and sends it a second time.
   * Rejects as `send` does.
   */
  send<Response>(
    send: (request: PreparedRequest<Native>) => Promise<Response>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Response>
  /** Keeps a text verbatim in every later compression. */
  pin(text: string): void
  /**
   * Removes a pin, whoever pinned it. Compressions that begin later do not keep it. False if there
   * is no such pin.
   */
  unpin(text: string): boolean
  /** All pins: given, pinned since, or carried by a summary of the history. */
  listPins(): readonly string[]
  /** Whether compressing now would save money, and why. */
  advise(): Decision
  /**
   * The whole state as one value that can be JSON. `restoreContext` continues from it. It does not
   * contain a running compression. Throws `TypeError` if a message contains values that JSON cannot
   * represent, such as bytes.
   */
  snapshot(): ContextSnapshot
  /**
   * Calls `listener` at every such event, and returns the function that removes it. Errors of a
   * listener are dropped.
   */
  on<Name extends keyof ContextEvents>(
    name: Name,
    listener: (event: ContextEvents[Name]) => void,
  ): () => void
}

/** A snapshot. Tokens are upper bounds if the tokenizer is only estimated. */
export interface ContextState extends ContextWindow {
  readonly model: string
  /** False when the catalogue does not know the model and conservative defaults stand in. */
  readonly modelKnown: boolean
  /** From here on, a request is compressed first. */
  readonly thresholdTokens: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
  /**
   * Tokens of the next request: the last reported usage plus later messages. If nothing was
   * reported, it is measured.
   */
  readonly tokens: number
  /**
   * Whether `tokens` is an upper bound by characters only. It is until the first `prepare`,
   * `compress` or switch has loaded the vocabulary, and never with `@precis/core/tokens/o200k`
   * imported.
   */
  readonly isEstimated: boolean
  /** The part of `tokens` for system prompt and tool schemas. */
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
  /**
   * Pins of the options, and pins added since. `listPins` also returns pins of earlier summaries.
   */
  readonly pins: readonly string[]
  /** How many compressions `undo` can take back. */
  readonly undoable: number
}

/** Made by `snapshot` and read by `restoreContext`. Its content may differ between versions. */
export interface ContextSnapshot {
  readonly type: 'precis-context-1'
  /** The format of the messages. */
  readonly format: RequestFormat
  readonly state: object
}

/**
 * The next request. `messages` is a list of its own: what the context gets later is not in it, and
 * nothing that is put into it is in the context. `refusal` names the item that is too large, when
 * the request does not fit.
 */
export type PreparedRequest<Native extends object = object> = {
  readonly model: string
  readonly messages: readonly Native[]
  /** Tokens of the whole request, including system prompt and tool schemas, without the reserve. */
  readonly tokens: number
  /** Present when this call compressed. */
  readonly compression?: ContextCompression
  readonly decision: Decision
} & (
  | { readonly fits: true; readonly refusal?: undefined }
  | { readonly fits: false; readonly refusal: Refusal }
)

/** Tokens of one request, as the provider reported them. */
export interface Usage {
  /** All of the prompt, cached or not. */
  readonly inputTokens: number
  /** The answer, reasoning included. */
  readonly outputTokens: number
  /** Of the answer: reasoning that is not sent again if the answer in the history has none. */
  readonly reasoningTokens?: number
  /** Prompt tokens read from the provider's cache. */
  readonly cachedInputTokens?: number
  /** Prompt tokens written to the provider's cache. */
  readonly cacheWriteTokens?: number
  /** A compaction on the server, in no other number. */
  readonly compaction?: Usage
  /**
   * The last of several requests that the provider made of one, for tools that it runs. The other
   * numbers are their sum, and the next request continues the last.
   */
  readonly last?: Usage
}

export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number
}

/** The messages that a compression removes from a history. They are stored before it is applied. */
export interface ArchivedChange {
  readonly id: number
  /** The messages that are no longer there as they were, oldest first, and their native form. */
  readonly removed: readonly Message[]
  readonly natives: readonly object[]
}

/** Keeps removed messages. */
export interface Archive {
  /** Rejects if it could not be stored. The compression is then not applied. */
  store(change: ArchivedChange): Promise<void>
}

export interface SwitchOptions {
  /** The window of the new model, if it differs from the catalogue. */
  readonly windowTokens?: number
}

/** The effect that a switch to a model would have. */
export type SwitchPreview = SwitchSizes &
  (
    | {
        readonly verdict: Exclude<SwitchVerdict, 'cannot-fit'>
        readonly refusal?: undefined
      }
    /** The item that is too large. */
    | { readonly verdict: 'cannot-fit'; readonly refusal: Refusal }
  )

export interface SwitchSizes extends ContextWindow {
  readonly from: string
  readonly to: string
  /** Counted for the model to switch to. */
  readonly tokens: number
  /** Upper limit of the history there: 0.9 of the window. */
  readonly safeTokens: number
  /** Tokens left after clearing or the summary that the verdict names. */
  readonly tokensAfter: number
  readonly losses: readonly SwitchLoss[]
}

export type SwitchVerdict =
  | 'same-model'
  | 'fits'
  | 'fits-after-clearing'
  | 'fits-after-summary'
  | 'cannot-fit'
  /** A compression runs. */
  | 'busy'

/** Something that the new model cannot use, or will not see verbatim. */
export interface SwitchLoss {
  /**
   * `messages` are removed or summarized, `parts` is of messages that lose some of their content,
   * `request` of the last one.
   */
  readonly of: 'images' | 'reasoning' | 'cache' | 'messages' | 'parts' | 'request'
  /** Images, reasoning parts or messages. Tokens for the cached prefix or the last request. */
  readonly amount: number
  /** In words for the user. */
  readonly explanation: string
}

export interface SwitchResult {
  readonly outcome: SwitchOutcome
  /** The outcome in words for the user. */
  readonly explanation: string
  readonly preview: SwitchPreview
  /** Present when the switch compressed. */
  readonly compression?: ContextCompression
}

/** In the words of a compression. Only `switched` changes anything. */
export type SwitchOutcome =
  | { readonly type: 'switched' }
  /** The model is in use, with this window. */
  | { readonly type: 'unchanged'; readonly reason: 'same-model' }
  /** A compression runs. */
  | { readonly type: 'busy' }
  | Extract<ContextOutcome, { readonly type: 'cannot-fit' | 'vetoed' | 'aborted' | 'failed' }>

/**
 * A compression is `-planned`, then `-started` when a strategy is really asked, and then
 * `-applied`, `-skipped` or `-failed`.
 */
export interface ContextEvents {
  readonly 'compression-planned': CompressionBeginning
  readonly 'compression-started': CompressionBeginning
  readonly 'compression-applied': CompressionEnd
  /** Nothing was done, for a reason that is not a failure. */
  readonly 'compression-skipped': CompressionEnd
  readonly 'compression-failed': CompressionEnd
  /** Due, and left for later because of the cache. */
  readonly 'compression-deferred': { readonly decision: Decision }
  /** `tokens` are those of the next request, counted for the new model. */
  readonly 'model-switched': { readonly from: string; readonly to: string; readonly tokens: number }
}
