import { type JsonObject, readMember } from '../../packages/core/src/formats/shared/json.ts'
import { cutPieces, type FakeTurn, type StreamEvent, type Wire } from './wire.ts'

/** `POST /v1/chat/completions`. */
export const openaiChat: Wire = {
  name: 'openai-chat',
  isAnswerPath: (path) => path.endsWith('/chat/completions'),
  isCountPath: () => false,
  findModel: (_, body) => String(body.model),
  isStream: (_, body) => body.stream === true,
  writeCount: () => ({}),
  writeAnswer(turn) {
    const choice = {
      index: 0,
      message: writeMessage(turn),
      logprobs: null,
      finish_reason: findFinish(turn),
    }
    return {
      ...writeShell(turn),
      object: 'chat.completion',
      choices: [choice],
      usage: writeUsage(turn),
    }
  },
  writeStream,
  writeError: ({ type, message }) => ({ error: { message, type, param: null, code: null } }),
  writeOverflow: (requestTokens, windowTokens) => ({
    status: 400,
    body: {
      error: {
        message: `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${requestTokens} tokens. Please reduce the length of the messages.`,
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  }),
}

function writeShell({ request, number }: FakeTurn): JsonObject {
  return {
    id: `chatcmpl-${number}`,
    created: 1_700_000_000,
    model: request.model,
    service_tier: 'default',
  }
}

function writeMessage({ reasoning, text, calls }: FakeTurn): JsonObject {
  const toolCalls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  return {
    role: 'assistant',
    content: text || null,
    refusal: null,
    // OpenAI keeps it to itself; those who speak its protocol send it under this name.
    ...(reasoning && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  }
}

function findFinish({ calls, stop }: FakeTurn): string {
  return {
    end: calls.length > 0 ? 'tool_calls' : 'stop',
    length: 'length',
    refusal: 'content_filter',
  }[stop]
}

function writeUsage({ usage }: FakeTurn): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
  }
}

function writeStream(turn: FakeTurn): StreamEvent[] {
  const shell = { ...writeShell(turn), object: 'chat.completion.chunk' }
  const hasUsage = readMember(turn.request.body.stream_options, 'include_usage') === true
  const chunk = (delta: JsonObject, finish: string | null = null): StreamEvent => ({
    data: {
      ...shell,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(hasUsage && { usage: null }),
    },
  })
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...cutPieces(turn.reasoning).map((text) => chunk({ reasoning_content: text })),
    ...cutPieces(turn.text).map((content) => chunk({ content })),
    ...turn.calls.flatMap(({ id, name, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...cutPieces(JSON.stringify(input)).map((text) =>
        chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
      ),
    ]),
    chunk({}, findFinish(turn)),
    ...(hasUsage ? [{ data: { ...shell, choices: [], usage: writeUsage(turn) } }] : []),
    { data: '[DONE]' },
  ]
}
