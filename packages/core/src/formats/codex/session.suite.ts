/** A session of Codex, line by line, and what tests check in the output. */

import { apply } from '../../conversation/apply.ts'
import { type Conversation, readText } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import type { CopySample } from '../shared/changed-copy.suite.ts'
import { readOutput } from '../shared/format.suite.ts'
import type { ByteSource, FormatOutput, NewSession } from '../shared/format.ts'
import { type HostWords, QUESTION } from '../shared/host-words.suite.ts'

export interface Line {
  readonly type: string
  readonly payload: Record<string, unknown>
  readonly [key: string]: unknown
}

export const line = (type: string, payload: object): string =>
  JSON.stringify({ timestamp: '2026-04-10T11:49:15.852Z', type, payload })
export const meta = (extra: object = {}) =>
  line('session_meta', {
    id: 'old-id',
    timestamp: 't',
    cwd: '/repo',
    base_instructions: { text: 'You are Codex.' },
    ...extra,
  })
export const event = (type: string, extra: object = {}) => line('event_msg', { type, ...extra })
export const item = (payload: object) => line('response_item', payload)
export const userItem = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})
export const said = (text: string) => [
  item(userItem(text)),
  event('user_message', { message: text, images: [] }),
]
export const answered = (text: string) => [
  event('agent_message', { message: text }),
  item({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
    phase: 'commentary',
  }),
]
export const thought = item({
  content: null,
  summary: [],
  type: 'reasoning',
  encrypted_content: 'gAAAA',
})
export const called = (id: string) =>
  item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: id })
export const ran = (id: string, output: string) => [
  event('exec_command_end', {
    call_id: id,
    stdout: output,
    stderr: '',
    aggregated_output: output,
    formatted_output: output,
    exit_code: 0,
  }),
  item({ type: 'function_call_output', call_id: id, output }),
]
export const turnContext = (turn: number) =>
  line('turn_context', { turn_id: `t${turn}`, cwd: '/repo/sub', model: `gpt-${turn}` })
const tokenCount = event('token_count', { info: { total_token_usage: { total_tokens: 250_000 } } })
export const developer = item({
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text: '<permissions instructions>x</permissions instructions>' }],
})
export const environment = item(
  userItem('<environment_context>\n<cwd>/repo</cwd>\n</environment_context>'),
)
export const started = (turn: number) => event('task_started', { turn_id: `t${turn}` })
export const completed = (turn: number) => event('task_complete', { turn_id: `t${turn}` })

export const LINES = [
  meta(),
  started(1),
  developer,
  environment,
  turnContext(1),
  ...said('first'),
  tokenCount,
  thought,
  ...answered('looking'),
  called('a'),
  called('b'),
  ...ran('b', 'B'.repeat(50)),
  ...said('steering'),
  ...ran('a', 'A'.repeat(50)),
  line('from_the_future', { keep: 1 }),
  item({ type: 'ghost_snapshot', ghost_commit: { id: 'c' } }),
  ...answered('done'),
  completed(1),
  started(2),
  turnContext(2),
  ...said('second'),
  thought,
  item({
    type: 'custom_tool_call',
    status: 'completed',
    call_id: 'p',
    name: 'apply_patch',
    input: '*** Begin Patch',
  }),
  event('patch_apply_end', { call_id: 'p', stdout: 'Success', changes: { '/repo/x': {} } }),
  item({
    type: 'custom_tool_call_output',
    call_id: 'p',
    output: '{"output":"no","metadata":{"exit_code":1}}',
  }),
  item({ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } }),
  ...answered('patched'),
  tokenCount,
  completed(2),
]
export const document = (lines: readonly string[], lineBreak = '\n') =>
  lines.map((text) => text + lineBreak).join('')
export const SESSION = document(LINES)

export const newSession: NewSession = {
  sessionId: 'new-id',
  timestamp: '2026-05-01T00:00:00.000Z',
  title: 'Compressed',
  createId: () => 'fresh',
}
export const readLines = (output: FormatOutput): Line[] => {
  const lines = readOutput(output)
    .split(/\r?\n/)
    .filter((text) => text !== '')
  return lines.map((text): Line => JSON.parse(text))
}
export const payloads = (output: FormatOutput) =>
  readLines(output).flatMap(({ type, payload }) => (type === 'response_item' ? [payload] : []))
export const kinds = (output: FormatOutput) =>
  readLines(output).map(({ type, payload }) =>
    type === 'event_msg' ? `event ${String(payload.type)}` : type,
  )
export const shape = ({ messages }: Conversation) =>
  messages.map((m) => `${m.role} ${m.origin} ${m.parts.map((p) => p.type).join('+')}`)
export const indexOf = ({ messages }: Conversation, text: string) =>
  messages.findIndex((message) => readText(message) === text)
export const summarize = (conversation: Conversation, start: number, end: number) =>
  apply(conversation, [{ type: 'replace', start, end, messages: [createSummaryMessage('before')] }])

export function toSource(bytes: Uint8Array): ByteSource {
  const shared = new Uint8Array(bytes.length)
  return {
    byteLength: bytes.length,
    read(start, end) {
      // Uses the same buffer every time, like a file reader.
      shared.set(bytes.subarray(start, end))
      return shared.subarray(0, end - start)
    },
  }
}

export function joinChunks(output: FormatOutput): Buffer {
  if (typeof output === 'string' || !(Symbol.iterator in output))
    throw new TypeError('expected chunks of bytes')
  return Buffer.concat([...(output as Iterable<Uint8Array>)])
}

/** The history by its definition, read in a different way than the format does. */
export function readLiveItems(text: string): Line['payload'][] {
  const lines = readLines(text)
  const last = lines.findLastIndex(({ type }) => type === 'compacted')
  const replacement =
    last < 0 ? [] : (lines[last]?.payload.replacement_history as Line['payload'][])
  const rest = lines.slice(last + 1).filter(({ type }) => type === 'response_item')
  return [...replacement, ...rest.map(({ payload }) => payload)]
}

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: '<environment_context>\n  <cwd>/work/project</cwd>\n</environment_context>',
  question: {
    tool: 'request_user_input',
    input: { questions: [{ ...QUESTION, id: 'one' }] },
    output: '{"answers":{"one":{"answers":["right"]}}}',
    answer: 'right (the second)',
  },
  refusal: {
    output: 'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
  },
  summary: 'Another language model started to solve this problem and left a summary:\nall of it',
  tools: {
    read: { none: 'it reads files with commands' },
    write: [
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: a.ts\n@@\n-1\n+2\n*** End Patch' },
    ],
    command: ['exec_command', { cmd: 'npm test' }],
    search: { none: 'it searches with commands' },
    plan: ['update_plan', { plan: [{ step: 'test it', status: 'pending' }] }],
    delegate: ['spawn_agent', { message: 'Look around.' }],
  },
}

const note = (words: string) => ({ message: words, images: [] })

/** A session with every kind of record that is not a message. */
export const copySample: CopySample = {
  document: document([
    meta(),
    ...said('mark before a compaction'),
    line('compacted', {
      message: 'mark compaction',
      replacement_history: [userItem('left of it')],
    }),
    event('thread_settings_applied', { thread_id: 'old-id', settings: 'mark old settings' }),
    line('turn_context', { turn_id: 't1', cwd: '/repo', model: 'mark old context' }),
    started(1),
    ...said('forget this'),
    event('warning', note('dangling: beside a removed message')),
    called('gone'),
    ...ran('gone', 'forgotten'),
    event('task_complete', { turn_id: 't1', text: 'dangling: of a removed turn' }),
    event('task_started', { turn_id: 't2', text: 'mark beginning of a turn' }),
    event('thread_settings_applied', { thread_id: 'old-id', settings: 'mark settings' }),
    line('turn_context', { turn_id: 't2', cwd: '/repo', model: 'mark newest context' }),
    line('world_state', { full: 'mark world' }),
    item({ ...userItem('mark announcement'), role: 'developer' }),
    ...said('keep this'),
    item({ type: 'ghost_snapshot', ghost_commit: { id: 'mark ghost' } }),
    line('from_the_future', { keep: 'mark unknown line' }),
    line('from_the_future', { of: ['gone'], text: 'dangling line' }),
    event('warning', note('mark warning')),
    event('token_count', { info: 'mark count' }),
    line('token_usage_record', { usage: 'mark usage' }),
    called('kept'),
    event('exec_command_end', { call_id: 'kept', aggregated_output: 'mark shown output' }),
    item({ type: 'function_call_output', call_id: 'kept', output: 'out' }),
    ...answered('done'),
    ...said('mark rolled back'),
    event('thread_rolled_back', { num_turns: 1 }),
    ...said('and more'),
    event('task_complete', { turn_id: 't2', text: 'mark end of a turn' }),
  ]),
  marks: {
    'events that show a message or a call': ['mark shown output'],
    'beginnings and ends of turns': ['mark beginning of a turn', 'mark end of a turn'],
    'other events, for example warnings and errors': ['mark warning'],
    '`ghost_snapshot`': ['mark ghost'],
    'unknown lines': ['mark unknown line'],
    'the newest `turn_context` and `thread_settings_applied`': [
      'mark newest context',
      'mark settings',
    ],
    'older ones of these two': ['mark old context', 'mark old settings'],
    '`token_count`, `token_usage_record`': ['mark count', 'mark usage'],
    '`world_state`, announcements': ['mark world', 'mark announcement'],
    '`compacted`': ['mark compaction'],
    'lines before a compaction, turns that were rolled back': [
      'mark before a compaction',
      'mark rolled back',
    ],
  },
}
