import type { z } from 'zod'
import type { KeptEnds } from './choices.ts'
import type { archive, chat, gateway, summarizer } from './schema.ts'

export type SummarizerSettings = Readonly<z.infer<typeof summarizer> & { name: string }>
export type ChatSettings = Readonly<z.infer<typeof chat>>
export type GatewaySettings = Readonly<z.infer<typeof gateway>>
export type ArchiveSettings = Readonly<z.infer<typeof archive>>

/** The settings of commands where no flag says otherwise. */
export interface Configuration {
  /** The name of a strategy. */
  readonly strategy?: string
  /** As the flag: `8000`, `8k`, `50%`, `model`. */
  readonly budget?: string
  /** Share of the window from which on a chat is compressed. */
  readonly threshold?: number
  readonly summarizer: SummarizerSettings
  readonly keep?: KeptEnds
  readonly chat?: ChatSettings
  readonly gateway?: GatewaySettings
  readonly archive?: ArchiveSettings
  /** The files it was read from, weakest first. */
  readonly files: readonly string[]
  /** Settings of the project's files that are ignored, and why; for the user. */
  readonly notices: readonly string[]
}

/** The settings in one place; all of them may be missing. */
export interface ConfigurationLayer
  extends Omit<Configuration, 'summarizer' | 'files' | 'notices'> {
  /** Without a name it changes the summarizer that a weaker place named. */
  readonly summarizer?: Partial<SummarizerSettings>
}

/**
 * One summarizer from what several places say, weakest first. The strongest place that names one
 * decides which. An address and a key file belong to the provider that is named in the same place,
 * and a window and a stronger model to that very model; everything else is the same for all
 * summarizers.
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

/** Of an object that is laid over another: what is undefined there says nothing. */
export function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
