/** Builds small sessions as Claude Code writes them, for tests. */
import { type HostWords, QUESTION } from '../ground/host-words.suite.ts'

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

/** A piece of the answer `messageId`. */
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

/**
 * A session with everything that has gone wrong somewhere: branches, side chains, parallel calls,
 * titles.
 */
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

/** As its sessions have it. */
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
    'This session is being continued from a previous conversation that ran out of context. Summary: all of it',
}
