/**
 * Claude Code asks for its compaction in one more request of the same conversation (observed with
 * 2.1.332, for automatic compactions and `/compact`). `system`, `tools` and messages are as before.
 * Its instruction is in the last user message, which may begin with tool results. Messages of role
 * `system` may follow. All of that role are its own reminders: of the environment, tools, agents
 * and skills. It writes them again after a compaction.
 *
 *   user … assistant (marked for the cache) │ user: results, instruction │ system …
 */
import { asText, type JsonObject } from '../../files/lines.ts'
import { asObjects, dropLastLine, readIdHeader, readPathname } from '../shared/request-text.ts'
import type { AgentWire, CompactionRequest, RequestHeaders, WireRequest } from '../shared/wire.ts'
import { launch, listGatewayEntries } from './launch.ts'

const BEGINNING = 'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use '
// By its words, it asks for a summary of everything that was sent. "the RECENT portion" is not
// everything.
const TASK =
  /\n- Your entire response must be plain text: (an <analysis> block followed by a <summary> block|a <summary> block)\.\n\nYour task is to create a detailed summary of (?:the conversation so far|this conversation)[,.]/
const TASK_CHARACTERS = 1000
const WORDS_OF_THE_USER = '\n\nAdditional Instructions:\n'
// Follows the end, if an earlier attempt was too long or contained no summary.
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

/** A subagent has its own id in addition to the session's id. */
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
  // Only what was sent before is marked for the cache. The mark is on the user's latest words, or
  // after them, and never on the instruction.
  const isMarked = [...before, { content: rest }].some(({ content }) => hasCacheMark(content))
  if (
    !isMarked ||
    [block, ...after].some(({ content, ...more }) => hasCacheMark([more]) || hasCacheMark(content))
  )
    return undefined
  return {
    messages: [
      ...before,
      ...(rest.length > 0 ? [{ ...last, content: rest }] : []),
      ...after,
    ].flatMap(asReminder),
    ...instruction,
    wrapSummary: (summary) =>
      `<analysis></analysis>\n<summary>\n${protectSummary(summary)}\n</summary>`,
  }
}

/** As it wrote its reminders before 2.1.332. No operator said them. */
function asReminder(message: JsonObject): JsonObject[] {
  if (message.role !== 'system') return [message]
  const blocks = asObjects(message.content) ?? [{ text: message.content }]
  const text = blocks.map((block) => asText(block.text) ?? '').join('\n')
  if (text.trim() === '') return []
  return [{ role: 'user', content: `<system-reminder>\n${text}\n</system-reminder>` }]
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
// In this order. Each may be missing.
const NOTES = [
  '\n\nIf you need specific details from before compaction (like exact ',
  '\n\nNote: part of the earlier conversation was too large to include ',
  '\n\nNote: ',
  '\nContinue the conversation from where it left off',
  '\n\nThe messages after this summary are the most recent messages from before compaction, kept verbatim.',
]

/**
 * The first message after a compaction: an introduction, the used tools, the summary, and notes.
 */
function unwrapSummary(text: string): string | undefined {
  if (!text.startsWith(CONTINUED)) return undefined
  const rest = text.slice(CONTINUED.length).replace(TOOLS, '')
  if (!rest.startsWith(SUMMARY)) return undefined
  return readProtectedSummary(NOTES.toReversed().reduce(dropLastLine, rest.slice(SUMMARY.length)))
}

// Claude Code (2.1.329) takes the text between the first two tags of a summary, turns more than two
// line breaks into two, and removes `<` from one of its own tags.

// The first ends a summary. The second is a tag of the agent that no summary may contain.
const TAGS = String.raw`(?=\/summary>|[\s/]*tools-used-before-summary)`
const BARE = new RegExp(String.raw`<(\\*)${TAGS}`, 'gi')
const PROTECTED = new RegExp(String.raw`<\\(\\*)${TAGS}`, 'gi')
const BLANK = /^ *$/

/**
 * Keeps at most one empty line in a row. Other empty lines get a space, and lines of spaces get one
 * more.
 */
export function protectSummary(summary: string): string {
  const lines = summary.trim().replace(BARE, '<\\$1').split('\n')
  const isBlank = (index: number) => BLANK.test(lines[index] ?? '-')
  return lines
    .map((line, index) =>
      isBlank(index) && (line !== '' || isBlank(index - 1)) ? `${line} ` : line,
    )
    .join('\n')
}

/** Reverses `protectSummary`. White space around the summary is lost. */
function readProtectedSummary(text: string): string {
  const lines = text.split('\n').map((line) => (BLANK.test(line) ? line.slice(1) : line))
  return lines.join('\n').replace(PROTECTED, '<$1')
}
