/** Node's own client gives up on an answer that has not begun after five minutes. */
export const LONGEST_TIMEOUT_MS = 280_000

/** How a person describes a summarizer, in the configuration file and with `--summarizer` and `--base-url`. */
export interface SummarizerSettings {
  /** `digest` or `provider/model`. */
  readonly name: string
  /** Takes over from 900 000 tokens of input on; `provider/model`. */
  readonly strongModel?: string
  /** With the version, as the provider's own clients have it: `https://…/v1`. */
  readonly baseUrl?: string
  /** Holds the key alone, readable by its owner only. */
  readonly keyFile?: string
  /** Where the provider takes less than the model could, or the model is not known. */
  readonly contextWindowTokens?: number
  /** 10 by default. */
  readonly maxInFlight?: number
  /** Of a first attempt; by default it depends on the size of the call. */
  readonly timeoutMs?: number
  /** Holds `<provider>/<model>/<prompt>.md`, `<provider>/<prompt>.md` or `<prompt>.md`. */
  readonly promptsFolder?: string
}

/**
 * One summarizer from what several places say, weakest first. The strongest place that names one decides which. An address and
 * a key file belong to the provider that is named where they stand, and a window and a stronger model to that very model;
 * everything else is the same for all summarizers.
 */
export function mergeSummarizers(places: readonly (Partial<SummarizerSettings> | undefined)[]): SummarizerSettings {
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
      ...(isSame && contextWindowTokens !== undefined && { contextWindowTokens }),
      ...(isSame && strongModel !== undefined && { strongModel }),
      ...((isSame || readProvider(named) === readProvider(name)) && {
        ...(baseUrl !== undefined && { baseUrl }),
        ...(keyFile !== undefined && { keyFile }),
      }),
      name,
    }
  }
  return merged
}

function readProvider(name: string | undefined): string | undefined {
  return name?.slice(0, Math.max(0, name.indexOf('/')))
}
