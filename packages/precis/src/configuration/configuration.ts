import type { Keep } from '@precis/core'
import type { SummarizerSettings } from './summarizer-settings.ts'

/** What commands do when no flag says otherwise. */
export interface Configuration {
  /** The name of a strategy. */
  readonly strategy?: string
  /** As the flag: `8000`, `8k`, `50%`. */
  readonly budget?: string
  /** Share of the window from which on a chat is compressed. */
  readonly threshold?: number
  readonly summarizer: SummarizerSettings
  readonly keep?: KeptEnds
  readonly chat?: ChatSettings
  readonly archive?: ArchiveSettings
  /** The files it was read from, weakest first. */
  readonly files: readonly string[]
  /** Settings of the project's files that are ignored, and why; for the user. */
  readonly notices: readonly string[]
}

/** How much stays verbatim at the start and at the end. */
export interface KeptEnds {
  readonly head?: Keep
  readonly tail?: Keep
}

/** What becomes of originals. */
export interface ArchiveSettings {
  /** False keeps nothing. */
  readonly enabled?: boolean
  /** In millions of bytes. */
  readonly quotaMegabytes?: number
  /** A file, or `postgres://…`. */
  readonly database?: string
}

/** What differs for `precis chat`. */
export interface ChatSettings {
  /** `provider/model`. */
  readonly model?: string
  /** Goes before the one of all commands. */
  readonly strategy?: string
  /** A name; goes before the one of all commands. */
  readonly summarizer?: string
  /** Where the provider takes less than the model could, or the model is not known. */
  readonly windowTokens?: number
  /** Of the provider that `model` names. */
  readonly baseUrl?: string
  /** Holds the key of that provider alone, readable by its owner only. */
  readonly keyFile?: string
}

/** What one place says; all of it may be missing. */
export interface ConfigurationLayer extends Omit<Configuration, 'summarizer' | 'files' | 'notices'> {
  /** Without a name it changes the summarizer that a weaker place named. */
  readonly summarizer?: Partial<SummarizerSettings>
}
