/** Builds small sessions as Claude Code writes them, for tests. */
import type { CopySample } from '../shared/changed-copy.suite.ts'
import { type HostWords, QUESTION } from '../shared/host-words.suite.ts'

export const SESSION_ID = '11111111-2222-4333-8444-555555555555'

export interface BuiltEntry {
  readonly type: string
  readonly uuid?: string
  readonly [field: string]: unknown
}

export function uuidOf(name: string): string {
  return `${name.padEnd(8, '0')}-0000-4000-8000-000000000000`
}

function createEnvelope(name: string, parent: string | null): object {
  return {
    parentUuid: parent === null ? null : uuidOf(parent),
    isSidechain: false,
    userType: 'external',
    cwd: '/work/project',
    sessionId: SESSION_ID,
    version: '2.1.100',
    gitBranch: 'main',
    uuid: uuidOf(name),
    timestamp: '2026-01-02T03:04:05.000Z',
  }
}

/** The user's words, or blocks in the user role. */
export function user(
  name: string,
  parent: string | null,
  content: unknown,
  extra: object = {},
): BuiltEntry {
  return {
    ...createEnvelope(name, parent),
    type: 'user',
    message: { role: 'user', content },
    ...extra,
  }
}

/** A part of the answer `messageId`. */
export function assistant(
  name: string,
  parent: string | null,
  content: readonly object[],
  messageId = `msg_${name}`,
  model = 'claude-opus-4-6',
): BuiltEntry {
  const usage = {
    input_tokens: 150_000,
    cache_read_input_tokens: 20_000,
    output_tokens: 10,
    service_tier: 'standard',
  }
  const message = {
    model,
    id: messageId,
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: null,
    usage,
  }
  return { ...createEnvelope(name, parent), type: 'assistant', message, requestId: 'req_1' }
}

export function result(name: string, parent: string, callId: string, output: string): BuiltEntry {
  const content = [{ tool_use_id: callId, type: 'tool_result', content: output, is_error: false }]
  const toolUseResult = {
    stdout: output,
    stderr: '',
    interrupted: false,
    lines: Array.from({ length: 30 }, () => 'x'),
  }
  return { ...user(name, parent, content), toolUseResult, sourceToolAssistantUUID: uuidOf(parent) }
}

export function system(
  name: string,
  parent: string | null,
  subtype: string,
  extra: object = {},
): BuiltEntry {
  return { ...createEnvelope(name, parent), type: 'system', subtype, ...extra }
}

export function attachment(name: string, parent: string, content: object): BuiltEntry {
  return { ...createEnvelope(name, parent), type: 'attachment', attachment: content }
}

export const text = (words: string) => ({ type: 'text', text: words })
export const thinking = (words: string, signature: string) => ({
  type: 'thinking',
  thinking: words,
  signature,
})
export const call = (id: string, input: object = { command: 'ls' }) => ({
  type: 'tool_use',
  id,
  name: 'Bash',
  input,
})

export function toJsonl(entries: readonly object[], lineBreak = '\n'): string {
  return entries.map((entry) => JSON.stringify(entry) + lineBreak).join('')
}

/** A session with known difficult cases: branches, side chains, parallel calls, titles. */
export function createRichSession(): BuiltEntry[] {
  return [
    { type: 'summary', summary: 'Old title', leafUuid: uuidOf('a1') },
    {
      type: 'file-history-snapshot',
      messageId: uuidOf('u1'),
      snapshot: { trackedFileBackups: {} },
    },
    user('u1', null, 'list the files, please'),
    assistant('d1', 'u1', [text('an answer the person took back')]),
    user('d2', 'd1', 'a question nobody remembers'),
    assistant('a1', 'u1', [thinking('which files?', 'sig-one')], 'msg_1'),
    assistant('a2', 'a1', [text('Looking.')], 'msg_1'),
    assistant('c1', 'a2', [call('toolu_1', { command: 'ls', number: 1.5 })], 'msg_1'),
    { ...user('s1', 'c1', 'prompt of a sub-agent'), isSidechain: true },
    assistant('c2', 'c1', [call('toolu_2')], 'msg_1'),
    result('r1', 'c1', 'toolu_1', `first ${'output '.repeat(100)}`),
    {
      type: 'progress',
      parentUuid: uuidOf('c2'),
      uuid: uuidOf('p1'),
      sessionId: SESSION_ID,
      isSidechain: false,
    },
    result('r2', 'c2', 'toolu_2', 'second output'),
    assistant('a3', 'r2', [text('Two files.')], 'msg_2'),
    system('t1', 'a3', 'turn_duration', { durationMs: 5 }),
    user('u2', 't1', [
      text('and this picture?'),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } },
    ]),
    {
      type: 'queue-operation',
      operation: 'enqueue',
      sessionId: SESSION_ID,
      content: 'also the tests',
    },
    assistant('c3', 'u2', [thinking('a picture', 'sig-two'), call('toolu_3')], 'msg_3'),
    attachment('q1', 'c3', {
      type: 'queued_command',
      prompt: 'also the tests',
      commandMode: 'prompt',
    }),
    result('r3', 'q1', 'toolu_3', 'third output'),
    assistant('a4', 'r3', [thinking('done', 'sig-three'), text('Done.')], 'msg_4'),
    { type: 'ai-title', aiTitle: 'Files', sessionId: SESSION_ID },
    { type: 'some-future-type', payload: { __proto__: 1 }, sessionId: SESSION_ID },
  ]
}

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: '<system-reminder>\nThe date has changed.\n</system-reminder>',
  question: {
    tool: 'AskUserQuestion',
    input: { questions: [{ ...QUESTION, multiSelect: false }] },
    output:
      'Your questions have been answered: "Which one?"="right". You can now continue with these answers in mind.',
    answer: 'right (the second)',
  },
  refusal: {
    output:
      "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nUse the other file.\n\nNote: The user's next message may contain more.",
    said: 'Use the other file.',
  },
  summary:
    'This session is being continued from a previous conversation that ran out of context.\nall of it\n\nPlease continue the conversation from where it was left off.',
  tools: {
    read: ['Read', { file_path: '/work/a.ts' }],
    write: ['Edit', { file_path: '/work/a.ts', old_string: '1', new_string: '2' }],
    command: ['Bash', { command: 'npm test' }],
    search: ['Grep', { pattern: 'tax' }],
    plan: ['TodoWrite', { todos: [{ content: 'test it', status: 'pending' }] }],
    delegate: ['Agent', { description: 'look', prompt: 'Look around.' }],
  },
}

const unsent = (name: string, parent: string, words: string, type = 'hook_success') =>
  attachment(name, parent, { type, content: '', stdout: words })
const link = (name: string, parent: string, type: string, fields: object = {}) => ({
  type,
  uuid: uuidOf(name),
  parentUuid: uuidOf(parent),
  isSidechain: false,
  sessionId: SESSION_ID,
  ...fields,
})

/** A session with every kind of record that is not a message. */
export const copySample: CopySample = {
  document: toJsonl([
    { type: 'ai-title', aiTitle: 'mark title', sessionId: SESSION_ID },
    user('x0', null, 'mark before the boundary'),
    system('b0', null, 'compact_boundary', { content: 'mark boundary' }),
    {
      ...attachment('e0', 'b0', { type: 'date_change' }),
      version: '2.1.332',
      rendered: [{ content: 'a new day' }],
    },
    user('u0', 'e0', 'forget this'),
    assistant('a0', 'u0', [call('toolu_gone')]),
    system('s0', 'a0', 'turn_duration', { content: 'dangling: beside a removed message' }),
    result('r0', 's0', 'toolu_gone', 'forgotten'),
    user('u1', 'r0', 'keep this'),
    assistant('d1', 'u1', [text('mark dead branch')]),
    { ...user('c1', 'u1', 'mark side chain'), isSidechain: true },
    unsent('t1', 'u1', 'mark unsent attachment'),
    attachment('t2', 't1', { type: 'skill_listing', content: 'mark announcement' }),
    attachment('t3', 't2', { type: 'prompt_snapshot', tools: 'mark prompt' }),
    attachment('t4', 't3', { type: 'session_context', context: 'mark context' }),
    link('p1', 't4', 'progress', { data: 'mark progress' }),
    assistant('a1', 'p1', [text('kept')]),
    system('s1', 'a1', 'away_summary', { content: 'mark recap' }),
    { ...unsent('h1', 'a1', 'mark beside the branch'), version: '2.1.332' },
    attachment('h2', 'a1', { type: 'hook_success', content: 'dangling: it would be sent' }),
    { ...assistant('f1', 's1', [text('mark failure')]), isApiErrorMessage: true },
    link('n1', 'f1', 'from-the-future', { content: 'mark unknown entry' }),
    system('s2', 'n1', 'informational', { toolUseID: 'toolu_gone', content: 'dangling' }),
    user('u2', 's2', 'and more'),
    ...['mode', 'permission-mode', 'tag', 'pr-link', 'tools-used', 'atis-latch'].map((type) => ({
      type,
      value: `mark ${type}`,
      sessionId: SESSION_ID,
    })),
    { type: 'unknown-line', value: 'mark unknown line', sessionId: SESSION_ID },
    {
      type: 'unknown-line',
      of: { deep: [uuidOf('u0')] },
      value: 'dangling line',
      sessionId: SESSION_ID,
    },
    { type: 'file-history-snapshot', messageId: uuidOf('u1'), snapshot: { x: 'mark files' } },
    ...['cost-state', 'queue-operation', 'api-request', 'api-request-blob'].map((type) => ({
      type,
      value: `mark ${type}`,
      sessionId: SESSION_ID,
    })),
    {
      type: 'last-prompt',
      lastPrompt: 'mark prompt line',
      leafUuid: uuidOf('u2'),
      sessionId: SESSION_ID,
    },
  ]),
  marks: {
    '`system` entries: durations, hook summaries, recaps, errors': ['mark recap'],
    'attachments that it does not send': ['mark unsent attachment', 'mark beside the branch'],
    'modes, permission modes, tags, pull requests, `tools-used`, `atis-latch`': [
      'mark mode',
      'mark permission-mode',
      'mark tag',
      'mark pr-link',
      'mark tools-used',
      'mark atis-latch',
    ],
    'unknown entries': ['mark unknown entry', 'mark unknown line'],
    'attachments that it makes again when it resumes: its environment, model and date, your `CLAUDE.md`, tools, agents, skills, servers':
      ['mark announcement'],
    '`prompt_snapshot`, `session_context`': ['mark prompt"', 'mark context'],
    titles: ['mark title'],
    'file snapshots': ['mark files'],
    '`cost-state`': ['mark cost-state'],
    '`queue-operation`, `last-prompt`, `api-request`, `api-request-shape`, `api-request-blob`': [
      'mark queue-operation',
      'mark prompt line',
      'mark api-request"',
      'mark api-request-blob',
    ],
    'progress, failed requests': ['mark progress', 'mark failure'],
    'compaction boundaries': ['mark boundary'],
    'side chains, dead branches, entries before a boundary': [
      'mark side chain',
      'mark dead branch',
      'mark before the boundary',
    ],
  },
}
