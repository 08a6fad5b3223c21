import type { Usage } from '../context/context.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/shared/json.ts'
import { type Api, readFrame, readObjects, readTokens, type TextAnswer } from './api.ts'

/** Anthropic's `POST /v1/messages`. Requests whose history is stored at the provider are not read. */
export const anthropicMessages: Api = {
  format: 'anthropic-messages',
  listKey: 'messages',
  readRequest(body, model) {
    if (readMember(body.thread, 'type') === 'continue') return undefined
    const listed = readObjects(body.messages)
    const frame = readFrame(model === undefined ? body : { ...body, model }, body.max_tokens)
    return listed && { ...frame, messages: listed, system: body.system }
  },
  writeMessages: (body, messages) => ({ ...body, messages }),
  readUsage(answer) {
    const usage = readMember(answer, 'usage')
    return isJsonObject(usage) ? readUsage(usage) : undefined
  },
  readEventUsage(event, before) {
    switch (readMember(event, 'type')) {
      case 'message_start':
        return this.readUsage(readMember(event, 'message'))
      case 'message_delta': {
        const usage = readMember(event, 'usage')
        if (!isJsonObject(usage)) return before
        // The first event has the counts of the prompt. The last event at most repeats them.
        const outputTokens = readTokens(usage.output_tokens)
        return before && !readTokens(usage.input_tokens)
          ? { ...before, outputTokens, ...readIterations(usage) }
          : readUsage(usage)
      }
      default:
        return before
    }
  },
  isPrelude: () => false,
  findFailure: () => undefined,
  createAnswer: (answer) => ({
    ...createMessage(answer),
    content: [{ type: 'text', text: answer.text }],
    stop_reason: 'end_turn',
    usage: writeUsage(answer.usage, answer.usage.outputTokens),
  }),
  createEvents(answer) {
    const { text, usage } = answer
    const message = {
      ...createMessage(answer),
      content: [],
      stop_reason: null,
      usage: writeUsage(usage, 1),
    }
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: usage.outputTokens },
      },
      { type: 'message_stop' },
    ].map((data) => ({ name: data.type, data }))
  },
}

/**
 * Anthropic counts what was read from its cache or written to it apart from the rest of the prompt.
 */
function readUsage(usage: JsonObject): Usage {
  const cachedInputTokens = readTokens(usage.cache_read_input_tokens)
  const cacheWriteTokens = readTokens(usage.cache_creation_input_tokens)
  return {
    inputTokens: readTokens(usage.input_tokens) + cachedInputTokens + cacheWriteTokens,
    outputTokens: readTokens(usage.output_tokens),
    cachedInputTokens,
    cacheWriteTokens,
    ...readIterations(usage),
  }
}

/**
 * `iterations` lists the parts of a request. All other numbers are the sum of those of type
 * `message`, one for each time that the model went on after a tool of the provider. Compactions are
 * in no other number.
 */
export function readIterations({ iterations }: JsonObject): Pick<Usage, 'compaction' | 'last'> {
  const listUsage = (type: string) =>
    (readObjects(iterations) ?? []).flatMap((one) =>
      isJsonObject(one) && one.type === type ? readUsage({ ...one, iterations: [] }) : [],
    )
  const messages = listUsage('message')
  const compactions = listUsage('compaction')
  const isLast = messages.length > 0 && messages.length + compactions.length > 1
  const last = isLast && { last: messages.at(-1) }
  if (compactions.length === 0) return { ...last }
  const sum = (read: (usage: Usage) => number | undefined) =>
    compactions.reduce((total, usage) => total + (read(usage) ?? 0), 0)
  return {
    ...last,
    compaction: {
      inputTokens: sum((usage) => usage.inputTokens),
      outputTokens: sum((usage) => usage.outputTokens),
      cachedInputTokens: sum((usage) => usage.cachedInputTokens),
      cacheWriteTokens: sum((usage) => usage.cacheWriteTokens),
    },
  }
}

function createMessage({ id, model }: TextAnswer) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null }
}

function writeUsage(
  { inputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 }: Usage,
  outputTokens: number,
) {
  return {
    input_tokens: inputTokens - cachedInputTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
  }
}
