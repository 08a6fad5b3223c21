/** Builds small sessions as Gemini CLI writes them, for tests. */
import type { CopySample } from '../shared/changed-copy.suite.ts'
import { type HostWords, QUESTION } from '../shared/host-words.suite.ts'
import { createNewSession } from '../shared/new-session.suite.ts'

export const newSession = createNewSession({ name: 'gemini-cli' })

const timestamp = '2026-01-02T03:04:05.000Z'

export interface BuiltRecord {
  readonly [field: string]: unknown
}

export const SESSION_ID = '11111111-2222-4333-8444-555555555555'
export const HEADER: BuiltRecord = {
  sessionId: SESSION_ID,
  projectHash: 'cffcb89b5d24cd7942f81d324e8208b2552619d2f6dfcd408f4f552080b31d8d',
  startTime: timestamp,
  lastUpdated: timestamp,
}

export function user(id: string, content: unknown): BuiltRecord {
  return { id, timestamp, type: 'user', content }
}

export function answer(id: string, content: unknown, fields: object = {}): BuiltRecord {
  const thoughts = [{ subject: 'A thought', description: 'of no further use', timestamp }]
  const tokens = {
    input: 150_000,
    output: 4,
    cached: 100_000,
    thoughts: 5,
    tool: 0,
    total: 150_009,
  }
  return {
    id,
    timestamp,
    type: 'gemini',
    content,
    thoughts,
    tokens,
    model: 'gemini-2.5-pro',
    ...fields,
  }
}

export const text = (words: string) => ({ text: words })
export const response = (id: string, output: string, name = 'read_file') => ({
  functionResponse: { id, name, response: { output } },
})
export const call = (id: string, result: unknown, name = 'read_file') => ({
  id,
  name,
  args: { file_path: `${id}.ts` },
  ...(result !== undefined && { result }),
  status: 'success',
  timestamp,
  resultDisplay: `display of ${id}`,
})

export function toLog(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** Indented by two spaces, as in sessions that Gemini CLI wrote before it kept a log. */
export function toBody(messages: readonly object[], fields: object = {}): string {
  return JSON.stringify({ ...HEADER, ...fields, messages }, undefined, 2)
}

const surroundings = user('s0', [
  text('<session_context>\nThis is the Gemini CLI.\n</session_context>'),
])
const asked = [
  text('Looking.'),
  { functionCall: { id: 'c1', name: 'read_file', args: { file_path: 'c1.ts' } } },
]

/** A log that was resumed once, rewound and written over. The live part is in the middle. */
export const RICH: readonly BuiltRecord[] = [
  HEADER,
  { $set: { messages: [surroundings], lastUpdated: timestamp } },
  user('u0', 'gone with the resume'),
  { $set: { sessionId: SESSION_ID } },
  {
    $set: {
      messages: [
        surroundings,
        user('u1', [text('read it, please')]),
        answer('g1', [{ text: 'hm', thought: true }, ...asked], {
          toolCalls: [
            call('c1', [
              response('c1', `first ${'output '.repeat(100)}`),
              response('c2', 'of another call'),
            ]),
          ],
        }),
        user('g1_response', [response('c1', `first ${'output '.repeat(100)}`)]),
      ],
      directories: ['/work/other'],
    },
  },
  { id: 'i1', timestamp, type: 'info', content: 'Update available' },
  answer('g2', 'Now both.'),
  answer('g2', 'Now both.', {
    toolCalls: [
      call('c3', [response('c3', 'third')]),
      call('c4', [
        response('c4', 'fourth'),
        { inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } },
      ]),
    ],
  }),
  user('u2', [response('c3', 'third'), response('c4', 'fourth')]),
  user('u3', 'a question the person took back'),
  { $rewindTo: 'u3' },
  user('u4', '/stats'),
  { $set: { lastUpdated: timestamp, memoryScratchpad: { note: 1 } } },
  { $future: 1 },
  answer('g3', 'Done.'),
]

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: '<session_context>\nThis is the Gemini CLI.\n</session_context>',
  question: {
    tool: 'ask_user',
    input: { questions: [{ ...QUESTION, type: 'choice' }] },
    output: '{"answers":{"0":"right"}}',
    answer: 'right (the second)',
  },
  refusal: { output: 'Tool "run_shell_command" was canceled by the user.' },
  summary: '<state_snapshot>\nall of it\n</state_snapshot>',
  tools: {
    read: ['read_file', { file_path: '/work/a.ts' }],
    write: ['replace', { file_path: '/work/a.ts', old_string: '1', new_string: '2' }],
    command: ['run_shell_command', { command: 'npm test' }],
    search: ['grep_search', { pattern: 'tax' }],
    plan: ['write_todos', { todos: [{ description: 'test it', status: 'pending' }] }],
    delegate: ['invoke_agent', { agent_name: 'generalist', prompt: 'Look around.' }],
  },
}

/** A session with every kind of record that is not a message. */
export const copySample: CopySample = {
  document: toLog([
    { ...HEADER, unknownFact: 'mark fact' },
    {
      $set: {
        messages: [user('s0', '<session_context>mark context</session_context>')],
        directories: ['mark directory'],
      },
    },
    user('u0', 'forget this'),
    { id: 'i0', type: 'info', content: 'dangling: beside a removed message' },
    answer('g0', 'forgotten', { thoughts: [] }),
    user('u1', 'keep this'),
    user('h1', '<hook_context>mark hook</hook_context>'),
    { id: 'i1', type: 'info', content: 'mark notice' },
    { id: 'i2', type: 'info', content: 'dangling', of: 'g0' },
    user('q1', '/stats mark command'),
    answer('g1', 'mark written again'),
    answer('g1', 'kept', {
      thoughts: [{ subject: 'mark thought' }],
      toolCalls: [call('c1', [response('c1', 'out')])],
    }),
    user('k1', [{ ...response('c1', 'out'), note: 'mark copy' }]),
    user('x1', 'mark gone back behind'),
    { $rewindTo: 'x1' },
    { $future: 'mark unknown line' },
    { $set: { memoryScratchpad: 'mark pad' } },
    user('u2', 'and more'),
  ]),
  marks: {
    thoughts: ['mark thought'],
    'notices, slash commands': ['mark notice', 'mark command'],
    '`<session_context>`, `<hook_context>`': ['mark context', 'mark hook'],
    'facts of the session: project, directories, unknown ones': ['mark fact', 'mark directory'],
    'unknown lines': ['mark unknown line'],
    'token counts, `memoryScratchpad`': ['"tokens"', 'mark pad'],
    'second copies of results, copies for the screen of changed results': ['mark copy'],
    'messages that were undone by going back, or written again': [
      'mark gone back behind',
      'mark written again',
    ],
  },
}
