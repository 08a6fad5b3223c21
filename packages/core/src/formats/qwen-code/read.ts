import { isInjectedText } from '../../conversation/injected-text.ts'
import {
  type Message,
  type Part,
  readText,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { createPartReader, encodePart } from '../gemini-contents/parts.ts'
import { isJsonObject, type JsonObject, readMember, readString } from '../shared/json.ts'
import { type JsonlSource, readObject } from '../shared/lines.ts'
import { createAnswer, createResults, splitUserParts } from '../shared/parts.ts'
import { isNativeBlock, type NativeBlock } from '../shared/records.ts'
import { isCompression, isSent, type QwenEntry } from './entries.ts'

/** What is sent after a resume. If `whole`, reads as if nothing had been compressed. */
export function readMessages(source: JsonlSource, path: readonly QwenEntry[], whole = false) {
  const runs: Message[][] = []
  const read = createPartReader()
  let model: string | undefined
  for (const entry of path) {
    const { line } = entry
    if (entry.type === 'system' && !SENT_SYSTEM.has(entry.subtype)) continue
    const value = readObject(source, entry)
    const compressed = whole ? undefined : readCompressed(value)
    if (compressed) {
      runs.length = 0
      for (const [index, content] of compressed.entries())
        for (const message of readContent(content, line, read))
          addMessage(runs, nameNested(message, index))
    } else if (isAnsweredCommand(value, runs.at(-1)?.at(-1))) runs.pop()
    else if (isSent(entry)) {
      model = readString(value, 'model') ?? model
      for (const message of readContent(value.message, line, read))
        addMessage(runs, nameOrigin(message, value))
    }
  }
  const [first] = path
  const workingDirectory = first && readString(readObject(source, first), 'cwd')
  return { messages: runs.flatMap(joinRun), model, workingDirectory }
}

const SENT_SYSTEM: ReadonlySet<unknown> = new Set(['chat_compression', 'slash_command'])

/** Contents that replace everything before them. */
export function readCompressed({ type, subtype, systemPayload }: JsonObject) {
  if (!isCompression({ type, subtype })) return undefined
  const compressed: unknown = readMember(systemPayload, 'compressedHistory')
  return Array.isArray(compressed) ? compressed : undefined
}

/** A command that Qwen Code answered itself. It is not sent, and neither is its answer. */
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

// The model's answer to the summary of a compression.
const ACKNOWLEDGED = 'Got it. Thanks for the additional context!'

/** Answers with nothing in between are one message, and so are the results of one answer. */
function addMessage(runs: Message[][], message: Message): void {
  const run = runs.at(-1)
  const joins = message.role !== 'user' && run?.at(-1)?.role === message.role
  if (run && joins) run.push(message)
  else runs.push([message])
}

function joinRun(run: readonly Message[]): Message[] {
  const [first, ...others] = run
  if (!first || others.length === 0) return first ? [first] : []
  const records = [...new Set(run.flatMap((message) => message.records ?? []))]
  if (first.role === 'tool')
    return [
      createResults(
        run.flatMap(({ parts }) => parts.filter(isResult)),
        records,
      ),
    ]
  const parts = run.flatMap((message): readonly Part[] => message.parts)
  return [createAnswer(parts, records)]
}

const isResult = (part: Part): part is ToolResultPart => part.type === 'tool-result'

/** The mark of text that was not typed. */
export const HOST = 'system'

function nameOrigin(message: Message, { provenance, subtype }: JsonObject): Message {
  const isTyped = provenance === undefined || provenance === 'real_user'
  if (message.role !== 'user' || isTyped) return message
  // What a notification quotes is not by precis, even if it looks so.
  const isForeign = subtype !== undefined && isSummaryText(readText(message))
  return { ...message, origin: isForeign ? 'environment' : 'synthetic' }
}

/** The summary comes first, followed by earlier files and pictures. */
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
