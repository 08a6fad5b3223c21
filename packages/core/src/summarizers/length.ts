import type { Language } from './language.ts'

/** What a model is told a length in. It keeps to words better than to tokens. */
export interface LengthUnit {
  readonly name: 'words' | 'characters'
  /** Tokens of one, by the counter that judges the answer. */
  readonly tokens: number
}

// Summaries of technical work, by upper bounds: they have more names in them than talk has.
const TOKENS_PER_WORD = 2.2
// Other languages and other counters have up to three times as many. More is no prose.
const MOST_TOKENS_PER_WORD = 3 * TOKENS_PER_WORD
const TOKENS_PER_CHARACTER = 0.75
const MOST_TOKENS_PER_CHARACTER = 2 * TOKENS_PER_CHARACTER
// Of the newest prose, in characters, and the least that says anything.
const LONGEST_SAMPLE = 20_000
const FEWEST_UNITS = 100
const FENCED = /```[^`]*```/g

/** The unit for a conversation, by what its prose has. Japanese and Chinese have no words to count. */
export function measureUnit(
  prose: string,
  language: Language | undefined,
  countTokens: (text: string) => number,
): LengthUnit {
  const unit: LengthUnit =
    language === 'zh' || language === 'ja'
      ? { name: 'characters', tokens: TOKENS_PER_CHARACTER }
      : { name: 'words', tokens: TOKENS_PER_WORD }
  const most = unit.name === 'words' ? MOST_TOKENS_PER_WORD : MOST_TOKENS_PER_CHARACTER
  const sample = prose.slice(-LONGEST_SAMPLE).replace(FENCED, ' ')
  const count = countUnits(sample, unit)
  if (count < FEWEST_UNITS) return unit
  return { ...unit, tokens: Math.min(Math.max(countTokens(sample) / count, unit.tokens), most) }
}

export function countUnits(text: string, { name }: LengthUnit): number {
  return name === 'words' ? (text.match(/\S+/g)?.length ?? 0) : text.replace(/\s+/g, '').length
}
