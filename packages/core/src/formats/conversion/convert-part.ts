/** One part of a message as another format can hold it. */
import { isInjectedText } from '../../conversation/injected-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  type Conversation,
  type MediaPart,
  type OpaquePart,
  type ReasoningPart,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { findMediaSource } from '../content/media-source.ts'
import { findProviderBlock } from '../content/provider-block.ts'
import { readMember } from '../json/object.ts'
import type { Adoption } from './adoption.ts'
import type { LossTable } from './loss.ts'
import { findReasoningSeal } from './reasoning-seal.ts'
import { type CallNames, toToolName } from './rename-calls.ts'

/** What converting a part needs to know of the whole. */
export interface ConversionContext {
  readonly from: Conversation
  readonly adoption: Adoption
  readonly losses: LossTable
  readonly names: CallNames
}

export function convertContent(part: ContentPart, context: ConversionContext): ContentPart[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
    case 'image':
    case 'file':
      return [convertMedia(part, context)]
    case 'opaque':
      return convertOpaque(part, context)
  }
}

function convertMedia(part: MediaPart, context: ConversionContext): ContentPart {
  const source = findMediaSource(part.native)
  const native = source && context.adoption.encodeMedia(part, source)
  return native === undefined ? describeMedia(part, context) : { ...part, native }
}

function describeMedia(part: MediaPart, { losses }: ConversionContext): ContentPart {
  losses.note('media', part.mediaType)
  return { type: 'text', text: renderPart(part) }
}

/** A document with its words in the clear is words; what only its provider reads is lost. */
function convertOpaque(part: OpaquePart, { losses }: ConversionContext): ContentPart[] {
  const source = readMember(findProviderBlock(part.native), 'source')
  const words = readMember(source, 'type') === 'text' ? readMember(source, 'data') : undefined
  if (typeof words === 'string' && words.trim() !== '') return [{ type: 'text', text: words }]
  losses.note('provider-block', part.kind)
  return []
}

function convertReasoning(part: ReasoningPart, { from, adoption, losses }: ConversionContext): ReasoningPart[] {
  const seal = findReasoningSeal(part, from.protocol)
  const native = adoption.encodeReasoning(part, seal)
  if (native === undefined) {
    losses.note('reasoning', part.signatureLength > 0 ? 'signed or encrypted' : 'plain')
    return []
  }
  const isSealed = seal !== undefined && adoption.findProtocol(from.protocol) === from.protocol
  if (part.signatureLength > 0 && !isSealed) losses.note('reasoning-seal', 'signed or encrypted')
  return [{ type: 'reasoning', text: part.text, signatureLength: isSealed ? part.signatureLength : 0, native }]
}

function convertCall(part: ToolCallPart, { adoption, losses, names }: ConversionContext): ToolCallPart {
  const { callId, name, input } = part
  const toolName = toToolName(name)
  if (toolName !== name) losses.note('tool-name', name)
  return { type: 'tool-call', callId: names.nameCall(callId), name: toolName, input: adoption.encodeInput(input) }
}

export function convertResult(part: ToolResultPart, context: ConversionContext): ToolResultPart {
  const { callId, name, isError } = part
  const { adoption, losses, names } = context
  if (isError && !adoption.marksFailures) losses.note('failure-mark', 'result')
  const output = part.output.flatMap((content) => convertContent(content, context))
  if (output.length === 0 && adoption.emptyResult !== undefined)
    output.push({ type: 'text', text: adoption.emptyResult })
  if (adoption.longestResult !== undefined && countCharacters(output) > adoption.longestResult) {
    losses.note('long-result', name === undefined ? 'result' : toToolName(name))
  }
  return {
    type: 'tool-result',
    callId: names.nameResult(callId),
    ...(name !== undefined && { name: toToolName(name) }),
    output,
    isError,
  }
}

function countCharacters(output: readonly ContentPart[]): number {
  return output.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
}

export function convertAnswerPart(
  part: AssistantMessage['parts'][number],
  context: ConversionContext,
): AssistantMessage['parts'] {
  switch (part.type) {
    case 'reasoning':
      return convertReasoning(part, context)
    case 'tool-call':
      return [convertCall(part, context)]
    // No API takes media back from the model.
    case 'image':
    case 'file':
      return [describeMedia(part, context)]
    default:
      return convertContent(part, context)
  }
}

const OPENING = '<system-reminder>\n'
const CLOSING = '\n</system-reminder>'

/** Words of the host where only the words themselves can show whose they are. */
export function wrapHostWords(part: ContentPart): ContentPart {
  if (part.type !== 'text' || isInjectedText(part.text)) return part
  // What is inside must not end the element before its end.
  const inside = part.text.replaceAll('</system-reminder', '<\\/system-reminder')
  return { type: 'text', text: `${OPENING}${inside}${CLOSING}` }
}
