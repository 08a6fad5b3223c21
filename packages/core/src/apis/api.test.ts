import { expect, test } from 'vitest'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

test('only Chat Completions reports reasoning that is not sent again', () => {
  const details = { reasoning_tokens: 900 }
  const chat = { completion_tokens: 1_000, completion_tokens_details: details }
  const responses = { output_tokens: 1_000, output_tokens_details: details }
  expect(openaiChat.readUsage({ usage: chat })).toMatchObject({
    outputTokens: 1_000,
    reasoningTokens: 900,
  })
  expect(openaiResponses.readUsage({ usage: responses })?.reasoningTokens).toBeUndefined()
})

test.each([[{ toString: 1 }], [Object.create(null)], [undefined]])(
  'a request whose model is no text names none: %o',
  (model: unknown) => {
    expect(openaiChat.readRequest({ model, messages: [] })?.model).toBe(typeof model)
  },
)
