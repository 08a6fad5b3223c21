/** Builds small sessions as VS Code writes them, for tests. */
import type { CopySample } from '../shared/changed-copy.suite.ts'
import { type HostWords, QUESTION } from '../shared/host-words.suite.ts'
import { createNewSession } from '../shared/new-session.suite.ts'

export const SESSION_ID = '11111111-2222-4333-8444-555555555555'

export const newSession = createNewSession({ name: 'copilot' })

export interface BuiltObject {
  readonly [field: string]: unknown
}

const timestamp = 1767323045000

export const FACTS: BuiltObject = {
  version: 3,
  creationDate: timestamp,
  initialLocation: 'panel',
  responderUsername: 'GitHub Copilot',
  sessionId: SESSION_ID,
}

export const markdown = (value: string): BuiltObject => ({
  value,
  supportThemeIcons: false,
  supportHtml: false,
})

export function tool(id: string, fields: object = {}): BuiltObject {
  return {
    kind: 'toolInvocationSerialized',
    toolCallId: id,
    toolId: 'copilot_readFile',
    invocationMessage: { value: `Reading ${id}.ts` },
    isComplete: true,
    ...fields,
  }
}

export function round(
  id: string,
  response: string,
  calls: readonly string[] = [],
  fields: object = {},
): BuiltObject {
  const toolCalls = calls.map((call) => ({
    name: 'read_file',
    arguments: `{"filePath": "/work/${call}.ts"}`,
    id: call,
  }))
  return { response, toolCalls, toolInputRetry: 0, id, ...fields }
}

export const output = (value: unknown): BuiltObject => ({
  $mid: 20,
  content: [{ $mid: 21, value }],
})

/** The output of a tool of the extension. It contains elements of a prompt instead of text. */
export const tree = (...texts: readonly string[]): BuiltObject => ({
  node: {
    type: 1,
    ctor: 2,
    children: texts.map((text) => ({
      type: 1,
      ctor: 2,
      children: [{ type: 2, text, lineBreakBefore: 1 }],
    })),
  },
})

interface BuiltAnswer {
  readonly response?: readonly object[]
  readonly rounds?: readonly object[]
  readonly results?: BuiltObject
  readonly metadata?: object
  readonly fields?: object
}

export function request(id: string, text: string, answer: BuiltAnswer = {}): BuiltObject {
  const { response = [], rounds, results, metadata, fields } = answer
  return {
    requestId: `request_${id}`,
    timestamp,
    message: {
      text,
      parts: [{ range: { start: 0, endExclusive: text.length }, text, kind: 'text' }],
    },
    agent: { id: 'github.copilot.editsAgent' },
    modelId: 'copilot/claude-sonnet-4.5',
    variableData: { variables: [] },
    response,
    responseId: `response_${id}`,
    result: {
      timings: { totalElapsed: 1200 },
      metadata: {
        ...(rounds && { toolCallRounds: rounds }),
        ...(results && { toolCallResults: results }),
        responseId: id,
        sessionId: SESSION_ID,
        ...metadata,
      },
    },
    modelState: { value: 1, completedAt: timestamp },
    ...fields,
  }
}

/** Each request on a separate line, so that lines can be compared. */
export function toBody(requests: readonly object[], fields: object = {}): string {
  const facts = JSON.stringify({ ...FACTS, ...fields }).slice(0, -1)
  return `${facts},"requests":[${requests.map((value) => JSON.stringify(value)).join(',\n')}]}\n`
}

export function toLog(entries: readonly object[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

const { result, ...question } = request('r2', 'and now b.ts')

/** A log in which the second request came in pieces, and a third request was undone. */
export const LOG: readonly BuiltObject[] = [
  {
    kind: 0,
    v: {
      ...FACTS,
      requests: [
        request('r1', 'look at a.ts', {
          response: [
            markdown('I look.'),
            tool('c1', { resultDetails: { output: 'first' } }),
            markdown('Done.'),
          ],
          rounds: [round('t1', 'I look.', ['c1'], { statefulMarker: 'm1' }), round('t2', 'Done.')],
          results: { c1: output('first') },
          metadata: { promptTokens: 1000, outputTokens: 20, codeBlocks: [{ code: 'x' }] },
        }),
      ],
    },
  },
  { kind: 1, k: ['customTitle'], v: 'Looking at files' },
  { kind: 2, k: ['requests'], v: [{ ...question, response: [] }, request('r3', 'no, wait')] },
  { kind: 2, k: ['requests', 1, 'response'], v: [tool('c2')] },
  { kind: 2, k: ['requests', 1, 'response'], v: [markdown('Both are fine.')] },
  { kind: 1, k: ['requests', 1, 'result'], v: result },
  { kind: 2, k: ['requests'], i: 2 },
  {
    kind: 1,
    k: ['requests', 1, 'result', 'metadata'],
    v: {
      toolCallRounds: [round('t3', '', ['c2', 'c3']), round('t4', 'Both are fine.')],
      toolCallResults: { c2: output(tree('second', 'output')), c3: output('third') },
      responseId: 'r2',
      sessionId: SESSION_ID,
    },
  },
  { kind: 3, k: ['repoData'] },
]

/** As sessions of this agent contain them. */
export const hostWords: HostWords = {
  reminder: { none: 'it stores what it adds apart from the question' },
  question: {
    tool: 'vscode_askQuestions',
    input: { questions: [QUESTION] },
    output: '{"answers":{"Which one?":"right"}}',
    answer: 'right (the second)',
  },
  refusal: { output: 'The user cancelled the tool call.' },
  summary: '<conversation-summary>\nall of it\n</conversation-summary>',
  tools: {
    read: ['read_file', { filePath: '/work/a.ts', startLine: 1, endLine: 9 }],
    write: ['replace_string_in_file', { filePath: '/work/a.ts', oldString: '1', newString: '2' }],
    command: ['run_in_terminal', { command: 'npm test', explanation: 'look' }],
    search: ['grep_search', { query: 'tax' }],
    plan: ['manage_todo_list', { todoList: [{ id: 1, title: 'test it', status: 'not-started' }] }],
    delegate: ['runSubagent', { description: 'look', prompt: 'Look around.' }],
  },
}

/** A session with every kind of record that is not a message. */
export const copySample: CopySample = {
  document: toBody(
    [
      request('r0', 'forget this', {
        response: [markdown('forgotten')],
        rounds: [round('t0', 'forgotten', [], { thinking: { text: 'dangling' } })],
      }),
      request('r1', 'keep this', {
        response: [tool('c1'), markdown('kept')],
        rounds: [
          round('t1', '', ['c1', 'mark-unanswered'], {
            thinking: { text: 'mark thought' },
            statefulMarker: 'mark marker',
          }),
          round('t2', 'kept'),
        ],
        results: { c1: output('one') },
        metadata: {
          promptTokens: 'mark tokens',
          renderedGlobalContext: 'mark global context',
          unknown: 'mark unknown member',
        },
      }),
      request('r2', 'mark hidden', { fields: { isHidden: true } }),
      request('r3', 'mark undone', { fields: { shouldBeRemovedOnSend: {} } }),
      request('r4', 'and more', { response: [markdown('more')] }),
    ],
    { unknownFact: 'mark fact' },
  ),
  marks: {
    '`thinking` of a round': ['mark thought'],
    '`renderedGlobalContext`, context of hooks, data in results': ['mark global context'],
    'facts of the session, unknown members': ['mark fact', 'mark unknown member'],
    'calls without a result': ['mark-unanswered'],
    'requests that are hidden, undone by going back, or never answered': [
      'mark hidden',
      'mark undone',
    ],
    '`statefulMarker` after the first change, counts of tokens': ['mark marker', 'mark tokens'],
  },
}
