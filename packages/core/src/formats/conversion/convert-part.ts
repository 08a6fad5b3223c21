import { isInjectedText } from '../../conversation/injected-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  type Conversation,
  type MediaPart,
  type OpaquePart,
  type Protocol,
  type ReasoningPart,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import type { ReasoningSignature, SessionImport } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember } from '../shared/json.ts'
import { isJsonlSource, readLines } from '../shared/lines.ts'
import { findMediaSource } from '../shared/media.ts'
import { findProviderBlock } from '../shared/records.ts'
import { type CallNames, toToolName } from '../shared/tool-calls.ts'

export interface ConversionContext {
  readonly from: Conversation
  readonly rules: SessionImport
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
  const native = source && context.rules.encodeMedia(part, source)
  return native === undefined ? describeMedia(part, context) : { ...part, native }
}

function describeMedia(part: MediaPart, { losses }: ConversionContext): ContentPart {
  losses.note('media', part.mediaType)
  return { type: 'text', text: renderPart(part) }
}

/**
 * A document or a compaction with readable words becomes text. What only its provider can read is
 * lost.
 */
function convertOpaque(part: OpaquePart, { losses }: ConversionContext): ContentPart[] {
  const source = readMember(findProviderBlock(part.native), 'source')
  const words = readMember(source, 'type') === 'text' ? readMember(source, 'data') : undefined
  const said = part.compaction?.text ?? words
  if (typeof said === 'string' && said.trim() !== '') return [{ type: 'text', text: said }]
  losses.note('provider-block', part.kind)
  return []
}

function convertReasoning(
  part: ReasoningPart,
  { from, rules, losses }: ConversionContext,
): ReasoningPart[] {
  const signed = findReasoningSignature(part, from.protocol)
  const native = rules.encodeReasoning(part, signed)
  if (native === undefined) {
    losses.note('reasoning', part.signatureLength > 0 ? 'signed or encrypted' : 'plain')
    return []
  }
  const isSigned = signed !== undefined && rules.findProtocol(from.protocol) === from.protocol
  if (part.signatureLength > 0 && !isSigned) losses.note('reasoning-seal', 'signed or encrypted')
  return [
    {
      type: 'reasoning',
      text: part.text,
      signatureLength: isSigned ? part.signatureLength : 0,
      native,
    },
  ]
}

function convertCall(
  part: ToolCallPart,
  { rules, losses, names }: ConversionContext,
): ToolCallPart {
  const { callId, name, input } = part
  const toolName = toToolName(name)
  if (toolName !== name) losses.note('tool-name', name)
  return {
    type: 'tool-call',
    callId: names.nameCall(callId),
    name: toolName,
    input: rules.encodeInput(input),
  }
}

export function convertResult(part: ToolResultPart, context: ConversionContext): ToolResultPart {
  const { callId, name, exitCode = 0 } = part
  const isError = part.isError || exitCode !== 0
  const { rules, losses, names } = context
  if (isError && !rules.marksFailures) losses.note('failure-mark', 'result')
  const output = part.output.flatMap((content) => convertContent(content, context))
  if (output.length === 0 && rules.emptyResult !== undefined)
    output.push({ type: 'text', text: rules.emptyResult })
  if (rules.longestResult !== undefined && countCharacters(output) > rules.longestResult) {
    losses.note('long-result', name === undefined ? 'result' : toToolName(name))
  }
  return {
    type: 'tool-result',
    callId: names.nameResult(callId),
    name: name && toToolName(name),
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
    // No API accepts media from the model's side.
    case 'image':
    case 'file':
      return [describeMedia(part, context)]
    default:
      return convertContent(part, context)
  }
}

const OPENING = '<system-reminder>\n'
const CLOSING = '\n</system-reminder>'

/** Wraps words of the host if only the words themselves can show who wrote them. */
export function wrapHostWords(part: ContentPart): ContentPart {
  if (part.type !== 'text' || isInjectedText(part.text)) return part
  // Content must not be able to end the element.
  const inside = part.text.replaceAll('</system-reminder', '<\\/system-reminder')
  return { type: 'text', text: `${OPENING}${inside}${CLOSING}` }
}

/**
 * Undefined if the reasoning is not from Anthropic, or not signed. Each format stores the signature
 * in a different place.
 */
function findReasoningSignature(
  { native, signatureLength }: ReasoningPart,
  protocol: Protocol,
): ReasoningSignature | undefined {
  if (protocol !== 'anthropic-messages' || signatureLength === 0) return undefined
  const block = findProviderBlock(native)
  if (!isJsonObject(block)) return undefined
  const isRedacted = block.redacted === true
  for (const holder of [block, ...readAnthropicMembers(block)]) {
    const signature = readMember(holder, 'signature') ?? readMember(holder, 'thinkingSignature')
    const data =
      readMember(holder, 'redactedData') ?? (isRedacted ? signature : readMember(holder, 'data'))
    if (typeof data === 'string' && data !== '') return { type: 'redacted', data }
    if (typeof signature === 'string' && signature !== '') return { type: 'signature', signature }
  }
  return undefined
}

/** The AI SDK and OpenCode keep provider-specific data under the provider's name. */
function readAnthropicMembers(block: unknown): unknown[] {
  return ['metadata', 'providerOptions', 'providerMetadata'].map((key) =>
    readMember(readMember(block, key), 'anthropic'),
  )
}

/** The kinds of content that a conversation may lose when it is converted to another format. */
export type LossKind =
  /** The agent that continues has a system prompt of its own. */
  | 'system-prompt'
  /** Schemas of tools. The agent that continues has its own tools. */
  | 'tool-schema'
  /** Descriptions of the surroundings and attachments. Every host adds its own. */
  | 'host-message'
  /** Reasoning that the agent could not send, or its API could not read. */
  | 'reasoning'
  /** Signatures and encrypted forms of reasoning whose text is kept. */
  | 'reasoning-seal'
  /** Blocks that only their provider understands. */
  | 'provider-block'
  /** Images and files that the target cannot hold. A note replaces them. */
  | 'media'
  /** Marks of failed calls. What the call printed is kept. */
  | 'failure-mark'
  /** Results that are written whole, but that the agent shortens in its requests. */
  | 'long-result'
  /** Names of tools that no provider accepts. They were changed. */
  | 'tool-name'
  /** Calls without a result, and results without a call. */
  | 'unpaired'
  /** Records outside the conversation: other branches, side chains, snapshots, notices. */
  | 'carried-record'
  /** The token counts of answers. */
  | 'token-usage'

export interface ConversionLoss {
  readonly kind: LossKind
  /** The source's own name for it: a media type, the type of a block or a record. */
  readonly name: string
  readonly count: number
}

export class LossTable {
  readonly #counts = new Map<LossKind, Map<string, number>>()

  note(kind: LossKind, name: string, count = 1): void {
    const names = this.#counts.get(kind) ?? new Map<string, number>()
    names.set(name, (names.get(name) ?? 0) + count)
    this.#counts.set(kind, names)
  }

  list(): ConversionLoss[] {
    return [...this.#counts].flatMap(([kind, names]) =>
      [...names].map(([name, count]) => ({ kind, name, count })),
    )
  }
}

/** Reads the document again, line by line. Message formats carry no such records. */
export function noteCarriedRecords({ document, messages }: Conversation, losses: LossTable): void {
  const sent = new Set(messages.flatMap(({ records = [] }) => records))
  for (const { record, value } of listRecords(document)) {
    if (sent.has(record)) {
      if (hasUsage(value)) losses.note('token-usage', 'record')
      if (Array.isArray(value.thoughts) && value.thoughts.length > 0) {
        losses.note('reasoning', 'summary for the screen', value.thoughts.length)
      }
    } else if (!isHeader(value)) losses.note('carried-record', describeRecord(value))
  }
}

function isHeader(value: JsonObject): boolean {
  return (
    value.type === 'session_meta' ||
    value.type === 'session' ||
    typeof value.projectHash === 'string'
  )
}

interface CarriedRecord {
  readonly record: number
  readonly value: JsonObject
}

function* listRecords(document: unknown): Generator<CarriedRecord> {
  if (!isJsonObject(document)) return
  const { source, storage, records } = document
  // Gemini CLI counts messages inside lines, and OpenCode has one document.
  const known = isJsonObject(storage) ? [storage.carried, storage.records] : [records]
  if (isJsonObject(storage) || (Array.isArray(records) && !isJsonlSource(source))) {
    for (const list of known) yield* listKnown(list)
  } else if (isJsonlSource(source)) {
    for (const { index, value } of readLines(source, 'session')) {
      if (isJsonObject(value)) yield { record: index, value }
    }
  }
}

function* listKnown(list: unknown): Generator<CarriedRecord> {
  if (!Array.isArray(list)) return
  for (const [index, item] of list.entries()) {
    if (!isJsonObject(item)) continue
    if (typeof item.record === 'number' && isJsonObject(item.value))
      yield { record: item.record, value: item.value }
    else yield { record: index, value: item }
  }
}

/** `event_msg token_count`, `system turn_duration`, `assistant (side chain)`. */
function describeRecord(value: JsonObject): string {
  const inner =
    readMember(value, 'payload') ?? readMember(value, 'info') ?? readMember(value, 'message')
  const type = readName(value.type) ?? Object.keys(value)[0] ?? 'record'
  const detail =
    readName(value.subtype) ??
    readName(readMember(inner, 'type')) ??
    readName(readMember(inner, 'role'))
  const name = detail === undefined || detail === type ? type : `${type} ${detail}`
  return value.isSidechain === true ? `${name} (side chain)` : name
}

const LONGEST_NAME = 60

function readName(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, LONGEST_NAME) : undefined
}

function hasUsage(value: JsonObject): boolean {
  const holders = [value, readMember(value, 'message'), readMember(value, 'info')]
  return holders.some((holder) =>
    isJsonObject(readMember(holder, 'usage') ?? readMember(holder, 'tokens')),
  )
}
