import { findConstraints } from './constraints.ts'
import type { Measure } from './measure.ts'

/** Verbatim or not at all: the user's standing instructions may not be put in other words. */
export const directives: Measure = {
  name: 'directives',
  title: "the user's standing instructions, word for word",
  prepare({ past }) {
    const wanted = [...new Set(findConstraints(past).filter(isStanding).map(joinWhitespace))]
    return ({ text }) => {
      const there = joinWhitespace(text)
      return { kept: wanted.filter((sentence) => there.includes(sentence)).length, total: wanted.length }
    }
  },
}

const STANDING = [
  /^(?:(?:please|also|and|but|so|ok|okay),? )*(?:always|never|do not|don'?t|make sure|ensure|remember|avoid)\b/i,
  /\b(?:you|we|it|they|this|that|code|tests?) must\b|\bfrom now on\b/i,
]

/** An instruction for all of the work, not a request or a question of the moment. */
function isStanding(sentence: string): boolean {
  return !sentence.endsWith('?') && STANDING.some((pattern) => pattern.test(sentence))
}

function joinWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ')
}
