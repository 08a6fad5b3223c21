/** What a sentence is about: its words without those that any sentence may have. */
import { demandWords } from './demand-words.ts'
import { isUnspaced, type Word } from './word-lists.ts'

const EMPTY = new Set(Object.values(demandWords).flatMap(({ empty }) => empty.split(' ')))
const UNSPACED_EMPTY = [...EMPTY].filter(isUnspaced).sort((a, b) => b.length - a.length)

/** Stems of words; pairs of characters where words are not parted. */
export function readSubject(words: readonly Word[]): Set<string> {
  const subject = new Set<string>()
  for (const { text } of words) {
    if (isUnspaced(text)) for (const piece of splitUnspaced(text)) subject.add(piece)
    else if (!EMPTY.has(text) && !EMPTY.has(text.replace(/'\p{L}{1,3}$/u, ''))) subject.add(stem(text))
  }
  return subject
}

/** `src/a.ts`, `max_size`, `v2`: a name is that thing or it is not, however alike the rest may be. */
function isName(word: string): boolean {
  return /[./_\d@#+~\\]/.test(word)
}

function stem(word: string): string {
  if (isName(word) || word.length < 5)
    return word.length === 4 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
  return word.replace(/(?:ing|ed|es|s|e)$/, '')
}

function splitUnspaced(text: string): string[] {
  let rest = text
  for (const empty of UNSPACED_EMPTY) if (rest.includes(empty)) rest = rest.replaceAll(empty, ' ')
  const pieces: string[] = []
  for (const run of rest.split(' ')) {
    if (run.length === 2) pieces.push(run)
    else for (let at = 0; at + 2 <= run.length; at++) pieces.push(run.slice(at, at + 2))
  }
  return pieces
}

/** How much of a subject another one shares, 0 to 1; 0 when it lacks a name of it. */
export function shareOf(subject: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (subject.size === 0) return 0
  let shared = 0
  for (const word of subject) {
    if (other.has(word)) shared++
    else if (isName(word)) return 0
  }
  return shared / subject.size
}
