import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../files/lines.ts'
import {
  CLAUDE_END,
  CLAUDE_HISTORY,
  CODEX_HISTORY,
  CODEX_PROMPT,
  createClaudeInstruction,
  createClaudeRequest,
  createCodexCompact,
  createCodexPrompt,
  createCodexRequest,
  createCodexTrigger,
  createGeminiRequest,
  createOpencodeRequest,
  GEMINI_AGAIN,
  GEMINI_HISTORY,
  GEMINI_SECOND,
  OPENCODE_MERGED,
  OPENCODE_NEW,
} from './compaction-requests.suite.ts'
import { agents } from './index.ts'
import type { WireRequest } from './shared/wire.ts'

/** What each agent reads in the request if it recognizes the request as its own. */
function recognize(request: WireRequest) {
  return agents.flatMap(({ name, wire }) => {
    const found = wire?.readCompaction(request)
    return found ? [{ agent: name, ...found }] : []
  })
}

const withBody = (request: WireRequest, body: JsonObject) => ({
  ...request,
  body: { ...request.body, ...body },
})
const withHeaders = (request: WireRequest, headers: WireRequest['headers']) => ({
  ...request,
  headers: { ...request.headers, ...headers },
})
const text = (value: string, more: JsonObject = {}) => ({ type: 'text', text: value, ...more })
const prompt = (value: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: value }],
})
const INSTRUCTION = createClaudeInstruction()
const MARK = { cache_control: { type: 'ephemeral' } }

const asReminder = (content: string) => ({
  role: 'user',
  content: `<system-reminder>\n${content}\n</system-reminder>`,
})
const CLAUDE_READ = CLAUDE_HISTORY.map(({ role, content }) =>
  role === 'system' ? asReminder(String(content)) : { role, content },
)
const claudeRequest = createClaudeRequest()

const requests: readonly (readonly [string, string, WireRequest, JsonObject])[] = [
  [
    'claude-code',
    'its instruction behind the result of a tool',
    createClaudeRequest(),
    {
      messages: [
        ...CLAUDE_READ,
        { role: 'user', content: [expect.objectContaining({ type: 'tool_result' })] },
      ],
    },
  ],
  [
    'claude-code',
    'its instruction alone',
    createClaudeRequest(INSTRUCTION),
    { messages: CLAUDE_READ },
  ],
  [
    'claude-code',
    'reminders of role system behind it',
    withBody(claudeRequest, {
      messages: [
        ...(claudeRequest.body.messages as JsonObject[]),
        { role: 'system', content: 'While auto mode is active: go on.' },
        { role: 'system', content: [] },
      ],
    }),
    {
      messages: [
        ...CLAUDE_READ,
        { role: 'user', content: [expect.objectContaining({ type: 'tool_result' })] },
        asReminder('While auto mode is active: go on.'),
      ],
    },
  ],
  [
    'claude-code',
    'words of the user',
    createClaudeRequest([text(createClaudeInstruction('keep names\n\nREMINDER: of me'))]),
    { messages: CLAUDE_READ, instructions: 'keep names\n\nREMINDER: of me' },
  ],
  [
    'claude-code',
    'a second attempt',
    createClaudeRequest(
      `${INSTRUCTION}\n\nSome tool results above were left out whole because they did not fit.\n\nFor this reply only: write what the instructions ask for.`,
    ),
    { messages: CLAUDE_READ },
  ],
  [
    'codex',
    'a trigger',
    createCodexTrigger(),
    { messages: CODEX_HISTORY, createAnswer: expect.any(Function) },
  ],
  ['codex', 'its prompt', createCodexPrompt(), { messages: CODEX_HISTORY }],
  [
    'codex',
    'an address of its own',
    createCodexCompact(),
    { messages: CODEX_HISTORY, createAnswer: expect.any(Function) },
  ],
  ['gemini-cli', 'a first snapshot', createGeminiRequest(), { messages: GEMINI_HISTORY }],
  [
    'gemini-cli',
    'a snapshot after another',
    createGeminiRequest(GEMINI_AGAIN),
    { messages: GEMINI_HISTORY },
  ],
  [
    'gemini-cli',
    'the same once more',
    createGeminiRequest(GEMINI_SECOND, 'as it was'),
    { messages: GEMINI_HISTORY, repeated: 'as it was' },
  ],
  ['opencode', 'a first summary', createOpencodeRequest(), { messages: 'session' }],
  [
    'opencode',
    'a summary after another',
    createOpencodeRequest('openai-chat', OPENCODE_MERGED),
    { messages: 'session' },
  ],
  [
    'opencode',
    'words of a plugin',
    createOpencodeRequest('openai-chat', `${OPENCODE_NEW}\n\nSay so.`),
    { messages: 'session' },
  ],
  [
    'opencode',
    'the API of Anthropic',
    createOpencodeRequest('anthropic-messages'),
    { messages: 'session' },
  ],
  [
    'opencode',
    'the newer API of OpenAI',
    createOpencodeRequest('openai-responses'),
    { messages: 'session' },
  ],
  [
    'opencode',
    'the API of Google',
    createOpencodeRequest('gemini-contents'),
    { messages: 'session' },
  ],
]

describe('a request to compact', () => {
  test.each(requests)('of %s is recognised by %s', (agent, _, request, expected) => {
    const [found, ...others] = recognize(request)
    expect(others).toEqual([])
    expect(found).toMatchObject({ agent, ...expected })
    expect(found?.instructions).toBe(expected.instructions)
  })

  test.each(requests.filter(([, , { path }]) => !path.endsWith('compact')))(
    'of %s with %s holds one of its marks',
    (name, _, { body }) => {
      const bytes = JSON.stringify(body)
      const marks = agents.find((agent) => agent.name === name)?.wire?.marks
      expect(marks?.some((mark) => bytes.includes(mark))).toBe(true)
    },
  )

  test('of Gemini CLI after a login with Google is one inside of another, and so is its answer', () => {
    const request = createGeminiRequest()
    const inner = {
      ...request,
      path: '/v1internal:generateContent',
      body: { model: 'gemini-2.5-pro', request: request.body },
    }
    const [found] = recognize(inner)
    expect(found).toMatchObject({ agent: 'gemini-cli', messages: GEMINI_HISTORY })
    const usage = { inputTokens: 1, outputTokens: 2 }
    const answer = found?.createAnswer?.({
      text: 'all',
      model: 'gemini-2.5-pro',
      id: 'a1',
      time: 0,
      usage,
    })
    expect(answer?.body).toMatchObject({
      response: { candidates: [{ content: { parts: [{ text: 'all' }] } }] },
    })
  })
})

const claude = claudeRequest
const claudeWith = (last: unknown) => createClaudeRequest(last)
const codex = createCodexTrigger()
const gemini = createGeminiRequest()
const opencode = createOpencodeRequest()

const others: readonly (readonly [string, WireRequest])[] = [
  ['Claude Code: no session', withHeaders(claude, { 'x-claude-code-session-id': undefined })],
  [
    'Claude Code: a session that is two',
    withHeaders(claude, { 'x-claude-code-session-id': ['a', 'b'] }),
  ],
  ['Claude Code: another address', { ...claude, path: '/v1/messages/count_tokens' }],
  ['Claude Code: another API', { ...claude, api: 'openai-chat' }],
  ['Claude Code: not streamed', withBody(claude, { stream: false })],
  ['Claude Code: no tools', withBody(claude, { tools: undefined })],
  [
    'Claude Code: no marks for the cache',
    withBody(claude, { system: [text('You are Claude Code.')] }),
  ],
  [
    'Claude Code: nothing before',
    withBody(claude, { messages: [{ role: 'user', content: INSTRUCTION }] }),
  ],
  ['Claude Code: pasted by the user', claudeWith([text(INSTRUCTION, MARK)])],
  [
    'Claude Code: pasted by the user, with a marked reminder behind it',
    withBody(claude, {
      messages: [
        ...CLAUDE_HISTORY,
        { role: 'user', content: INSTRUCTION },
        { role: 'system', content: [text('Go on.', MARK)] },
      ],
    }),
  ],
  [
    'Claude Code: a plain string where nothing before it is marked for the cache',
    withBody(claude, {
      messages: [
        { role: 'user', content: 'Never touch generated files.' },
        { role: 'assistant', content: 'I will not.' },
        { role: 'user', content: INSTRUCTION },
      ],
    }),
  ],
  [
    'Claude Code: in the result of a tool',
    claudeWith([{ type: 'tool_result', tool_use_id: 'a', content: INSTRUCTION }]),
  ],
  [
    'Claude Code: in parts of a result',
    claudeWith([{ type: 'tool_result', tool_use_id: 'a', content: [text(INSTRUCTION)] }]),
  ],
  ['Claude Code: before other words', claudeWith([text(INSTRUCTION), text('go on')])],
  [
    'Claude Code: in an earlier message',
    withBody(claude, {
      messages: [
        ...CLAUDE_HISTORY,
        { role: 'user', content: INSTRUCTION },
        { role: 'user', content: 'go on' },
      ],
    }),
  ],
  [
    'Claude Code: as words of the model',
    withBody(claude, {
      messages: [...CLAUDE_HISTORY, { role: 'assistant', content: INSTRUCTION }],
    }),
  ],
  ['Claude Code: quoted', claudeWith(`I found this: ${INSTRUCTION}`)],
  ['Claude Code: words behind it', claudeWith(`${INSTRUCTION} Or not.`)],
  ['Claude Code: without its end', claudeWith(INSTRUCTION.slice(0, -CLAUDE_END.length))],
  [
    'Claude Code: without its task',
    claudeWith(INSTRUCTION.replace('Your task is', 'Your wish is')),
  ],
  [
    'Claude Code: only the newest part',
    claudeWith(
      INSTRUCTION.replace('the conversation so far', 'the RECENT portion of the conversation'),
    ),
  ],
  [
    'Codex: another kind of request',
    withHeaders(codex, { 'x-codex-turn-metadata': '{"request_kind":"turn"}' }),
  ],
  ['Codex: no JSON in its header', withHeaders(codex, { 'x-codex-turn-metadata': '{' })],
  ['Codex: no header', withHeaders(codex, { 'x-codex-turn-metadata': undefined })],
  ['Codex: no session', withHeaders(codex, { 'thread-id': undefined, 'session-id': undefined })],
  ['Codex: another address', { ...codex, path: '/v1/chat' }],
  ['Codex: not streamed', withBody(codex, { stream: false })],
  ['Codex: only a trigger', withBody(codex, { input: [{ type: 'compaction_trigger' }] })],
  [
    'Codex: a trigger in the middle',
    createCodexRequest(prompt('go on'), {
      input: [{ type: 'compaction_trigger' }, prompt('go on')],
    }),
  ],
  [
    'Codex: two triggers',
    withBody(codex, {
      input: [prompt('a'), { type: 'compaction_trigger' }, { type: 'compaction_trigger' }],
    }),
  ],
  ['Codex: a trigger as text', createCodexRequest(prompt('{"type":"compaction_trigger"}'))],
  ['Codex: its prompt beside tools', createCodexRequest(prompt(CODEX_PROMPT))],
  [
    'Codex: its prompt as the output of a tool',
    createCodexRequest(
      { type: 'function_call_output', call_id: 'a', output: CODEX_PROMPT },
      { tools: [] },
    ),
  ],
  ['Codex: its prompt quoted', createCodexRequest(prompt(`See: ${CODEX_PROMPT}`), { tools: [] })],
  [
    'Codex: its prompt beside another text',
    createCodexRequest(
      { role: 'user', content: [{ text: CODEX_PROMPT }, { text: 'go on' }] },
      { tools: [] },
    ),
  ],
  [
    'Codex: its own address, of another client',
    withHeaders(createCodexCompact(), { originator: 'mine' }),
  ],
  ['Codex: its own address, streamed', withBody(createCodexCompact(), { stream: true })],
  ['Codex: its own address, nothing to compact', withBody(createCodexCompact(), { input: [] })],
  ['Gemini CLI: another client', withHeaders(gemini, { 'user-agent': 'google-genai-sdk/1.30.0' })],
  [
    'Gemini CLI: streamed',
    { ...gemini, path: gemini.path.replace(':generate', ':streamGenerate') },
  ],
  ['Gemini CLI: tools', withBody(gemini, { tools: [{ functionDeclarations: [] }] })],
  [
    'Gemini CLI: another system instruction',
    withBody(gemini, { systemInstruction: { parts: [{ text: 'You are an agent.' }] } }),
  ],
  [
    'Gemini CLI: a system instruction without its end',
    withBody(gemini, {
      systemInstruction: {
        parts: [
          {
            text: 'You are a specialized system component responsible for distilling chat history into a structured XML <state_snapshot>.',
          },
        ],
      },
    }),
  ],
  [
    'Gemini CLI: nothing before',
    withBody(gemini, { contents: [{ role: 'user', parts: [{ text: GEMINI_AGAIN }] }] }),
  ],
  ['Gemini CLI: quoted', createGeminiRequest(`See: ${GEMINI_AGAIN}`)],
  ['Gemini CLI: words behind it', createGeminiRequest(`${GEMINI_AGAIN} Or not.`)],
  [
    'Gemini CLI: as words of the model',
    withBody(gemini, {
      contents: [...GEMINI_HISTORY, { role: 'model', parts: [{ text: GEMINI_AGAIN }] }],
    }),
  ],
  [
    'Gemini CLI: beside another part',
    withBody(gemini, {
      contents: [
        ...GEMINI_HISTORY,
        { role: 'user', parts: [{ text: GEMINI_AGAIN }, { text: 'go on' }] },
      ],
    }),
  ],
  [
    'Gemini CLI: once more of nothing',
    withBody(gemini, {
      contents: [
        { role: 'user', parts: [{ text: 'hello' }] },
        { role: 'user', parts: [{ text: GEMINI_SECOND }] },
      ],
    }),
  ],
  ['OpenCode: another client', withHeaders(opencode, { 'user-agent': 'ai-sdk' })],
  ['OpenCode: no session', withHeaders(opencode, { 'x-session-id': undefined })],
  ['OpenCode: tools', withBody(opencode, { tools: [] })],
  [
    'OpenCode: another system prompt',
    withBody(opencode, {
      messages: [
        { role: 'system', content: 'You are opencode.' },
        { role: 'user', content: 'Here is the conversation so far:\n\n<conversation>\n' },
      ],
    }),
  ],
  [
    'OpenCode: more messages',
    withBody(opencode, { messages: [...asMessages(opencode), { role: 'user', content: 'go on' }] }),
  ],
  ['OpenCode: another task', createOpencodeRequest('openai-chat', 'Say hello.')],
  [
    'OpenCode: a task without its end',
    createOpencodeRequest('openai-chat', OPENCODE_NEW.replace('Do not mention', 'Mention')),
  ],
  [
    'OpenCode: its task only in the conversation',
    createOpencodeRequest(
      'openai-chat',
      `</conversation>\n\n${OPENCODE_NEW}\n</conversation>\n\nSay hello.`,
    ),
  ],
]

function asMessages({ body }: WireRequest): readonly unknown[] {
  return Array.isArray(body.messages) ? body.messages : []
}

describe('a request that is nearly one', () => {
  test.each(others)('is none: %s', (_, request) => {
    expect(recognize(request)).toEqual([])
  })

  test('may have any shape', { tags: 'property' }, () => {
    const bodies = requests.map(([, , { body }]) => body)
    const member = fc.constantFrom(...bodies.flatMap((body) => Object.keys(body)))
    fc.assert(
      fc.property(
        fc.constantFrom(...requests),
        member,
        fc.jsonValue(),
        ([, , request], name, value) => {
          for (const changed of [
            withBody(request, { [name]: value }),
            { ...request, body: { [name]: value } },
          ]) {
            for (const { agent, messages } of recognize(changed)) {
              expect(agents.map(({ name: other }) => other)).toContain(agent)
              expect(messages.length).toBeGreaterThan(0)
            }
          }
        },
      ),
    )
  })
})
