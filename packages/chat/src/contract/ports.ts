/** Everything that `precis chat` passes in. Otherwise the chat only knows core. */
import type { ContextOptions, Inspection, Ladder, Report, Strategy, Summarizer } from '@precis/core'
import type { Spend } from '@precis/core/context'
import type { Protocol } from '@precis/core/conversation'
import type { ByteSource } from '@precis/core/formats'
import type { GenerationFailure } from '@precis/core/summarizers'
import type { LanguageModel, ModelMessage, streamText } from 'ai'

export interface ChatPorts {
  readonly configuration: ChatConfiguration
  readonly settings: SettingPort
  readonly models: ModelPort
  readonly sessions: SessionPort
  readonly files: FilePort
  readonly terminal: TerminalPort
  readonly clock: Clock
  readonly environment: Environment
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Time and randomness, which tests replace. */
export interface Clock {
  /** Rejects immediately when aborted, and then leaves no timer. */
  readonly wait: (delayMs: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  random(): number
}

/** Settings that apply unless a flag overrides them. Settings under `chat` override the others. */
export interface ChatConfiguration extends Pick<ContextOptions, 'keep' | 'spend' | 'threshold'> {
  readonly strategy?: string
  readonly summarizer: Address & { readonly name: string }
  readonly chat?: Address &
    Pick<ContextOptions, 'windowTokens'> & {
      readonly model?: string
      readonly strategy?: string
      readonly summarizer?: string
    }
}

/** How to reach a provider, if not in the usual way. */
export interface Address {
  readonly baseUrl?: string
  readonly keyFile?: string
}

/** How much stays verbatim at the start and at the end. */
type KeptEnds = NonNullable<ContextOptions['keep']>

/** Settings as people type them. */
export interface SettingPort {
  readonly strategies: Readonly<Record<string, Strategy | Ladder>>
  readonly spend: TextSetting<Spend>
  readonly threshold: TextSetting<number>
  readonly keep: TextSetting<KeptEnds>
  /** `digest` or `provider/model`. Rejects with an error that has a code. */
  readonly createSummarizer: (name: string) => Promise<Summarizer>
}

export interface TextSetting<Value> {
  /** Undefined for text that cannot be read. */
  readonly read: (text: string) => Value | undefined
  /** Returns a text that `read` can read. */
  readonly render: (value: Value) => string
  /** A sentence with the allowed values. */
  readonly help: string
}

export interface ModelPort {
  /** By the first part of a model's name. */
  readonly providers: Readonly<Record<string, Provider>>
  /** Undefined if it names no provider, or no model of a provider. */
  readonly parseName: (name: string) => ModelName | undefined
  /**
   * Sends nothing. Throws an error that has a code for a missing key, and for an invalid address.
   */
  readonly reach: (name: ModelName, given: Address) => ReachedModel
  /** Explains an error of a provider's package to the user. The text does not contain the key. */
  readonly explain: (error: Error, key: string) => Promise<CallError>
  readonly CallError: new (failure: GenerationFailure, retry: CallError['retry']) => CallError
  /**
   * Repeats a call that threw a `CallError` while a retry may help. `onRetry` is called before each
   * pause.
   */
  readonly retry: <Answer>(
    attempt: () => Promise<Answer>,
    options: { readonly signal: AbortSignal; readonly onRetry: (retry: Retry) => void },
  ) => Promise<Answer>
  /** No model takes longer before its first word. */
  readonly longestTimeoutMs: number
}

/** A model as a user names it: `provider/model`. The model may contain slashes itself. */
export interface ModelName {
  readonly provider: string
  readonly model: string
}

export type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>

export interface Provider {
  /** The environment variable that holds the key. */
  readonly keyVariable: string
  readonly needsKey: boolean
  readonly chatOptions: ProviderOptions
}

export interface ReachedModel {
  /** Empty if no key is needed. */
  readonly key: string
  /** Loads the package of the provider at the first call. */
  readonly load: () => Promise<LanguageModel>
}

/** A call without an answer, and whether a retry may help. */
export interface CallError extends Error {
  readonly failure: GenerationFailure
  /**
   * `limited`, `busy`: retry after a pause. `slow`: retry immediately, with more time. `never`: the
   * same call would fail again.
   */
  readonly retry: 'limited' | 'busy' | 'slow' | 'never'
}

export interface Retry extends RetryCount {
  readonly error: CallError
}

export interface RetryCount {
  /** Until the next attempt. */
  readonly delayMs: number
  /** The number of the next attempt, and of the last one. */
  readonly attempt: number
  readonly attempts: number
}

/** Sessions of the coding agents on this machine. */
interface SessionPort {
  /** Latest first. Reads the beginning of each. */
  readonly list: (most: number) => readonly ListedSession[]
  /** By id, by the beginning of an id, or by path. Rejects with an error that has a code. */
  readonly open: (name: string) => Promise<OpenSession>
}

export interface ListedSession {
  readonly agent: string
  readonly id: string
  /** The beginning of its id that no other session of this machine has. */
  readonly shortId: string
  readonly path: string
  readonly modified: Date
  readonly workingDirectory: string | undefined
  readonly firstPrompt: string | undefined
}

interface OpenSession {
  readonly format: string
  readonly id: string
  readonly model: string | undefined
  readonly damage: Damage
  /** In the form of the AI SDK, under the rules of a protocol. */
  readonly messages: (protocol: Protocol) => readonly ModelMessage[]
  readonly close: () => void
}

/** The damaged lines of a session, which are left out of the conversation. */
export interface Damage {
  /** Lines without a record, except a cut-off last line. */
  readonly lines: number
  /** Their numbers, from 1. If there are many, only the first ones. */
  readonly lineNumbers: readonly number[]
  /** Bytes of a last line that is not JSON, because its write never ended. */
  readonly cutOffBytes: number
  /** Unreadable messages and parts of a session that is no file of lines. Missing if none is. */
  readonly records?: number
}

export interface FilePort {
  readonly chatsFolder: string
  readonly configurationFolder: string
  /**
   * The right of one process to write to a file. Throws an error with the code `in-use` while
   * another process has it.
   */
  readonly acquireLease: (path: string) => { release(): void }
  /** A file descriptor, but never for a pipe or a device. */
  readonly open: (path: string) => number
  /** Uses bounded memory. Lines have no line breaks. */
  readonly readLines: (source: ByteSource, start: number, end: number) => Iterable<Buffer>
  /** Replaces a file in one step, and returns its size in bytes. */
  readonly write: (
    path: string,
    chunks: Iterable<Uint8Array>,
    options: { readonly mode: number },
  ) => Promise<number>
  /** Explains an error of the system to the user. */
  readonly explainError: (error: unknown) => string
}

/** How commands write for people. */
export interface TerminalPort {
  readonly colors: Colors
  readonly columns: number
  /** Writes data to standard output. */
  readonly print: (text: string) => void
  /** Writes messages to standard error. */
  readonly note: (text: string) => void
  /** Cuts to a width in columns, with `…` in place of the removed part. */
  readonly cut: (text: string, columns: number) => string
  /** Content on one line: safe, with secrets removed, and no wider than requested. */
  readonly preview: (text: string, columns: number) => string
  /** A path with the home directory as `~`. */
  readonly shortenHome: (path: string) => string
  /** Lines no wider than `columns`. The first one is a heading. Cells are safe already. */
  readonly table: (table: Table, columns: number) => readonly string[]
  readonly reports: ReportPort
}

export type Style = (text: string) => string

type Emphasis = 'bold' | 'dim' | 'italic' | 'underline' | 'strikethrough'
type Color = 'blue' | 'cyan' | 'green' | 'magenta' | 'red' | 'white' | 'yellow'

/** Styles for text. If colors are not supported, each returns the text unchanged. */
export type Colors = Readonly<Record<Emphasis | Color, Style>> & {
  readonly isColorSupported: boolean
}

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Shrinks if the table is too wide, down to this many columns of the terminal. */
  readonly shrinkTo?: number
  readonly style?: Style
}

interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

type Lines = readonly string[]

/** Parts of reports that other commands show too. Shares are of `totalTokens`. */
interface ReportPort {
  /** The effects of a compression, one line each, of any length. */
  readonly work: (report: Report) => Lines
  /** A row for each kind of removed fact. */
  readonly facts: (report: Report) => Lines
  /** A line for the failure of the requested model, and one for each problem of the result itself. */
  readonly notices: (report: Report, pausedSummarizer?: string) => Lines
  readonly tools: (tools: Inspection['byTool'], totalTokens: number, columns: number) => Lines
  /** Paths are shown relative to `directory`. */
  readonly largest: (
    parts: Inspection['largest'],
    totalTokens: number,
    directory: string,
    columns: number,
  ) => Lines
  /** `line 7`, `lines 7, 12 and 2315 more`. */
  readonly damagedLines: (damage: Damage) => string
}
