/**
 * The facts of a history, and the lines of answers that matter, to compare results by what they
 * lose of it.
 */

import { type ContentPart, changeParts, type Message } from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { findAnswerLines } from './answer-lines.ts'
import { type ExtractOptions, extractFactsInSteps } from './extract.ts'
import { createFactSearch, readPartText } from './fact-search.ts'
import type { Fact } from './fact-table.ts'
import type { Readings } from './readings.ts'

/** Facts of a survey: at the position of each of them what it weighs, and 0 for the others. */
export interface FactSet {
  readonly weights: Uint8Array
  /** The sum of their weights. */
  readonly size: number
}

// A line of an answer has about as many tokens as so many names.
const ANSWER_WEIGHT = 5

/** A fact, or a line of an answer, which is looked for like a decision. */
type SurveyFact = Pick<Fact, 'kind' | 'text' | 'messages'> & { readonly weight: number }

/** Messages from `start` to before `end`. */
interface Span {
  readonly start: number
  readonly end: number
}

/** The facts of a history, except stale ones, and which of them each result has lost. */
export interface FactSurvey {
  readonly facts: readonly SurveyFact[]
  /** Facts that are nowhere but in these spans: all that a summary of them can lose. */
  listWithin(spans: readonly Span[]): FactSet
  /** Facts that a result does not contain verbatim. */
  findLost(output: readonly Message[]): Steps<FactSet>
}

export function* surveyFacts(
  given: readonly Message[],
  { readings, ...options }: ExtractOptions & { readonly readings?: Readings },
): Steps<FactSurvey> {
  const history = clipOutputs(given)
  const found = (yield* extractFactsInSteps(history, options)).filter(({ stale }) => !stale)
  const answers = yield* findAnswerLines(given, readings)
  const facts: readonly SurveyFact[] = [
    ...found.map((fact) => ({ ...fact, weight: 1 })),
    ...answers.map((line) => ({ ...line, kind: 'decision' as const, weight: ANSWER_WEIGHT })),
  ]
  const search = yield* createFactSearch(facts, options.workingDirectory)
  const firsts = Int32Array.from(facts, ({ messages }) => messages[0]!)
  const lasts = Int32Array.from(facts, ({ messages }) => messages.at(-1)!)
  const positions = new Map(given.map((message, position) => [message, position]))
  yield
  return {
    facts,
    listWithin: (spans) =>
      selectFacts(facts, (_, fact) => {
        for (const { start, end } of spans)
          if (start <= firsts[fact]! && lasts[fact]! < end) return true
        return false
      }),
    *findLost(output) {
      const stays = new Uint8Array(given.length)
      const changed: Message[] = []
      for (const message of output) {
        const position = positions.get(message)
        if (position === undefined) changed.push(message)
        else stays[position] = 1
      }
      const isSaid = yield* search(changed.flatMap(({ parts }) => parts.map(readPartText)))
      return selectFacts(
        facts,
        (fact) => !fact.messages.some((position) => stays[position] === 1) && !isSaid(fact),
      )
    },
  }
}

function selectFacts(
  facts: readonly SurveyFact[],
  isIn: (fact: SurveyFact, position: number) => boolean,
): FactSet {
  const weights = new Uint8Array(facts.length)
  let size = 0
  for (const [position, fact] of facts.entries()) {
    if (!isIn(fact, position)) continue
    weights[position] = fact.weight
    size += fact.weight
  }
  return { weights, size }
}

// Results are compared, and for that a part of a very long history is enough: reading all of its
// facts takes several times as long as counting its tokens.
const MOST_OUTPUT_CHARACTERS = 400_000
// The characters that are read of a long output. They are the last ones, because failures are
// there.
const END_SHARE = 0.25

/** The same messages, with as much of each output as all of them together may be long. */
function clipOutputs(messages: readonly Message[]): readonly Message[] {
  const limit = findOutputLimit(messages)
  return limit === Infinity ? messages : messages.map((message) => clipOutput(message, limit))
}

/** The most characters of one output, so that all together are no more than may be read. */
function findOutputLimit(messages: readonly Message[]): number {
  const lengths = messages
    .flatMap(({ parts }) => parts.map(readOutput))
    .flatMap((output) => output.map((part) => (part.type === 'text' ? part.text.length : 0)))
    .sort((a, b) => a - b)
  let left = MOST_OUTPUT_CHARACTERS
  for (const [index, length] of lengths.entries()) {
    const share = left / (lengths.length - index)
    if (length > share) return Math.floor(share)
    left -= length
  }
  return Infinity
}

const readOutput = (part: Message['parts'][number]): readonly ContentPart[] =>
  part.type === 'tool-result' ? part.output : []

function clipOutput(message: Message, limit: number): Message {
  const isLong = (part: ContentPart) => part.type === 'text' && part.text.length > limit
  if (!message.parts.some((part) => readOutput(part).some(isLong))) return message
  const end = Math.floor(limit * END_SHARE)
  const clip = (part: ContentPart): ContentPart =>
    part.type === 'text' && isLong(part)
      ? {
          ...part,
          text: `${part.text.slice(0, limit - end)}\n${part.text.slice(part.text.length - end)}`,
        }
      : part
  return changeParts(message, (parts) =>
    parts.map((part) =>
      part.type === 'tool-result' ? { ...part, output: part.output.map(clip) } : part,
    ),
  )
}
