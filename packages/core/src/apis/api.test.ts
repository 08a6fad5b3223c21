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

test.each([
  [1_100, 1_000],
  [2_000, 1_900],
])(
  'reasoning is in the answer, unless a total of %d shows it next to it',
  (total, outputTokens) => {
    const details = { reasoning_tokens: 900 }
    const counts = { prompt_tokens: 100, completion_tokens: 1_000, total_tokens: total }
    expect(
      openaiChat.readUsage({ usage: { ...counts, completion_tokens_details: details } }),
    ).toMatchObject({ outputTokens, reasoningTokens: 900 })
  },
)

test.each([[{ toString: 1 }], [Object.create(null)], [undefined]])(
  'a request whose model is no text names none: %o',
  (model: unknown) => {
    expect(openaiChat.readRequest({ model, messages: [] })?.model).toBe(typeof model)
  },
)
