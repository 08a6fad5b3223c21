import type { Usage } from '../context/context.ts'
import { isJsonObject, readMember } from '../formats/ground/json.ts'
import { wrapApiClient } from './api-client.ts'
import {
  assertClient,
  FollowedCalls,
  readFrame,
  readObjects,
  readTokens,
  type WireCall,
  type WrapOptions,
} from './followed-calls.ts'

export type { WrapOptions } from './followed-calls.ts'

/** The part of a client that is used. */
interface OpenAIClient {
  readonly chat: { readonly completions: object }
}

/**
 * A client like the given one of the package `openai`, whose Chat Completions and Responses always fit the window of
 * their model. The given client stays as it is. Requests with `previous_response_id` or `conversation` pass unchanged:
 * their history lies at the provider. Throws `TypeError` for anything but such a client.
 */
export function wrapOpenAI<Client extends OpenAIClient>(client: Client, options: WrapOptions = {}): Client {
  assertClient(client, 'wrapOpenAI')
  return wrapApiClient(client, RESOURCES, [
    { path: '/chat/completions', wire: chatCompletions, calls: new FollowedCalls('openai-chat', options) },
    { path: '/responses', wire: responses, calls: new FollowedCalls('openai-responses', options) },
  ])
}

const RESOURCES = new Set(['chat', 'completions', 'responses', 'beta'])

const chatCompletions: WireCall = {
  readRequest(body) {
    const messages = readObjects(body.messages)
    return messages && { ...readFrame(body, body.max_completion_tokens ?? body.max_tokens), messages }
  },
  writeMessages: (body, messages) => ({ ...body, messages }),
  readUsage: (answer) => readChatUsage(answer),
  readEventUsage: (chunk, before) => readChatUsage(chunk) ?? before,
  isPrelude: () => false,
  findFailure: () => undefined,
}

const PRELUDE = new Set<unknown>(['response.created', 'response.queued', 'response.in_progress'])
const LAST = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed'])

const responses: WireCall = {
  readRequest(body) {
    if (isJsonObject(body.conversation) || typeof body.conversation === 'string') return undefined
    if (typeof body.previous_response_id === 'string') return undefined
    const messages = readObjects(body.input)
    const { instructions } = body
    const system = typeof instructions === 'string' ? { system: instructions } : {}
    return messages && { ...readFrame(body, body.max_output_tokens), ...system, messages }
  },
  writeMessages: (body, messages) => ({ ...body, input: messages }),
  readUsage: (answer) => readResponsesUsage(answer),
  readEventUsage(event, before) {
    return LAST.has(readMember(event, 'type')) ? readResponsesUsage(readMember(event, 'response')) : before
  },
  isPrelude: (event) => PRELUDE.has(readMember(event, 'type')),
  findFailure(event) {
    const type = readMember(event, 'type')
    if (type === 'response.failed') return readMember(readMember(event, 'response'), 'error')
    return type === 'error' ? event : undefined
  },
}

const readChatUsage = createUsageReader('prompt_tokens', 'completion_tokens')
const readResponsesUsage = createUsageReader('input_tokens', 'output_tokens')

function createUsageReader(input: string, output: string) {
  return (answer: unknown): Usage | undefined => {
    const usage = readMember(answer, 'usage')
    if (!isJsonObject(usage)) return undefined
    return {
      inputTokens: readTokens(usage[input]),
      outputTokens: readTokens(usage[output]),
      cachedInputTokens: readTokens(readMember(usage[`${input}_details`], 'cached_tokens')),
    }
  }
}
