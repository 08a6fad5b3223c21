import type { Provider } from './model.ts'

export interface Family {
  readonly prefix: string
  readonly provider: Provider
  readonly contextWindowTokens: number
  readonly outputLimitTokens: number
}

/**
 * For models newer than the catalogue: what the smallest current member of a family takes. A window guessed too small
 * compresses early; one guessed too large fails the request. The longest prefix wins.
 */
export const FAMILIES: readonly Family[] = [
  family('claude', 'anthropic', 200_000, 32_000),
  family('claude-2', 'anthropic', 100_000, 4_096),
  family('claude-3', 'anthropic', 200_000, 4_096),
  family('claude-3-5', 'anthropic', 200_000, 8_192),
  family('claude-3-7', 'anthropic', 200_000, 64_000),
  // What Claude Code's settings call its models.
  family('opus', 'anthropic', 200_000, 32_000),
  family('sonnet', 'anthropic', 200_000, 32_000),
  family('haiku', 'anthropic', 200_000, 32_000),
  family('gpt', 'openai', 128_000, 16_384),
  family('gpt-5', 'openai', 400_000, 128_000),
  family('gpt-6', 'openai', 400_000, 128_000),
  family('gpt-oss', 'openai', 131_072, 32_768),
  family('chatgpt', 'openai', 128_000, 16_384),
  family('codex', 'openai', 200_000, 100_000),
  family('o1', 'openai', 128_000, 32_768),
  family('o3', 'openai', 200_000, 100_000),
  family('o4', 'openai', 200_000, 100_000),
  family('gemini', 'google', 1_000_000, 8_192),
  family('gemini-1.0', 'google', 32_768, 8_192),
  family('gemini-3', 'google', 1_000_000, 64_000),
  family('gemini-4', 'google', 1_000_000, 64_000),
  family('gemma', 'google', 128_000, 8_192),
  family('deepseek', 'other', 64_000, 8_192),
  family('deepseek-v3', 'other', 128_000, 8_192),
  family('deepseek-v4', 'other', 1_000_000, 65_536),
  family('qwen', 'other', 32_768, 8_192),
  family('qwen3', 'other', 131_072, 32_768),
  family('qwq', 'other', 32_768, 8_192),
  family('kimi', 'other', 131_072, 32_768),
  family('moonshot', 'other', 8_192, 4_096),
  family('glm', 'other', 128_000, 32_768),
  family('minimax', 'other', 204_800, 65_536),
  family('mistral', 'other', 128_000, 16_384),
  family('mixtral', 'other', 32_768, 8_192),
  family('ministral', 'other', 128_000, 16_384),
  family('magistral', 'other', 40_000, 16_384),
  family('devstral', 'other', 128_000, 32_768),
  family('codestral', 'other', 32_768, 8_192),
  family('pixtral', 'other', 128_000, 16_384),
  family('grok', 'other', 131_072, 32_768),
  family('llama', 'other', 8_192, 4_096),
  family('llama-3.1', 'other', 128_000, 8_192),
  family('llama-3.3', 'other', 128_000, 8_192),
  family('llama-4', 'other', 128_000, 16_384),
  family('llama3', 'other', 8_192, 4_096),
  family('llama3-1', 'other', 128_000, 8_192),
  family('llama3-3', 'other', 128_000, 8_192),
  family('llama4', 'other', 128_000, 16_384),
  family('nemotron', 'other', 128_000, 32_768),
  family('nova', 'other', 128_000, 8_192),
]

/** What is assumed of a model nobody has heard of. */
export const UNKNOWN_MODEL: Family = family('', 'other', 128_000, 8_192)

/** The family with the longest prefix of `id`, a spelling of `canonicalModelId`. */
export function findFamily(id: string): Family | undefined {
  let best: Family | undefined
  for (const candidate of FAMILIES) {
    if (id.startsWith(candidate.prefix) && candidate.prefix.length > (best?.prefix.length ?? 0)) best = candidate
  }
  return best
}

function family(prefix: string, provider: Provider, contextWindowTokens: number, outputLimitTokens: number): Family {
  return { prefix, provider, contextWindowTokens, outputLimitTokens }
}
