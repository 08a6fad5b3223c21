import { type CompressOptions, type Conversation, compressConversation } from '@precis/core'
import type { EvaluatedStrategy } from './method.ts'

export type Attempt =
  /** The conversation that was given when it was small enough already. */
  | { readonly type: 'fits'; readonly conversation: Conversation; readonly durationMs: number }
  | { readonly type: 'refused' }
  | { readonly type: 'failed' }

/** An evaluation is long: a failure at one place is reported and does not end it. */
export async function attemptCompression(
  given: Conversation,
  options: CompressOptions & { readonly strategy: EvaluatedStrategy },
  onFailure: (reason: string) => void,
): Promise<Attempt> {
  const startedAt = performance.now()
  try {
    const { outcome, conversation } = await compressConversation(given, options)
    const durationMs = performance.now() - startedAt
    const isRefused = outcome.type === 'cannot-fit' || outcome.type === 'summary-failed'
    return isRefused ? { type: 'refused' } : { type: 'fits', conversation, durationMs }
  } catch (error) {
    onFailure(`${options.strategy.name}: ${error instanceof Error ? error.message : String(error)}`)
    return { type: 'failed' }
  }
}
