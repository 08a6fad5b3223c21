import { anthropicMessages } from '../apis/anthropic-messages.ts'
import { wrapApiClient } from './api-client.ts'
import { assertClient } from './assert-client.ts'
import { followCalls, type WrapOptions, type Wrapped } from './followed-calls.ts'

export {
  type CompactionRequest,
  type CompactionSummarizerOptions,
  createCompactionSummarizer,
} from './compaction-summarizer.ts'
export type {
  AskedRequest,
  ClientConversation,
  RequestSettings,
  WrapOptions,
  Wrapped,
} from './followed-calls.ts'

/** The part of a client that is used. */
interface AnthropicClient {
  readonly messages: object
}

/**
 * Wraps a client of the package `@anthropic-ai/sdk`. Its Messages, including those of the beta,
 * always fit the window of their model. The given client stays unchanged. `countTokens`, batches
 * and requests that continue a `thread` pass unchanged. Throws `TypeError` for anything but such a
 * client.
 */
export function wrapAnthropic<Client extends AnthropicClient>(
  client: Client,
  options: WrapOptions = {},
): Wrapped<Client> {
  assertClient(client, 'wrapAnthropic')
  return wrapApiClient(client, RESOURCES, [
    {
      path: '/v1/messages',
      api: anthropicMessages,
      calls: followCalls('anthropic-messages', options),
    },
  ])
}

const RESOURCES = new Set(['messages', 'beta'])
