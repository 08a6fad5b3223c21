/** Builds small sessions as Cline writes them, for tests. */
import type { CopySample } from '../shared/changed-copy.suite.ts'
import { type HostWords, QUESTION } from '../shared/host-words.suite.ts'

export const SESSION_ID = '1795696571673_v1276'

let made = 0
const message = (role: string, content: readonly object[], more: object = {}) => ({
  id: `msg_${++made}`,
  role,
  content,
  ts: 1_795_696_572_317 + made,
  ...more,
})

export const text = (words: string) => ({ type: 'text', text: words })
export const typed = (words: string) =>
  message('user', [text(`<user_input mode="act">${words}</user_input>`)])
export const answer = (...content: readonly object[]) =>
  message('assistant', content, {
    modelInfo: { id: 'claude-sonnet-4-6', provider: 'anthropic' },
    metrics: { inputTokens: 15_000, outputTokens: 5, cacheReadTokens: 9000, cacheWriteTokens: 0 },
  })
export const call = (id: string) => ({
  type: 'tool_use',
  id,
  name: 'run_commands',
  input: { commands: ['cat a.txt'] },
})
export const result = (id: string, content: unknown, name = 'run_commands') => ({
  type: 'tool_result',
  tool_use_id: id,
  name,
  content,
})
/** What `run_commands` returns for one command. */
export const printed = (text: string) => ({ query: 'cat a.txt', result: text, success: true })
export const results = (...ids: readonly string[]) =>
  message(
    'user',
    ids.map((id) => result(id, [printed(`${id}: ${'output '.repeat(40)}`)])),
  )
export const user = (...content: readonly object[]) => message('user', content)

export const session = (messages: readonly object[], more: object = {}) =>
  `${JSON.stringify(
    {
      version: 1,
      updated_at: '2026-11-26T12:36:12.982Z',
      agent: 'lead',
      sessionId: SESSION_ID,
      messages,
      system_prompt: 'mark prompt',
      ...more,
    },
    null,
    2,
  )}\n`

/** Two calls in one answer, and a file that the user named. */
export const RICH = [
  typed('Find the bug.'),
  answer(text('Looking.'), call('c1')),
  results('c1'),
  user(text('and this'), { type: 'file', path: '/work/a.ts', content: 'one' }),
  answer(call('c2'), call('c3')),
  results('c2', 'c3'),
  answer(text('Done.')),
]

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: '<mode_notice>The user switched to act mode.</mode_notice>',
  question: {
    tool: 'ask_question',
    input: { question: QUESTION.question, options: ['left', 'right'] },
    output: 'right',
    answer: 'right',
  },
  refusal: {
    output:
      'This tool call was rejected by the user and not executed. -- NOT a tool or system failure. Clarify with user before proceeding.',
  },
  summary: 'Context summary:\n\nall of it\n\n## Files',
  tools: {
    read: ['read_files', { files: [{ path: '/work/a.ts' }] }],
    write: ['editor', { path: '/work/a.ts', old_text: '1', new_text: '2' }],
    command: ['run_commands', { commands: ['npm test'] }],
    search: ['search_codebase', { queries: ['tax'] }],
    plan: { none: 'it has none' },
    delegate: ['spawn_agent', { systemPrompt: 'look', task: 'Look around.' }],
  },
}

/** A session with every kind of member that is not a message. */
export const copySample: CopySample = {
  document: session(
    [
      typed('forget this'),
      { ...answer(text('forgotten')), note: 'dangling' },
      typed('keep this'),
      {
        ...answer(text('kept')),
        modelInfo: { id: 'mark model' },
        metrics: { note: 'mark counts' },
        future: 'mark unknown',
      },
      typed('and more'),
    ],
    { later: 'mark member' },
  ),
  marks: {
    'models, times': ['mark model'],
    'unknown members': ['mark unknown', 'mark member'],
    'token counts': ['mark counts'],
    'the system prompt': ['mark prompt'],
  },
}
