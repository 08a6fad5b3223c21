import type { JsonObject } from '../../packages/core/src/formats/shared/json.ts'
import { cutPieces, type FakeTurn, type StreamEvent, type Wire } from './wire.ts'

/** `POST /v1/messages` and `/v1/messages/count_tokens`. */
export const anthropicMessages: Wire = {
  name: 'anthropic-messages',
  isAnswerPath: (path) => path.endsWith('/messages'),
  isCountPath: (path) => path.endsWith('/messages/count_tokens'),
  findModel: (_, body) => String(body.model),
  isStream: (_, body) => body.stream === true,
  writeCount: (tokens) => ({ input_tokens: tokens }),
  writeAnswer: (turn) =>
    turn.request.body.compaction === undefined
      ? { ...writeShell(turn), ...writeStop(turn), content: writeBlocks(turn) }
      : writeCompaction(turn),
  writeStream,
  writeError: ({ type, message }) => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_fake',
  }),
  writeOverflow: (requestTokens, windowTokens) => ({
    status: 400,
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: `prompt is too long: ${requestTokens} tokens > ${windowTokens} maximum`,
      },
      request_id: 'req_fake',
    },
  }),
}

function writeShell({ request, number, usage }: FakeTurn): JsonObject {
  // Anthropic counts what was read from the cache apart from the input.
  const caches = request.raw.includes('"cache_control"')
  const cached = caches ? usage.cached : 0
  const written = caches ? usage.input - usage.cached : 0
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input - cached - written,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: written,
      output_tokens: usage.output,
    },
  }
}

/** The answer to `compaction`: one block, and usage that only `iterations` has. */
function writeCompaction(turn: FakeTurn): JsonObject {
  const { usage, ...shell } = writeShell(turn)
  const block = { type: 'compaction', content: turn.text, signature: 'c2lnbmF0dXJl' }
  return {
    ...shell,
    stop_reason: turn.stop === 'end' ? 'compaction' : writeStop(turn).stop_reason,
    content: turn.stop === 'end' ? [block] : [],
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      iterations: [{ type: 'compaction', ...Object(usage) }],
    },
  }
}

function writeStop({ calls, stop }: FakeTurn): JsonObject {
  const reason = {
    end: calls.length > 0 ? 'tool_use' : 'end_turn',
    length: 'max_tokens',
    refusal: 'refusal',
  }[stop]
  return { stop_reason: reason, stop_sequence: null }
}

function writeBlocks({ reasoning, text, calls, number }: FakeTurn): JsonObject[] {
  const thinking = { type: 'thinking', thinking: reasoning, signature: `c2lnbmF0dXJl${number}` }
  return [
    ...(reasoning ? [thinking] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
  ]
}

function writeStream(turn: FakeTurn): StreamEvent[] {
  const event = (type: string, fields: JsonObject): StreamEvent => ({
    event: type,
    data: { type, ...fields },
  })
  const shell = writeShell(turn)
  const blocks = writeBlocks(turn).flatMap((block, index) => [
    event('content_block_start', { index, content_block: writeEmptyBlock(block) }),
    ...writeDeltas(block).map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ])
  return [
    event('message_start', {
      message: { ...shell, usage: { ...Object(shell.usage), output_tokens: 1 } },
    }),
    event('ping', {}),
    ...blocks,
    // Its usage is cumulative, input included.
    event('message_delta', { delta: writeStop(turn), usage: shell.usage }),
    event('message_stop', {}),
  ]
}

function writeEmptyBlock(block: JsonObject): JsonObject {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  return { ...block, input: {} }
}

function writeDeltas(block: JsonObject): JsonObject[] {
  if (block.type === 'text')
    return cutPieces(String(block.text)).map((text) => ({ type: 'text_delta', text }))
  if (block.type === 'thinking') {
    const thoughts = cutPieces(String(block.thinking)).map((thinking) => ({
      type: 'thinking_delta',
      thinking,
    }))
    return [...thoughts, { type: 'signature_delta', signature: block.signature }]
  }
  return cutPieces(JSON.stringify(block.input)).map((text) => ({
    type: 'input_json_delta',
    partial_json: text,
  }))
}
