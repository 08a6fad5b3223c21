import type { Spend } from '@precis/core/context'
import type { z } from 'zod'
import type { KeptEnds } from './choices.ts'
import type { archive, chat, gateway, summarizer } from './schema.ts'

export type SummarizerSettings = Readonly<z.infer<typeof summarizer> & { name: string }>
type ChatSection = Readonly<z.infer<typeof chat>>
type GatewaySettings = Readonly<z.infer<typeof gateway>>
export type ArchiveSettings = Readonly<z.infer<typeof archive>>

/** The settings of commands, unless a flag overrides them. */
export interface Configuration {
  /** The name of a strategy. */
  readonly strategy?: string
  /** In the form of the flag: `8000`, `8k`, `50%`, `model`. */
  readonly budget?: string
  /** What the history of a chat may cost. It decides `threshold`. */
  readonly spend?: Spend
  /** Share of the window from which on a chat is compressed. */
  readonly threshold?: number
  readonly summarizer: SummarizerSettings
  readonly keep?: KeptEnds
  readonly chat?: ChatSection
  readonly gateway?: GatewaySettings
  readonly archive?: ArchiveSettings
  /** The files it was read from, lowest priority first. */
  readonly files: readonly string[]
  /** For the user: ignored settings of the project's files, and why. */
  readonly notices: readonly string[]
}

/** The settings from one place. All of them may be missing. */
export interface ConfigurationLayer
  extends Omit<Configuration, 'summarizer' | 'files' | 'notices'> {
  /** If the name is missing, it changes the summarizer of a place with lower priority. */
  readonly summarizer?: Partial<SummarizerSettings>
}

/**
 * Merges the summarizer settings of several places, lowest priority first. The last place that
 * names a summarizer chooses it. An address and a key file belong to the provider that the same
 * place names. A window and a stronger model belong to exactly that model. All other settings apply
 * to any summarizer.
 */
export function mergeSummarizers(
  places: readonly (Partial<SummarizerSettings> | undefined)[],
): SummarizerSettings {
  const name = places.findLast((place) => place?.name !== undefined)?.name ?? 'digest'
  let merged: SummarizerSettings = { name }
  let named: string | undefined
  for (const place of places) {
    if (!place) continue
    named = place.name ?? named
    const { baseUrl, keyFile, contextWindowTokens, strongModel, ...general } = place
    const isSame = named === undefined || named === name
    merged = {
      ...merged,
      ...general,
      ...dropUndefined(isSame ? { contextWindowTokens, strongModel } : {}),
      ...dropUndefined(
        isSame || readProvider(named) === readProvider(name) ? { baseUrl, keyFile } : {},
      ),
      name,
    }
  }
  return merged
}

function readProvider(name: string | undefined): string | undefined {
  return name?.slice(0, Math.max(0, name.indexOf('/')))
}

/** For an object that overrides another: an undefined member overrides nothing. */
export function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
