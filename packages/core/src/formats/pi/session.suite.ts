/** Builds small sessions as pi writes them, for tests. */
import type { HostWords } from '../ground/host-words.suite.ts'
import { createNewSession } from '../ground/new-session.suite.ts'

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
 * Settings, a dead branch, parallel calls, an aborted answer, a command of the user, an extension's
 * words.
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

/** As its sessions have it. */
export const hostWords: HostWords = {
  reminder: { none: 'messages of extensions have a record type of their own' },
  question: { none: 'it has no tool that asks' },
  refusal: { none: 'it asks for no permission; an extension that blocks a call gives any reason' },
  summary:
    'The conversation history before this point was compacted into the following summary:\n\n<summary>\nall of it\n</summary>',
}
