import type { Usage } from '../context/context.ts'
import { type Api, createUsageReader, readFrame, readObjects, type TextAnswer } from './api.ts'

const readUsage = createUsageReader('prompt_tokens', 'completion_tokens', false)

/** OpenAI's `POST /v1/chat/completions`, which most other servers take too. */
export const openaiChat: Api = {
  format: 'openai-chat',
  listKey: 'messages',
  readRequest(body) {
    const messages = readObjects(body.messages)
    return (
      messages && { ...readFrame(body, body.max_completion_tokens ?? body.max_tokens), messages }
    )
  },
  writeMessages: (body, messages) => ({ ...body, messages }),
  readUsage: (answer) => readUsage(answer),
  readEventUsage: (chunk, before) => readUsage(chunk) ?? before,
  isPrelude: () => false,
  findFailure: () => undefined,
  createAnswer: (answer) => ({
    ...createFrame(answer, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.text },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: writeUsage(answer.usage),
  }),
  createEvents(answer) {
    const frame = createFrame(answer, 'chat.completion.chunk')
    const choose = (delta: object, reason: string | null) => ({
      ...frame,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    })
    return [
      { data: choose({ role: 'assistant', content: answer.text }, null) },
      { data: choose({}, 'stop') },
      { data: { ...frame, choices: [], usage: writeUsage(answer.usage) } },
      { data: '[DONE]' },
    ]
  },
}

function createFrame({ id, model, time }: TextAnswer, object: string) {
  return { id: `chatcmpl-${id}`, object, created: time, model }
}

function writeUsage({ inputTokens, outputTokens, cachedInputTokens = 0 }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
  }
}
