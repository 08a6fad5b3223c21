import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { convertMessagesToResponsesInput } from '@langchain/openai'
import { expect, test } from 'vitest'
import { findCutPoints } from '../../conversation/cut-points.ts'
import type { Message, Part } from '../../conversation/message.ts'
import { langchain } from './langchain.ts'

const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { query: 'q' } }
const asked = { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 's', name: 'f' }
const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAC' }
const said = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const ran = (path: string) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'read',
  arguments: JSON.stringify({ path }),
})

const answer = (output: readonly object[], text = 'Found it.') =>
  new AIMessage({
    content: [{ type: 'text', text }],
    tool_calls: [{ type: 'tool_call', id: 'call_1', name: 'read', args: { path: 'a.ts' } }],
    additional_kwargs: {
      reasoning,
      tool_outputs: output.filter((item) => item === search || item === asked),
    },
    response_metadata: { output },
  })

const parse = (...messages: BaseMessage[]) => langchain.parse(messages)

/** What OpenAI gets after an edit of the first answer. */
function send(message: BaseMessage, edit: (part: Part) => Part[]): unknown {
  const conversation = parse(message)
  const messages = conversation.messages.map((one) => {
    const parts: readonly Part[] = one.parts
    return { ...one, parts: parts.flatMap(edit) } as Message
  })
  const written = langchain.serialize({ ...conversation, messages }) as unknown as BaseMessage[]
  return convertMessagesToResponsesInput({ messages: written, zdrEnabled: false, model: 'gpt-5' })
}

const clip = (part: Part): Part[] => [part.type === 'text' ? { ...part, text: 'Found' } : part]

test('what OpenAI ran, a request for approval and a compaction are parts of the answer', () => {
  const [message] = parse(
    answer([reasoning, search, asked, compaction, said('Found it.')]),
  ).messages
  const kinds = message?.parts.map((part) => (part.type === 'opaque' ? part.kind : part.type))
  expect(kinds).toEqual([
    'reasoning',
    'web_search_call',
    'mcp_approval_request',
    'compaction',
    'text',
    'tool-call',
  ])
  expect(message?.parts[0]).toMatchObject({ isNeeded: true })
  expect(message?.parts[3]).toMatchObject({ compaction: {} })
})

test('an answer of words and calls alone has no other parts', () => {
  const [message] = parse(answer([reasoning, said('Found it.'), ran('a.ts')])).messages
  expect(message?.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-call'])
})

test('an approval that the user gives is one unit with its request', () => {
  const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }
  const { messages } = parse(
    new HumanMessage('Close it.'),
    new AIMessage({ content: [], response_metadata: { output: [asked] } }),
    new HumanMessage({ content: [approval] }),
  )
  expect(findCutPoints(messages).units).toContainEqual({ start: 1, end: 3 })
})

test('an edited answer is sent with all that it still contains', () => {
  const message = answer([reasoning, search, said('Found it.'), ran('a.ts')])
  expect(send(message, clip)).toEqual([reasoning, search, said('Found'), ran('a.ts')])
  const cut = (part: Part): Part[] =>
    part.type === 'tool-call' ? [{ ...part, input: { path: '…' } }] : [part]
  expect(send(message, cut)).toEqual([reasoning, search, said('Found it.'), ran('…')])
})

test('an item that goes is gone from everywhere it is stored', () => {
  const message = answer([reasoning, search, asked, said('Found it.'), ran('a.ts')])
  const without = (part: Part): Part[] =>
    part.type === 'opaque' && part.kind === 'web_search_call' ? [] : [part]
  expect(send(message, without)).toEqual([reasoning, asked, said('Found it.'), ran('a.ts')])
  const bare = (part: Part): Part[] =>
    part.type === 'opaque' || part.type === 'reasoning' ? [] : clip(part)
  expect(JSON.stringify(send(message, bare))).not.toMatch(/ws_1|mcpr_1|rs_1/)
})
