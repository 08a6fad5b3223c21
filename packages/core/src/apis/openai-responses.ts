import type { Usage } from '../context/context.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/shared/json.ts'
import {
  type Api,
  type ApiEvent,
  createUsageReader,
  readFrame,
  readObjects,
  type TextAnswer,
} from './api.ts'

const PRELUDE = new Set<unknown>(['response.created', 'response.queued', 'response.in_progress'])
const LAST = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed'])

const readUsage = createUsageReader('input_tokens', 'output_tokens', true)

/** OpenAI's `POST /v1/responses`. Requests whose history is stored at the provider are not read. */
export const openaiResponses: Api = {
  format: 'openai-responses',
  listKey: 'input',
  readRequest(body) {
    if (isJsonObject(body.conversation) || typeof body.conversation === 'string') return undefined
    if (typeof body.previous_response_id === 'string') return undefined
    const messages = readObjects(body.input)
    const { instructions } = body
    const system = typeof instructions === 'string' ? { system: instructions } : {}
    return messages && { ...readFrame(body, body.max_output_tokens), ...system, messages }
  },
  writeMessages: (body, messages) => ({ ...body, input: messages }),
  readUsage: (answer) => readUsage(answer),
  readEventUsage(event, before) {
    return LAST.has(readMember(event, 'type')) ? readUsage(readMember(event, 'response')) : before
  },
  isPrelude: (event) => PRELUDE.has(readMember(event, 'type')),
  findFailure(event) {
    const type = readMember(event, 'type')
    if (type === 'response.failed') return readMember(readMember(event, 'response'), 'error')
    return type === 'error' ? event : undefined
  },
  createAnswer: (answer) => createResponse(answer, [createMessage(answer)]),
  createEvents(answer) {
    const message = createMessage(answer)
    const { text } = answer
    const place = { item_id: message.id, output_index: 0 }
    const part = { type: 'output_text', text: '', annotations: [] }
    return createItemEvents(answer, message, [
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...message, status: 'in_progress', content: [] },
      },
      { type: 'response.content_part.added', ...place, content_index: 0, part },
      { type: 'response.output_text.delta', ...place, content_index: 0, delta: text },
      { type: 'response.output_text.done', ...place, content_index: 0, text },
      { type: 'response.content_part.done', ...place, content_index: 0, part: { ...part, text } },
    ])
  },
}

/**
 * The events of an answer that is one item of any type. `parts` are the events before the item is
 * done.
 */
export function createItemEvents(
  answer: TextAnswer,
  item: JsonObject,
  parts: readonly JsonObject[] = [],
): readonly ApiEvent[] {
  const events: JsonObject[] = [
    {
      type: 'response.created',
      response: { ...createResponse(answer, []), status: 'in_progress', usage: null },
    },
    ...parts,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: createResponse(answer, [item]) },
  ]
  return events.map((event, index) => ({
    name: String(event.type),
    data: { ...event, sequence_number: index },
  }))
}

/** The whole answer with the items that it is made of. */
export function createResponse(
  { id, model, time, usage }: TextAnswer,
  output: readonly JsonObject[],
): JsonObject {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: time,
    model,
    status: 'completed',
    output,
    usage: writeUsage(usage),
  }
}

function createMessage({ id, text }: TextAnswer) {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content }
}

function writeUsage({ inputTokens, outputTokens, cachedInputTokens = 0 }: Usage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  }
}
