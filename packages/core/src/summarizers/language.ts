export type Language = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'it' | 'ru' | 'zh' | 'ja' | 'ko'

// Frequent words that the other languages of the list do not share.
const FREQUENT = new Map<Language, ReadonlySet<string>>([
  [
    'en',
    wordsOf('the and is this that with for you it not can we have what should please are be do'),
  ],
  [
    'de',
    wordsOf(
      'der die das und ist nicht ich wir mit auf für bitte ein eine auch noch dass wie werden',
    ),
  ],
  ['fr', wordsOf('le les des est et une dans pour pas je nous que avec sur ce cette il faut vous')],
  ['es', wordsOf('el los las es una para por con como pero esto quiero favor en lo se está hay')],
  [
    'pt',
    wordsOf('o os as é uma para por com não isso você está em um quero favor também mas fazer'),
  ],
  [
    'it',
    wordsOf(
      'il gli che è una per con non questo sono della nel anche come voglio favore di lo fare',
    ),
  ],
])
// Scripts decide from this share of the letters on. Code in between is Latin in every language.
const SCRIPT_SHARE = 0.15
const LONGEST_SAMPLE = 20_000

/** The language of most of the text. English if that is not clear. */
function detectLanguage(text: string): Language {
  const sample = text.slice(-LONGEST_SAMPLE)
  return detectScript(sample) ?? detectWords(sample)
}

function detectScript(sample: string): Language | undefined {
  let letters = 0
  let kana = 0
  let han = 0
  let hangul = 0
  let cyrillic = 0
  for (let position = 0; position < sample.length; position++) {
    const code = sample.charCodeAt(position)
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) letters++
    else if (code >= 0x3040 && code <= 0x30ff) kana++
    else if (code >= 0x4e00 && code <= 0x9fff) han++
    else if (code >= 0xac00 && code <= 0xd7af) hangul++
    else if (code >= 0x400 && code <= 0x4ff) cyrillic++
  }
  const limit = (letters + kana + han + hangul + cyrillic) * SCRIPT_SHARE
  if (hangul > limit) return 'ko'
  if (kana + han > limit && kana * 10 > kana + han) return 'ja'
  if (han > limit) return 'zh'
  return cyrillic > limit ? 'ru' : undefined
}

function detectWords(sample: string): Language {
  const words = readWords(sample)
  let best: Language = 'en'
  let bestCount = 0
  for (const [language, frequent] of FREQUENT) {
    const count = words.filter((word) => frequent.has(word)).length
    if (count > bestCount) best = language
    bestCount = Math.max(bestCount, count)
  }
  return best
}

const readWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}']{1,20}/gu) ?? []

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

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
const FEWEST_LETTERS = 40
// Prose in these languages has twice as many and more. In others, a word or two mean something else:
// Dutch has "en" in every sentence. What people write in English is mixed with logs, which are too.
const LEAST_SHARE = 0.12
const LEAST_ENGLISH_SHARE = 0.03
const FEWEST_FREQUENT = 3
const SHORT_PROSE_WORDS = 18
const LONGEST_PROSE = 20_000

/** The language of the prose in a text, if both of its halves agree. */
export function tellLanguage(text: string): Language | undefined {
  const prose = text.slice(-LONGEST_PROSE).replace(NAMES, ' ').replace(/\s+/g, ' ').trim()
  const language = detectLanguage(prose)
  const isDense = language === 'zh' || language === 'ja' || language === 'ko'
  if (prose.length < (isDense ? FEWEST_LETTERS / 4 : FEWEST_LETTERS)) return undefined
  if (!isCertain(prose, language)) return undefined
  const middle = prose.indexOf(' ', prose.length / 2)
  if (middle < 0) return language
  const halves = [prose.slice(0, middle), prose.slice(middle)]
  return halves.every((half) => detectLanguage(half) === language) ? language : undefined
}

/** Whether it is that language, and not another one that shares its letters and some words. */
function isCertain(prose: string, language: Language): boolean {
  if (FOREIGN.get(language)?.test(prose)) return false
  if (language === 'ru') return RUSSIAN.test(prose)
  const frequent = FREQUENT.get(language)
  if (!frequent) return true
  const words = readWords(prose)
  const found = words.filter((word) => frequent.has(word))
  const isEnglish = language === 'en'
  const share = isEnglish ? LEAST_ENGLISH_SHARE : LEAST_SHARE
  const fewest = words.length < SHORT_PROSE_WORDS ? FEWEST_FREQUENT - 1 : FEWEST_FREQUENT
  // Words of a log next to Greek or Arabic do not make it English.
  const foreign = isEnglish ? words.filter((word) => /[^a-z']/.test(word)).length : 0
  return (
    found.length >= words.length * share &&
    new Set(found).size >= fewest &&
    foreign <= words.length * SCRIPT_SHARE
  )
}

// Bulgarian lacks these letters.
const RUSSIAN = /[ыэё]/i
// Letters that a language does not have, and a similar one does: Ukrainian, Serbian, Mongolian and
// Tatar next to Russian, Catalan to Spanish, Galician to Portuguese, Afrikaans to German.
const FOREIGN = new Map<Language, RegExp>([
  ['ru', /[\u0400-\u040f\u0450-\u052f](?<![Ёё])/],
  ['es', /[çàèìò]|l·l/i],
  ['pt', /ñ/i],
  ['de', /[êëôû]/i],
])
