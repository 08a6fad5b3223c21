import { detectLanguage, type Language } from '../language.ts'

/** In English: they go into prompts and problems. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  pt: 'Portuguese',
  it: 'Italian',
  ru: 'Russian',
  zh: 'Chinese',
  ja: 'Japanese',
  ko: 'Korean',
}

// Names are the same in every language and say nothing.
const NAMES = /`[^`\n]{0,200}`|[^\s]{0,200}[/_.\\@=(){}<>][^\s]{0,200}/g
const ENGLISH = /\b(?:the|and|is|are|was|were|this|that|with|for|of|to|in|it|not|be|by|has)\b/gi
const FEWEST_LETTERS = 40
const LONGEST_SAMPLE = 20_000

/** The language of the prose in a text, where it can be told: both of its halves have to agree. */
export function tellLanguage(text: string): Language | undefined {
  const prose = text.slice(-LONGEST_SAMPLE).replace(NAMES, ' ').replace(/\s+/g, ' ').trim()
  const language = detectLanguage(prose)
  const isDense = language === 'zh' || language === 'ja' || language === 'ko'
  if (prose.length < (isDense ? FEWEST_LETTERS / 4 : FEWEST_LETTERS)) return undefined
  // English is also what is answered when nothing is recognised.
  if (language === 'en' && (prose.match(ENGLISH)?.length ?? 0) < prose.length / 100) return undefined
  const middle = prose.indexOf(' ', prose.length / 2)
  if (middle < 0) return language
  const halves = [prose.slice(0, middle), prose.slice(middle)]
  return halves.every((half) => detectLanguage(half) === language) ? language : undefined
}
