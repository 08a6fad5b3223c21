import { expect, test } from 'vitest'
import { requestFormats } from './request-formats.ts'

const readers = (['anthropic-messages', 'openai-chat', 'ai-sdk', 'langchain'] as const).map(
  (name) => [name, requestFormats[name]] as const,
)

test.each(readers)('%s refuses messages of Converse, and says which API to use', (_, format) => {
  const blocks = [
    { text: 'hello' },
    { toolUse: { toolUseId: 't1', name: 'ls', input: {} } },
    { toolResult: { toolUseId: 't1', content: [{ text: 'a' }] } },
  ]
  for (const block of blocks) {
    const messages = [{ role: 'user', content: [block] }]
    expect(() => format.parse({ messages })).toThrow(
      'is of Converse. Give messages of another API of Bedrock.',
    )
  }
})

test.each(readers)('%s refuses UI messages, and says what to give', (_, format) => {
  const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }]
  expect(() => format.parse({ messages })).toThrow(
    'Give what convertToModelMessages makes of them.',
  )
})

test.each(readers)('%s keeps blocks of a type that it does not know', (_, format) => {
  const body = { messages: [{ role: 'user', content: [{ type: 'hologram', text: 'hello' }] }] }
  expect(format.serialize(format.parse(body))).toEqual(body)
})
