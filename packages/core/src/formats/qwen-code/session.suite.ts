/** Builds small sessions as Qwen Code writes them, for tests. */
import type { CopySample } from '../shared/changed-copy.suite.ts'
import { type HostWords, QUESTION } from '../shared/host-words.suite.ts'
import { createNewSession } from '../shared/new-session.suite.ts'

export const newSession = createNewSession({ name: 'qwen-code' })
export const SESSION_ID = '11111111-2222-4333-8444-555555555555'

const timestamp = '2026-01-02T03:04:05.000Z'

export interface BuiltEntry {
  readonly [field: string]: unknown
}

function entry(uuid: string, parentUuid: string | null, fields: object): BuiltEntry {
  const place = { cwd: '/work/project', version: '0.24.4' }
  return { uuid, parentUuid, sessionId: SESSION_ID, timestamp, ...place, ...fields }
}

export const user = (uuid: string, parent: string | null, ...parts: readonly object[]) =>
  entry(uuid, parent, {
    type: 'user',
    provenance: 'real_user',
    message: { role: 'user', parts },
  })

export const answer = (uuid: string, parent: string | null, ...parts: readonly object[]) =>
  entry(uuid, parent, {
    type: 'assistant',
    provenance: 'assistant_output',
    model: 'qwen3-coder-plus',
    message: { role: 'model', parts },
    usageMetadata: {
      promptTokenCount: 15_000,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
      totalTokenCount: 15_005,
      cachedContentTokenCount: 9_000,
    },
  })

export const result = (uuid: string, parent: string | null, id: string, output: string) =>
  entry(uuid, parent, {
    type: 'tool_result',
    provenance: 'tool_result',
    message: {
      role: 'user',
      parts: [{ functionResponse: { id, name: 'read_file', response: { output } } }],
    },
    toolCallResult: { callId: id, status: 'success', resultDisplay: `display of ${id}` },
  })

export const system = (uuid: string, parent: string | null, subtype: string, payload: object) =>
  entry(uuid, parent, {
    type: 'system',
    provenance: 'system',
    subtype,
    systemPayload: payload,
  })

export const notification = (uuid: string, parent: string | null, words: string) =>
  entry(uuid, parent, {
    type: 'user',
    provenance: 'system',
    subtype: 'notification',
    message: { role: 'user', parts: [{ text: words }] },
  })

export const text = (words: string) => ({ text: words })
export const call = (id: string) => ({
  functionCall: { id, name: 'read_file', args: { file_path: `${id}.ts` } },
})

export const compression = (uuid: string, parent: string | null, ...contents: readonly object[]) =>
  system(uuid, parent, 'chat_compression', {
    info: { originalTokenCount: 90_000, newTokenCount: 9_000, triggerReason: 'manual' },
    compressedHistory: contents,
  })

export const SUMMARY = '<state_snapshot>\nall of it\n</state_snapshot>'
const ACKNOWLEDGED = 'Got it. Thanks for the additional context!'
const RESTORED =
  'Recently accessed file (full current content embedded):\n\n## a.ts\n\n```\none\n```'

/** A compressed session with an abandoned branch and two calls in one answer. */
export const RICH: readonly BuiltEntry[] = [
  user('u1', null, text('Find the bug.')),
  system('s1', 'u1', 'file_history_snapshot', { snapshots: [] }),
  answer('a1', 's1', text('Looking.'), call('c1')),
  result('r1', 'a1', 'c1', `first ${'output '.repeat(50)}`),
  user('u2', 'r1', text('a question the person took back')),
  user('u3', 'r1', text('/compress')),
  compression(
    'k1',
    'u3',
    { role: 'user', parts: [text(SUMMARY)] },
    { role: 'model', parts: [text(ACKNOWLEDGED)] },
    { role: 'user', parts: [text(RESTORED)] },
  ),
  system('s2', 'k1', 'slash_command', {
    phase: 'result',
    rawCommand: '/compress',
    outputHistoryItems: [{ type: 'assistant', text: 'Context compressed.' }],
  }),
  user('u4', 's2', text('And now?')),
  answer('a2', 'u4', { text: 'both', thought: true }, text('Both.'), call('c2'), call('c3')),
  result('r2', 'a2', 'c2', 'second'),
  result('r3', 'r2', 'c3', 'third'),
  notification('n1', 'r3', '<task-notification>done</task-notification>'),
  answer('a3', 'n1', text('Done.')),
  system('s3', 'a3', 'custom_title', { customTitle: 'the bug', titleSource: 'auto' }),
]

export const toLog = (entries: readonly object[]) =>
  entries.map((one) => `${JSON.stringify(one)}\n`).join('')

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: '<system-reminder>\nThe date has changed.\n</system-reminder>',
  question: {
    tool: 'ask_user_question',
    input: { questions: [{ ...QUESTION, multiSelect: false }] },
    output: 'User has provided the following answers:\n\n**One**: right',
    answer: 'right (the second)',
  },
  refusal: { output: 'Tool "run_shell_command" was canceled by the user.' },
  summary: `${SUMMARY}\n\nResume the prior task using the summary above. Continue from the last step.`,
  tools: {
    read: ['read_file', { file_path: '/work/a.ts' }],
    write: ['edit', { file_path: '/work/a.ts', old_string: '1', new_string: '2' }],
    command: ['run_shell_command', { command: 'npm test', is_background: false }],
    search: ['grep_search', { pattern: 'tax' }],
    plan: ['todo_write', { todos: [{ id: '1', content: 'test it', status: 'pending' }] }],
    delegate: ['agent', { description: 'look', prompt: 'Look around.' }],
  },
}

/** A session with every kind of record that is not a message. */
export const copySample: CopySample = {
  document: toLog([
    user('u0', null, text('forget this')),
    system('d0', 'u0', 'at_command', { of: 'dangling: beside a removed message' }),
    answer('a0', 'd0', text('forgotten')),
    system('b0', 'a0', 'branch_checkpoint', { assistantRecordUuid: 'a0', note: 'dangling' }),
    user('u1', 'b0', text('keep this')),
    user('d1', 'u1', text('mark other branch')),
    system('f1', 'u1', 'file_history_snapshot', { snapshots: ['mark snapshot'] }),
    system('t1', 'f1', 'ui_telemetry', { uiEvent: { response_text: 'mark telemetry' } }),
    { ...answer('a1', 't1', { text: 'mark thought', thought: true }, text('kept')) },
    system('b1', 'a1', 'branch_checkpoint', { assistantRecordUuid: 'a1', note: 'mark point' }),
    system('c1', 'b1', 'at_command', { userText: 'mark files' }),
    system('c2', 'c1', 'slash_command', { phase: 'result', rawCommand: 'mark command' }),
    system('g1', 'c2', 'attribution_snapshot', { snapshot: 'mark attribution' }),
    system('x1', 'g1', 'from_the_future', { value: 'mark unknown' }),
    system('x2', 'x1', 'from_the_future', { of: 'a0', value: 'dangling' }),
    {
      ...user('v1', 'x2', text('mark voice')),
      subtype: 'realtime_message',
    },
    system('n1', 'v1', 'custom_title', { customTitle: 'mark title' }),
    system('w1', 'n1', 'session_artifact_event', { note: 'mark artifact' }),
    user('u2', 'n1', text('and more')),
  ]),
  marks: {
    thoughts: ['mark thought'],
    'files and commands of a prompt': ['mark files', 'mark command'],
    'attribution, points to branch from': ['mark attribution', 'mark point'],
    'words of a voice session': ['mark voice'],
    'unknown entries': ['mark unknown'],
    names: ['mark title'],
    'telemetry, token counts, backups of files': [
      'mark telemetry',
      '"usageMetadata"',
      'mark snapshot',
    ],
    'artifacts, other branches': ['mark artifact', 'mark other branch'],
  },
}
