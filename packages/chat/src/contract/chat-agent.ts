/**
 * A chat without a screen: one user, one model, tools on one folder, and a context that always
 * fits.
 *
 *   openChat ──► send ──► text, tool calls, results … done ──► send ──► … ──► close
 *                 └─ every message is in the history file before the next step begins
 */

import type { Context, ContextCompression, ContextOptions, SwitchResult, Usage } from '@precis/core'
import type { ModelMessage } from 'ai'
import type { ChatPorts, Damage, ListedSession, RetryCount } from './ports.ts'

/** Made by `openChat`. */
export interface ChatAgent {
  /**
   * Its `compress`, `pin`, `unpin` and `undo` are written to the history; a switch has to go
   * through `switchModel` below.
   */
  readonly context: Context<ModelMessage>
  /** `provider/model`. */
  readonly model: string
  /** The chat or session that this one continues. */
  readonly resumed: ResumedChat | undefined
  /** Undefined when the disk takes no history; the chat continues without one. */
  readonly historyFile: string | undefined
  /** Sums since the chat was opened, those of summaries included. */
  readonly spent: Spent
  /**
   * One request of the user, until the model is done. Never rejects: what fails becomes an `error`
   * event, and `done` is the last one always. Aborting, or leaving the loop, keeps what was said.
   * An empty text, or the words that got no answer, go on where an error ended it. One at a time.
   */
  send(text: string, options: { readonly signal: AbortSignal }): AsyncIterable<ChatEvent>
  /**
   * How the chat is compressed, as `/strategy`, `/summarizer`, `/threshold` and `/keep` show it.
   */
  readonly settings: SettingTexts
  /**
   * Changes a setting and writes it to the history; undefined goes back to the flag or the
   * configuration. Rejects with an error that has a code.
   */
  changeSetting(name: SettingName, text: string | undefined): Promise<void>
  /** Notices for the user before the first request. */
  readonly notices: readonly string[]
  /** Models this chat can go to, those of the current provider first. */
  listModels(): readonly ChatModel[]
  /**
   * Any `provider/model`, listed or not. Throws an error with a code for one that cannot be
   * reached; sends nothing.
   */
  findModel(name: string): ChatModel
  /** Takes what `findModel` finds. Throws an error with a code for one that cannot be reached. */
  switchModel(name: string, options: { readonly signal: AbortSignal }): Promise<SwitchResult>
  /** Names that `/strategy` takes. */
  readonly strategies: readonly string[]
  /** Others to continue: chats of this folder, then sessions of agents, each newest first. */
  listResumable(): readonly ResumableSession[]
  /** Searches what compressions of this chat removed, best match first. */
  recall(query: string): readonly RecalledMessage[]
  /** Ends what runs. The history file is complete before. */
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
  /** The output is as the model gets it; not cleaned for a terminal. */
  | ({ readonly type: 'tool-result'; readonly callId: string; readonly name: string } & ToolResult)
  /**
   * Made without being asked, before a request or after the provider refused one as too long. A
   * paused summarizer is the model that was not asked for the summary, because it failed several
   * times in a row.
   */
  | {
      readonly type: 'compression'
      readonly compression: ContextCompression
      readonly pausedSummarizer?: string
    }
  /** Of one request to the model; a message of the user may take several. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly dollars?: number }
  /** A request is tried again after a pause. What it had streamed until then is void. */
  | ({ readonly type: 'retry'; readonly message: string } & RetryCount)
  /** The chat continues: what the user said stays in the history. */
  | { readonly type: 'error'; readonly message: string; readonly hint?: string }
  | { readonly type: 'done'; readonly isInterrupted: boolean }

export interface ToolResult {
  readonly output: string
  readonly isError: boolean
}

export const SETTING_NAMES = ['strategy', 'summarizer', 'threshold', 'keep'] as const

export type SettingName = (typeof SETTING_NAMES)[number]

/** As a user types them. */
export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>

export interface ChatModel {
  /** `provider/model`. */
  readonly name: string
  readonly windowTokens: number
  /** False when the catalogue has no such model, and no setting says its window. */
  readonly isKnown: boolean
  /** In US dollars; undefined where the catalogue has none. */
  readonly pricesPerMillionTokens: { readonly input: number; readonly output: number } | undefined
}

/** A message, or a part of one, that a compression took out. */
export interface RecalledMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Counted from 1 over all messages of the chat. */
  readonly position: number
  /** Around the first match, on one line. */
  readonly excerpt: string
  readonly text: string
}

export interface ResumedChat {
  /** `chat` for one of precis, else the format of the session. */
  readonly from: string
  readonly id: string
  readonly messages: number
  /** Tool calls that had no result; they were answered. */
  readonly repairedCalls: number
  readonly damage: Damage
}

/** A chat, or a session of a coding agent. */
export interface ResumableSession extends Omit<ListedSession, 'agent'> {
  /** `chat`, `demo` or the agent. */
  readonly of: string
  /** The shortest beginning of the id that names it alone. */
  readonly shortId: string
}

export interface Spent {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly requests: number
  /** Undefined as soon as one request had no price. */
  readonly dollars: number | undefined
}

/** `threshold`, `keep` and the window go before the configuration. */
export interface ChatOptions extends Pick<ContextOptions, 'keep' | 'threshold' | 'windowTokens'> {
  /**
   * `provider/model`; by default that of the configuration, or a model of the first provider whose
   * key is there.
   */
  readonly model?: string
  readonly isDemo: boolean
  /**
   * True: the newest chat of the folder. Text: a chat or a session of an agent, by id, its
   * beginning, or path.
   */
  readonly resume?: true | string
  readonly workingDirectory: string
  /** Names, as the flags have them; they go before the configuration. */
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
 * A chat that cannot be opened as it was asked for. The message says what was being done, what was
 * found and what to do.
 */
export class ChatError extends Error {
  override readonly name = 'ChatError'
  readonly code: ChatErrorCode
  constructor(code: ChatErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** `in-use`, `ENOENT`: whatever is under `code`. Undefined for an unexpected error. */
export function readErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
