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
