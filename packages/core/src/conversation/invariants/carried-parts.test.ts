import { describe, expect, test } from 'vitest'
import { aiSdk } from '../../formats/ai-sdk/ai-sdk.ts'
import { anthropicMessages } from '../../formats/anthropic-messages/anthropic-messages.ts'
import { geminiContents } from '../../formats/gemini-contents/gemini-contents.ts'
import { openaiChat } from '../../formats/openai-chat/openai-chat.ts'
import { openaiResponses } from '../../formats/openai-responses/openai-responses.ts'
import type { Format } from '../../formats/shared/format.ts'
import { checkInvariants, repairInvariants } from './index.ts'

const rules = (format: Format, body: object) =>
  checkInvariants(format.parse(body)).map(({ rule }) => rule)
const repair = (format: Format, body: object) => {
  const repaired = repairInvariants(format.parse(body))
  expect(checkInvariants(repaired)).toEqual([])
  return format.serialize(repaired)
}
const user = (content: unknown) => ({ role: 'user', content })
const assistant = <Content>(content: Content) => ({ role: 'assistant', content })

describe('bonded-part-alone', () => {
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }
  const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
  const text = { type: 'text', text: 'Done.' }

  test('a call of a server that the user did not wait for is said in words', () => {
    const body = { messages: [user('a'), assistant([text, search]), user('b')] }
    expect(rules(anthropicMessages, body)).toEqual(['bonded-part-alone'])
    const words =
      '[The call was interrupted: no result was recorded. server_tool_use {"query":"x"}]'
    expect(repair(anthropicMessages, body)).toEqual({
      messages: [user('a'), assistant([text, { type: 'text', text: words }]), user('b')],
    })
  })

  test('a result after words of the user goes back to the answer of its call', () => {
    const body = {
      messages: [user('a'), assistant([text, search]), user('b'), assistant([found, text])],
    }
    expect(rules(anthropicMessages, body)).toEqual(['late-server-result'])
    expect(repair(anthropicMessages, body)).toEqual({
      messages: [user('a'), assistant([text, search, found]), user('b'), assistant([text])],
    })
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: {} }
    const output = { type: 'text', value: 'r' }
    const result = { type: 'tool-result', toolCallId: 'c', toolName: 'search', output }
    const asked = assistant([{ ...call, providerExecuted: true }])
    const said = user([{ type: 'text', text: 'b' }])
    const late = { messages: [said, asked, said, assistant([result, text])] }
    expect(rules(aiSdk, late)).toEqual(['late-server-result'])
    expect(repair(aiSdk, late)).toEqual({
      messages: [said, assistant([...asked.content, result]), said, assistant([text])],
    })
  })

  test('words beside results that code waits for end its run', () => {
    const code = { type: 'server_tool_use', id: 's1', name: 'code_execution', input: {} }
    const call = { type: 'tool_use', id: 't1', name: 'f', input: {} }
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'r' }
    const called = { ...call, caller: { type: 'code_execution_20260120', tool_id: 's1' } }
    const body = { messages: [user('a'), assistant([code, called]), user([result, text])] }
    expect(rules(anthropicMessages, body)).toEqual(['bonded-part-alone'])
    expect(repair(anthropicMessages, body)).toMatchObject({
      messages: [user('a'), assistant([{ type: 'text' }, call]), user([result, text])],
    })
    const direct = { messages: [user('a'), assistant([code, call]), user([result, text])] }
    expect(rules(anthropicMessages, direct)).toEqual([])
  })

  test('an answer that pauses in such a call is valid, and so is code that still calls tools', () => {
    const called = (id: string) => ({
      type: 'tool_use',
      id,
      name: 'f',
      input: {},
      caller: { type: 'code_execution_20250825', tool_id: 's1' },
    })
    const result = (id: string) => user([{ type: 'tool_result', tool_use_id: id, content: 'r' }])
    const running = [
      user('a'),
      assistant([search, called('t1')]),
      result('t1'),
      assistant([called('t2')]),
      result('t2'),
    ]
    expect(rules(anthropicMessages, { messages: [user('a'), assistant([search])] })).toEqual([])
    expect(rules(anthropicMessages, { messages: running })).toEqual([])
    expect(rules(anthropicMessages, { messages: [...running, assistant([found, text])] })).toEqual(
      [],
    )
  })

  test('a result whose call is gone goes; a call whose caller is gone is one of its own', () => {
    const own = { type: 'tool_use', id: 't1', name: 'f', input: {} }
    const answer = user([{ type: 'tool_result', tool_use_id: 't1', content: 'r' }])
    const body = {
      messages: [
        user('a'),
        assistant([{ ...own, caller: { type: 'x', tool_id: 's1' } }]),
        answer,
        assistant([found, text]),
      ],
    }
    expect(rules(anthropicMessages, body)).toEqual(['bonded-part-alone', 'bonded-part-alone'])
    expect(repair(anthropicMessages, body)).toEqual({
      messages: [user('a'), assistant([own]), answer, assistant([text])],
    })
  })

  test('what a file has twice is there once', () => {
    const twice = {
      messages: [user('a'), assistant([search, found]), assistant([search, found, text])],
    }
    expect(rules(anthropicMessages, twice)).toContain('bonded-part-alone')
    expect(repair(anthropicMessages, twice)).toEqual({
      messages: [user('a'), assistant([search, found]), assistant([text])],
    })
  })

  test('words beside the results of tools do not interrupt a server', () => {
    const messages = [
      user('a'),
      assistant([search, { type: 'tool_use', id: 't1', name: 'f', input: {} }]),
      user([
        { type: 'tool_result', tool_use_id: 't1', content: 'r' },
        { type: 'text', text: 'b' },
      ]),
    ]
    expect(rules(anthropicMessages, { messages })).toEqual([])
    const more = [...messages, user('c'), user('d'), assistant([text])]
    expect(rules(anthropicMessages, { messages: more })).toEqual([])
  })

  test('an output is no result of the program that its lost call was in', () => {
    const caller = { type: 'program', caller_id: 'p1' }
    const input = [
      { type: 'message', role: 'user', content: 'a' },
      { type: 'program', id: 'prog_1', call_id: 'p1', code: '' },
      { type: 'function_call_output', call_id: 'c1', output: 'r', caller },
      { type: 'program_output', id: 'po_1', call_id: 'p1', result: '' },
    ]
    expect(rules(openaiResponses, { input })).toEqual(['tool-result-without-call'])
    expect(repair(openaiResponses, { input })).toEqual({ input: input.toSpliced(2, 1) })
  })

  test('a request for approval that the user passed over becomes words', () => {
    const [said, more] = ['a', 'b'].map((content) => ({ type: 'message', role: 'user', content }))
    const asks = {
      type: 'mcp_approval_request',
      id: 'r1',
      server_label: 's',
      name: 'close',
      arguments: '{}',
    }
    const given = { type: 'mcp_approval_response', approval_request_id: 'r1', approve: false }
    expect(rules(openaiResponses, { input: [said, asks] })).toEqual([])
    expect(rules(openaiResponses, { input: [said, asks, given, more] })).toEqual([])
    const input = [said, asks, more]
    expect(rules(openaiResponses, { input })).toEqual(['bonded-part-alone'])
    const repaired = repair(openaiResponses, { input })
    expect(JSON.stringify(repaired)).toMatch(/"a".*mcp_approval_request.*close.*"b"/s)
  })

  test('an approval without its request goes, with what was done on it', () => {
    const said = { type: 'message', role: 'user', content: 'a' }
    const input = [
      said,
      { type: 'mcp_approval_response', approval_request_id: 'r1', approve: true },
      {
        type: 'mcp_call',
        id: 'm1',
        name: 'f',
        arguments: '{}',
        output: 'ok',
        approval_request_id: 'r1',
      },
    ]
    expect(rules(openaiResponses, { input })).toEqual(['bonded-part-alone', 'bonded-part-alone'])
    expect(repair(openaiResponses, { input })).toEqual({ input: [said] })
  })

  test('what lies at the provider is no reason to drop its output', () => {
    const output = { type: 'function_call_output', call_id: 'c1', output: 'r' }
    const reference = { type: 'item_reference', id: 'fc_1' }
    expect(rules(openaiResponses, { input: [output] })).toEqual(['tool-result-without-call'])
    expect(rules(openaiResponses, { previous_response_id: 'resp_1', input: [output] })).toEqual([])
    expect(rules(openaiResponses, { input: [reference, output] })).toEqual([])
    expect(rules(openaiResponses, { input: [output, reference] })).toEqual([
      'tool-result-without-call',
    ])
  })
})

describe('call-without-id', () => {
  test('a call and its result that both lack one get the same', () => {
    const body = {
      messages: [
        user('a'),
        assistant([{ type: 'tool_use', name: 'read', input: { path: 'a' } }]),
        user([{ type: 'tool_result', content: 'text of a' }]),
      ],
    }
    expect(rules(anthropicMessages, body)).toEqual(['call-without-id', 'call-without-id'])
    expect(repair(anthropicMessages, body)).toEqual({
      messages: [
        user('a'),
        assistant([
          { type: 'tool_use', id: 'call_without_id_1', name: 'read', input: { path: 'a' } },
        ]),
        user([{ type: 'tool_result', tool_use_id: 'call_without_id_1', content: 'text of a' }]),
      ],
    })
  })

  test('of a server becomes words, since only the server has its ids', () => {
    const messages = [
      user('a'),
      assistant([
        { type: 'server_tool_use', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', content: [{ title: 'found' }] },
      ]),
    ]
    expect(rules(anthropicMessages, { messages })).toEqual(['call-without-id', 'call-without-id'])
    expect(repair(anthropicMessages, { messages })).toEqual({
      messages: [
        messages[0],
        assistant([
          { type: 'text', text: '[server_tool_use {"query":"q"}]' },
          { type: 'text', text: '[web_search_tool_result [{"title":"found"}]]' },
        ]),
      ],
    })
  })

  const served = [
    ['file_search_call', { queries: ['q'], results: [{ text: 'found' }] }, '"found"'],
    ['code_interpreter_call', { code: '1+1', outputs: [{ logs: '2' }] }, '"2"'],
    ['image_generation_call', { revised_prompt: 'a cat', result: 'QUJD' }, 'a cat'],
    ['mcp_call', { server_label: 's', name: 'f', arguments: '{}', output: 'done' }, 'done'],
    ['mcp_list_tools', { server_label: 's', tools: [{ name: 'f' }] }, '"s"'],
    ['computer_call', { call_id: 'c', action: { type: 'click' } }, 'click'],
    ['program_output', { call_id: 'c', result: 'done' }, 'done'],
  ] as const

  test.each(served)('%s of OpenAI without its own id becomes words', (type, members, words) => {
    const input = [
      { type: 'message', role: 'user', content: 'a' },
      ...(type === 'program_output' ? [{ type: 'program', id: 'p', call_id: 'c', code: '' }] : []),
      { type, status: 'completed', ...members },
      { type: 'message', role: 'user', content: 'b' },
    ]
    expect(rules(openaiResponses, { input })).toContain('call-without-id')
    const repaired = JSON.stringify(repair(openaiResponses, { input }))
    expect(repaired).toContain(`[${type} `)
    expect(repaired).toContain(words.replaceAll('"', '\\"'))
    expect(repaired).not.toMatch(/"type":"(?!message|output_text)|QUJD/)
  })

  test('a search of OpenAI needs none, as Codex sends it', () => {
    const input = [
      { type: 'message', role: 'user', content: 'a' },
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
    ]
    expect(rules(openaiResponses, { input })).toEqual([])
    expect(repair(openaiResponses, { input })).toEqual({ input })
  })

  test('calls of both APIs of OpenAI too, in order', () => {
    const call = (name: string) => ({ type: 'function', function: { name, arguments: '{}' } })
    const messages = [
      user('a'),
      { role: 'assistant', content: null, tool_calls: [call('f'), call('g')] },
      { role: 'tool', content: 'of f' },
      { role: 'tool', content: 'of g' },
    ]
    expect(JSON.stringify(repair(openaiChat, { messages }))).toMatch(
      /_1".*"name":"f".*_2".*"name":"g".*_1".*of f.*_2".*of g|_1".*_2".*of f.*_1"/s,
    )
    const input = [
      { type: 'message', role: 'user', content: 'a' },
      { type: 'function_call', name: 'f', arguments: '{}' },
      { type: 'function_call_output', output: 'of f' },
    ]
    expect(repair(openaiResponses, { input })).toMatchObject({
      input: [
        input[0],
        { type: 'function_call', call_id: 'call_without_id_1' },
        { call_id: 'call_without_id_1', output: 'of f' },
      ],
    })
    const shell = [
      input[0],
      { type: 'local_shell_call', id: 'x', action: { command: ['ls'] } },
      { type: 'local_shell_call_output', output: 'a.ts' },
    ]
    expect(repair(openaiResponses, { input: shell })).toMatchObject({
      input: [
        input[0],
        { name: 'local_shell', call_id: 'call_without_id_1', arguments: '{"command":["ls"]}' },
        { call_id: 'call_without_id_1', output: 'a.ts' },
      ],
    })
  })
})

test('unsigned-call: the first call of an answer of the running turn, of Gemini 3 alone', () => {
  const call = { functionCall: { name: 'ls', args: {} } }
  const body = (model: string, part: object, ...more: object[]) => ({
    model,
    contents: [
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [part, call] },
      {
        role: 'user',
        parts: [1, 2].map(() => ({ functionResponse: { name: 'ls', response: { output: 'x' } } })),
      },
      ...more,
    ],
  })
  expect(rules(geminiContents, body('gemini-3-pro', call))).toEqual(['unsigned-call'])
  expect(
    rules(geminiContents, body('gemini-3-pro', { ...call, thoughtSignature: 'U0lH' })),
  ).toEqual([])
  expect(rules(geminiContents, body('gemini-2.5-pro', call))).toEqual([])
  const over = [
    { role: 'model', parts: [{ text: 'b' }] },
    { role: 'user', parts: [{ text: 'c' }] },
  ]
  expect(rules(geminiContents, body('gemini-3-pro', call, ...over))).toEqual([])
  expect(repair(geminiContents, body('gemini-3-pro', call))).toMatchObject({
    contents: [
      {},
      { parts: [{ ...call, thoughtSignature: 'skip_thought_signature_validator' }, call] },
      {},
    ],
  })
})

describe('system-place', () => {
  const system = (content: unknown) => ({ role: 'system', content })
  const call = assistant([{ type: 'tool_use', id: 't1', name: 'f', input: {} }])
  const result = user([{ type: 'tool_result', tool_use_id: 't1', content: 'r' }])
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }

  test('after the user, results or a server tool, before an answer or at the end, it is in place', () => {
    for (const messages of [
      [user('a'), system('s'), assistant('b')],
      [user('a'), call, result, system('s')],
      [user('a'), assistant([search]), system('s')],
    ])
      expect(rules(anthropicMessages, { system: 'prompt', messages })).toEqual([])
  })

  test('elsewhere it moves to the end of the next turn of the user, with its bytes', () => {
    const messages = [system('s'), user('a'), call, result, system('t'), system('u'), user('b')]
    expect(rules(anthropicMessages, { messages })).toEqual([
      'system-place',
      'system-place',
      'system-place',
    ])
    const text = (text: string) => ({ type: 'text', text })
    expect(repair(anthropicMessages, { messages })).toEqual({
      messages: [user('a'), system('s'), call, result, user('b'), system([text('t'), text('u')])],
    })
  })

  test('without such a turn it stays where it is, in the role of the user', () => {
    const messages = [user('a'), assistant('b'), system('s')]
    expect(rules(anthropicMessages, { messages })).toEqual(['system-place'])
    expect(repair(anthropicMessages, { messages })).toEqual({
      messages: [user('a'), assistant('b'), user('s')],
    })
  })
})
