/**
 * A chat without a screen: one user, one model, tools for one folder, and a context that always
 * fits.
 *
 *   openChat ──► send ──► text, tool calls, results … done ──► send ──► … ──► close
 *                 └─ every message is in the history file before the next step begins
 */

import type { Context, ContextCompression, ContextOptions, SwitchResult, Usage } from '@precis/core'
import type { ContextWindow } from '@precis/core/models'
import type { ModelMessage } from 'ai'
import type { ChatPorts, Damage, ListedSession, RetryCount } from './ports.ts'

/** Made by `openChat`. */
export interface ChatAgent {
  /**
   * Its `compress`, `pin`, `unpin` and `undo` are written to the history. A switch has to go
   * through `switchModel` below.
   */
  readonly context: Context<ModelMessage>
  /** `provider/model`. */
  readonly model: string
  /** The chat or session that this one continues. */
  readonly resumed: ResumedChat | undefined
  /** Undefined if the history cannot be written. The chat continues without one. */
  readonly historyFile: string | undefined
  /** Sums over all requests of the chat, those before it was resumed included. */
  readonly spent: Spent
  /**
   * One request of the user, until the model has finished. Never rejects: a failure becomes an
   * `error` event, and `done` is always last. If it is aborted, or the loop is left, the history
   * keeps what was said. An empty text, or the unanswered words again, continues after an error.
   * Only one request at a time.
   */
  send(text: string, options: { readonly signal: AbortSignal }): AsyncIterable<ChatEvent>
  /**
   * How the chat is compressed, as `/strategy`, `/summarizer`, `/spend`, `/threshold` and `/keep` show it.
   */
  readonly settings: SettingTexts
  /**
   * Changes a setting and writes it to the history. Undefined returns to the flag or the
   * configuration. Rejects with an error that has a code.
   */
  changeSetting(name: SettingName, text: string | undefined): Promise<void>
  /** Notices for the user before the first request. */
  readonly notices: readonly string[]
  /** Models that this chat can switch to, beginning with those of the present provider. */
  listModels(): readonly ChatModel[]
  /**
   * Any `provider/model`, even if it is not listed. Throws an error with a code for a model that
   * cannot be reached. Sends nothing.
   */
  findModel(name: string): ChatModel
  /**
   * Accepts the same names as `findModel`. Rejects with an error that has a code for a model that
   * cannot be reached.
   */
  switchModel(name: string, options: { readonly signal: AbortSignal }): Promise<SwitchResult>
  /** Names for `/strategy`. */
  readonly strategies: readonly string[]
  /**
   * What else can be continued: chats of this folder, then sessions of agents, each latest first.
   */
  listResumable(): readonly ResumableSession[]
  /** Searches text that compressions of this chat removed, best match first. */
  recall(query: string): readonly RecalledMessage[]
  /** Ends everything that runs. The history file is complete before. */
  close(): Promise<void>
}

export type ChatEvent =
  | { readonly type: 'text' | 'reasoning'; readonly delta: string }
  | {
      readonly type: 'tool-call'
      readonly callId: string
      readonly name: string
      readonly input: unknown
    }
  /** The output is as the model gets it. It is not safe for a terminal. */
  | ({ readonly type: 'tool-result'; readonly callId: string; readonly name: string } & ToolResult)
  /**
   * An automatic compression, before a request or after the provider refused a request as too long.
   * A paused summarizer is the model that should have written the summary. It was not asked,
   * because it failed several times in a row.
   */
  | {
      readonly type: 'compression'
      readonly compression: ContextCompression
      readonly pausedSummarizer?: string
    }
  /**
   * One request to the model. One message of the user may take several requests. The usage is
   * undefined if the server reported none, as for an answer that was cancelled.
   */
  | {
      readonly type: 'usage'
      readonly model: string
      readonly usage?: Usage
      readonly dollars?: number
    }
  /** A request is repeated after a pause. Discard what it had streamed. */
  | ({ readonly type: 'retry'; readonly message: string } & RetryCount)
  /** The chat continues, and the history keeps what the user said. */
  | { readonly type: 'error'; readonly message: string; readonly hint?: string }
  | { readonly type: 'done'; readonly isInterrupted: boolean }

export interface ToolResult {
  readonly output: string
  readonly isError: boolean
}

export const SETTING_NAMES = ['strategy', 'summarizer', 'spend', 'threshold', 'keep'] as const

export type SettingName = (typeof SETTING_NAMES)[number]

/** As a user types them. */
export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>

export interface ChatModel extends ContextWindow {
  /** `provider/model`. */
  readonly name: string
  /** False if the catalog does not contain the model, and no setting gives its window. */
  readonly isKnown: boolean
  /** In US dollars. Undefined if the catalog has no prices. */
  readonly pricesPerMillionTokens: { readonly input: number; readonly output: number } | undefined
}

/** A message, or a part of one, that a compression removed. */
export interface RecalledMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Counted from 1 over all messages of the chat. */
  readonly position: number
  /** Around the first match, on one line. */
  readonly excerpt: string
  readonly text: string
}

export interface ResumedChat {
  /** `chat` for a chat of precis, else the format of the session. */
  readonly from: string
  readonly id: string
  readonly messages: number
  /** Tool calls that had no result. They were answered. */
  readonly repairedCalls: number
  readonly damage: Damage
}

/** A chat, or a session of a coding agent. */
export interface ResumableSession extends Omit<ListedSession, 'agent'> {
  /** `chat`, `demo` or the agent. */
  readonly of: string
}

/** In US dollars, at list prices. */
export interface Spent {
  readonly requests: number
  /** Undefined if any request had no price. */
  readonly dollars: number | undefined
  /** One for each purpose and model, in the order of first use. */
  readonly rows: readonly SpentRow[]
}

export interface SpentRow
  extends Required<Omit<Usage, 'compaction' | 'last' | 'reasoningTokens'>>,
    Omit<Spent, 'rows'> {
  /** `summary`: a model wrote the summary of a compression. */
  readonly purpose: 'answer' | 'summary'
  readonly model: string
  /** Requests that reported no usage. The tokens and dollars do not contain them. */
  readonly unreported: number
}

/**
 * `spend`, `threshold`, `keep` and the window override the configuration. A threshold above 1 is in
 * tokens.
 */
export interface ChatOptions
  extends Pick<ContextOptions, 'keep' | 'spend' | 'threshold' | 'windowTokens'> {
  /**
   * `provider/model`. By default the configured model, or a model of the first provider with a key.
   */
  readonly model?: string
  readonly isDemo: boolean
  /**
   * True: the latest chat of the folder. Text: a chat or a session of an agent, by id, by the
   * beginning of an id, or by path.
   */
  readonly resume?: true | string
  readonly workingDirectory: string
  /** Names, as in the flags. They override the configuration. */
  readonly strategy?: string
  readonly summarizer?: string
  readonly ports: ChatPorts
}

export type ChatErrorCode =
  | 'no-such-session'
  | 'ambiguous-session'
  | 'unreadable'
  | 'unwritable'
  | 'invalid-configuration'
  | 'unknown-model'
  | 'missing-key'

/**
 * A chat that cannot be opened as requested. The message names the action, what was found and what
 * to do.
 */
export class ChatError extends Error {
  override readonly name = 'ChatError'
  readonly code: ChatErrorCode
  constructor(code: ChatErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** `in-use`, `ENOENT`: the value of `code`. Undefined for an unexpected error. */
export function readErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
