import type { Protocol, ReasoningPart } from '../../conversation/message.ts'
import { findProviderBlock } from '../content/provider-block.ts'
import { isJsonObject, readMember } from '../json/object.ts'

/** What Anthropic takes reasoning back under; no other provider opens it. */
export type ReasoningSeal =
  | { readonly type: 'signature'; readonly signature: string }
  | { readonly type: 'redacted'; readonly data: string }

/** Undefined where the reasoning is not Anthropic's, or nobody signed it. Every format keeps it elsewhere. */
export function findReasoningSeal(
  { native, signatureLength }: ReasoningPart,
  protocol: Protocol,
): ReasoningSeal | undefined {
  if (protocol !== 'anthropic-messages' || signatureLength === 0) return undefined
  const block = findProviderBlock(native)
  if (!isJsonObject(block)) return undefined
  const isRedacted = block.redacted === true
  for (const holder of [block, ...readAnthropicMembers(block)]) {
    const signature = readMember(holder, 'signature') ?? readMember(holder, 'thinkingSignature')
    const data = readMember(holder, 'redactedData') ?? (isRedacted ? signature : readMember(holder, 'data'))
    if (typeof data === 'string' && data !== '') return { type: 'redacted', data }
    if (typeof signature === 'string' && signature !== '') return { type: 'signature', signature }
  }
  return undefined
}

/** The AI SDK and OpenCode keep what is a provider's own under its name. */
function readAnthropicMembers(block: unknown): unknown[] {
  return ['metadata', 'providerOptions', 'providerMetadata'].map((key) =>
    readMember(readMember(block, key), 'anthropic'),
  )
}
