/**
 * Claude Code asks for its compaction in one request more of the same conversation: `system`,
 * `tools` and messages as before, and its instruction in the last message of the user, alone or
 * behind the results of tools (seen with 2.1.332: automatic, and `/compact`). Messages of role
 * `system`, with which it reminds its model, may stand behind that one; they belong to the history.
 *
 *   user … assistant (marked for the cache) │ user: results, instruction │ system …
 */
import { asText, type JsonObject } from '../../files/lines.ts'
import { asObjects, dropLastLine, readIdHeader, readPathname } from '../shared/request-text.ts'
import type { AgentWire, CompactionRequest, RequestHeaders, WireRequest } from '../shared/wire.ts'
import { launch, listGatewayEntries } from './launch.ts'
import { protectSummary, readProtectedSummary } from './protect-summary.ts'

const BEGINNING = 'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use '
// What it says is to be summarized: all that was sent. "the RECENT portion" is not all.
const TASK =
  /\n- Your entire response must be plain text: (an <analysis> block followed by a <summary> block|a <summary> block)\.\n\nYour task is to create a detailed summary of (?:the conversation so far|this conversation)[,.]/
const TASK_CHARACTERS = 1000
const WORDS_OF_THE_USER = '\n\nAdditional Instructions:\n'
// Behind the end, where an attempt before was too long or had no summary in it.
const MORE = [
  '\n\nSome tool results above were left out whole because ',
  '\n\nFor this reply only: write what ',
]

export const wire: AgentWire = {
  readSession,
  marks: ['CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.'],
  readCompaction,
  unwrapSummary,
  launch,
  listGatewayEntries,
}

/** A subagent has an id of its own beside that of the session. */
function readSession(headers: RequestHeaders): string | undefined {
  const session = readIdHeader(headers, 'x-claude-code-session-id')
  const subagent = readIdHeader(headers, 'x-claude-code-agent-id')
  return session === undefined || subagent === undefined ? session : `${session}/${subagent}`
}

function readCompaction({ api, path, headers, body }: WireRequest): CompactionRequest | undefined {
  if (api !== 'anthropic-messages' || !readPathname(path).endsWith('/v1/messages')) return undefined
  if (readSession(headers) === undefined || body.stream !== true || !Array.isArray(body.tools))
    return undefined
  if (!hasCacheMark(body.system)) return undefined
  const messages = asObjects(body.messages) ?? []
  const place = messages.findLastIndex(({ role }) => role !== 'system')
  const last = messages[place]
  if (last?.role !== 'user') return undefined
  const blocks =
    typeof last.content === 'string'
      ? [{ type: 'text', text: last.content }]
      : asObjects(last.content)
  const block = blocks?.at(-1)
  if (!blocks || block?.type !== 'text') return undefined
  const instruction = readInstruction(asText(block.text) ?? '')
  if (!instruction) return undefined
  const [before, after] = [messages.slice(0, place), messages.slice(place + 1)]
  const rest = blocks.slice(0, -1)
  // What was sent before is marked for the cache, its instruction is not: the newest words of the
  // user are marked, or what is behind them.
  const isMarked = [...before, { content: rest }].some(({ content }) => hasCacheMark(content))
  if (
    !isMarked ||
    [block, ...after].some(({ content, ...more }) => hasCacheMark([more]) || hasCacheMark(content))
  )
    return undefined
  return {
    messages: [...before, ...(rest.length > 0 ? [{ ...last, content: rest }] : []), ...after],
    ...instruction,
    wrapSummary: (summary) =>
      `<analysis></analysis>\n<summary>\n${protectSummary(summary)}\n</summary>`,
  }
}

function hasCacheMark(blocks: unknown): boolean {
  return asObjects(blocks)?.some((block: JsonObject) => block.cache_control !== undefined) ?? false
}

function readInstruction(text: string): Pick<CompactionRequest, 'instructions'> | undefined {
  if (!text.startsWith(BEGINNING)) return undefined
  const [, form] = TASK.exec(text.slice(0, TASK_CHARACTERS)) ?? []
  if (form === undefined) return undefined
  const whole = MORE.toReversed().reduce(dropLastLine, text)
  const end = `\n\nREMINDER: Do NOT call any tools. Respond with plain text only — ${form}. Tool calls will be rejected and you will fail the task.`
  if (!whole.endsWith(end)) return undefined
  const task = whole.slice(0, -end.length)
  const start = task.indexOf(WORDS_OF_THE_USER)
  return start < 0 ? {} : { instructions: task.slice(start + WORDS_OF_THE_USER.length) }
}

const CONTINUED =
  'This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n'
const TOOLS =
  /^<system-reminder>\n<tools-used-before-summary>[^<\n]*<\/tools-used-before-summary>\n<\/system-reminder>\n/
const SUMMARY = 'Summary:\n'
// In the order in which they stand; each is there or not.
const NOTES = [
  '\n\nIf you need specific details from before compaction (like exact ',
  '\n\nNote: part of the earlier conversation was too large to include ',
  '\n\nNote: ',
  '\nContinue the conversation from where it left off',
  '\n\nThe messages after this summary are the most recent messages from before compaction, kept verbatim.',
]

/**
 * The first message after a compaction: a beginning, the tools that were used, the summary, notes.
 */
function unwrapSummary(text: string): string | undefined {
  if (!text.startsWith(CONTINUED)) return undefined
  const rest = text.slice(CONTINUED.length).replace(TOOLS, '')
  if (!rest.startsWith(SUMMARY)) return undefined
  return readProtectedSummary(NOTES.toReversed().reduce(dropLastLine, rest.slice(SUMMARY.length)))
}
