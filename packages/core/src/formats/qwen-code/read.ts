import { isInjectedText } from '../../conversation/injected-text.ts'
import { type Message, type Part, readText } from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { createPartReader, encodePart } from '../gemini-contents/gemini-contents.ts'
import { isJsonObject, type JsonObject, readMember, readString } from '../ground/json.ts'
import { createAnswer, splitUserParts } from '../ground/parts.ts'
import { isNativeBlock, type NativeBlock } from '../ground/records.ts'
import type { Entry } from './entries.ts'

/** What is sent after a resume. `whole`: as if nothing had been compressed. */
export function readMessages(path: readonly Entry[], whole = false) {
  const messages: Message[] = []
  const read = createPartReader()
  let model: string | undefined
  for (const { value, line } of path) {
    const compressed = whole ? undefined : readCompressed(value)
    if (compressed) {
      messages.length = 0
      for (const [index, content] of compressed.entries())
        for (const message of readContent(content, line, read))
          addMessage(messages, nameNested(message, index))
    } else if (isAnsweredCommand(value, messages.at(-1))) messages.pop()
    else if (isSent(value)) {
      model = readString(value, 'model') ?? model
      for (const message of readContent(value.message, line, read))
        addMessage(messages, nameOrigin(message, value))
    }
  }
  return { messages, model, workingDirectory: readString(path[0]?.value, 'cwd') }
}

/** Contents that take the place of all before them. */
export function readCompressed({ type, subtype, systemPayload }: JsonObject) {
  if (type !== 'system' || subtype !== 'chat_compression') return undefined
  const compressed: unknown = readMember(systemPayload, 'compressedHistory')
  return Array.isArray(compressed) ? compressed : undefined
}

/** Words of a voice session are shown, and not sent. */
export function isSent({ type, subtype, message }: JsonObject): boolean {
  return type !== 'system' && subtype !== 'realtime_message' && isJsonObject(message)
}

/** A command that Qwen Code answered itself: neither it nor the answer is sent. */
function isAnsweredCommand(
  { type, subtype, systemPayload: payload }: JsonObject,
  last: Message | undefined,
): boolean {
  if (type !== 'system' || subtype !== 'slash_command' || !last || !isJsonObject(payload))
    return false
  const { phase, sentToModel, rawCommand, outputHistoryItems: shown } = payload
  return (
    phase === 'result' &&
    sentToModel !== true &&
    Array.isArray(shown) &&
    shown.length > 0 &&
    shown.every((item) => readMember(item, 'type') === 'assistant') &&
    last.role === 'user' &&
    readText(last) === rawCommand
  )
}

function readContent(content: unknown, record: number, read: (native: unknown) => Part): Message[] {
  const blocks: unknown = readMember(content, 'parts')
  if (!Array.isArray(blocks) || blocks.length === 0) return []
  const parts = blocks.map(
    (block: unknown): Part => ({ ...read(block), native: { record, block } satisfies NativeBlock }),
  )
  if (readMember(content, 'role') !== 'model') return splitUserParts(parts, [record])
  const answer = createAnswer(parts, [record])
  return [readText(answer) === ACKNOWLEDGED ? { ...answer, origin: 'synthetic' } : answer]
}

// Of the summary of a compression.
const ACKNOWLEDGED = 'Got it. Thanks for the additional context!'

/** Answers with nothing in between are one, and so are the results of one answer. */
function addMessage(messages: Message[], message: Message): void {
  const last = messages.at(-1)
  const records = [...new Set([...(last?.records ?? []), ...(message.records ?? [])])]
  if (last?.role === 'assistant' && message.role === 'assistant')
    messages[messages.length - 1] = { ...last, parts: [...last.parts, ...message.parts], records }
  else if (last?.role === 'tool' && message.role === 'tool')
    messages[messages.length - 1] = { ...last, parts: [...last.parts, ...message.parts], records }
  else messages.push(message)
}

/** The mark of what was not typed. */
export const HOST = 'system'

function nameOrigin(message: Message, { provenance, subtype }: JsonObject): Message {
  const isTyped = provenance === undefined || provenance === 'real_user'
  if (message.role !== 'user' || isTyped) return message
  // What a notification quotes is not ours, whatever it looks like.
  const isForeign = subtype !== undefined && isSummaryText(readText(message))
  return { ...message, origin: isForeign ? 'environment' : 'synthetic' }
}

/** The summary comes first; files and pictures of before go with it. */
function nameNested(message: Message, index: number): Message {
  const isOwn = message.role === 'user' && (index === 0 || isRestored(message))
  return isOwn ? { ...message, origin: 'synthetic' } : message
}

const isRestored = ({ parts }: Message): boolean =>
  parts.some(({ type }) => type === 'text') &&
  parts.every((part) => part.type !== 'text' || isInjectedText(part.text))

/** The stored block itself if the part is unchanged. */
export function encodeBlock(part: Part): unknown {
  if (part.type === 'tool-result') {
    const output = part.output.map((one) =>
      isNativeBlock(one.native) ? { ...one, native: one.native.block } : one,
    )
    return encodePart({ ...part, output, native: readBlock(part) })
  }
  return encodePart({ ...part, native: readBlock(part) })
}

const readBlock = ({ native }: Part): unknown => (isNativeBlock(native) ? native.block : native)
