/** The facts of one part of a message, regardless of other messages. Each part is read once. */
import {
  type CallOutcome,
  readOutcome,
  readOutcomes,
  withoutHostWords,
} from '../actions/outcome.ts'
import { type Action, readToolCalls } from '../actions/tool-calls.ts'
import type { Message, Part, ToolCallPart, ToolResultPart } from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { redactInSteps, redactSecrets } from '../secrets/redact-secrets.ts'
import { findCallErrors } from './call-errors.ts'
import { findDecisions } from './decisions.ts'
import type { FactKind } from './fact-table.ts'
import { scanNamesInSteps } from './names.ts'
import { readWords } from './read-words.ts'
import { isQuestion, splitSentences } from './sentences.ts'

/** Facts of a part, each once, in the order in which it says them. */
export type PartFacts = readonly (readonly [kind: FactKind, text: string])[]

type Note = (kind: FactKind, text: string) => void

interface Reading {
  readonly workingDirectory: string | undefined
  readonly origin: Message['origin']
  readonly facts: PartFacts
}

const readings = new WeakMap<Part, Reading>()

/** Memoized by identity: a receipt reads what a search for a size has read. */
export function* readPartFacts(
  part: Part,
  origin: Message['origin'],
  workingDirectory: string | undefined,
): Steps<PartFacts> {
  const known = readings.get(part)
  if (known?.workingDirectory === workingDirectory && known?.origin === origin) return known.facts
  const facts: [FactKind, string][] = []
  const seen = new Set<string>()
  yield* readPart(part, origin, workingDirectory, (kind, text) => {
    if (seen.size < seen.add(kind + text).size) facts.push([kind, text])
  })
  readings.set(part, { workingDirectory, origin, facts })
  return facts
}

function* readPart(
  part: Part,
  origin: Message['origin'],
  workingDirectory: string | undefined,
  note: Note,
): Steps<void> {
  if (part.type === 'tool-call') yield* readCall(part, workingDirectory, note)
  else if (part.type === 'tool-result') {
    const text = yield* redactInSteps(withoutHostWords(readWords(part)))
    yield* scanNamesInSteps(text, workingDirectory, note)
  } else if (part.type === 'text') {
    const text = yield* redactInSteps(part.text)
    yield* scanNamesInSteps(text, workingDirectory, note)
    if (origin === 'user') noteQuestions(text, note)
    else if (origin === 'agent')
      for (const decision of findDecisions(text).filter(isFact)) note('decision', decision)
  }
}

const LONGEST_COMMAND = 400

function* readCall(
  part: ToolCallPart,
  workingDirectory: string | undefined,
  note: Note,
): Steps<void> {
  yield* scanNamesInSteps(redactSecrets(readWords(part)), workingDirectory, note)
  for (const { command, tasks } of readToolCalls(part, workingDirectory)) {
    if (command !== undefined && command.length <= LONGEST_COMMAND)
      note('command', redactSecrets(command.trim()))
    for (const { text } of tasks) if (text !== undefined) note('task', redactSecrets(text))
  }
}

function noteQuestions(text: string, note: Note): void {
  if (!text.includes('?') && !text.includes('？')) return
  for (const sentence of splitSentences(text).filter(isFact))
    if (isQuestion(sentence)) note('question', sentence)
}

const SHORTEST_SENTENCE = 8
const LONGEST_SENTENCE = 400

/** Whether a sentence is long enough to say something, and short enough to be one thing. */
export const isFact = ({ length }: string): boolean =>
  SHORTEST_SENTENCE <= length && length <= LONGEST_SENTENCE

/** How the actions of a call ended. */
interface Outcomes {
  readonly actions: readonly Action[]
  readonly outcomes: readonly CallOutcome[]
  /** Lines that report a failure, each with its action if the call is known. */
  errors?: readonly (readonly [line: string, action: Action | undefined])[]
}

const results = new WeakMap<ToolResultPart, Outcomes>()

/** Memoized by identity, as long as the call is the same. */
export function readResult(part: ToolResultPart, actions: readonly Action[]): Outcomes {
  const known = results.get(part)
  if (known?.actions === actions) return known
  const outcomes = actions.length > 0 ? readOutcomes(part, actions) : [readOutcome(part)]
  const read = { actions, outcomes }
  results.set(part, read)
  return read
}

export function* readErrors(result: Outcomes): Steps<NonNullable<Outcomes['errors']>> {
  if (result.errors) return result.errors
  const { actions, outcomes } = result
  const errors: [string, Action | undefined][] = []
  // A script prints the output of all its actions together.
  const isJoint = outcomes.filter(({ text }) => text !== '').length < 2
  for (const [index, outcome] of outcomes.entries()) {
    const action = actions[index]
    const sources = isJoint || !action ? actions : [action]
    if (findCallErrors(outcome, sources).length === 0) continue
    const text = yield* redactInSteps(outcome.text)
    for (const line of findCallErrors({ ...outcome, text }, sources)) errors.push([line, action])
  }
  result.errors = errors
  return errors
}
