import type { Encoding } from '../models/model.ts'
import { exactly, type TokenCount } from './token-count.ts'

type Factors = readonly [lower: number, upper: number]

/** Tokens per o200k_base token, by script. Measured on recorded sessions unless docs/tokens.md says otherwise. */
interface ScriptFactors {
  readonly latin: Factors
  readonly cjk: Factors
  readonly other: Factors
}

// latin: fourteen sessions of Opus 4.5, Opus 4.6 and Sonnet 4.5 came to 1.05–1.22, two of Opus 4.7 and 4.8 to 1.59 and
// 1.62; the public Gemma vocabulary to 1.09 on prose and 1.15–1.17 on code and tool output.
const FACTORS: Readonly<Record<Exclude<Encoding, 'o200k_base' | 'cl100k_base'>, ScriptFactors>> = {
  claude: { latin: [1.02, 1.25], cjk: [1.1, 1.45], other: [1, 2] },
  'claude-2026': { latin: [1.4, 1.78], cjk: [1.1, 1.45], other: [1, 2] },
  gemini: { latin: [1.02, 1.25], cjk: [0.6, 1], other: [0.8, 1.35] },
  unknown: { latin: [0.9, 1.25], cjk: [0.6, 1.5], other: [0.8, 3.1] },
}

// A character beyond Latin takes about three times the tokens of a Latin one.
const WEIGHT_BEYOND_LATIN = 3

/**
 * How many tokens `text` is for an encoding, from its exact count in o200k_base. The interval is made for the sums of
 * whole sessions: one short message may lie outside. For `cl100k_base` the count has to be of that encoding already.
 */
export function estimateTokens(o200kCount: number, text: string, encoding: Encoding): TokenCount {
  if (encoding === 'o200k_base' || encoding === 'cl100k_base') return exactly(o200kCount)
  const { latin, cjk, other } = FACTORS[encoding]
  const share = measureScripts(text)
  const mix = (bound: 0 | 1): number => latin[bound] * share.latin + cjk[bound] * share.cjk + other[bound] * share.other
  return { lower: Math.floor(o200kCount * mix(0)), upper: Math.ceil(o200kCount * mix(1)) }
}

interface ScriptShares {
  readonly latin: number
  readonly cjk: number
  readonly other: number
}

const ALL_LATIN: ScriptShares = { latin: 1, cjk: 0, other: 0 }

/** What share of a text's tokens each script has, about; one pass over the characters. */
function measureScripts(text: string): ScriptShares {
  let cjk = 0
  let other = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x250) continue
    if (isCjk(code)) cjk += 1
    else if (!isSymbol(code)) other += 1
  }
  if (cjk + other === 0) return ALL_LATIN
  const latin = text.length - cjk - other
  const total = latin + (cjk + other) * WEIGHT_BEYOND_LATIN
  return {
    latin: latin / total,
    cjk: (cjk * WEIGHT_BEYOND_LATIN) / total,
    other: (other * WEIGHT_BEYOND_LATIN) / total,
  }
}

/** Punctuation, arrows and box drawing, as tools print them; measured with the Latin text around them. */
function isSymbol(code: number): boolean {
  return code >= 0x2000 && code < 0x2c00
}

/** Chinese and Japanese. Korean is not among them: its syllables cost vocabularies very different amounts. */
function isCjk(code: number): boolean {
  return (code >= 0x2e80 && code < 0xa000) || (code >= 0xf900 && code < 0xfb00) || (code >= 0xff00 && code < 0xfff0)
}
