import { apply } from '../conversation/apply.ts'
import { isSettled } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import { clearImages } from '../strategies/clear-images.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { assertValid } from './assert-valid.ts'
import { findExcess, type Limits } from './limits.ts'
import { createView } from './view.ts'

/** Images and files beyond their own limits go first: nothing else makes room for them. */
export function lighten(base: Conversation, limits: Limits, counter: TokenCounter): Conversation {
  const isLimited = limits.images !== undefined || limits.bytes !== undefined
  if (!isLimited || !findExcess(base, { ...limits, tokens: Infinity }, counter)) return base
  const plan = clearImages.plan(createView(base, counter), {
    targetTokens: Infinity,
    ...(limits.bytes !== undefined && { targetBytes: limits.bytes }),
    ...(limits.images !== undefined && { targetImages: limits.images }),
  })
  if ('noop' in plan) return base
  const result = apply(base, plan.edits.filter(isSettled))
  assertValid(result, clearImages)
  return result
}
