import {
  countShared,
  findContentWords,
  listContentWords,
} from '../../../packages/precis/src/replay/carried-names.ts'
import type { Item } from '../../../packages/precis/src/replay/items.ts'
import type { Measure } from './measure.ts'

export const constraints: Measure = {
  name: 'cons',
  title: "the user's demands and constraints",
  prepare({ past }) {
    const wanted = findConstraints(past).map(findContentWords)
    return ({ text }) => {
      const there = text.split(/\n+|(?<=[.!?])\s+/).map(findContentWords)
      return {
        kept: wanted.filter((words) => there.some((line) => covers(line, words))).length,
        total: wanted.length,
      }
    }
  },
}

const SAID_SHARE = 0.7

function covers(line: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  const needed = SAID_SHARE * words.size
  return line.size >= needed && countShared(words, line) >= needed
}

const LONGEST_MESSAGE = 6000
const SHORTEST_SENTENCE = 12
const LONGEST_SENTENCE = 300
const LEAST_WORDS = 4
const DEMAND =
  /\b(must|never|always|don'?t|do not|should(?: not|n'?t)?|make sure|ensure|only|instead|prefer|no need|avoid|remember|please|can you|could you|we need|i want|let'?s)\b/i

/** Sentences of the user that ask for something; a text longer than a message was pasted. */
export function findConstraints(past: readonly Item[]): string[] {
  return past
    .filter(({ kind, text }) => kind === 'user' && text.length <= LONGEST_MESSAGE)
    .flatMap(({ text }) => text.split(/(?<=[.!?])\s+|\n+/))
    .map((sentence) => sentence.trim())
    .filter(
      (sentence) =>
        sentence.length >= SHORTEST_SENTENCE &&
        sentence.length <= LONGEST_SENTENCE &&
        DEMAND.test(sentence) &&
        listContentWords(sentence).length >= LEAST_WORDS,
    )
}
