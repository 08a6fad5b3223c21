/**
 * A chat without a screen: one person, one model, tools on one folder, and a context that always fits.
 *
 *   openChat ──► send ──► text, tool calls, results … done ──► send ──► … ──► close
 *                 └─ every message is in the history file before the next step begins
 */

import type { Context, ContextCompression, SwitchResult, Usage } from '@precis/core'
import type { ModelMessage } from 'ai'
import type { Configuration, KeptEnds } from '../configuration/configuration.ts'
import type { Damage } from '../sessions/load-session.ts'
import type { Clock } from '../summarizers/clock.ts'

/** Made by `openChat`. */
export interface ChatAgent {
  /** Its `compress`, `pin` and `undo` are written to the history; a switch has to go through `switchModel` below. */
  readonly context: Context<ModelMessage>
  /** `provider/model`. */
  readonly model: string
  /** What this chat goes on from. */
  readonly resumed: ResumedChat | undefined
  /** Undefined when the disk takes no history; the chat goes on without one. */
  readonly historyFile: string | undefined
  /** Sums since the chat was opened, those of summaries included. */
  readonly spent: Spent
  /**
   * One request of the person, until the model is done. Never rejects: what fails becomes an `error` event, and `done` is
   * the last one always. Aborting, or leaving the loop, keeps what was said. An empty text, or the words that got no answer, go
   * on where an error ended it. One at a time.
   */
  send(text: string, options: { readonly signal: AbortSignal }): AsyncIterable<ChatEvent>
  /** How the chat is compressed, as `/strategy`, `/summarizer`, `/threshold` and `/keep` show it. */
  readonly settings: SettingTexts
  /** Changes a setting and writes it to the history; undefined goes back to the flag or the configuration. Throws `ConfigurationError`. */
  changeSetting(name: SettingName, text: string | undefined): Promise<void>
  /** Notices for the user before the first request. */
  readonly notices: readonly string[]
  /** Models this chat can go to, those of the current provider first. */
  listModels(): readonly ChatModel[]
  /** Any `provider/model`, listed or not. Throws `ConfigurationError` for one that cannot be reached; sends nothing. */
  findModel(name: string): ChatModel
  /** Takes what `findModel` finds. Throws `ConfigurationError` for one that cannot be reached. */
  switchModel(name: string, options: { readonly signal: AbortSignal }): Promise<SwitchResult>
  /** Searches what compressions of this chat removed, best match first. */
  recall(query: string): readonly RecalledMessage[]
  /** Ends what runs. The history file is complete before. */
  close(): Promise<void>
}

export type ChatEvent =
  | { readonly type: 'text' | 'reasoning'; readonly delta: string }
  | { readonly type: 'tool-call'; readonly callId: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool-result'
      readonly callId: string
      readonly name: string
      /** What the model is given; not cleaned for a terminal. */
      readonly output: string
      readonly isError: boolean
    }
  /** Made without being asked, before a request or after the provider refused one as too long. */
  | {
      readonly type: 'compression'
      readonly compression: ContextCompression
      /** The model that was not asked for the summary, because it failed several times in a row. */
      readonly pausedSummarizer?: string
    }
  /** Of one request to the model; a message of the person may take several. */
  | { readonly type: 'usage'; readonly usage: Usage; readonly dollars?: number }
  /** A request is tried again after a pause. What it had streamed until then is void. */
  | {
      readonly type: 'retry'
      readonly message: string
      /** Until the next attempt. */
      readonly delayMs: number
      /** The number of the next attempt, and of the last one. */
      readonly attempt: number
      readonly attempts: number
    }
  /** The chat goes on: what the person said stays in the history. */
  | { readonly type: 'error'; readonly message: string; readonly hint?: string }
  | { readonly type: 'done'; readonly isInterrupted: boolean }

/** Asked before each write and each shell command. False, or a rejection, and the model is told that the person said no. */
export type Confirm = (question: ConfirmQuestion, signal: AbortSignal) => Promise<boolean>

export interface ConfirmQuestion {
  readonly tool: string
  /** One line: the path, or the command. */
  readonly what: string
  /** Several lines: a diff with `+` and `-`, or where a command runs. */
  readonly detail: string
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

export interface Spent {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly requests: number
  /** Undefined as soon as one request had no price. */
  readonly dollars: number | undefined
}

export interface ChatOptions {
  /** `provider/model`; by default that of the configuration, or a model of the first provider whose key is there. */
  readonly model?: string
  readonly isDemo: boolean
  /** True: the newest chat of the folder. Text: a chat or a session of an agent, by id, its beginning, or path. */
  readonly resume?: true | string
  readonly allowWrite: boolean
  readonly allowShell: boolean
  readonly confirm: Confirm
  readonly workingDirectory: string
  readonly windowTokens?: number
  /** Names, as the flags have them; they go before the configuration. */
  readonly strategy?: string
  readonly summarizer?: string
  readonly threshold?: number
  readonly keep?: KeptEnds
  readonly configuration: Configuration
  readonly host?: ChatHost
}

/** What tests put in the place of the world. */
export interface ChatHost {
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Where chats are kept; the user's data folder by default. */
  readonly chatsFolder?: string
  readonly answersFolder?: string
  readonly wait?: Clock['wait']
}
