/**
 * Requests to compact as each agent sends them, for tests. Observed with the versions that the
 * agents' folders name.
 */
import type { ApiName } from '@precis/core/apis'
import type { JsonObject } from '../files/lines.ts'
import type { WireRequest } from './shared/wire.ts'

const SESSION = '01a2094a-c3c1-7330-98da-3715883e5d24'

const CLAUDE_FORM = 'an <analysis> block followed by a <summary> block'
export const CLAUDE_END = `\n\nREMINDER: Do NOT call any tools. Respond with plain text only — ${CLAUDE_FORM}. Tool calls will be rejected and you will fail the task.`

/** Its instruction, with the user's words after the command. */
export function createClaudeInstruction(words?: string): string {
  const more = words === undefined ? '' : `\n\nAdditional Instructions:\n${words}`
  return `CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use Read, Bash, Grep, Glob, Edit, Write, or ANY other tool.\n- Your entire response must be plain text: ${CLAUDE_FORM}.\n\nYour task is to create a detailed summary of the conversation so far, paying close attention to the user.${more}${CLAUDE_END}`
}

const CALL = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'README.md' }
export const CLAUDE_HISTORY: readonly JsonObject[] = [
  { role: 'user', content: [{ type: 'text', text: 'Never touch generated files.' }] },
  { role: 'system', content: '# Environment' },
  { role: 'assistant', content: [{ ...CALL, cache_control: { type: 'ephemeral' } }] },
]

export function createClaudeRequest(
  last: unknown = [RESULT, { type: 'text', text: createClaudeInstruction() }],
): WireRequest {
  return {
    api: 'anthropic-messages',
    path: '/v1/messages?beta=true',
    headers: { 'x-claude-code-session-id': SESSION, 'anthropic-version': '2023-06-01' },
    body: {
      model: 'claude-opus-4-5',
      max_tokens: 32_000,
      system: [
        { type: 'text', text: 'You are Claude Code.' },
        { type: 'text', text: 'You work with the user.', cache_control: { type: 'ephemeral' } },
      ],
      tools: [{ name: 'Bash' }],
      stream: true,
      messages: [...CLAUDE_HISTORY, { role: 'user', content: last }],
    },
  }
}

/** What Claude Code makes of an answer in its next request. */
export function continueClaude(answer: string, notes = ''): string {
  const cut = (text: string, tag: string) => {
    const start = text.indexOf(`<${tag}>`)
    const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start)
    return end < 0
      ? undefined
      : ([
          text.slice(0, start),
          text.slice(start + tag.length + 2, end),
          text.slice(end + tag.length + 3),
        ] as const)
  }
  const analysis = cut(answer, 'analysis')
  const rest = analysis ? analysis[0] + analysis[2] : answer
  const summary = cut(rest, 'summary')
  const text = summary ? `${summary[0]}Summary:\n${summary[1].trim()}${summary[2]}` : rest
  const shown = text
    .replace(/\n\n+/g, '\n\n')
    .trim()
    .replaceAll(/<(?=\s*(?:\/\s*)?tools-used-before-summary\b)/gi, '&lt;')
  return `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n<system-reminder>\n<tools-used-before-summary>Bash, Read</tools-used-before-summary>\n</system-reminder>\n${shown}${notes}`
}

export const CODEX_HISTORY: readonly JsonObject[] = [
  {
    type: 'message',
    role: 'developer',
    content: [{ type: 'input_text', text: 'You are a coding agent.' }],
  },
  {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'Never touch generated files.' }],
  },
  { type: 'function_call', call_id: 'call_1', name: 'exec_command', arguments: '{"cmd":"ls"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'README.md' },
]

export const CODEX_PROMPT =
  'You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary for another LLM that will resume the task.\n'

export function createCodexRequest(last: JsonObject, more: JsonObject = {}): WireRequest {
  return {
    api: 'openai-responses',
    path: '/v1/responses',
    headers: {
      originator: 'codex_cli_rs',
      'thread-id': SESSION,
      'session-id': SESSION,
      'x-codex-turn-metadata': JSON.stringify({ thread_id: SESSION, request_kind: 'compaction' }),
    },
    body: {
      model: 'gpt-5-codex',
      stream: true,
      tools: [{ name: 'exec_command' }],
      input: [...CODEX_HISTORY, last],
      ...more,
    },
  }
}

export const createCodexTrigger = () => createCodexRequest({ type: 'compaction_trigger' })

export function createCodexPrompt(): WireRequest {
  const prompt = {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: CODEX_PROMPT }],
  }
  return createCodexRequest(prompt, { tools: [], parallel_tool_calls: false })
}

/** Codex asked this way before it used the trigger. */
export function createCodexCompact(): WireRequest {
  return {
    ...createCodexTrigger(),
    path: '/v1/responses/compact',
    headers: { originator: 'codex_cli_rs', session_id: SESSION },
    body: { model: 'gpt-5-codex', instructions: 'You are a coding agent.', input: CODEX_HISTORY },
  }
}

export const GEMINI_HISTORY: readonly JsonObject[] = [
  {
    role: 'user',
    parts: [{ text: '<session_context>' }, { text: 'Never touch generated files.' }],
  },
  {
    role: 'model',
    parts: [{ functionCall: { name: 'run_shell_command', args: { command: 'ls' } } }],
  },
  {
    role: 'user',
    parts: [{ functionResponse: { name: 'run_shell_command', response: { output: 'README.md' } } }],
  },
  { role: 'model', parts: [{ text: 'One file.' }] },
]

export const GEMINI_FIRST =
  'Generate a new <state_snapshot> based on the provided history.\n\nFirst, reason in your scratchpad. Then, generate the updated <state_snapshot>.'
export const GEMINI_AGAIN =
  'A previous <state_snapshot> exists in the history. You MUST integrate all still-relevant information from that snapshot into the new one.\n\nFirst, reason in your scratchpad. Then, generate the updated <state_snapshot>.'
export const GEMINI_SECOND =
  'Critically evaluate the <state_snapshot> you just generated. Did you omit any? Otherwise, repeat the exact same <state_snapshot> again.'

export function createGeminiRequest(instruction = GEMINI_FIRST, answer?: string): WireRequest {
  const before = answer === undefined ? [] : [{ role: 'model', parts: [{ text: answer }] }]
  const system =
    'You are a specialized system component responsible for distilling chat history into a structured XML <state_snapshot>.\n\n<state_snapshot>\n</state_snapshot>'
  return {
    api: 'gemini-contents',
    path: '/v1beta/models/gemini-2.5-pro:generateContent',
    headers: { 'user-agent': 'GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)' },
    body: {
      systemInstruction: { role: 'user', parts: [{ text: system }] },
      generationConfig: {},
      contents: [...GEMINI_HISTORY, ...before, { role: 'user', parts: [{ text: instruction }] }],
    },
  }
}

const OPENCODE_RULES =
  'Output exactly the Markdown structure.\n\nRules:\n- Keep every section.\n- Do not mention the summary process or that context was compacted.'
export const OPENCODE_NEW = `Create a new anchored summary from the conversation history in the <conversation> tags above so another coding agent can continue the work.\n\n${OPENCODE_RULES}`
export const OPENCODE_MERGED = `Here is the summary of the conversation before the <conversation> above:\n\n<prior-summary>\nBefore.\n</prior-summary>\n\n${OPENCODE_RULES}`

export function createOpencodeRequest(
  api: ApiName = 'openai-chat',
  task = OPENCODE_NEW,
  history = '[User]: Never touch generated files.',
): WireRequest {
  const system =
    'You are a context summarization agent. You are given a conversation between a user and an agent.\n\nRespond in the same language as the conversation.\n'
  const text = `Here is the conversation so far:\n\n<conversation>\n${history}\n</conversation>\n\n${task}`
  const bodies: Readonly<Record<ApiName, JsonObject>> = {
    'openai-chat': {
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: text },
      ],
    },
    'anthropic-messages': {
      system: [{ type: 'text', text: system }],
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    },
    'openai-responses': {
      input: [
        { role: 'system', content: system },
        { role: 'user', content: [{ type: 'input_text', text }] },
      ],
    },
    'gemini-contents': {
      systemInstruction: { parts: [{ text: system }] },
      contents: [{ role: 'user', parts: [{ text }] }],
    },
  }
  return {
    api,
    path: '/v1/any',
    headers: {
      'user-agent': 'opencode/1.18.33 runtime/bun/1.3.14',
      'x-session-id': 'ses_df6b021d0ffePJP6kTS0Fgg5xc',
    },
    body: { model: 'm1', stream: true, ...bodies[api] },
  }
}
