/** Exports of OpenCode for tests: a session, its records and their parts. */

import type { CopySample } from '../shared/changed-copy.suite.ts'
import { readOutput } from '../shared/format.suite.ts'
import type { FormatOutput, NewSession } from '../shared/format.ts'
import { type HostWords, QUESTION } from '../shared/host-words.suite.ts'

interface Built {
  readonly info: { readonly id: string; readonly [key: string]: unknown }
  readonly parts: readonly { readonly [key: string]: unknown }[]
}

export const SESSION_ID = 'ses_e00a6c913ffe34PncxDDv3WMTA'
const START_MS = 1_795_285_399_276

let made = 0
const nextId = (prefix: string) =>
  `${prefix}_1ff5${(++made).toString(16).padStart(8, '0')}AbCdEfGhIjKlMn`

function record(role: string, info: object, parts: readonly object[]): Built {
  const id = nextId('msg')
  return {
    info: { role, time: { created: START_MS + made }, ...info, id, sessionID: SESSION_ID },
    parts: parts.map((part) => ({
      ...part,
      id: nextId('prt'),
      sessionID: SESSION_ID,
      messageID: id,
    })),
  }
}

export const user = (...parts: readonly object[]) =>
  record(
    'user',
    { agent: 'build', model: { providerID: 'fake', modelID: 'm1' }, summary: { diffs: [] } },
    parts,
  )

export const assistant = (parent: Built, parts: readonly object[], extra: object = {}) =>
  record(
    'assistant',
    {
      parentID: parent.info.id,
      mode: 'build',
      agent: 'build',
      path: { cwd: '/work/project', root: '/work' },
      cost: 0.25,
      tokens: {
        total: 170_010,
        input: 170_000,
        output: 10,
        reasoning: 0,
        cache: { read: 0, write: 0 },
      },
      modelID: 'claude-opus-4-6',
      providerID: 'anthropic',
      finish: 'stop',
      ...extra,
    },
    [
      { type: 'step-start' },
      ...parts,
      { type: 'step-finish', reason: 'stop', cost: 0, tokens: {} },
    ],
  )

export const text = (words: string) => ({ type: 'text', text: words })
export const host = (words: string) => ({ type: 'text', text: words, synthetic: true })
export const thinking = (words: string, signature?: string) => ({
  type: 'reasoning',
  text: words,
  time: { start: 1, end: 2 },
  ...(signature !== undefined && { metadata: { anthropic: { signature } } }),
})
export const image = {
  type: 'file',
  mime: 'image/png',
  filename: 'a.png',
  url: 'data:image/png;base64,aGVsbG8=',
}
export const tool = (callID: string, state: object, name = 'bash') => ({
  type: 'tool',
  tool: name,
  callID,
  state,
})
export const ran = (callID: string, output: string, extra: object = {}) =>
  tool(callID, {
    status: 'completed',
    input: { command: 'ls', number: 1.5 },
    output,
    title: 'ls',
    metadata: { output, exit: 0 },
    time: { start: 1, end: 2 },
    ...extra,
  })
export const failed = (callID: string, error: string, extra: object = {}) =>
  tool(callID, { status: 'error', input: {}, error, time: { start: 1, end: 2 }, ...extra })

export function exported(records: readonly Built[], info: object = {}, indent = 2): string {
  const session = {
    id: SESSION_ID,
    slug: 'tidy-river',
    projectID: 'global',
    directory: '/work/project',
    title: 'Files',
    version: '1.18.33',
    cost: 3,
    time: { created: START_MS, updated: START_MS },
    ...info,
  }
  return `${JSON.stringify({ info: session, messages: records }, null, indent)}\n`
}

export const newSession: NewSession = {
  sessionId: 'ses_5c0ffee1000000000000000000',
  timestamp: '2026-12-01T00:00:00.000Z',
  title: 'Files (compressed)',
  createId: () => '5c0ffee1-2222-4333-8444-555555555555',
}

export function readExport(output: FormatOutput): {
  info: Record<string, unknown>
  messages: Built[]
} {
  return JSON.parse(readOutput(output))
}

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: { none: 'it marks the parts that it adds as synthetic' },
  question: {
    tool: 'question',
    input: { questions: [QUESTION] },
    output:
      'User has answered your questions: "Which one?"="right". You can now continue with the user\'s answers in mind.',
    answer: 'right (the second)',
  },
  refusal: {
    output:
      'The user rejected permission to use this specific tool call with the following feedback: Use the other file.',
    said: 'Use the other file.',
  },
  summary: { none: 'it is an answer of the model, with a mark' },
  tools: {
    read: ['read', { filePath: '/work/a.ts' }],
    write: ['edit', { filePath: '/work/a.ts', oldString: '1', newString: '2' }],
    command: ['bash', { command: 'npm test', description: 'look' }],
    search: ['grep', { pattern: 'tax' }],
    plan: ['todowrite', { todos: [{ content: 'test it', status: 'pending' }] }],
    delegate: ['task', { description: 'look', prompt: 'Look around.' }],
  },
}

const old = user(text('mark before a compaction'))
const compaction = user({ type: 'compaction', auto: true, note: 'mark compaction' })
const forget = user(text('forget this'))
const keep = user(
  text('keep this'),
  { type: 'file', mime: 'text/plain', url: 'file:///mark-file' },
  { ...text('mark hidden text'), ignored: true },
)
const failure = { error: { name: 'APIError', data: {} } }

/** A session with every kind of record that is not a message. */
export const copySample: CopySample = {
  document: exported(
    [
      old,
      compaction,
      assistant(compaction, [text('summary')], { summary: true }),
      forget,
      user({ ...text('dangling: beside a removed message'), ignored: true }),
      assistant(forget, [text('forgotten')]),
      keep,
      user({ ...text('mark hidden message'), ignored: true }),
      assistant(keep, [
        { type: 'snapshot', snapshot: 'mark snapshot' },
        { type: 'patch', hash: 'mark patch', files: [] },
        { type: 'retry', attempt: 1, error: 'mark retry' },
        { type: 'unknown', value: 'mark unknown part' },
        text('kept'),
      ]),
      assistant(keep, [text('mark failed')], failure),
      user(text('and more')),
    ],
    { share: { url: 'mark share' }, parentID: 'mark parent' },
  ),
  marks: {
    'steps, snapshots, patches, retries': [
      'step-start',
      'mark snapshot',
      'mark patch',
      'mark retry',
    ],
    'hidden text': ['mark hidden text', 'mark hidden message'],
    'files whose text is in another part': ['mark-file'],
    'unknown parts and members': ['mark unknown part'],
    compactions: ['"compaction"'],
    'token counts, costs, shares, the parent session': ['170010', 'mark share', 'mark parent'],
    'messages before a compaction, taken back, or failed': [
      'mark before a compaction',
      'mark failed',
    ],
  },
}
