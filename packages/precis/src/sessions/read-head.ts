import type { ByteSource } from '@precis/core/formats'
import type { Agent } from './agent-home.ts'
import { readCopilotHead } from './copilot/stored-copilot.ts'
import { readChatHead } from './gemini-cli/stored-chat.ts'
import { asObject, asText, type JsonObject, parseObject, readLines } from './lines.ts'
import { readExportHead } from './opencode/read-export.ts'
import { readPiEntry } from './pi/stored-session.ts'
import type { SessionHead } from './session-head.ts'

export type { SessionHead } from './session-head.ts'

// Prompts stand behind instructions of some ten kilobytes; a session without one is not searched to its end.
const HEAD_BYTES = 1 << 20

/** Reads only as far as the first prompt, and never more than a megabyte. */
export function readHead(source: ByteSource, agent: Agent): SessionHead {
  if (agent === 'opencode') return readExportHead(source)
  if (agent === 'gemini-cli') return readChatHead(source)
  if (agent === 'copilot') return readCopilotHead(source)
  let head: SessionHead = { sessionId: undefined, workingDirectory: undefined, firstPrompt: undefined }
  const read = ENTRY_READERS[agent]
  for (const line of readLines(source, 0, Math.min(source.byteLength, HEAD_BYTES))) {
    const entry = parseObject(line)
    if (!entry) continue
    const found = read(entry)
    head = {
      sessionId: head.sessionId ?? found.sessionId,
      workingDirectory: head.workingDirectory ?? found.workingDirectory,
      firstPrompt: head.firstPrompt ?? found.firstPrompt,
    }
    if (head.sessionId && head.workingDirectory && head.firstPrompt) break
  }
  return head
}

const ENTRY_READERS = {
  'claude-code': readClaudeEntry,
  codex: readCodexEntry,
  pi: (entry: JsonObject) => readPiEntry(entry, readPrompt),
} as const

function readClaudeEntry(entry: JsonObject): Partial<SessionHead> {
  return {
    sessionId: asText(entry.sessionId),
    workingDirectory: asText(entry.cwd),
    firstPrompt: isClaudePrompt(entry) ? readPrompt(asObject(entry.message)?.content) : undefined,
  }
}

function isClaudePrompt(entry: JsonObject): boolean {
  return entry.type === 'user' && entry.isMeta !== true && entry.isSidechain !== true && entry.isCompactSummary !== true
}

function readCodexEntry(entry: JsonObject): Partial<SessionHead> {
  const payload = asObject(entry.payload) ?? {}
  if (entry.type === 'session_meta') {
    return { sessionId: asText(payload.id), workingDirectory: asText(payload.cwd) }
  }
  if (entry.type === 'event_msg' && payload.type === 'user_message') return { firstPrompt: readPrompt(payload.message) }
  const isMessage = entry.type === 'response_item' && payload.type === 'message' && payload.role === 'user'
  return isMessage ? { firstPrompt: readPrompt(payload.content) } : {}
}

/** Undefined for what hosts put in the person's place: tagged context, command output, notices. */
function readPrompt(content: unknown): string | undefined {
  const texts = Array.isArray(content) ? content.map((block) => asText(asObject(block)?.text)) : [asText(content)]
  for (const text of texts) {
    const trimmed = text?.trim()
    if (!trimmed) continue
    const command = /^<command-name>\s*([^<\s]{1,80})/.exec(trimmed)?.[1]
    if (command) return command
    if (/^(?:<[a-z]|Caveat: |\[Request interrupted|# AGENTS\.md)/i.test(trimmed)) continue
    return trimmed
  }
  return undefined
}
