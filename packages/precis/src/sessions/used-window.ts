import type { Model } from '@precis/core'
import type { LoadedSession } from './load-session.ts'

// Sizes that providers sell, in tokens.
const USUAL = [32_000, 64_000, 128_000, 200_000, 256_000, 272_000, 400_000, 1_000_000, 1_050_000, 2_000_000]

/**
 * The window of the model as the agent used it, in tokens: as it noted it; else the smallest usual one that is not below where it
 * compacted by itself, nor below its largest request; else that of the model.
 *
 *   compacted at 155,000, model of 1,000,000    200,000
 *   a request of 240,000, model of 200,000      256,000
 */
export function findUsedWindow({ agent, document: { source } }: LoadedSession, model: Model): number {
  const noted = agent?.readWindowTokens?.(source)
  if (noted !== undefined) return noted
  const sizes = (agent?.readRequests(source) ?? []).map(
    ({ input, cachedInput, cacheWrite, cacheWriteLong }) => input + cachedInput + cacheWrite + cacheWriteLong,
  )
  const compactions = (agent?.readCompactions?.(source) ?? []).flatMap(({ trigger, tokensBefore }) =>
    trigger === 'automatic' && tokensBefore ? [tokensBefore.value] : [],
  )
  const most = [...sizes, ...compactions].reduce((largest, tokens) => Math.max(largest, tokens), 0)
  if (compactions.length === 0 && most <= model.contextWindowTokens) return model.contextWindowTokens
  return USUAL.find((tokens) => tokens >= most) ?? most
}
