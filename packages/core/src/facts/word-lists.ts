/** Finds phrases of `demand-words.ts` in sentences: one look-up per word, one search per phrase in scripts without spaces. */
import { type DemandWords, demandWords } from './demand-words.ts'

/** A word of a sentence, in lower case. */
export interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Whether only a stop, a comma, a dash, a bracket or a list mark stands before it. */
  readonly opensClause: boolean
}

// Signs inside a word join it: "don't", "read-only", "src/a.ts". Scripts without spaces are words of their own.
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|\p{Script=Hangul}+|[\p{Script=Latin}\p{Script=Cyrillic}\p{N}_]+(?:['’./\\@#+~-][\p{Script=Latin}\p{Script=Cyrillic}\p{N}_]+)*/gu
const CLAUSE_END = /[,;:.!?…([{—–，、；：。！？（「|\n]|\s-+\s|[*•]\s/
const SPACE = 32
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

export function readSentenceWords(sentence: string): Word[] {
  const words: Word[] = []
  let position = 0
  WORD.lastIndex = 0
  for (let match = WORD.exec(sentence); match; match = WORD.exec(sentence)) {
    const [word] = match
    const start = match.index
    // Nearly all gaps are one space: those are not looked at.
    const isSpace = start === position + 1 && sentence.charCodeAt(position) === SPACE
    const opensClause = words.length === 0 || (!isSpace && CLAUSE_END.test(sentence.slice(position, start)))
    const lower = word.toLowerCase()
    position = start + word.length
    words.push({ text: lower.includes('’') ? lower.replaceAll('’', "'") : lower, start, end: position, opensClause })
  }
  return words
}

export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text)
}

/** Where a phrase stands: positions of words, `end` exclusive. In scripts without spaces `start` is that of its word. */
export interface Hit {
  readonly start: number
  readonly end: number
  /** Position in the sentence right behind the phrase. */
  readonly textEnd: number
  readonly textStart: number
}

/** All phrases of one kind, in all languages. */
export interface WordList {
  /** The longest phrase that starts at this word: how many words it has; 0 when none does. */
  lengthAt(words: readonly Word[], position: number): number
  find(sentence: string, words: readonly Word[]): Hit | undefined
  has(sentence: string, words: readonly Word[]): boolean
}

export function createWordList(kind: Exclude<keyof DemandWords, 'empty'>): WordList {
  const byFirst = new Map<string, (readonly string[])[]>()
  const unspaced: string[] = []
  for (const list of Object.values(demandWords)) {
    for (const phrase of list[kind].split('|')) {
      if (phrase === '') continue
      if (isUnspaced(phrase)) unspaced.push(phrase)
      else {
        const [first = '', ...rest] = phrase.replaceAll('’', "'").split(' ')
        byFirst.set(
          first,
          [...(byFirst.get(first) ?? []), rest].sort((a, b) => b.length - a.length),
        )
      }
    }
  }
  const lengthAt = (words: readonly Word[], position: number): number => {
    const candidates = byFirst.get(words[position]?.text ?? '')
    if (!candidates) return 0
    const found = candidates.find((rest) => rest.every((word, index) => words[position + 1 + index]?.text === word))
    return found ? found.length + 1 : 0
  }
  const findUnspaced = (sentence: string, words: readonly Word[]): Hit | undefined => {
    const text = `${sentence}.`
    for (const phrase of unspaced) {
      const at = text.indexOf(phrase)
      if (at < 0) continue
      const start = words.findIndex(({ end }) => end > at)
      const after = words.findIndex((word) => word.start >= at + phrase.length)
      const textEnd = Math.min(sentence.length, at + phrase.length)
      return { start: Math.max(0, start), end: after < 0 ? words.length : after, textEnd, textStart: at }
    }
    return undefined
  }
  const find = (sentence: string, words: readonly Word[]): Hit | undefined => {
    for (let position = 0; position < words.length; position++) {
      const length = lengthAt(words, position)
      if (length === 0) continue
      const end = position + length
      return { start: position, end, textEnd: words[end - 1]!.end, textStart: words[position]!.start }
    }
    return isUnspaced(sentence) ? findUnspaced(sentence, words) : undefined
  }
  return { lengthAt, find, has: (sentence, words) => find(sentence, words) !== undefined }
}
