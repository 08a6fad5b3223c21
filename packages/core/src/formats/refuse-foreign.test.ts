import { expect, test } from 'vitest'
import { requestFormats } from './request-formats.ts'

const readers = (
  ['anthropic-messages', 'openai-chat', 'openai-responses', 'ai-sdk', 'langchain'] as const
).map((name) => [name, requestFormats[name]] as const)

const bodyOf = (name: string, message: object) => ({
  [name === 'openai-responses' ? 'input' : 'messages']: [message],
})

test.each(readers)('%s refuses messages of Converse, and says which API to use', (name, format) => {
  const blocks = [
    { text: 'hello' },
    { toolUse: { toolUseId: 't1', name: 'ls', input: {} } },
    { toolResult: { toolUseId: 't1', content: [{ text: 'a' }] } },
  ]
  for (const block of blocks) {
    expect(() => format.parse(bodyOf(name, { role: 'user', content: [block] }))).toThrow(
      'is of Converse. Give messages of another API of Bedrock.',
    )
  }
})

test.each(readers)('%s refuses UI messages, and says what to give', (name, format) => {
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }
  expect(() => format.parse(bodyOf(name, message))).toThrow(
    'Give what convertToModelMessages makes of them.',
  )
})

test.each(readers)('%s keeps blocks of a type that it does not know', (name, format) => {
  const body = bodyOf(name, { role: 'user', content: [{ type: 'hologram', text: 'hello' }] })
  expect(format.serialize(format.parse(body))).toEqual(body)
})

test.each(readers)('%s refuses content that is neither text nor a list', (name, format) => {
  for (const content of [{ a: 1 }, 5, true]) {
    expect(() => format.parse(bodyOf(name, { role: 'user', content }))).toThrow(
      `Reading ${name}: message 0 has content ${JSON.stringify(content)}. Give text or a list of parts.`,
    )
  }
  expect(() => format.parse(bodyOf(name, { role: 'assistant', content: null }))).not.toThrow()
})

test('gemini-contents refuses contents whose words are not in parts', () => {
  for (const content of [{ parts: 5 }, { parts: 'hello' }, { content: 'hello' }]) {
    const contents = [{ role: 'user', ...content }]
    expect(() => requestFormats['gemini-contents'].parse({ contents })).toThrow(
      'Reading gemini-contents: message 0 has',
    )
  }
  const empty = { contents: [{ role: 'model' }, 'hello'] }
  expect(() => requestFormats['gemini-contents'].parse(empty)).not.toThrow()
})
