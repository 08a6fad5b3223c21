import type { Usage } from '../context/usage.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/json/object.ts'
import { wrapApiClient } from './api-client.ts'
import { FollowedCalls } from './followed-calls.ts'
import { readObjects, readTokens, type WireCall } from './wire-call.ts'
import { assertClient, type WrapOptions } from './wrap-options.ts'

export type { WrapOptions } from './wrap-options.ts'

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
    const tools = readObjects(body.tools)
    const { system } = body
    const answerTokens = readTokens(body.max_tokens)
    return (
      listed && {
        model: String(body.model),
        messages: listed,
        ...(system !== undefined && { system }),
        ...(tools && { tools }),
        ...(answerTokens > 0 && { answerTokens }),
      }
    )
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
