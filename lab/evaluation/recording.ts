import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { type Conversation, createTokenCounter, findModel, type TokenCounter } from '@precis/core'
import type { Format, FormatOutput } from '@precis/core/formats'
import {
  asObject,
  asText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../packages/precis/src/files/lines.ts'
import {
  type Item,
  type KnownItem,
  knowEntities,
  readConversationItems,
  renderItems,
} from '../../packages/precis/src/replay/items.ts'
import type { LoadedSession } from '../../packages/precis/src/sessions/load-session.ts'
import { keepLiveEntries, readClaudeCodeItems } from './items/claude-code-items.ts'
import { keepLiveItems, readCodexItems } from './items/codex-items.ts'

/** A recorded session, read once, that can be taken apart at any of its items. */
export interface Recording {
  /** As it was asked for. */
  readonly name: string
  readonly format: string
  readonly items: readonly KnownItem[]
  /** Empty where the format does not tell. */
  readonly workingDirectory: string
  readonly counter: TokenCounter
  /** The conversation that an agent would have sent with the records before `row`. */
  readBefore(row: number): Conversation
  /** The text of what an agent would send of a compressed conversation; what is scored. */
  renderLive(conversation: Conversation): string
}

interface SessionReader {
  readonly readItems: (rows: readonly JsonObject[]) => Item[]
  readonly keepLive: (rows: readonly JsonObject[]) => JsonObject[]
}

const SESSION_READERS: Readonly<Record<string, SessionReader>> = {
  'claude-code': { readItems: readClaudeCodeItems, keepLive: keepLiveEntries },
  codex: { readItems: readCodexItems, keepLive: keepLiveItems },
}

export function createRecording(session: LoadedSession): Recording {
  const reader = SESSION_READERS[session.format.name]
  return reader ? recordSession(session, reader) : recordMessages(session)
}

/** The body of a request has no records of its own: its items are its messages. */
function recordMessages({ name, format, conversation }: LoadedSession): Recording {
  const workingDirectory = conversation.workingDirectory ?? ''
  return {
    name,
    format: format.name,
    items: knowEntities(readConversationItems(conversation), workingDirectory),
    workingDirectory,
    counter: createTokenCounter(findModel(conversation.model ?? '')),
    readBefore: (row) => ({ ...conversation, messages: conversation.messages.slice(0, row) }),
    renderLive: (result) => renderItems(readConversationItems(result)),
  }
}

function recordSession(
  { name, format, conversation, document }: LoadedSession,
  reader: SessionReader,
): Recording {
  const lines: string[] = []
  const rows: JsonObject[] = []
  for (const bytes of readLines(document.source)) {
    const row = parseObject(bytes)
    if (!row) continue
    lines.push(bytes.toString('utf8'))
    rows.push(row)
  }
  const workingDirectory = findWorkingDirectory(rows)
  return {
    name,
    format: format.name,
    items: knowEntities(reader.readItems(rows), workingDirectory),
    workingDirectory,
    counter: createTokenCounter(findModel(conversation.model ?? '')),
    readBefore: (row) => format.parse(`${lines.slice(0, endOfMessages(rows, row)).join('\n')}\n`),
    renderLive: (result) =>
      renderItems(reader.readItems(reader.keepLive(serializeRows(format, result)))),
  }
}

/** Without the boundary record that a compaction of Claude Code writes right before its summary. */
function endOfMessages(rows: readonly JsonObject[], row: number): number {
  let end = row
  const isNative = rows[row]?.isCompactSummary === true
  while (
    isNative &&
    end > 0 &&
    rows[end - 1]?.type !== 'user' &&
    rows[end - 1]?.type !== 'assistant'
  )
    end--
  return end
}

function findWorkingDirectory(rows: readonly JsonObject[]): string {
  for (const { cwd, type, payload } of rows) {
    const found =
      asText(cwd) || (type === 'session_meta' ? asText(asObject(payload)?.cwd) : undefined)
    if (found) return found
  }
  return ''
}

const SCORED_SESSION = {
  sessionId: '00000000-0000-4000-8000-000000000000',
  timestamp: '2026-01-01T00:00:00.000Z',
}

/** The bytes that would be written, read back: what is lost on the way counts as lost. */
function serializeRows(format: Format, conversation: Conversation): JsonObject[] {
  let ids = 0
  const createId = () => `00000000-0000-4000-8000-${(++ids).toString(16).padStart(12, '0')}`
  const output = format.serialize(conversation, {
    ...SCORED_SESSION,
    title: 'evaluation',
    createId,
  })
  return toText(output)
    .split('\n')
    .map((line) => parseObject(Buffer.from(line)))
    .filter((row) => row !== undefined)
}

function toText(output: FormatOutput): string {
  if (typeof output === 'string') return output
  if (output instanceof Uint8Array) return Buffer.from(output).toString('utf8')
  if (Symbol.iterator in output)
    return Buffer.concat([...output].map((chunk) => Buffer.from(chunk))).toString('utf8')
  return JSON.stringify(output)
}
