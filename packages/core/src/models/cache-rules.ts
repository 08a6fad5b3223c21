import type { CacheRules, Provider } from './model.ts'

const MINUTES_5 = 300
const HOUR = 3_600
const DAY = 86_400

/**
 * Shortest cacheable prefix by model, as Anthropic's prompt-caching page gave it in 2026
 * (platform.claude.com/docs/en/build-with-claude/prompt-caching). It is not monotonic over the generations.
 */
const CLAUDE_MINIMUM_PREFIX: readonly (readonly [prefix: string, tokens: number])[] = [
  ['claude-3-haiku', 2_048],
  ['claude-3-5-haiku', 2_048],
  ['claude-3', 1_024],
  ['claude-haiku', 4_096],
  ['claude-opus-4-5', 4_096],
  ['claude-opus-4-6', 4_096],
  ['claude-opus-4-7', 2_048],
  ['claude-opus-4', 1_024],
  ['claude-opus-5', 512],
  ['claude-fable', 512],
  ['claude-mythos', 512],
  ['claude-sonnet', 1_024],
]

// A minimum assumed too large costs a missed discount; too small, a dearer write that nothing ever reads.
const LARGEST_MINIMUM_PREFIX = 4_096

/** How a provider caches the prefix of a prompt; `id` in the spelling of `canonicalModelId`. */
export function findCacheRules(provider: Provider, id: string, hasCachedPrice: boolean): CacheRules | undefined {
  switch (provider) {
    case 'anthropic':
      return { automatic: false, lifetimesSeconds: [MINUTES_5, HOUR], minimumPrefixTokens: findClaudeMinimum(id) }
    case 'openai':
      // In memory 5 to 10 idle minutes; 24 hours on request from gpt-4.1 on (developers.openai.com, prompt caching).
      return {
        automatic: true,
        lifetimesSeconds: /^gpt-(?:4\.1|5|6)/.test(id) ? [MINUTES_5, DAY] : [MINUTES_5],
        minimumPrefixTokens: 1_024,
      }
    case 'google':
      // Implicit caching (ai.google.dev, context caching). Its lifetime is not promised; five minutes is our caution.
      return {
        automatic: true,
        lifetimesSeconds: [MINUTES_5],
        minimumPrefixTokens: id.includes('pro') ? 4_096 : 1_024,
      }
    case 'other':
      return hasCachedPrice ? findOpenWeightRules(id) : undefined
  }
}

function findClaudeMinimum(id: string): number {
  for (const [prefix, tokens] of CLAUDE_MINIMUM_PREFIX) if (id.startsWith(prefix)) return tokens
  return LARGEST_MINIMUM_PREFIX
}

function findOpenWeightRules(id: string): CacheRules {
  // DeepSeek caches in blocks of 64 tokens and keeps them for hours (api-docs.deepseek.com, context caching).
  const isDeepSeek = id.startsWith('deepseek')
  return {
    automatic: true,
    lifetimesSeconds: [isDeepSeek ? HOUR : MINUTES_5],
    minimumPrefixTokens: isDeepSeek ? 64 : 1_024,
  }
}
