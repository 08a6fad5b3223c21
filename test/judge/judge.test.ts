import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aiSdk } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { anthropicStage } from './anthropic-stage.ts'
import { geminiContents } from './gemini-contents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { aiSdkStage, chatStage, geminiStage } from './other-stages.ts'
import { AWAITED, type JsonObject, type ProviderRules } from './provider.ts'
import { responsesStage } from './responses-stage.ts'
import { createBodies, type Stage } from './scenes.ts'

type List = readonly JsonObject[]
type Row = readonly [rule: string, kept: List, broken: List, more?: JsonObject]
type Rows = readonly Row[]

const typed = { role: 'user', content: 'go on' }
const said = { role: 'assistant', content: 'done' }

function testRules(rules: ProviderRules, listKey: string, rows: Rows): void {
  const judge = (list: List, more: JsonObject) =>
    rules.judge({ ...more, [listKey]: list }).map(({ rule }) => rule)
  describe(rules.name, () => {
    for (const [index, [rule, kept, broken, more = {}]] of rows.entries()) {
      test(`${rule}, row ${index}`, () => {
        expect(judge(kept, more)).toEqual([])
        expect(judge(broken, more)).toContain(rule)
      })
    }
  })
}

const assistant = (...content: JsonObject[]) => ({ role: 'assistant', content })
const user = (...content: JsonObject[]) => ({ role: 'user', content })
const use = (id: string, more: JsonObject = {}) => ({
  type: 'tool_use',
  id,
  name: 'ls',
  input: {},
  ...more,
})
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'a' })
const server = (id: string, type = 'server_tool_use') => ({
  type,
  id,
  name: 'web_search',
  input: {},
})
const found = (id: string, type = 'web_search_tool_result') => ({
  type,
  tool_use_id: id,
  content: [],
})
const text = { type: 'text', text: 'yes' }
const code = { type: 'code_execution_20250825', tool_id: 's' }
const system = { role: 'system', content: 'Be brief.' }
const compaction = { type: 'compaction', content: 'All that was.' }

const marks = (count: number) =>
  user(...Array.from({ length: count }, () => ({ ...text, cache_control: { type: 'ephemeral' } })))

testRules(anthropicMessages, 'messages', [
  ['role', [typed], [{ role: 'tool', content: 'a' }]],
  ['first-message', [typed, said], [said, typed]],
  ['first-message', [assistant(compaction, text), typed], [system, typed]],
  [
    'empty-content',
    [typed, { role: 'assistant', content: [] }],
    [typed, { role: 'assistant', content: [] }, typed],
  ],
  [
    'id-required',
    [typed, assistant(use('a')), user(result('a'))],
    [typed, assistant(use('a')), user(result('a'), { type: 'tool_result', content: 'a' })],
  ],
  ['id-required', [typed, assistant(use('a')), user(result('a'))], [typed, assistant(use(''))]],
  [
    'id-required',
    [typed, assistant(server('s'), found('s'))],
    [typed, assistant({ ...server(''), id: undefined }, found(''))],
  ],
  ['empty-text', [user(text)], [user({ type: 'text', text: ' ' })]],
  ['cache-marks', [marks(4)], [marks(5)]],
  [
    'role-of-block',
    [typed, assistant(use('a')), user(result('a'))],
    [user(use('a')), user(result('a'))],
  ],
  [
    'results-first',
    [typed, assistant(use('a')), user(result('a'), text)],
    [typed, assistant(use('a')), user(text, result('a'))],
  ],
  ['place-of-system', [typed, system, said], [typed, said, system]],
  ['place-of-system', [typed, assistant(server('s'), found('s')), system], [typed, system, typed]],
  [
    'place-of-system',
    [typed, assistant(use('a')), user(result('a')), system],
    [typed, system, system, said],
  ],
  [
    'call-without-result',
    [typed, assistant(use('a')), user(result('a'))],
    [typed, assistant(use('a')), typed],
  ],
  [
    AWAITED,
    [typed, assistant(use('a'), use('b')), user(result('b'), result('a'))],
    [typed, assistant(use('a'), use('b')), user(result('a'))],
  ],
  [AWAITED, [typed, assistant(use('a')), user(result('a')), said], [typed, assistant(use('a'))]],
  [
    'result-without-call',
    [typed, assistant(use('a')), user(result('a'))],
    [typed, said, user(result('a'))],
  ],
  [
    'result-without-call',
    [assistant(compaction, use('a')), user(result('a'))],
    [typed, assistant(use('a'), compaction), user(result('a'))],
  ],
  [
    'duplicate-result',
    [typed, assistant(use('a')), user(result('a'))],
    [typed, assistant(use('a')), user(result('a'), result('a'))],
  ],
  [
    'duplicate-id',
    [typed, assistant(use('a'), use('b')), user(result('a'), result('b'))],
    [typed, assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))],
  ],
  ...[
    'web_search',
    'web_fetch',
    'code_execution',
    'bash_code_execution',
    'tool_search',
    'advisor',
    'not_made_yet',
  ].map(
    (name): Row => [
      'server-result-without-call',
      [typed, assistant(server('s'), found('s', `${name}_tool_result`), text)],
      [typed, assistant(found('s', `${name}_tool_result`), text)],
    ],
  ),
  [
    'server-result-without-call',
    [typed, assistant(server('s', 'mcp_tool_use'), found('s', 'mcp_tool_result'))],
    [typed, assistant(server('s', 'mcp_tool_use')), assistant(found('t', 'mcp_tool_result'))],
  ],
  // A paused answer goes on in the next message; one that still runs is answered by nobody yet.
  [
    'server-call-without-result',
    [typed, assistant(server('s')), assistant(found('s'), text)],
    [typed, assistant(server('s'), text), typed],
  ],
  [
    'server-call-without-result',
    [typed, assistant(text, server('s'))],
    [typed, assistant(server('s')), typed, assistant(found('s'))],
  ],
  // Beside a call of the host the server's waits for the results of that.
  [
    'server-call-without-result',
    [typed, assistant(server('s'), use('a')), user(result('a')), assistant(found('s'))],
    [typed, assistant(server('s'), use('a')), user(result('a')), said, typed],
  ],
  [
    'caller-missing',
    [
      typed,
      assistant(server('s'), use('a', { caller: code })),
      user(result('a')),
      assistant(use('b', { caller: code })),
      user(result('b')),
    ],
    [typed, assistant(use('a', { caller: code })), user(result('a'))],
  ],
  // The code goes on with the results; words of the user have no place there.
  [
    'results-alone',
    [typed, assistant(server('s'), use('a', { caller: code })), user(result('a'))],
    [typed, assistant(server('s'), use('a', { caller: code })), user(result('a'), text)],
  ],
])

const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'ls', arguments: '{}' },
  })),
})
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'a' })

testRules(openaiChat, 'messages', [
  [
    'role',
    [{ role: 'developer', content: 'a' }, typed, system, said],
    [{ role: 'model', content: 'a' }],
  ],
  ['no-messages', [typed], []],
  ['empty-content', [typed, said], [typed, { role: 'assistant', content: '' }, typed]],
  [
    'call-without-result',
    [typed, calls('a', 'b'), tool('b'), tool('a'), typed],
    [typed, calls('a', 'b'), tool('a'), typed],
  ],
  [
    'call-without-result',
    [typed, calls('a'), tool('a'), system],
    [typed, calls('a'), system, tool('a')],
  ],
  ['result-without-call', [typed, calls('a'), tool('a')], [typed, tool('a')]],
  [
    'result-without-call',
    [typed, calls('a'), tool('a'), said],
    [typed, calls('a'), tool('a'), tool('a')],
  ],
  [
    'duplicate-id',
    [typed, calls('a'), tool('a'), calls('b'), tool('b')],
    [typed, calls('a', 'a'), tool('a'), tool('a')],
  ],
])

const item = (type: string, more: JsonObject = {}) => ({ type, ...more })
const answer = item('message', {
  role: 'assistant',
  id: 'msg',
  content: [{ type: 'output_text', text: 'yes' }],
})
const reasoning = item('reasoning', { id: 'rs', summary: [], encrypted_content: 'g' })
const program = item('program', { id: 'prog', call_id: 'p', code: '' })
const inProgram = { call_id: 'a', caller: { type: 'program', caller_id: 'p' } }
const output = item('program_output', { id: 'po', call_id: 'p', result: '' })
const approved = item('mcp_approval_response', { approval_request_id: 'm', approve: true })
const request = item('mcp_approval_request', { id: 'm', name: 'a' })

testRules(openaiResponses, 'input', [
  ['no-messages', [typed], []],
  ['empty-content', [typed, answer], [item('message', { role: 'user', content: [] })]],
  ...(
    [
      'function_call',
      'custom_tool_call',
      'local_shell_call',
      'shell_call',
      'apply_patch_call',
      'computer_call',
    ] as const
  ).flatMap((type): Rows => {
    const call = item(type, { id: 'x', call_id: 'a' })
    const given = item(`${type}_output`, { call_id: 'a' })
    return [
      ['call-without-result', [typed, call, given], [typed, call, typed]],
      [AWAITED, [typed, call, given], [typed, call, answer]],
      ['result-without-call', [typed, call, given], [typed, given]],
      ['result-without-call', [typed, call, given], [typed, given, call]],
      ['duplicate-result', [typed, call, given], [typed, call, given, given]],
      ['duplicate-id', [typed, call, given, call, given], [typed, call, call, given]],
    ]
  }),
  [
    'call-without-result',
    [
      typed,
      item('tool_search_call', { call_id: 'a' }),
      item('tool_search_output', { call_id: 'a' }),
    ],
    [typed, item('tool_search_call', { call_id: 'a' }), typed],
  ],
  [
    'result-without-call',
    [typed, item('item_reference', { id: 'fc' }), item('function_call_output', { call_id: 'a' })],
    [typed, item('function_call_output', { call_id: 'a' }), item('item_reference', { id: 'fc' })],
  ],
  [
    'call-without-result',
    [item('function_call_output', { call_id: 'a' })],
    [item('function_call', { call_id: 'a' }), typed],
    { previous_response_id: 'resp' },
  ],
  [
    'call-without-result',
    [item('function_call_output', { call_id: 'a' })],
    [item('function_call', { call_id: 'a' }), typed],
    { conversation: 'conv' },
  ],
  ...[
    'file_search_call',
    'code_interpreter_call',
    'image_generation_call',
    'mcp_call',
    'mcp_list_tools',
  ].map(
    (type): Row => [
      'id-required',
      [typed, item(type, { id: 'x' }), answer],
      [typed, item(type), answer],
    ],
  ),
  [
    'id-required',
    [
      typed,
      item('computer_call', { id: 'x', call_id: 'a' }),
      item('computer_call_output', { call_id: 'a' }),
    ],
    [
      typed,
      item('computer_call', { call_id: 'a' }),
      item('computer_call_output', { call_id: 'a' }),
    ],
  ],
  ['id-required', [typed, request, approved], [typed, { ...request, id: undefined }, answer]],
  [
    'id-required',
    [typed, item('web_search_call'), answer],
    [typed, item('function_call'), item('function_call_output'), answer],
  ],
  [
    AWAITED,
    [typed, answer],
    [
      typed,
      item('function_call', { call_id: 'a' }),
      item('item_reference', { id: 'fc' }),
      item('function_call_output', { call_id: 'b' }),
    ],
  ],
  ['request-without-approval', [typed, request, approved, typed], [typed, request, typed]],
  [AWAITED, [typed, request, approved], [typed, request]],
  ['approval-without-request', [typed, request, approved], [typed, approved]],
  [
    'approval-without-request',
    [typed, request, approved, item('mcp_call', { id: 'c', approval_request_id: 'm' })],
    [typed, item('mcp_call', { id: 'c', approval_request_id: 'm' })],
  ],
  [
    'caller-missing',
    [
      typed,
      program,
      item('function_call', inProgram),
      item('function_call_output', inProgram),
      output,
    ],
    [typed, item('function_call', inProgram), item('function_call_output', inProgram), answer],
  ],
  // A program whose calls are answered now still runs.
  [
    'call-without-result',
    [typed, program, item('function_call', inProgram), item('function_call_output', inProgram)],
    [
      typed,
      program,
      item('function_call', inProgram),
      item('function_call_output', inProgram),
      typed,
    ],
  ],
  ['result-without-call', [typed, program, output], [typed, output]],
  ['reasoning-alone', [typed, reasoning, reasoning, answer], [typed, reasoning]],
  [
    'reasoning-alone',
    [typed, reasoning, item('web_search_call', { id: 'w' })],
    [typed, reasoning, typed],
  ],
])

const model = (...parts: JsonObject[]) => ({ role: 'model', parts })
const person = (...parts: JsonObject[]) => ({ role: 'user', parts })
const words = { text: 'go on' }
const fc1 = (name: string, more: JsonObject = { thoughtSignature: 'U0lH' }) => ({
  functionCall: { name, args: {} },
  ...more,
})
const fr = (name: string) => ({ functionResponse: { name, response: {} } })
const toolCall = { toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB' } }
const toolResponse = { toolResponse: { id: 't', toolType: 'GOOGLE_SEARCH_WEB' } }
const three = { model: 'gemini-3-pro-preview' }

testRules(geminiContents, 'contents', [
  ['no-messages', [person(words)], []],
  ['role', [person(words)], [{ role: 'assistant', parts: [words] }]],
  ['empty-content', [person(words)], [person()]],
  [
    'call-after-user',
    [person(words), model(fc1('a')), person(fr('a'))],
    [person(words), model(words), model(fc1('a')), person(fr('a'))],
  ],
  [
    'call-after-user',
    [person(words), model(fc1('a')), person(fr('a')), model(fc1('b')), person(fr('b'))],
    [model(fc1('a')), person(fr('a'))],
  ],
  [
    'call-without-result',
    [person(words), model(fc1('a')), person(fr('a'))],
    [person(words), model(fc1('a')), person(words)],
  ],
  [
    AWAITED,
    [person(words), model(fc1('a'), fc1('b')), person(fr('a'), fr('b'))],
    [person(words), model(fc1('a'), fc1('b')), person(fr('a'))],
  ],
  [
    'count-of-results',
    [person(words), model(fc1('a'), fc1('b')), person(fr('a'), fr('b'))],
    [person(words), model(fc1('a'), fc1('b')), person(fr('a'), words)],
  ],
  [
    'count-of-results',
    [person(words), model(fc1('a')), person(fr('a'))],
    [person(words), person(fr('a'))],
  ],
  [
    'result-without-call',
    [person(words), model(fc1('a')), person(fr('a'))],
    [person(words), model(fc1('a')), person(fr('b'))],
  ],
  [
    'server-result-without-call',
    [person(words), model(toolCall, toolResponse)],
    [person(words), model(toolResponse)],
  ],
  [
    'server-call-without-result',
    [person(words), model(toolCall, toolResponse)],
    [person(words), model(toolCall, words)],
  ],
  [
    'call-unsigned',
    [person(words), model(fc1('a'), fc1('b', {})), person(fr('a'), fr('b'))],
    [person(words), model(fc1('a', {})), person(fr('a'))],
    three,
  ],
  [
    'call-unsigned',
    [person(words), model(fc1('a', {})), person(fr('a')), model(words), person(words)],
    [person(words), model(fc1('a')), person(fr('a')), model(fc1('b', {})), person(fr('b'))],
    three,
  ],
])

const part = (type: string, more: JsonObject = {}) => ({ type, ...more })
const asked = part('tool-call', { toolCallId: 'a', toolName: 'ls', input: {} })
const given = part('tool-result', {
  toolCallId: 'a',
  toolName: 'ls',
  output: { type: 'text', value: 'a' },
})
const run = { ...asked, providerExecuted: true }
const mayI = part('tool-approval-request', { approvalId: 'x', toolCallId: 'a' })
const youMay = part('tool-approval-response', { approvalId: 'x', approved: true })
const results = (...content: JsonObject[]) => ({ role: 'tool', content })

testRules(aiSdk, 'messages', [
  ['no-messages', [typed], []],
  ['empty-content', [typed, said], [typed, assistant()]],
  [
    'call-without-result',
    [typed, assistant(asked), results(given)],
    [typed, assistant(asked), typed],
  ],
  [AWAITED, [typed, assistant(run, given)], [typed, assistant(asked)]],
  [
    'call-without-result',
    [typed, assistant(run), assistant(given)],
    [typed, assistant(asked), system],
  ],
  [
    'call-without-result',
    [typed, assistant(asked, mayI), results(youMay)],
    [typed, assistant(asked, mayI), typed],
  ],
  ['result-without-call', [typed, assistant(asked), results(given)], [typed, results(given)]],
  [
    'duplicate-result',
    [typed, assistant(asked), results(given)],
    [typed, assistant(asked), results(given, given)],
  ],
  [
    'approval-without-call',
    [typed, assistant(asked, mayI), results(youMay)],
    [typed, assistant(mayI), results(youMay)],
  ],
  [
    'approval-without-request',
    [typed, assistant(asked, mayI), results(youMay)],
    [typed, assistant(asked), results(given, youMay)],
  ],
  [
    'duplicate-id',
    [typed, assistant(asked), results(given)],
    [typed, assistant(asked, asked), results(given)],
  ],
])

function testStage<Kind extends string, End extends string>(
  rules: ProviderRules,
  stage: Stage<Kind, End>,
): void {
  test(`every history that is drawn for ${rules.name} is valid, but for a call that is still to be answered`, () => {
    fc.assert(
      fc.property(createBodies(stage), (body) => {
        expect(rules.judge(body).filter(({ rule }) => rule !== AWAITED)).toEqual([])
      }),
    )
  })
}

describe('drawn histories', { tags: 'property' }, () => {
  testStage(anthropicMessages, anthropicStage)
  testStage(openaiResponses, responsesStage)
  testStage(openaiChat, chatStage)
  testStage(geminiContents, geminiStage)
  testStage(aiSdk, aiSdkStage)
})
