/** That nothing can make a request fit, in the words and the shape of the provider: agents compact when they read these. */
import type { ApiName } from '@precis/core/apis'

const STATUS = 400

export function renderRefusal(api: ApiName, tokens: number, windowTokens: number) {
  const error = renderError(api, tokens, windowTokens)
  return { status: STATUS, body: Buffer.from(JSON.stringify(error)) }
}

function renderError(api: ApiName, tokens: number, windowTokens: number): object {
  switch (api) {
    case 'anthropic-messages': {
      const message = `prompt is too long: ${tokens} tokens > ${windowTokens} maximum`
      return { type: 'error', error: { type: 'invalid_request_error', message } }
    }
    case 'openai-chat':
    case 'openai-responses': {
      const message = `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
      const param = api === 'openai-chat' ? 'messages' : 'input'
      return { error: { message, type: 'invalid_request_error', param, code: 'context_length_exceeded' } }
    }
    case 'gemini-contents': {
      const message = `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`
      return { error: { code: STATUS, message, status: 'INVALID_ARGUMENT' } }
    }
  }
}
