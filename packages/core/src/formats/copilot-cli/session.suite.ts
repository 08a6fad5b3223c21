/** Builds small sessions as GitHub Copilot CLI writes them, for tests. */
import type { CopySample } from '../shared/changed-copy.suite.ts'
import { type HostWords, QUESTION } from '../shared/host-words.suite.ts'
import { createNewSession } from '../shared/new-session.suite.ts'

export const newSession = createNewSession({ name: 'copilot-cli' })
export const SESSION_ID = '11111111-2222-4333-8444-555555555555'

const timestamp = '2026-01-02T03:04:05.000Z'

export interface BuiltEvent {
  readonly [field: string]: unknown
}

/** Links each event to the one before it. */
export function toLog(events: readonly BuiltEvent[]): string {
  let parentId: unknown = null
  return events
    .map((event) => {
      const line = JSON.stringify({ ...event, timestamp, parentId })
      parentId = event.id
      return `${line}\n`
    })
    .join('')
}

let made = 0
export const event = (type: string, data: object, more: object = {}): BuiltEvent => ({
  type,
  data,
  id: `e${++made}`,
  ...more,
})

export const start = () =>
  event('session.start', {
    sessionId: SESSION_ID,
    version: 1,
    producer: 'copilot-agent',
    copilotVersion: '1.0.102',
    startTime: timestamp,
    selectedModel: 'claude-sonnet-4.5',
    context: { cwd: '/work/project' },
  })

export const prompt = (content: string, more: object = {}) =>
  event('user.message', {
    content,
    transformedContent: `<current_datetime>${timestamp}</current_datetime>\n\n${content}`,
    messageId: `m${made}`,
    ...more,
  })

export const answer = (content: string, ...calls: readonly object[]) =>
  event('assistant.message', {
    messageId: `m${made}`,
    model: 'claude-sonnet-4.5',
    content,
    toolRequests: calls,
  })

export const call = (toolCallId: string, name = 'view', args: object = { path: '/work/a.ts' }) => ({
  toolCallId,
  name,
  arguments: args,
  type: 'function',
  toolTitle: 'Viewing file',
})

export const result = (toolCallId: string, content: string) =>
  event('tool.execution_complete', {
    toolCallId,
    success: true,
    result: { content, detailedContent: `shown: ${content}` },
  })

export const failure = (toolCallId: string, message: string) =>
  event('tool.execution_complete', {
    toolCallId,
    success: false,
    error: { message, code: 'failure' },
  })

export const compaction = (summaryContent: string) =>
  event('session.compaction_complete', {
    success: true,
    outcome: 'applied',
    preCompactionTokens: 90_000,
    postCompactionTokens: 9000,
    summaryContent,
    trigger: 'manual',
  })

export const ofAgent = (built: BuiltEvent) => ({ ...built, agentId: 'sub-agent' })

/** A compacted session with a sub-agent between, and two calls in one answer. */
export const RICH: readonly BuiltEvent[] = [
  start(),
  prompt('Find the bug.'),
  event('system.message', { role: 'system', content: 'You are GitHub Copilot.' }),
  answer('Looking.', call('c1')),
  event('tool.execution_start', { toolCallId: 'c1', toolName: 'view' }),
  result('c1', `first ${'output '.repeat(50)}`),
  compaction('all of it'),
  prompt('And now?'),
  answer('', call('c2'), call('c3', 'task', { prompt: 'Look around.' })),
  ofAgent(prompt('Look around.')),
  ofAgent(answer('Looked.')),
  failure('c2', 'no such file'),
  result('c3', 'Looked.'),
  event('session.usage_record', {
    usage: {
      model: 'claude-sonnet-4.5',
      inputTokens: 15_000,
      outputTokens: 5,
      cacheReadTokens: 9000,
      cacheWriteTokens: 1000,
    },
  }),
  answer('Done.'),
  event('session.shutdown', { shutdownType: 'routine' }),
]

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: '<current_datetime>2026-01-02T03:04:05.000+00:00</current_datetime>',
  question: {
    tool: 'ask_user',
    input: { question: QUESTION.question, choices: ['left', 'right'] },
    output: 'User selected: right',
    answer: 'right',
  },
  refusal: {
    output: 'The user rejected this tool call. User feedback: Use the other file.',
    said: 'Use the other file.',
  },
  summary:
    'Some of the conversation history has been summarized to free up context.\n\nHere is a summary of the prior context:\n<summary>\nall of it\n</summary>\n',
  tools: {
    read: ['view', { path: '/work/a.ts' }],
    write: ['edit', { path: '/work/a.ts', old_str: '1', new_str: '2' }],
    command: ['bash', { command: 'npm test', description: 'look' }],
    search: ['grep', { pattern: 'tax' }],
    plan: ['sql', { query: "INSERT INTO todos (id, title) VALUES ('a', 'Look')" }],
    delegate: ['task', { description: 'look', prompt: 'Look around.' }],
  },
}

const asset = (assetId: string, note: string) =>
  event('session.binary_asset', {
    assetId,
    type: 'image',
    mimeType: 'image/png',
    data: 'aGk=',
    note,
  })

/** A session with every kind of record that is not a message. */
export const copySample: CopySample = {
  document: toLog([
    start(),
    prompt('forget this'),
    event('session.mode_changed', { of: 'dangling: beside a removed message' }),
    asset('sha256:a', 'dangling'),
    prompt('forget the picture', { attachments: [{ type: 'file', assetId: 'sha256:a' }] }),
    answer('forgotten', call('c0')),
    result('c0', 'forgotten'),
    asset('sha256:b', 'mark picture'),
    prompt('keep this', { attachments: [{ type: 'file', assetId: 'sha256:b' }] }),
    event('assistant.turn_start', { turnId: 'mark turn' }),
    event('session.mode_changed', { newMode: 'mark mode' }),
    event('from.the_future', { value: 'mark unknown' }),
    event('from.the_future', { of: 'c0', value: 'dangling' }),
    event('system.message', { role: 'system', content: 'mark system prompt' }),
    event('session.usage_record', { usage: { model: 'mark usage' } }),
    event('permission.requested', { note: 'mark permission' }),
    event('session.title_changed', { title: 'mark title' }),
    ofAgent(answer('mark sub-agent')),
    answer('kept'),
    prompt('and more'),
  ]),
  marks: {
    'pictures of a kept message': ['mark picture'],
    'turns, modes': ['mark turn', 'mark mode'],
    'unknown events': ['mark unknown'],
    'system prompts': ['mark system prompt'],
    'token counts, costs, permissions, titles': ['mark usage', 'mark permission', 'mark title'],
    'events of sub-agents': ['mark sub-agent'],
  },
}
