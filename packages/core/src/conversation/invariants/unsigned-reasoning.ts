import type { Part } from '../message.ts'
import { createInvariant, findBroken, keepPartsOf } from './invariant.ts'

/**
 * Anthropic accepts reasoning only with its signature. An interrupted stream leaves reasoning
 * without one. Repair drops it.
 */
export const unsignedReasoning = createInvariant({
  rule: 'unsigned-reasoning',
  protocols: ['anthropic-messages'],
  find: (conversation) =>
    findBroken(conversation, ({ parts }) =>
      parts.some(isUnsigned) ? 'a thinking block has no signature' : undefined,
    ),
  repair: (conversation) => keepPartsOf(conversation, (part) => !isUnsigned(part)),
})

function isUnsigned(part: Part): boolean {
  return part.type === 'reasoning' && part.signatureLength === 0
}
