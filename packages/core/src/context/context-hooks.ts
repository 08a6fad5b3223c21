import type { CompressionBeginning } from './context-events.ts'

/**
 * What a host may say before a compression. A hook that throws is a failed compression; the history stays. One that
 * waits for `prepare` or `compress` of its own context waits for itself.
 */
export interface ContextHooks {
  /** May end it with a reason, or add to the instructions of its summaries. */
  readonly beforeCompression?: (beginning: CompressionBeginning) => HookAnswer | Promise<HookAnswer>
}

export type HookAnswer = undefined | { readonly veto: string } | { readonly instructions: string }
