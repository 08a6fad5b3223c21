/** What a chat of VS Code tells about itself, as a log or as one object, without replaying it. */
import type { ByteSource } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject, parseObject, readLines } from '../lines.ts'
import type { SessionHead } from '../session-head.ts'

const MOST_BYTES = 64 << 20
const TAIL_BYTES = 1 << 20

/** Whether the document is a log, of which any line can be read alone. */
export function isChatLog(source: ByteSource): boolean {
  for (const line of readLines(source)) return parseObject(line)?.kind === 0
  return false
}

/** Only as far as the first prompt. The working directory is told by the folder, not by the chat. */
export function readCopilotHead(source: ByteSource): SessionHead {
  let sessionId: string | undefined
  for (const record of readRecords(source, 0)) {
    sessionId ??= asText(record.sessionId) ?? asText(asObject(record.v)?.sessionId)
    for (const { message } of listRequests(record)) {
      const firstPrompt = (asText(message) ?? asText(asObject(message)?.text))?.trim()
      if (firstPrompt) return { sessionId, workingDirectory: undefined, firstPrompt }
    }
  }
  return { sessionId, workingDirectory: undefined, firstPrompt: undefined }
}

/** Tokens of the newest request that was counted, with its answer. Looks at the end first. */
export function readCopilotContext(source: ByteSource): number | undefined {
  const starts = source.byteLength > TAIL_BYTES ? [source.byteLength - TAIL_BYTES, 0] : [0]
  for (const start of starts) {
    let newest: number | undefined
    for (const record of readRecords(source, start)) {
      for (const request of listRequests(record)) newest = countRequest(request) || newest
    }
    if (newest !== undefined) return newest
  }
  return undefined
}

function countRequest({ result }: JsonObject): number {
  const metadata = asObject(asObject(result)?.metadata)
  return asCount(metadata?.promptTokens) + asCount(metadata?.outputTokens)
}

function* readRecords(source: ByteSource, start: number): Generator<JsonObject> {
  if (source.byteLength - start > MOST_BYTES) return
  let isLog = start > 0
  for (const line of readLines(source, start)) {
    const record = parseObject(line)
    // The first line of an object over many lines is none.
    if (!record && !isLog) break
    isLog = true
    if (record) yield record
  }
  const body = isLog ? undefined : parseObject(Buffer.from(source.read(0, source.byteLength)))
  if (body) yield body
}

/** Requests that a record brings, or parts of one. */
function listRequests(record: JsonObject): JsonObject[] {
  const [list, index, member] = Array.isArray(record.k) ? record.k : []
  if (list === 'requests' && index !== undefined) return member === 'result' ? [{ result: record.v }] : []
  const brought = list === 'requests' ? record.v : (record.requests ?? asObject(record.v)?.requests)
  return Array.isArray(brought) ? brought.map(asObject).filter((request) => request !== undefined) : []
}
