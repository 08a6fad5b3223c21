import type { Encoding, Provider } from './model.ts'

// gpt-3.5 and the first gpt-4 use cl100k_base; from gpt-4o on OpenAI's models use o200k_base.
const CL100K = /^gpt-(?:3\.5|4(?:-|$))/

/** Which vocabulary a model cuts text with; `id` in the spelling of `canonicalModelId`. */
export function findEncoding(provider: Provider, id: string): Encoding {
  switch (provider) {
    case 'anthropic':
      return isBefore2026(id) ? 'claude' : 'claude-2026'
    case 'openai':
      return CL100K.test(id) ? 'cl100k_base' : 'o200k_base'
    case 'google':
      return 'gemini'
    case 'other':
      return 'unknown'
  }
}

/** Opus 4.7 and everything numbered 5 and above have the newer vocabulary; an id without a number may be any of them. */
function isBefore2026(id: string): boolean {
  const match = /^claude-(?:[a-z]+-)?(\d)(?:-(\d)(?!\d))?/.exec(id)
  if (match === null) return id.startsWith('claude-instant') || id.startsWith('claude-v')
  const major = Number(match[1])
  return major < 4 || (major === 4 && Number(match[2] ?? 0) < 7)
}
