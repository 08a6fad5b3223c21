/**
 * The live history of an agent: it grows message by message, and always fits before it is sent.
 *
 *   append ──► prepare ──► the provider ──► append the answer, recordUsage ──► append ──► …
 *                 │
 *                 └─ over the threshold: compress first. What is appended meanwhile stays.
 */
import type { RecallPath } from '../conversation/recall-path.ts'
import type { Ladder } from '../engine/ladder.ts'
import type { Refusal } from '../engine/report.ts'
import type { Keep, Strategy } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { Archive } from './archive.ts'
import type { Clock } from './clock.ts'
import type { ContextCompression } from './context-compression.ts'
import type { ContextEvents } from './context-events.ts'
import type { ContextHooks } from './context-hooks.ts'
import type { Decision } from './decision.ts'
import type { RequestFormat } from './request-format.ts'
import type { SwitchOptions, SwitchPreview, SwitchResult } from './switch.ts'
import type { Usage } from './usage.ts'

/** Only the model has to be given. */
export interface ContextOptions<Native extends object = object> {
  /** Decides window, counter, prices and, unless `format` is given, the shape of the messages. */
  readonly model: string
  /** The shape of the messages; by default that of the API of the model's provider, Chat Completions for OpenAI. */
  readonly format?: RequestFormat
  /** A history to go on with, oldest first. Too large a one is compressed before its first request. */
  readonly messages?: readonly Native[]
  /** The system prompt, where the format has it apart from the messages, and tool schemas: they count and are never edited. */
  readonly system?: unknown
  readonly tools?: readonly object[]
  /** Prompt and answer together; by default what the catalogue knows of the model. */
  readonly windowTokens?: number
  /** Kept free for the answer; by default what the model can answer at most, and at most a fifth of the window. */
  readonly reserveTokens?: number
  /** Share of the window from which on a request is compressed before it is sent; 0.8 by default. */
  readonly threshold?: number
  /** Share of the window less the reserve that a compression aims at; 0.5 by default. */
  readonly target?: number
  /** Share of the window from which on the next compression is computed ahead, beside the requests; off by default. */
  readonly prepareAhead?: number
  /** Upper limit of messages and tool schemas as JSON in UTF-8; none by default, as for images. */
  readonly budgetBytes?: number
  readonly budgetImages?: number
  /** `auto` by default. */
  readonly strategy?: Strategy | Ladder
  /** `digest` by default. */
  readonly summarizer?: Summarizer
  readonly keep?: { readonly head?: Keep; readonly tail?: Keep }
  /** What the person wants kept above all, in every summary. */
  readonly instructions?: string
  /** What stands verbatim in every compression from the first on. */
  readonly pins?: readonly string[]
  /** How the model looks up what was removed, where the host gives it a tool for that: said in every compression. */
  readonly recall?: RecallPath
  /** How many more requests the host expects. With it, a compression below the threshold is made as soon as it pays. */
  readonly expectedRequests?: number
  /** How long the host asks the provider to keep what it sends; by default the shortest that the provider has. */
  readonly cacheLifetimeSeconds?: number
  /** For the lifetime of the provider's cache and pauses after failures; `Date` by default. */
  readonly clock?: Clock
  /** Takes what compressions remove; in memory by default. */
  readonly archive?: Archive
  readonly hooks?: ContextHooks
}

/** Made by `createContext`. `Native` is a message as the provider's API has it. */
export interface Context<Native extends object = object> {
  readonly state: ContextState
  /** The history as it would be sent now. A new list after every change, the same one in between. */
  readonly messages: readonly Native[]
  /** Messages go behind all others, also while a compression runs. Throws `FormatError` for what the format does not know. */
  append(...messages: readonly Native[]): void
  /**
   * The next request, compressed first when that is due. Waits for a compression that runs. Rejects only when aborted:
   * what cannot be made to fit comes back as it is, with the refusal.
   */
  prepare(options?: { readonly signal?: AbortSignal }): Promise<PreparedRequest<Native>>
  /** What the provider said of the newest request; it sets `state.needsCompression`. */
  recordUsage(usage: Usage): void
  /** Asked for by a person: ignores threshold and pause. A second one while the first runs joins it. */
  compress(options?: CompressNowOptions): Promise<ContextCompression>
  /** What a switch would do. Changes nothing, and asks no model. */
  previewSwitch(model: string, options?: SwitchOptions): Promise<SwitchPreview>
  /** All or nothing: refused, it leaves model, settings and history as they were. */
  switchModel(model: string, options?: SwitchOptions & { readonly signal?: AbortSignal }): Promise<SwitchResult>
  /** Takes back the newest compression; what was appended since stays behind. False when there is none, or one runs. */
  undo(): boolean
  /**
   * Sends a prepared request. When the provider answers that it is too long, compresses further and sends once more.
   * Rejects with what `send` rejects with.
   */
  send<Response>(
    send: (request: PreparedRequest<Native>) => Promise<Response>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Response>
  /** What stands verbatim in every later compression. */
  pin(text: string): void
  /** Whether compressing now would pay, and why. */
  advise(): Decision
  /** Calls `listener` at every such event; gives the function that ends it. What a listener throws reaches nobody else. */
  on<Name extends keyof ContextEvents>(name: Name, listener: (event: ContextEvents[Name]) => void): () => void
}

/** A snapshot. Tokens are upper bounds where the tokenizer is only estimated. */
export interface ContextState {
  readonly model: string
  readonly windowTokens: number
  /** From here on a request is compressed first. */
  readonly thresholdTokens: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
  /** Of the next request: what was last reported, and what came since; measured where nothing was reported. */
  readonly tokens: number
  /** Of them, system prompt and tool schemas. */
  readonly fixedTokens: number
  /** The threshold is reached, and no compression has succeeded since. */
  readonly needsCompression: boolean
  readonly isCompressing: boolean
  /** A compression was computed ahead and waits to be applied. */
  readonly isPrepared: boolean
  /** Counts every change of the history but appending: compressions, undo, switch. */
  readonly revision: number
  /** Failures of summarizers in a row. From three on models pause. */
  readonly failures: number
  readonly isPaused: boolean
  readonly pins: readonly string[]
  /** How many compressions `undo` can take back. */
  readonly undoable: number
}

/** What to send. `messages` stay as they are when the context goes on. */
export interface PreparedRequest<Native extends object = object> {
  readonly model: string
  readonly messages: Native[]
  /** Of the whole request, system prompt and tool schemas included, without the reserve. */
  readonly tokens: number
  readonly fits: boolean
  /** What is too large, when it does not fit. */
  readonly refusal?: Refusal
  /** Present when this call compressed. */
  readonly compression?: ContextCompression
  readonly decision: Decision
}

export interface CompressNowOptions {
  /** What to keep above all: the words behind `/compress`. */
  readonly instructions?: string
  /** By default the target of the context, or half of what there is when that is less. */
  readonly budgetTokens?: number
  readonly signal?: AbortSignal
  /** Told the name of each step as it begins, and how many of its summaries are finished. */
  readonly onProgress?: (step: string, done?: number, total?: number) => void
}
