import type { Usage } from '../context/usage.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/json/object.ts'
import { wrapApiClient } from './api-client.ts'
import { FollowedCalls } from './followed-calls.ts'
import { readObjects, readTokens, type WireCall } from './wire-call.ts'
import { assertClient, type WrapOptions } from './wrap-options.ts'

export type { WrapOptions } from './wrap-options.ts'

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
  readUsage: readChatUsage,
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
  readUsage: readResponsesUsage,
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

function readFrame(body: JsonObject, longestAnswer: unknown) {
  const tools = readObjects(body.tools)
  const answerTokens = readTokens(longestAnswer)
  return { model: String(body.model), ...(tools && { tools }), ...(answerTokens > 0 && { answerTokens }) }
}

function readChatUsage(answer: unknown): Usage | undefined {
  const usage = readMember(answer, 'usage')
  if (!isJsonObject(usage)) return undefined
  return {
    inputTokens: readTokens(usage.prompt_tokens),
    outputTokens: readTokens(usage.completion_tokens),
    cachedInputTokens: readTokens(readMember(usage.prompt_tokens_details, 'cached_tokens')),
  }
}

function readResponsesUsage(answer: unknown): Usage | undefined {
  const usage = readMember(answer, 'usage')
  if (!isJsonObject(usage)) return undefined
  return {
    inputTokens: readTokens(usage.input_tokens),
    outputTokens: readTokens(usage.output_tokens),
    cachedInputTokens: readTokens(readMember(usage.input_tokens_details, 'cached_tokens')),
  }
}
