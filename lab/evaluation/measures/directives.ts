import { findConstraints } from './constraints.ts'
import type { Measure } from './measure.ts'

/**
 * Verbatim or not at all: the user's instructions for all of the work may not be put in other
 * words.
 */
export const directives: Measure = {
  name: 'directives',
  title: "the user's instructions for all of the work, word for word",
  prepare({ past }) {
    const wanted = [...new Set(findConstraints(past).filter(isForAllWork).map(joinWhitespace))]
    return ({ text }) => {
      const there = joinWhitespace(text)
      return {
        kept: wanted.filter((sentence) => there.includes(sentence)).length,
        total: wanted.length,
      }
    }
  },
}

const FOR_ALL_WORK = [
  /^(?:(?:please|also|and|but|so|ok|okay),? )*(?:always|never|do not|don'?t|make sure|ensure|remember|avoid)\b/i,
  /\b(?:you|we|it|they|this|that|code|tests?) must\b|\bfrom now on\b/i,
]

/** Not a request or a question of the moment. */
function isForAllWork(sentence: string): boolean {
  return !sentence.endsWith('?') && FOR_ALL_WORK.some((pattern) => pattern.test(sentence))
}

function joinWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ')
}
