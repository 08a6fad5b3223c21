/** The same history in the words of each provider's API, for tests over all of them. */
import type { RequestFormat } from '../formats/index.ts'

/** Messages that a host appends, in any format. */
export type Said =
  | { readonly type: 'request' | 'answer'; readonly text: string }
  | { readonly type: 'calls'; readonly ids: readonly string[]; readonly text: string }
  | { readonly type: 'results'; readonly ids: readonly string[]; readonly text: string }

type Write = (said: Said) => object[]

const INPUT = { path: 'src/parser.ts' }

const anthropic: Write = (said) => {
  switch (said.type) {
    case 'request':
      return [{ role: 'user', content: said.text }]
    case 'answer':
      return [{ role: 'assistant', content: [{ type: 'text', text: said.text }] }]
    case 'calls':
      return [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: said.text, signature: 'c2lnbmF0dXJl'.repeat(4) },
            ...said.ids.map((id) => ({ type: 'tool_use', id, name: 'read', input: INPUT })),
          ],
        },
      ]
    case 'results':
      return [
        {
          role: 'user',
          content: said.ids.map((id) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: said.text,
          })),
        },
      ]
  }
}

const chat: Write = (said) => {
  switch (said.type) {
    case 'request':
      return [{ role: 'user', content: said.text }]
    case 'answer':
      return [{ role: 'assistant', content: said.text }]
    case 'calls': {
      const called = { name: 'read', arguments: JSON.stringify(INPUT) }
      const calls = said.ids.map((id) => ({ id, type: 'function', function: called }))
      return [{ role: 'assistant', content: said.text, tool_calls: calls }]
    }
    case 'results':
      return said.ids.map((id) => ({ role: 'tool', tool_call_id: id, content: said.text }))
  }
}

const responses: Write = (said) => {
  switch (said.type) {
    case 'request':
      return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: said.text }] }]
    case 'answer':
      return [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said.text }] },
      ]
    case 'calls':
      return [
        {
          type: 'reasoning',
          id: `rs_${said.ids[0]}`,
          summary: [],
          encrypted_content: 'gAAAA'.repeat(20),
        },
        ...said.ids.map((id) => ({
          type: 'function_call',
          id: `fc_${id}`,
          call_id: id,
          name: 'read',
          arguments: JSON.stringify(INPUT),
        })),
      ]
    case 'results':
      return said.ids.map((id) => ({
        type: 'function_call_output',
        call_id: id,
        output: said.text,
      }))
  }
}

const gemini: Write = (said) => {
  switch (said.type) {
    case 'request':
      return [{ role: 'user', parts: [{ text: said.text }] }]
    case 'answer':
      return [{ role: 'model', parts: [{ text: said.text }] }]
    case 'calls':
      // Without ids, as its API gives them: results are paired by name and order.
      return [
        {
          role: 'model',
          parts: said.ids.map(() => ({ functionCall: { name: 'read', args: INPUT } })),
        },
      ]
    case 'results':
      return [
        {
          role: 'user',
          parts: said.ids.map(() => ({
            functionResponse: { name: 'read', response: { output: said.text } },
          })),
        },
      ]
  }
}

const aiSdk: Write = (said) => {
  switch (said.type) {
    case 'request':
      return [{ role: 'user', content: said.text }]
    case 'answer':
      return [{ role: 'assistant', content: [{ type: 'text', text: said.text }] }]
    case 'calls': {
      const calls = said.ids.map((toolCallId) => ({
        type: 'tool-call',
        toolCallId,
        toolName: 'read',
        input: INPUT,
      }))
      return [{ role: 'assistant', content: calls }]
    }
    case 'results': {
      const output = { type: 'text', value: said.text }
      const content = said.ids.map((toolCallId) => ({
        type: 'tool-result',
        toolCallId,
        toolName: 'read',
        output,
      }))
      return [{ role: 'tool', content }]
    }
  }
}

export interface NativeCase {
  readonly format: RequestFormat
  readonly model: string
  /** Of the same provider, for a switch. */
  readonly sibling: string
  readonly write: Write
}

export const nativeCases: readonly NativeCase[] = [
  {
    format: 'anthropic-messages',
    model: 'claude-sonnet-4-5',
    sibling: 'claude-opus-4-8',
    write: anthropic,
  },
  { format: 'openai-chat', model: 'gpt-5', sibling: 'gpt-5-mini', write: chat },
  { format: 'openai-responses', model: 'gpt-5', sibling: 'gpt-5-mini', write: responses },
  {
    format: 'gemini-contents',
    model: 'gemini-2.5-pro',
    sibling: 'gemini-2.5-flash',
    write: gemini,
  },
  { format: 'ai-sdk', model: 'claude-sonnet-4-5', sibling: 'gpt-5', write: aiSdk },
]
