/** Reads facts of a chat of Gemini CLI, as a log of records or as one object. */
import { closeSync } from 'node:fs'
import type { ByteSource } from '@precis/core/formats'
import {
  asCount,
  asObject,
  asText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../files/lines.ts'
import { createPeekSource, openInputFile } from '../../files/read-document.ts'
import type { BilledRequest, SessionHead } from '../shared/agent.ts'
import { nameByTime, readAnswerParts, splitPrompt } from '../shared/billed.ts'
import { readLineTokens, readTime } from '../shared/session-lines.ts'

// Older versions write one object over many lines, which has to be read whole.
const MOST_BYTES = 64 << 20
// Gemini CLI does not send these texts, or the user did not type them.
const UNSPOKEN = /^(?:[/?]|<[a-z])/i

/** Whether the document is a log, in which each line can be read separately. */
export function isLog(source: ByteSource): boolean {
  let lines = 0
  for (const line of readLines(source)) {
    if (line.toString('utf8').trim() === '') continue
    // A log may begin with messages too, and continues after them.
    if (++lines > 1) return true
    const first = parseObject(line)
    if (!first) return false
    if (!Array.isArray(first.messages)) return true
  }
  return false
}

/** The same for a file. Reads only its first lines. */
export function isLogFile(path: string): boolean {
  const descriptor = openInputFile(path)
  try {
    return isLog(createPeekSource(descriptor))
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Reads only up to the first prompt. The folder records the working directory, and the chat does
 * not.
 */
export function readChatHead(source: ByteSource): SessionHead {
  let sessionId: string | undefined
  for (const record of readRecords(source)) {
    sessionId ??= asText(record.sessionId)
    for (const message of listMessages(record)) {
      const firstPrompt = message.type === 'user' ? readPrompt(message.content) : undefined
      if (firstPrompt !== undefined) return { sessionId, workingDirectory: undefined, firstPrompt }
    }
  }
  return { sessionId, workingDirectory: undefined, firstPrompt: undefined }
}

/** One for each answer. If a record is written again, it counts once, with its last numbers. */
export function readChatRequests(source: ByteSource): BilledRequest[] {
  const requests = new Map<string, BilledRequest>()
  // As the format numbers them: a line of a log, then the messages in it.
  const isWhole = !isLog(source)
  let record = isWhole ? -2 : -1
  for (const line of readRecords(source)) {
    record++
    for (const message of listMessages(line)) {
      const { id, model, tokens } = message
      if (message !== line && (isWhole || typeof id === 'string')) record++
      const counts = asObject(tokens)
      const key = asText(id)
      const name = asText(model)
      if (!counts || key === undefined || name === undefined) continue
      const output = asCount(counts.output) + asCount(counts.thoughts)
      const copied = nameByTime(message.timestamp, tokens)
      requests.set(key, {
        model: name,
        record,
        timeMs: readTime(message.timestamp),
        id: copied,
        answer: readAnswerParts([message.content, message.toolCalls].flat()),
        ...splitPrompt(counts.input, counts.cached),
        output,
      })
    }
  }
  return [...requests.values()]
}

/**
 * Tokens of the latest counted request and its answer. Reads one object whole, and only the end of
 * a log.
 */
export function countContext(source: ByteSource): number | undefined {
  if (isLog(source)) return readLineTokens(source, ['"tokens"'], countRecord)
  let newest: number | undefined
  for (const record of readRecords(source)) newest = countRecord(record) || newest
  return newest
}

/** Zero if nothing was counted. */
function countRecord(record: JsonObject): number {
  let newest = 0
  for (const { tokens } of listMessages(record)) newest = asCount(asObject(tokens)?.total) || newest
  return newest
}

export function* readRecords(source: ByteSource): Generator<JsonObject> {
  if (isLog(source)) {
    for (const line of readLines(source)) yield parseObject(line) ?? {}
  } else if (source.byteLength <= MOST_BYTES) {
    const body = parseObject(Buffer.from(source.read(0, source.byteLength)))
    if (body) yield body
  }
}

/** A record is a message, or contains messages. */
export function listMessages(record: JsonObject): JsonObject[] {
  const nested = record.messages ?? asObject(record.$set)?.messages
  return Array.isArray(nested)
    ? nested.map(asObject).filter((message) => message !== undefined)
    : [record]
}

function readPrompt(content: unknown): string | undefined {
  const texts = Array.isArray(content)
    ? content.map((block) => asText(asObject(block)?.text))
    : [asText(content)]
  return texts.map((text) => text?.trim()).find((text) => text && !UNSPOKEN.test(text))
}
