import type { JsonObject } from '../../packages/core/src/formats/shared/json.ts'
import { cutPieces, type FakeTurn, type StreamEvent, type Wire } from './wire.ts'

const TOO_LONG =
  'Your input exceeds the context window of this model. Please adjust your input and try again.'

/** `POST /v1/responses`. */
export const openaiResponses: Wire = {
  name: 'openai-responses',
  isAnswerPath: (path) => path.endsWith('/responses'),
  isCountPath: (path) => path.endsWith('/responses/input_tokens'),
  findModel: (_, body) => String(body.model),
  isStream: (_, body) => body.stream === true,
  writeCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  writeAnswer: writeResponse,
  writeStream,
  writeError: ({ type, message }) => ({ error: { message, type, param: null, code: null } }),
  writeOverflow: () => ({
    status: 400,
    body: {
      error: {
        message: TOO_LONG,
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      },
    },
  }),
  // A streamed request is taken first and fails afterwards.
  writeOverflowStream(turn) {
    const response = writeShell(turn)
    const error = { code: 'context_length_exceeded', message: TOO_LONG }
    return numberEvents([
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      { type: 'response.failed', response: { ...response, status: 'failed', error } },
    ])
  },
}

function writeShell({ request, number }: FakeTurn): JsonObject {
  const { instructions = null, tools = [], previous_response_id: previous = null } = request.body
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions,
    model: request.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: previous,
    tool_choice: 'auto',
    tools,
    usage: null,
  }
}

function writeResponse(turn: FakeTurn): JsonObject {
  const { usage, stop } = turn
  const isCut = stop === 'length'
  return {
    ...writeShell(turn),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: writeItems(turn),
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  }
}

function writeItems({ reasoning, text, calls, number, stop }: FakeTurn): JsonObject[] {
  const status = 'completed'
  const thought = {
    type: 'reasoning',
    id: `rs_${number}`,
    summary: [{ type: 'summary_text', text: reasoning }],
    encrypted_content: `Z0FBQUFB${number}`,
  }
  const content =
    stop === 'refusal'
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', text, annotations: [], logprobs: [] }
  return [
    ...(reasoning ? [thought] : []),
    ...(text
      ? [{ type: 'message', id: `msg_${number}`, role: 'assistant', status, content: [content] }]
      : []),
    ...calls.map(({ id, name, input }, index) => ({
      type: 'function_call',
      id: `fc_${number}_${index}`,
      call_id: id,
      name,
      arguments: JSON.stringify(input),
      status,
    })),
  ]
}

function writeStream(turn: FakeTurn): StreamEvent[] {
  const response = writeShell(turn)
  const final = writeResponse(turn)
  const items = writeItems(turn).flatMap((item, outputIndex): JsonObject[] => {
    const at = { item_id: item.id, output_index: outputIndex }
    return [
      { type: 'response.output_item.added', output_index: outputIndex, item: writeEmptyItem(item) },
      ...writeItemEvents(item, turn).map((event) => ({ ...event, ...at })),
      { type: 'response.output_item.done', output_index: outputIndex, item },
    ]
  })
  return numberEvents([
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...items,
    {
      type: final.status === 'incomplete' ? 'response.incomplete' : 'response.completed',
      response: final,
    },
  ])
}

function writeEmptyItem(item: JsonObject): JsonObject {
  if (item.type === 'function_call') return { ...item, arguments: '', status: 'in_progress' }
  if (item.type === 'reasoning') return { ...item, summary: [] }
  return { ...item, content: [], status: 'in_progress' }
}

function writeItemEvents(item: JsonObject, { text, reasoning }: FakeTurn): JsonObject[] {
  if (item.type === 'function_call') {
    const type = 'response.function_call_arguments'
    const pieces = cutPieces(String(item.arguments)).map((delta) => ({
      type: `${type}.delta`,
      delta,
    }))
    return [...pieces, { type: `${type}.done`, name: item.name, arguments: item.arguments }]
  }
  if (item.type === 'reasoning') {
    const part = { type: 'summary_text', text: reasoning }
    const pieces = cutPieces(reasoning).map((delta) => ({
      type: 'response.reasoning_summary_text.delta',
      delta,
    }))
    const events = [
      { type: 'response.reasoning_summary_part.added', part: { ...part, text: '' } },
      ...pieces,
      { type: 'response.reasoning_summary_text.done', text: reasoning },
      { type: 'response.reasoning_summary_part.done', part },
    ]
    return events.map((event) => ({ ...event, summary_index: 0 }))
  }
  const part = { type: 'output_text', text, annotations: [] }
  const pieces = cutPieces(text).map((delta) => ({
    type: 'response.output_text.delta',
    delta,
    logprobs: [],
  }))
  const events = [
    { type: 'response.content_part.added', part: { ...part, text: '' } },
    ...pieces,
    { type: 'response.output_text.done', text, logprobs: [] },
    { type: 'response.content_part.done', part },
  ]
  return events.map((event) => ({ ...event, content_index: 0 }))
}

function numberEvents(events: readonly JsonObject[]): StreamEvent[] {
  return events.map((data, index) => ({
    event: String(data.type),
    data: { ...data, sequence_number: index },
  }))
}
