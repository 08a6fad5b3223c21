import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type ModelMessage as AiModelMessage, modelMessageSchema } from 'ai'
import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../../conversation/invariants/index.ts'
import type { Conversation, Message, Protocol } from '../../conversation/message.ts'
import { formats } from '../index.ts'
import { aiSdk } from './ai-sdk.ts'
import { toModelMessages } from './model-messages.ts'

const PROTOCOLS: readonly Protocol[] = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'gemini-contents',
]

const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
const anthropic = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'look', cache_control: { type: 'ephemeral' } },
      { type: 'image', source },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'tool_use', id: 'gemini call 1', name: 'mcp.server/look', input: { path: 'a' } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'gemini call 1',
        content: [
          { type: 'text', text: 'b' },
          { type: 'image', source },
        ],
      },
      { type: 'text', text: 'go on' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'web_search_tool_result', content: [{ encrypted_content: 'QUFB' }] },
      { type: 'text', text: 'ok' },
    ],
  },
]
const parsed = formats['anthropic-messages'].parse({
  system: 'You are another agent.',
  messages: anthropic,
})

describe('toModelMessages', () => {
  test('gives what the AI SDK takes, with ids and names that every provider takes', () => {
    const messages: AiModelMessage[] = toModelMessages(parsed)
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'file', data: 'AAAA', mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'call_precis_0',
            toolName: 'mcp_server_look',
            input: { path: 'a' },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_precis_0',
            toolName: 'mcp_server_look',
            output: { type: 'text', value: 'b\n[image image/png]' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '[web_search_tool_result]' },
          { type: 'text', text: 'ok' },
        ],
      },
    ])
  })

  test('keeps signed reasoning and images in results for a model of the provider they come from', () => {
    const [, calls, results] = toModelMessages(parsed, 'anthropic-messages')
    expect(calls?.content[0]).toEqual({
      type: 'reasoning',
      text: 'hm',
      providerOptions: { anthropic: { signature: 'c2ln' } },
    })
    expect(results?.content[0]).toMatchObject({
      output: { type: 'content', value: [{}, { type: 'image-data' }] },
    })
  })

  test('an interrupted call is answered', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        origin: 'agent',
        parts: [{ type: 'tool-call', callId: 'a', name: 'f', input: '{}' }],
      },
      { role: 'user', origin: 'user', parts: [{ type: 'text', text: 'go on' }] },
    ]
    const conversation: Conversation = { protocol: 'openai-responses', messages, tools: [] }
    expect(toModelMessages(conversation).map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
      'user',
    ])
  })
})

const data = '../shared/data'
const sessions = (['claude-code', 'codex'] as const)
  .filter((folder) => existsSync(`${data}/${folder}`))
  .flatMap((folder) => readdirSync(`${data}/${folder}`).map((name) => [folder, name] as const))

describe.skipIf(sessions.length === 0)(
  'recorded sessions (skipped without ../shared/data)',
  { tags: 'slow' },
  () => {
    test.each(sessions)('%s/%s goes on in the AI SDK, with every model', (folder, name) => {
      const session = formats[folder].parse(
        new Uint8Array(readFileSync(`${data}/${folder}/${name}`)),
      )
      for (const protocol of PROTOCOLS) {
        const messages = toModelMessages(session, protocol)
        expect(messages.length).toBeGreaterThan(0)
        for (const message of messages)
          expect(modelMessageSchema.safeParse(message).error).toBeUndefined()
        expect(checkInvariants({ ...aiSdk.parse(messages), protocol })).toEqual([])
      }
    })
  },
)
