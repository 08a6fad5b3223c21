import { findAnswerOrigin, findUserOrigin } from '../../conversation/injected-text.ts'
import { toJsonText } from '../../conversation/json-text.ts'
import {
  type AssistantMessage,
  type Compaction,
  type ContentPart,
  isContentPart,
  type Message,
  type OpaquePart,
  type Part,
  type SystemMessage,
  type TextPart,
  type ToolMessage,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { readTies } from '../../conversation/read-ties.ts'
import { isJsonObject, readMember, readString, toObject } from './json.ts'

/** The `native` of a part that is a whole field of its record, such as `refusal`. */
export interface NativeField {
  readonly field: string
  readonly value: unknown
}

export function isNativeField(native: unknown): native is NativeField {
  return (
    isJsonObject(native) &&
    typeof native.field === 'string' &&
    'value' in native &&
    !('type' in native)
  )
}

/** A block that is carried, not understood. */
export function toOpaque(
  block: unknown,
  native: unknown = block,
  kind = readString(block, 'type') ?? typeof block,
): OpaquePart {
  return {
    type: 'opaque',
    kind,
    text: toJsonText(block),
    native,
    compaction: readCompaction(kind, block),
    ...readTies(block),
  }
}

/** A text, a picture or a thought may name other parts too, as a citation. Its own id names nothing. */
export function withMentions<Known extends Part>(part: Known, block: unknown): Known {
  if (!MENTIONING.has(part.type)) return part
  const { bonds = [], mentions = [] } = readTies(block)
  const named = [...bonds, ...mentions].filter(({ key }) => key !== 'id')
  return named.length > 0 ? { ...part, mentions: named } : part
}

const MENTIONING = new Set(['text', 'reasoning', 'image', 'file'])

const COMPACTION = /^(?:context_)?compaction(?:_summary)?$/
// In words that no provider has yet: `compaction_20280101`, `serverCompactionResult`. A request for
// one, or a notice of one, replaces nothing.
const LATER_COMPACTION =
  /(?:(?<![a-z])c|C)ompaction(?:[_-]?(?:[sS]ummary|[rR]esult|[oO]utput|[bB]lock|[iI]tem))?(?:[_-]?v?\d{1,8})?$/

/**
 * A compaction that failed has empty content and replaces nothing (platform.claude.com/docs,
 * compaction). One of a later type has content.
 */
function readCompaction(kind: string, block: unknown): Compaction | undefined {
  const text = readString(block, 'content') || readString(block, 'summary')
  const contents = ['content', 'summary', 'encrypted_content']
    .map((key) => readMember(block, key))
    .filter((content) => content !== undefined)
  const isEmpty = (content: unknown) =>
    content === null || content === '' || (Array.isArray(content) && content.length === 0)
  const hasContent = !contents.every(isEmpty)
  if (COMPACTION.test(kind)) return hasContent || contents.length === 0 ? { text } : undefined
  return hasContent && LATER_COMPACTION.test(kind) ? { text } : undefined
}

/** A part in a role that cannot have it. It is carried, not understood. */
export function toContentPart(part: Part): ContentPart {
  return isContentPart(part) ? part : carryPart(part)
}

export function carryPart({ type, native, bonds }: Part): OpaquePart {
  const ties = readTies(native)
  return {
    type: 'opaque',
    kind: type,
    text: toJsonText(native),
    native,
    ...ties,
    bonds: bonds ?? ties.bonds,
  }
}

export function toAssistantPart(part: Part): AssistantMessage['parts'][number] {
  return part.type === 'reasoning' || part.type === 'tool-call' ? part : toContentPart(part)
}

/** Messages as formats read them. A part that its role cannot have is carried. */
export function createSystem(parts: readonly Part[], records: readonly number[]): SystemMessage {
  return { role: 'system', origin: 'environment', parts: parts.map(toContentPart), records }
}

/** A message in the user role, which the user or the host of the agent may have written. */
export function createUser(parts: readonly Part[], records: readonly number[]): Message {
  const content = parts.map(toContentPart)
  return { role: 'user', origin: findUserOrigin(content), parts: content, records }
}

export function createAnswer(parts: readonly Part[], records: readonly number[]): Message {
  return {
    role: 'assistant',
    origin: findAnswerOrigin(parts),
    parts: parts.map(toAssistantPart),
    records,
  }
}

export function createResults(parts: ToolMessage['parts'], records: readonly number[]): Message {
  return { role: 'tool', origin: 'environment', parts, records }
}

/** The result with the name of its call, if the call was read before. */
export function nameResult(
  result: ToolResultPart,
  callNames: ReadonlyMap<string, string>,
): ToolResultPart {
  const name = callNames.get(result.callId)
  return name === undefined ? result : { ...result, name }
}

/** The messages that have parts. */
export function listFilled(...messages: readonly Message[]): Message[] {
  return messages.filter(({ parts }) => parts.length > 0)
}

/**
 * The messages of one record in the user role, split at every change between results and the rest,
 * in order. If nothing next to results has words, it came with the results: a document that a tool
 * read, or a page that it found. A record without parts becomes one empty message, so that it is
 * not lost.
 */
export function splitUserParts(parts: readonly Part[], records: readonly number[]): Message[] {
  const messages: Message[] = []
  let start = 0
  for (let end = 1; end <= parts.length; end++) {
    const isResult = parts[start]?.type === 'tool-result'
    if (end < parts.length && (parts[end]?.type === 'tool-result') === isResult) continue
    const run = parts.slice(start, end)
    const results = run.filter((part) => part.type === 'tool-result')
    const message = isResult ? createResults(results, records) : createUser(run, records)
    const isOfTool = run.length < parts.length && !run.some(({ type }) => type === 'text')
    messages.push(isOfTool ? { ...message, origin: 'environment' } : message)
    start = end
  }
  return messages.length > 0 ? messages : [createUser([], records)]
}

export function encodeText({ text, native }: TextPart): unknown {
  if (readMember(native, 'type') !== 'text') return { type: 'text', text }
  return readMember(native, 'text') === text ? native : { ...toObject(native), text }
}

/**
 * The parts of messages that share one record. Results come first, because providers refuse
 * anything before them.
 */
export function joinUserParts(messages: readonly Message[]): Part[] {
  return [...messages]
    .sort((a, b) => Number(b.role === 'tool') - Number(a.role === 'tool'))
    .flatMap((message): readonly Part[] => message.parts)
}
