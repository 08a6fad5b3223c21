import type { Keep } from '@precis/core'
import type { SummarizerSettings } from '../summarizers/create-summarizer.ts'

/** What commands do when no flag says otherwise. */
export interface Configuration {
  /** The name of a strategy. */
  readonly strategy?: string
  /** As the flag: `8000`, `8k`, `50%`. */
  readonly budget?: string
  readonly summarizer: SummarizerSettings
  readonly keep?: { readonly head?: Keep; readonly tail?: Keep }
  /** The files it was read from, weakest first. */
  readonly files: readonly string[]
}

/** What one place says; all of it may be missing. */
export interface ConfigurationLayer extends Omit<Configuration, 'summarizer' | 'files'> {
  /** Without a name it changes the summarizer that a weaker place named. */
  readonly summarizer?: Partial<SummarizerSettings>
}
