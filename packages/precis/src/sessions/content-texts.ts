/** What was said, called and answered in one record of a session, whichever agent wrote it. */
import type { Agent } from './agent-home.ts'
import { asObject, type JsonObject, parseObject } from './lines.ts'

// What agents note about a session and what they write a second time.
const OTHER_CLAUDE_TYPES = new Set(['progress', 'file-history-snapshot', 'queue-operation', 'last-prompt'])
const CODEX_TYPES = new Set(['response_item', 'compacted'])
const OTHER_FIELDS = new Set([
  'toolUseResult',
  'replacement_history',
  'signature',
  'thoughtSignature',
  'thinkingSignature',
  'textSignature',
  'encrypted_content',
  'usage',
  'uuid',
  'parentUuid',
  'parentId',
  'sessionId',
  'sessionID',
  'messageID',
  'id',
  'requestId',
  'responseId',
  'tool_use_id',
  'call_id',
  'callID',
  'toolCallId',
  'type',
  'role',
  'model',
  'version',
  'cwd',
  'gitBranch',
  'timestamp',
  'slug',
  'mimeType',
  'media_type',
])

/** Every text in the order of its record, without frames, ids, signatures and base64. Not recursive: depth is not ours. */
export function* readContentTexts(record: JsonObject, agent: Agent): Generator<string> {
  if (agent === 'claude-code' && OTHER_CLAUDE_TYPES.has(String(record.type))) return
  if (agent === 'codex' && asObject(record.payload) && !CODEX_TYPES.has(String(record.type))) return
  const rest: unknown[] = [record]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') {
      if (!isBase64(value)) yield value
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) rest.push(value[index])
    } else if (typeof value === 'object' && value !== null) {
      for (const [field, inner] of Object.entries(value).reverse()) {
        if (!OTHER_FIELDS.has(field)) rest.push(decodeArguments(field, inner))
      }
    }
  }
}

/** Arguments of a call are JSON inside of JSON. */
function decodeArguments(field: string, value: unknown): unknown {
  const isJson = (field === 'arguments' || field === 'partialJson') && typeof value === 'string'
  return isJson ? (parseObject(Buffer.from(value)) ?? value) : value
}

const SHORTEST_BASE64 = 256
const BASE64_BEGINNING = /^[A-Za-z0-9+/_-]{256}/
const BASE64_END = /^[A-Za-z0-9+/_-]{60,64}={0,2}$/

/** By its beginning and its end: no language writes so long words. */
function isBase64(text: string): boolean {
  if (text.startsWith('data:')) return text.slice(0, 200).includes(';base64,')
  return text.length >= SHORTEST_BASE64 && BASE64_BEGINNING.test(text) && BASE64_END.test(text.slice(-64))
}
