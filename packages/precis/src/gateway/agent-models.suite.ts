/**
 * Agents as a gateway sees them: what each sends, and how it uses an answer. `wire.ts` of each
 * agent names the version. Answers are read by the official client of their API.
 */
import { createHash } from 'node:crypto'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import {
  CODEX_PROMPT,
  continueClaude,
  createClaudeInstruction,
  createClaudeRequest,
  createCodexCompact,
  createCodexPrompt,
  createCodexTrigger,
  createGeminiRequest,
  createOpencodeRequest,
  GEMINI_AGAIN,
  GEMINI_FIRST,
  GEMINI_SECOND,
  OPENCODE_MERGED,
  OPENCODE_NEW,
} from '../agents/compaction-requests.suite.ts'
import type { WireRequest } from '../agents/shared/wire.ts'
import type { JsonObject } from '../files/lines.ts'
import type { Answered } from './gateway.suite.ts'
import type { SentRequest } from './served.suite.ts'

/** What the user asks, what the model reads for it, and what it answers. */
export interface Turn {
  readonly words: string
  readonly command: string
  readonly output: string
  readonly said: string
}

export const FIRST = 'Never touch the files under gen/: they are written by codegen v7.'
export const createWords = (step: number) =>
  step === 0 ? FIRST : `Step ${step}: mend the rounding in src/tax${step}.ts.`
/** About 500 tokens. */
export const createTurn = (step: number): Turn => ({
  words: createWords(step),
  command: `npx vitest run src/tax${step}.test.ts`,
  output: `AssertionError: expected ${step}.005 to be ${step}.01\n${`at line ${step} of the stack\n`.repeat(60)}`,
  said: `src/tax${step}.ts rounds half up since commit ${step}f9e.`,
})

export interface AgentModel {
  readonly name: string
  /** Adds it to the history, finished. */
  add(turn: Turn): void
  /** The request with these new words. */
  ask(words: string): SentRequest
  /** The request after the model got what it wanted to read. */
  askOn(turn: Turn): SentRequest
  /** Its requests to compact, one after the other. The second quotes the answer to the first. */
  listCompactions(words?: string): readonly ((earlier: string) => SentRequest)[]
  /** The text of an answer. Rejects if it is not an answer. */
  read(answer: Answered): Promise<string>
  /** Continues after an answer. */
  goOn(text: string): void
}

export interface ModelOptions {
  readonly session: string
  readonly credential?: string
  readonly offersRecall?: boolean
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)
const CONTENT = { 'content-type': 'application/json' }

function render(
  { path, headers, body }: WireRequest,
  more: Readonly<Record<string, string>>,
): SentRequest {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  return {
    path,
    headers: { ...CONTENT, ...Object.fromEntries(given), ...more },
    body: Buffer.from(JSON.stringify(body)),
  }
}

const replay = (answer: Answered) => async () => {
  const type = answer.headers['content-type'] ?? ''
  return new Response(new Uint8Array(answer.body), {
    status: answer.status,
    headers: { 'content-type': type },
  })
}

async function readAnthropic(answer: Answered): Promise<string> {
  const client = new Anthropic({ apiKey: 'none', maxRetries: 0, fetch: replay(answer) })
  const message = await client.messages
    .stream({ model: 'm', max_tokens: 1, messages: [] })
    .finalMessage()
  if (message.stop_reason !== 'end_turn') throw new TypeError(`It ended by ${message.stop_reason}.`)
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

const openOpenai = (answer: Answered) =>
  new OpenAI({ apiKey: 'none', maxRetries: 0, fetch: replay(answer) })

const NOTES = `

If you need specific details from before compaction (like exact code snippets, error messages, or content you generated), read the full transcript at: /home/a/.claude/projects/b/c.jsonl`
const TOOL = {
  name: 'mcp__precis__recall',
  description: 'Looks up',
  input_schema: { type: 'object' },
}
const BASH = { name: 'Bash', description: 'Runs', input_schema: { type: 'object' } }

export interface ClaudeOptions extends ModelOptions {
  /** How many of its latest messages it keeps next to the summary. */
  readonly kept?: number
  /**
   * Whether it reminds its model after the user's latest message, as the interactive agent does.
   */
  readonly reminds?: boolean
}

const REMINDER = {
  role: 'system',
  content: 'While auto mode is active:\n\nYou can work through the Bash tool.',
}
const CACHED = { cache_control: { type: 'ephemeral' } }

/** Adds the mark for the cache to the last block of the last message. */
function markLast(messages: readonly JsonObject[]): JsonObject[] {
  const last = messages.at(-1)
  if (!last) return []
  const blocks = Array.isArray(last.content) ? last.content : [{ type: 'text', text: last.content }]
  return [
    ...messages.slice(0, -1),
    { ...last, content: blocks.with(-1, { ...blocks.at(-1), ...CACHED }) },
  ]
}

export function createClaudeModel({
  session,
  credential = 'key-a',
  kept = 0,
  offersRecall,
  reminds = false,
}: ClaudeOptions): AgentModel {
  let history: JsonObject[] = []
  const headers = { 'x-claude-code-session-id': session, 'x-api-key': credential }
  const tools = offersRecall ? [BASH, TOOL] : [BASH]
  const reminders = reminds ? [REMINDER] : []
  const create = (messages: readonly JsonObject[]) => {
    const request = createClaudeRequest()
    return render({ ...request, body: { ...request.body, tools, messages } }, headers)
  }
  const list = ({ words, command, output, said }: Turn): JsonObject[] => {
    const id = `toolu_${hash(words)}`
    return [
      { role: 'user', content: [{ type: 'text', text: words }] },
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
      { role: 'assistant', content: [{ type: 'text', text: said }] },
    ]
  }
  return {
    name: 'claude-code',
    add: (turn) => void history.push(...list(turn)),
    askOn: (turn) => create([...history, ...list(turn).slice(0, -1), ...reminders]),
    ask: (words) =>
      create([
        ...history,
        { role: 'user', content: [{ type: 'text', text: words }] },
        ...reminders,
      ]),
    listCompactions: (words) => [
      () =>
        create([
          ...markLast(history),
          { role: 'user', content: createClaudeInstruction(words) },
          ...reminders,
        ]),
    ],
    read: readAnthropic,
    goOn(text) {
      const rest = kept > 0 ? history.slice(-kept) : []
      history = [{ role: 'user', content: continueClaude(text, NOTES) }, ...rest]
    },
  }
}

type CodexWay = 'trigger' | 'address' | 'prompt'
const HANDED_ON =
  'Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools. Here is the summary:\n'

const RECALL_TOOLS = {
  type: 'namespace',
  name: 'mcp__precis',
  tools: [{ type: 'function', name: 'recall' }],
}

export function createCodexModel(
  { session, credential = 'key-a', offersRecall = false }: ModelOptions,
  way: CodexWay,
): AgentModel {
  const first = {
    type: 'message',
    role: 'developer',
    content: [{ type: 'input_text', text: 'You are a coding agent.' }],
  }
  let history: JsonObject[] = [first]
  const headers = {
    'thread-id': session,
    'session-id': session,
    session_id: session,
    authorization: `Bearer ${credential}`,
  }
  const user = (text: string) => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text }],
  })
  const create = (request: WireRequest, input: readonly JsonObject[]) =>
    render({ ...request, body: { ...request.body, input } }, headers)
  const ask = createCodexTrigger()
  const turn = {
    'x-codex-turn-metadata': JSON.stringify({ thread_id: session, request_kind: 'turn' }),
  }
  const list = ({ words, command, output, said }: Turn): JsonObject[] => {
    const call_id = `call_${hash(words)}`
    return [
      user(words),
      {
        type: 'function_call',
        call_id,
        name: 'exec_command',
        arguments: JSON.stringify({ cmd: command }),
      },
      { type: 'function_call_output', call_id, output },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] },
    ]
  }
  const tools = { tools: offersRecall ? [RECALL_TOOLS] : [] }
  const askWith = (more: readonly JsonObject[]) =>
    create({ ...ask, headers: { ...ask.headers, ...turn }, body: { ...ask.body, ...tools } }, [
      ...history,
      ...more,
    ])
  return {
    name: `codex, by ${way}`,
    add: (turn) => void history.push(...list(turn)),
    askOn: (turn) => askWith(list(turn).slice(0, -1)),
    ask: (words) => askWith([user(words)]),
    listCompactions() {
      if (way === 'address') return [() => create(createCodexCompact(), history)]
      if (way === 'prompt')
        return [() => create(createCodexPrompt(), [...history, user(CODEX_PROMPT)])]
      return [() => create(createCodexTrigger(), [...history, { type: 'compaction_trigger' }])]
    },
    async read(answer) {
      const { responses } = openOpenai(answer)
      if (way === 'address')
        return JSON.stringify((await responses.compact({ model: 'gpt-5' })).output[0])
      const given = { model: 'm', input: [] }
      if (way === 'prompt') return (await responses.stream(given).finalResponse()).output_text
      const items: unknown[] = []
      let isCompleted = false
      for await (const event of await responses.create({ ...given, stream: true })) {
        if (event.type === 'response.output_item.done') items.push(event.item)
        isCompleted = event.type === 'response.completed'
      }
      if (items.length !== 1 || !isCompleted)
        throw new TypeError(`There are ${items.length} items.`)
      return JSON.stringify(items[0])
    },
    goOn(text) {
      const words = history.filter(({ type, role, content }) => {
        return (
          type === 'message' &&
          role === 'user' &&
          !JSON.stringify(content).includes(HANDED_ON.slice(0, 40))
        )
      })
      history = [first, ...words, way === 'prompt' ? user(HANDED_ON + text) : JSON.parse(text)]
    },
  }
}

export function createGeminiModel({ credential = 'key-a' }: Partial<ModelOptions>): AgentModel {
  const first = { role: 'user', parts: [{ text: '<session_context>' }] }
  let history: JsonObject[] = []
  let isFirst = true
  const create = (contents: readonly JsonObject[], more: JsonObject = {}) => {
    const request = createGeminiRequest()
    const headers = { 'x-goog-api-key': credential }
    return render(
      { ...request, body: { ...request.body, contents: [first, ...contents], ...more } },
      headers,
    )
  }
  const user = (text: string) => ({ role: 'user', parts: [{ text }] })
  const model = (text: string) => ({ role: 'model', parts: [{ text }] })
  const name = 'run_shell_command'
  const list = ({ words, command, output, said }: Turn): JsonObject[] => [
    user(words),
    { role: 'model', parts: [{ functionCall: { name, args: { command } } }] },
    { role: 'user', parts: [{ functionResponse: { name, response: { output } } }] },
    model(said),
  ]
  const askWith = (more: readonly JsonObject[]) =>
    create([...history, ...more], { systemInstruction: user('You are an agent.') })
  return {
    name: 'gemini-cli',
    add: (turn) => void history.push(...list(turn)),
    ask: (words) => askWith([user(words)]),
    askOn: (turn) => askWith(list(turn).slice(0, -1)),
    listCompactions() {
      const request = user(isFirst ? GEMINI_FIRST : GEMINI_AGAIN)
      return [
        () => create([...history, request]),
        (earlier) => create([...history, model(earlier), user(GEMINI_SECOND)]),
      ]
    },
    // Its client does nothing else with an answer in one piece.
    async read({ body }) {
      const { candidates, usageMetadata } = JSON.parse(body.toString())
      if (candidates.length !== 1 || candidates[0].finishReason !== 'STOP')
        throw new TypeError('It did not stop.')
      if (!(usageMetadata.totalTokenCount > 0)) throw new TypeError('It has no usage.')
      return candidates[0].content.parts.map(({ text }: { text: string }) => text).join('')
    },
    goOn(text) {
      history = [user(text), model('Got it. Thanks for the additional context!')]
      isFirst = false
    },
  }
}

type OpencodeApi = 'openai-chat' | 'anthropic-messages'

export function createOpencodeModel(
  { session, credential = 'key-a' }: ModelOptions,
  api: OpencodeApi,
): AgentModel {
  let history: JsonObject[] = []
  /** What came since the last summary, as text. */
  let said: string[] = []
  let isFirst = true
  const isChat = api === 'openai-chat'
  const path = isChat ? '/v1/chat/completions' : '/v1/messages'
  const headers = { 'x-session-id': session, authorization: `Bearer ${credential}` }
  const create = (body: JsonObject) =>
    render({ ...createOpencodeRequest(api), path, body }, headers)
  const SYSTEM = 'You are opencode.'
  const frame = isChat
    ? { tools: [{ type: 'function', function: { name: 'bash' } }] }
    : { system: SYSTEM, tools: [BASH] }
  const system = isChat ? [{ role: 'system', content: SYSTEM }] : []
  const list = ({ words, command, output, said: answer }: Turn): JsonObject[] => {
    const id = `call_${hash(words)}`
    const call = { name: 'bash', arguments: JSON.stringify({ command }) }
    const asChat = [
      { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: call }] },
      { role: 'tool', tool_call_id: id, content: output },
    ]
    const asBlocks = [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'bash', input: { command } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
    ]
    return [
      { role: 'user', content: words },
      ...(isChat ? asChat : asBlocks),
      { role: 'assistant', content: answer },
    ]
  }
  const askWith = (more: readonly JsonObject[]) =>
    create({ model: 'm1', stream: true, ...frame, messages: [...system, ...history, ...more] })
  return {
    name: `opencode, ${api}`,
    add(turn) {
      const { words, command, output, said: answer } = turn
      history.push(...list(turn))
      const call = `[Assistant tool call]: bash(${JSON.stringify({ command })})\n[Tool result]: ${output}`
      said.push(`[User]: ${words}`, call, `[Assistant]: ${answer}`)
    },
    ask: (words) => askWith([{ role: 'user', content: words }]),
    askOn: (turn) => askWith(list(turn).slice(0, -1)),
    listCompactions() {
      const { body } = createOpencodeRequest(
        api,
        isFirst ? OPENCODE_NEW : OPENCODE_MERGED,
        said.join('\n\n'),
      )
      return [() => create(body)]
    },
    async read(answer) {
      if (!isChat) return readAnthropic(answer)
      const completions = openOpenai(answer).chat.completions
      const { choices } = await completions
        .stream({ model: 'm', messages: [] })
        .finalChatCompletion()
      return choices[0]?.message.content ?? ''
    },
    goOn(text) {
      history = [
        { role: 'user', content: 'What did we do so far?' },
        { role: 'assistant', content: text },
      ]
      said = []
      isFirst = false
    },
  }
}
