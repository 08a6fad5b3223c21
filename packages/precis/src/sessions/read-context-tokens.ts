import type { ByteSource } from '@precis/core/formats'
import type { Agent } from './agent-home.ts'
import { readCopilotContext } from './copilot/stored-copilot.ts'
import { countChatRecord, isLog, readChatContext } from './gemini-cli/stored-chat.ts'
import { asCount, asObject, type JsonObject, parseObject, readLines } from './lines.ts'
import { countPiEntry } from './pi/stored-session.ts'

const TAIL_BYTES = [1 << 16, 1 << 20]
const FIELDS = ['"usage"', '"token_count"', '"tokens"']

/**
 * Tokens of the context after the newest request, as the provider counted them: what the agent's own gauge shows.
 * Looks at the last 64 KB, then at the last megabyte; undefined when no usage is recorded there.
 */
export function readContextTokens(source: ByteSource, agent: Agent): number | undefined {
  // Its store tells, not its export.
  if (agent === 'opencode') return undefined
  if (agent === 'copilot') return readCopilotContext(source)
  if (agent === 'gemini-cli' && !isLog(source)) return readChatContext(source)
  const count = COUNTERS[agent]
  for (const bytes of TAIL_BYTES) {
    const lines = [...readLines(source, Math.max(source.byteLength - bytes, 0))]
    for (const line of lines.reverse()) {
      if (!FIELDS.some((field) => line.includes(field))) continue
      const entry = parseObject(line)
      const tokens = entry && count(entry)
      if (tokens) return tokens
    }
    if (bytes >= source.byteLength) return undefined
  }
  return undefined
}

const COUNTERS = {
  'claude-code': countClaudeEntry,
  codex: countCodexEntry,
  'gemini-cli': countChatRecord,
  pi: countPiEntry,
} as const

function countClaudeEntry(entry: JsonObject): number {
  const usage = asObject(asObject(entry.message)?.usage)
  if (!usage || entry.isSidechain === true) return 0
  return (
    asCount(usage.input_tokens) +
    asCount(usage.cache_creation_input_tokens) +
    asCount(usage.cache_read_input_tokens) +
    asCount(usage.output_tokens)
  )
}

function countCodexEntry(entry: JsonObject): number {
  const payload = asObject(entry.payload)
  if (payload?.type !== 'token_count') return 0
  return asCount(asObject(asObject(payload.info)?.last_token_usage)?.total_tokens)
}
