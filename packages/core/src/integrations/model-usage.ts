import { readIterations } from '../apis/anthropic-messages.ts'
import { readTokens } from '../apis/api.ts'
import type { Usage } from '../context/context.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/shared/json.ts'

/**
 * Usage of an answer or of the part that ends a stream. Undefined if the provider reported no
 * usage.
 */
export function readModelUsage(answer: unknown, provider: string): Usage | undefined {
  const usage = readMember(answer, 'usage')
  if (!isJsonObject(usage)) return undefined
  const read = isJsonObject(usage.inputTokens)
    ? readDetailed(usage)
    : readFlat(usage, answer, provider)
  if (read.inputTokens === 0) return undefined
  // Compactions are in the sum that the SDK makes of them.
  const { last } = isJsonObject(usage.raw) ? readIterations(usage.raw) : {}
  return last ? { ...read, last } : read
}

/**
 * Since version 6: `{ inputTokens: { total, cacheRead, cacheWrite }, outputTokens: { total } }`.
 */
function readDetailed({ inputTokens, outputTokens }: JsonObject): Usage {
  return {
    inputTokens: readTokens(readMember(inputTokens, 'total')),
    outputTokens: readTokens(readMember(outputTokens, 'total')),
    cachedInputTokens: readTokens(readMember(inputTokens, 'cacheRead')),
    cacheWriteTokens: readTokens(readMember(inputTokens, 'cacheWrite')),
  }
}

/**
 * Usage in version 5, and in the steps of every version. In version 5, models of Anthropic do not
 * count tokens read from or written to the cache as input.
 */
function readFlat(usage: JsonObject, answer: unknown, provider: string): Usage {
  const details = usage.inputTokenDetails
  const own = readMember(readMember(answer, 'providerMetadata'), 'anthropic')
  const isApart = provider.startsWith('anthropic') && own !== undefined && details === undefined
  const input = readTokens(usage.inputTokens)
  const cachedInputTokens = readTokens(
    readMember(details, 'cacheReadTokens') ?? usage.cachedInputTokens,
  )
  const cacheWriteTokens = readTokens(
    readMember(details, 'cacheWriteTokens') ?? readMember(own, 'cacheCreationInputTokens'),
  )
  return {
    inputTokens: isApart ? input + cachedInputTokens + cacheWriteTokens : input,
    outputTokens: readTokens(usage.outputTokens),
    cachedInputTokens,
    cacheWriteTokens,
  }
}
