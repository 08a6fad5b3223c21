import type { Usage } from '../context/context.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/ground/json.ts'
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
interface AnthropicClient {
  readonly messages: object
}

/**
 * A client like the given one of the package `@anthropic-ai/sdk`, whose Messages, those of the beta among them, always
 * fit the window of their model. The given client stays as it is. `countTokens` and batches pass unchanged.
 * Throws `TypeError` for anything but such a client.
 */
export function wrapAnthropic<Client extends AnthropicClient>(client: Client, options: WrapOptions = {}): Client {
  assertClient(client, 'wrapAnthropic')
  return wrapApiClient(client, RESOURCES, [
    { path: '/v1/messages', wire: messages, calls: new FollowedCalls('anthropic-messages', options) },
  ])
}

const RESOURCES = new Set(['messages', 'beta'])

const messages: WireCall = {
  readRequest(body) {
    const listed = readObjects(body.messages)
    return listed && { ...readFrame(body, body.max_tokens), messages: listed, system: body.system }
  },
  writeMessages: (body, written) => ({ ...body, messages: written }),
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
        // Counts of the prompt come with the first event; the last one repeats them at most.
        const outputTokens = readTokens(usage.output_tokens)
        return before && !readTokens(usage.input_tokens) ? { ...before, outputTokens } : readUsage(usage)
      }
      default:
        return before
    }
  },
  isPrelude: () => false,
  findFailure: () => undefined,
}

/** Anthropic counts what was read from its cache or written to it apart from the rest of the prompt. */
function readUsage(usage: JsonObject): Usage {
  const cachedInputTokens = readTokens(usage.cache_read_input_tokens)
  const cacheWriteTokens = readTokens(usage.cache_creation_input_tokens)
  return {
    inputTokens: readTokens(usage.input_tokens) + cachedInputTokens + cacheWriteTokens,
    outputTokens: readTokens(usage.output_tokens),
    cachedInputTokens,
    cacheWriteTokens,
  }
}
