export type Language = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'it' | 'ru' | 'zh' | 'ja' | 'ko'

// Frequent words that the other languages of the list do not share.
const FREQUENT: readonly (readonly [Language, ReadonlySet<string>])[] = (
  [
    ['en', 'the and is this that with for you it not can we have what should please are be do'],
    ['de', 'der die das und ist nicht ich wir mit auf für bitte ein eine auch noch dass wie werden'],
    ['fr', 'le les des est et une dans pour pas je nous que avec sur ce cette il faut vous'],
    ['es', 'el los las es una para por con como pero esto quiero favor en lo se está hay'],
    ['pt', 'o os as é uma para por com não isso você está em um quero favor também mas fazer'],
    ['it', 'il gli che è una per con non questo sono della nel anche come voglio favore di lo fare'],
  ] as const
).map(([language, words]) => [language, new Set(words.split(' '))] as const)
// Scripts decide from this share of the letters on; code in between is Latin in every language.
const SCRIPT_SHARE = 0.15
const LONGEST_SAMPLE = 20_000

/** The language most of the text is written in; English when it cannot be told. */
export function detectLanguage(text: string): Language {
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
  const words = sample.toLowerCase().match(/[\p{L}']{1,20}/gu) ?? []
  let best: Language = 'en'
  let bestCount = 0
  for (const [language, frequent] of FREQUENT) {
    let count = 0
    for (const word of words) if (frequent.has(word)) count++
    if (count > bestCount) {
      best = language
      bestCount = count
    }
  }
  return best
}
