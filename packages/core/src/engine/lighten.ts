import { apply } from '../conversation/apply.ts'
import { isApplied } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import type { RequestLimits } from '../conversation/request-limits.ts'
import { clearImages } from '../strategies/clear-images.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { findRequestExcess } from './limits.ts'
import { assertValid, createView } from './view.ts'

/**
 * Replaces images and files that its request may not have with a line of text, as few as possible.
 * Returns the same object if nothing has to be done. A request that has too many bytes without them
 * stays unchanged.
 */
export function lighten(
  conversation: Conversation,
  limits: RequestLimits,
  counter: TokenCounter,
): Conversation {
  if (!findRequestExcess(conversation, limits)) return conversation
  const plan = clearImages.plan(createView(conversation, counter), {
    targetTokens: Infinity,
    limits,
  })
  if ('noop' in plan) return conversation
  const lightened = apply(conversation, plan.edits.filter(isApplied))
  assertValid(lightened, clearImages, conversation)
  return lightened
}
