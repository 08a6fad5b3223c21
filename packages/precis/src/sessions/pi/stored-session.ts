/** What a session of pi tells about itself, line by line. */

import type { BilledRequest } from '../billed-request.ts'
import { asCount, asObject, asText, type JsonObject } from '../lines.ts'
import type { SessionHead } from '../session-head.ts'

export const SESSION_FILE = /^.{1,40}_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i

/** As pi names the folder of a project. */
export function nameProjectFolder(directory: string): string {
  return `--${directory.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`
}

export function readPiEntry(
  entry: JsonObject,
  readPrompt: (content: unknown) => string | undefined,
): Partial<SessionHead> {
  if (entry.type === 'session') return { sessionId: asText(entry.id), workingDirectory: asText(entry.cwd) }
  const message = asObject(entry.message)
  return message?.role === 'user' ? { firstPrompt: readPrompt(message.content) } : {}
}

/** What an answer was billed for, on whatever branch it stands. */
export function readPiRequest(entry: JsonObject): BilledRequest | undefined {
  const message = asObject(entry.message)
  const usage = asObject(message?.usage)
  const model = asText(message?.model)
  if (message?.role !== 'assistant' || !usage || !model) return undefined
  const request = {
    model,
    input: asCount(usage.input),
    cachedInput: asCount(usage.cacheRead),
    cacheWrite: asCount(usage.cacheWrite),
    cacheWriteLong: 0,
    output: asCount(usage.output),
  }
  return request.input + request.cachedInput + request.cacheWrite + request.output > 0 ? request : undefined
}

export function countPiEntry(entry: JsonObject): number {
  const request = readPiRequest(entry)
  return request ? request.input + request.cachedInput + request.cacheWrite + request.output : 0
}
