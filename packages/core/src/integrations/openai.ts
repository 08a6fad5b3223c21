import { openaiChat } from '../apis/openai-chat.ts'
import { openaiResponses } from '../apis/openai-responses.ts'
import { wrapApiClient } from './api-client.ts'
import { assertClient } from './assert-client.ts'
import { followCalls, type WrapOptions, type Wrapped } from './followed-calls.ts'

export type {
  AskedRequest,
  ClientConversation,
  RequestSettings,
  WrapOptions,
  Wrapped,
} from './followed-calls.ts'

/** The part of a client that is used. */
interface OpenAIClient {
  readonly chat: { readonly completions: object }
}

/**
 * A client like the given one of the package `openai`, whose Chat Completions and Responses always
 * fit the window of their model. The given client stays as it is. Requests with
 * `previous_response_id` or `conversation` pass unchanged: their history lies at the provider.
 * Throws `TypeError` for anything but such a client.
 */
export function wrapOpenAI<Client extends OpenAIClient>(
  client: Client,
  options: WrapOptions = {},
): Wrapped<Client> {
  assertClient(client, 'wrapOpenAI')
  return wrapApiClient(client, RESOURCES, [
    { path: '/chat/completions', api: openaiChat, calls: followCalls('openai-chat', options) },
    { path: '/responses', api: openaiResponses, calls: followCalls('openai-responses', options) },
  ])
}

const RESOURCES = new Set(['chat', 'completions', 'responses', 'beta'])
