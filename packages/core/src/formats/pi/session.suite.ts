/** Builds small sessions as pi writes them, for tests. */
import type { CopySample } from '../shared/changed-copy.suite.ts'
import type { HostWords } from '../shared/host-words.suite.ts'
import { createNewSession } from '../shared/new-session.suite.ts'

export const newSession = createNewSession({ name: 'pi' })

const timestamp = '2026-01-02T03:04:05.000Z'

export interface BuiltEntry {
  readonly type: string
  readonly id?: string
  readonly [field: string]: unknown
}

export function header(fields: object = {}): BuiltEntry {
  return {
    type: 'session',
    version: 3,
    id: '01a1ff5d-323b-779b-b5fc-aab3cc5681df',
    timestamp,
    cwd: '/work/project',
    ...fields,
  }
}

export function entry(
  id: string,
  parentId: string | null,
  type: string,
  fields: object = {},
): BuiltEntry {
  return { type, id, parentId, timestamp, ...fields }
}

export function user(id: string, parentId: string | null, content: unknown): BuiltEntry {
  return entry(id, parentId, 'message', {
    message: { role: 'user', content, timestamp: 1_767_323_045_000 },
  })
}

const usage = {
  input: 150_000,
  output: 10,
  cacheRead: 20_000,
  cacheWrite: 0,
  totalTokens: 170_010,
  cost: { input: 0.5, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
}

export function answer(
  id: string,
  parentId: string | null,
  content: readonly object[],
  fields: object = {},
): BuiltEntry {
  const origin = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-opus-4-5' }
  const message = {
    role: 'assistant',
    content,
    ...origin,
    usage,
    stopReason: 'stop',
    timestamp: 1_767_323_045_000,
  }
  return entry(id, parentId, 'message', { message: { ...message, ...fields } })
}

export function result(
  id: string,
  parentId: string | null,
  toolCallId: string,
  output: string,
): BuiltEntry {
  const content = [text(output)]
  const details = { truncation: { content: output } }
  const message = {
    role: 'toolResult',
    toolCallId,
    toolName: 'bash',
    content,
    details,
    isError: false,
    timestamp: 1,
  }
  return entry(id, parentId, 'message', { message })
}

export const text = (words: string) => ({ type: 'text', text: words })
export const thinking = (words: string, thinkingSignature: string) => ({
  type: 'thinking',
  thinking: words,
  thinkingSignature,
})
export const call = (id: string, command = 'ls') => ({
  type: 'toolCall',
  id,
  name: 'bash',
  arguments: { command },
})

export function toJsonl(entries: readonly object[]): string {
  return entries.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/**
 * Settings, a dead branch, parallel calls, an aborted answer, a command of the user, and an
 * extension's words.
 */
export const RICH: readonly BuiltEntry[] = [
  header(),
  entry('m1', null, 'model_change', { provider: 'anthropic', modelId: 'claude-opus-4-5' }),
  user('u1', 'm1', [text('list the files, please')]),
  answer('d1', 'u1', [text('an answer the person went back from')]),
  answer('a1', 'u1', [
    thinking('which files?', 'sig-one'),
    text('Looking.'),
    call('c1'),
    call('c2', 'pwd'),
  ]),
  result('r1', 'a1', 'c1', `first ${'output '.repeat(100)}`),
  result('r2', 'r1', 'c2', 'second output'),
  answer('x1', 'r2', [text('half an ans')], { stopReason: 'aborted' }),
  entry('l1', 'x1', 'label', { targetId: 'a1', label: 'here' }),
  entry('b1', 'l1', 'message', {
    message: {
      role: 'bashExecution',
      command: 'ls',
      output: 'a.ts',
      exitCode: 1,
      cancelled: false,
      truncated: false,
    },
  }),
  entry('e1', 'b1', 'custom_message', {
    customType: 'extension',
    content: 'from an extension',
    display: true,
  }),
  answer('a2', 'e1', [text('Two files.')]),
  entry('n1', 'a2', 'session_info', { name: 'old name' }),
  user('u2', 'n1', [
    text('and this picture?'),
    { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
  ]),
]

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: { none: 'messages of extensions have a record type of their own' },
  question: { none: 'it has no tool that asks' },
  refusal: { none: 'it asks for no permission; an extension that blocks a call gives any reason' },
  summary:
    'The conversation history before this point was compacted into the following summary:\n\n<summary>\nall of it\n</summary>',
  tools: {
    read: ['read', { path: '/work/a.ts' }],
    write: ['edit', { path: '/work/a.ts', oldText: '1', newText: '2' }],
    command: ['bash', { command: 'npm test' }],
    search: ['grep', { pattern: 'tax' }],
    plan: { none: 'it has no tool for tasks' },
    delegate: { none: 'it has no tool for other agents' },
  },
}

const system = (id: string, parent: string | null, content: string) =>
  entry(id, parent, 'message', { message: { role: 'system', content } })

/** A session with every kind of record that is not a message. */
export const copySample: CopySample = {
  document: toJsonl([
    header(),
    user('x0', null, 'mark before a compaction'),
    entry('k0', 'x0', 'compaction', { summary: 'summary', firstKeptEntryId: 'k0' }),
    system('y0', 'k0', 'mark system'),
    entry('m0', 'y0', 'model_change', { provider: 'mark provider', modelId: 'm' }),
    entry('h0', 'm0', 'thinking_level_change', { thinkingLevel: 'mark level' }),
    user('u0', 'h0', 'forget this'),
    answer('f0', 'u0', [text('dangling: beside a removed message')], { stopReason: 'error' }),
    answer('a0', 'f0', [text('forgotten')]),
    entry('l0', 'a0', 'label', { targetId: 'a0', label: 'dangling' }),
    user('u1', 'l0', 'keep this'),
    answer('d1', 'u1', [text('mark other branch')]),
    answer('a1', 'u1', [text('kept')]),
    entry('l1', 'a1', 'label', { targetId: 'a1', label: 'mark label' }),
    entry('c1', 'l1', 'custom', { customType: 'extension', data: { state: 'mark state' } }),
    entry('c2', 'c1', 'custom', { customType: 'extension', data: { of: 'u0', x: 'dangling' } }),
    answer('f1', 'c2', [text('mark failed')], { stopReason: 'error' }),
    entry('b1', 'f1', 'message', {
      message: { role: 'bashExecution', command: 'mark command', excludeFromContext: true },
    }),
    entry('n1', 'b1', 'session_info', { name: 'mark name' }),
    entry('g1', 'n1', 'usage', { cost: 'mark usage' }),
    entry('z1', 'g1', 'from_the_future', { value: 'mark unknown entry' }),
    entry('e1', 'z1', 'context_edit', {
      targetId: 'a1',
      replacement: { content: [text('edited')] },
      note: 'mark edit',
    }),
    user('u2', 'e1', 'and more'),
  ]),
  marks: {
    '`system`: parts of the system prompt and the list of tools': ['mark system'],
    'models, thinking levels': ['mark provider', 'mark level'],
    'labels, `custom` entries': ['mark label', 'mark state'],
    'failed and aborted answers, commands left out of the context': ['mark failed', 'mark command'],
    'unknown entries': ['mark unknown entry'],
    names: ['mark name'],
    '`usage`': ['mark usage'],
    '`context_edit`': ['mark edit'],
    'other branches, entries before a compaction': [
      'mark other branch',
      'mark before a compaction',
    ],
  },
}
