/** What an export of OpenCode tells beside its conversation. */
import type { ByteSource } from '@precis/core/formats'
import type { BilledRequest } from '../billed-request.ts'
import { asCount, asObject, asText, type JsonObject, parseObject } from '../lines.ts'
import type { SessionHead } from '../session-head.ts'
import { findFirstPrompt } from './list-opencode.ts'
import { toStoredSession } from './stored-session.ts'

/** Reads the whole document: what comes first in it is the session, not what was asked. */
export function readExportHead(source: ByteSource): SessionHead {
  const session = toStoredSession(readWhole(source))
  return {
    sessionId: asText(session.info.id),
    workingDirectory: asText(session.info.directory),
    firstPrompt: findFirstPrompt(session),
  }
}

/** One for each answer; reasoning is billed as output. */
export function readExportRequests(source: ByteSource): BilledRequest[] {
  return toStoredSession(readWhole(source)).messages.flatMap((message) => {
    const tokens = asObject(message.tokens)
    const cache = asObject(tokens?.cache)
    const request = {
      model: asText(message.modelID) ?? '',
      input: asCount(tokens?.input),
      cachedInput: asCount(cache?.read),
      cacheWrite: asCount(cache?.write),
      cacheWriteLong: 0,
      output: asCount(tokens?.output) + asCount(tokens?.reasoning),
    }
    const isBilled = request.input + request.cachedInput + request.cacheWrite + request.output > 0
    return message.role === 'assistant' && isBilled ? [request] : []
  })
}

function readWhole(source: ByteSource): JsonObject | undefined {
  const { buffer, byteOffset, length } = source.read(0, source.byteLength)
  return parseObject(Buffer.from(buffer, byteOffset, length))
}
