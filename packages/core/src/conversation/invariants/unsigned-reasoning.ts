import type { Conversation, Part } from '../message.ts'
import { keepPartsOf } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/** Anthropic takes reasoning back only under its signature; an interrupted stream leaves some without. Repair drops it. */
export const unsignedReasoning: Invariant = {
  rule: 'unsigned-reasoning',
  protocols: ['anthropic-messages'],
  check: ({ messages }) =>
    messages.flatMap((message, index) =>
      message.parts.some(isUnsigned)
        ? [{ rule: 'unsigned-reasoning', message: index, detail: 'a thinking block has no signature' }]
        : [],
    ),
  repair: (conversation: Conversation) => keepPartsOf(conversation, (part) => !isUnsigned(part)),
}

function isUnsigned(part: Part): boolean {
  return part.type === 'reasoning' && part.signatureLength === 0
}
