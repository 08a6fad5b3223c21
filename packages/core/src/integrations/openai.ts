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
 * Wraps a client of the package `openai`. Its Chat Completions and Responses always fit the window
 * of their model. The given client stays unchanged. Requests with `previous_response_id` or
 * `conversation` pass unchanged, because their history is stored at the provider. Throws
 * `TypeError` for anything but such a client.
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
