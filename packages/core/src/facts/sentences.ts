/** Sentences, and the words that decide which of them bind. */

/**
 * Lines, and sentences within lines. A sentence ends at `. ! ?` before white space, or at a
 * full-width stop.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  const push = (end: number) => {
    const sentence = text.slice(start, end).trim()
    if (sentence !== '') sentences.push(sentence)
    start = end
  }
  for (let position = 0; position < text.length; position++) {
    const character = text.charAt(position)
    if ('\n。！？'.includes(character)) push(position + 1)
    else if ('.!?'.includes(character)) {
      const next = text[position + 1]
      // "1. first" and "e.g. this" are no ends.
      if (
        (next === ' ' || next === '\t') &&
        position - start > 3 &&
        !isAbbreviation(text, position)
      )
        push(position + 1)
    }
  }
  push(text.length)
  return sentences
}

function isAbbreviation(text: string, dot: number): boolean {
  return text[dot] === '.' && (text[dot - 2] === '.' || text[dot - 2] === ' ')
}

export const isQuestion = (sentence: string): boolean =>
  sentence.endsWith('?') || sentence.endsWith('？')

// A short list a language: English, German, French, Spanish, Portuguese, Italian, Russian, Chinese,
// Japanese, Korean.
const BINDING = [
  "never|always|only|must|mustn't|don't|dont|do not|should|shouldn't|avoid|prefer|instead|make sure|ensure|remember|from now on|no need|forbidden|off limits|off-limits|read-only|not allowed",
  'nie|niemals|immer|nur|muss|müssen|darf nicht|nicht|kein|keine|keinen|verboten|statt|stattdessen|ab jetzt|auf keinen fall|vermeide',
  "jamais|toujours|seulement|doit|ne pas|pas|interdit|évite|évitez|plutôt|désormais|il faut|uniquement|n'utilise",
  'nunca|siempre|solo|sólo|debe|debes|no|prohibido|evita|prefiero|en lugar de|a partir de ahora',
  'nunca|sempre|só|apenas|deve|deves|não|proibido|evite|evita|prefiro|em vez de|a partir de agora',
  "mai|sempre|solo|soltanto|deve|devi|non|vietato|evita|preferisco|invece|d'ora in poi",
  'никогда|всегда|только|должен|должна|должно|нельзя|не|избегай|вместо|отныне',
  '不要|不能|不得|绝不|从不|总是|始终|必须|只能|只用|禁止|避免|别',
  'しないで|ないでください|絶対に|必ず|常に|禁止|のみ|だけ|べき|避けて',
  '하지 마|하지마|마세요|절대|항상|반드시|금지|만 사용|해야',
]
// Signs inside a word join it: "don't", "read-only", "src/a.ts".
const WORD =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{N}_]+(?:['./\\@#+~-][\p{Script=Latin}\p{Script=Cyrillic}\p{N}_]+)*/gu
/** Whether a text has signs of a script that is written without spaces, or with few. */
export const isUnspaced = (text: string): boolean => UNSPACED.test(text)

export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * Returns whether a sentence has one of the phrases, as whole words. In scripts that are written
 * without spaces, it may be anywhere. Phrases are in lower case, with `|` between them.
 */
export function createPhraseMatcher(lists: readonly string[]): (sentence: string) => boolean {
  const phrases = lists.flatMap((list) => list.split('|'))
  const unspaced = phrases.filter(isUnspaced)
  const byFirst = new Map<string, (readonly string[])[]>()
  for (const phrase of phrases) {
    const [first = '', ...rest] = phrase.split(' ')
    byFirst.set(first, [...(byFirst.get(first) ?? []), rest])
  }
  return (sentence) => {
    const words = sentence.replaceAll('’', "'").toLowerCase().match(WORD) ?? []
    const isPhrase = (word: string, at: number) =>
      byFirst
        .get(word)
        ?.some((rest) => rest.every((next, index) => words[at + 1 + index] === next)) === true
    return (
      words.some(isPhrase) ||
      (isUnspaced(sentence) && unspaced.some((phrase) => sentence.includes(phrase)))
    )
  }
}

/** Whether a sentence has a binding word. It stays longest if the user's words do not all fit. */
export const isBinding = createPhraseMatcher(BINDING)
