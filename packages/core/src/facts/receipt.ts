/**
 * Looks for each fact of what was removed in the text of what came out, counts by kind, and names
 * the most important ones that are gone.
 */

import { aListOfMessages, checkValue } from '../conversation/check-options.ts'
import { findSystemEnd } from '../conversation/compaction.ts'
import { addTo } from '../conversation/lists.ts'
import type { Message } from '../conversation/message.ts'
import { atOnce, type Steps } from '../conversation/steps.ts'
import { readLedgerText, readSummary } from '../conversation/summary-message.ts'
import { beginningOf, isClipped } from './clip-words.ts'
import { type ExtractOptions, extractFactsInSteps, extractOptions } from './extract.ts'
import { createFactSearch, readPartText } from './fact-search.ts'
import { type Fact, type FactKind, factKinds } from './fact-table.ts'
import type { UserWords } from './ledger-record.ts'
import { OPERATOR, readOwnWords, readUserWords } from './user-words.ts'
import { type GoneFact, nameWeightiest } from './weigh.ts'

/** The facts of the removed part, and all messages of the user, and where they are now. */
export interface Receipt {
  readonly kinds: Readonly<Record<FactKind, FactCounts>>
  /** Facts that are in the output only because the ledger says them. */
  readonly appended: number
  /** Each fact, so that any other program can look for it in the output. */
  readonly facts: readonly FactState[]
  /**
   * Facts that are neither verbatim nor stale, the most important first: at most ten, unless more
   * were asked for.
   */
  readonly gone: readonly GoneFact[]
  readonly words: WordCounts
}

/**
 * Messages of the user, including those before an earlier compression: typed, queued and steering
 * ones, answers, words with a refused call, arguments of commands. Each message in the total is in
 * exactly one of the other four.
 */
export interface WordCounts {
  readonly total: number
  /** Verbatim in the output: the message itself, or quoted in the ledger. */
  readonly verbatim: number
  /** In the output with something cut out, now or by an earlier compression. */
  readonly clipped: number
  /**
   * Not in the output, but where removed content is kept. Words that an earlier compression left
   * out are assumed to be there.
   */
  readonly retrievable: number
  readonly missing: number
}

/** Each fact in the total is in exactly one of the other four. */
export interface FactCounts {
  readonly total: number
  /** Verbatim in the output. */
  readonly verbatim: number
  /** Not in the output, but where removed content is kept. */
  readonly retrievable: number
  readonly missing: number
  /** Not in the output, and a later event took its meaning. */
  readonly stale: number
}

export interface FactState {
  readonly kind: FactKind
  readonly text: string
  readonly state: 'verbatim' | 'retrievable' | 'missing' | 'stale'
}

export interface ReceiptInput extends ExtractOptions {
  readonly removed: readonly Message[]
  /** The whole result, of which nothing but its text counts. */
  readonly output: readonly Message[]
  /** Whether the host keeps the records of what was removed. */
  readonly isKept?: boolean
  /** The conversation as it was given, if it was broken and `history` is the repaired one. */
  readonly given?: readonly Message[]
  /** The most facts to name that are gone. */
  readonly mostNamed?: number
}

export function createReceipt(input: ReceiptInput): Receipt {
  checkValue('Creating a receipt', 'input', input, extractOptions)
  checkValue('Creating a receipt', 'removed', input.removed, aListOfMessages)
  checkValue('Creating a receipt', 'output', input.output, aListOfMessages)
  return atOnce(createReceiptInSteps(input))
}

export function* createReceiptInSteps({
  removed,
  output,
  isKept = false,
  given,
  mostNamed,
  ...options
}: ReceiptInput): Steps<Receipt> {
  const found = yield* extractFactsInSteps(removed, options)
  const search = yield* createFactSearch(found, options.workingDirectory)
  yield
  const written = yield* search(readWritten(output))
  const carried = yield* search(output.flatMap((message) => readLedgerText(message) ?? []))
  const facts: FactState[] = []
  const unkept: Fact[] = []
  let appended = 0
  for (const fact of found) {
    const { kind, text, stale, recorded } = fact
    const isWritten = written(fact)
    const isThere = isWritten || carried(fact)
    if (isThere && !isWritten) appended++
    const state = isThere
      ? 'verbatim'
      : stale
        ? 'stale'
        : isKept && recorded
          ? 'retrievable'
          : 'missing'
    facts.push({ kind, text, state })
    if (state === 'retrievable' || state === 'missing') unkept.push(fact)
  }
  yield
  const gone = nameWeightiest(unkept, isKept, removed, options.history, mostNamed)
  yield
  const words = countWords(given ?? options.history ?? removed, output, isKept)
  return { kinds: countStates(facts), appended, facts, gone, words }
}

/** The same facts if nothing was kept after all. */
export function withoutRetrievable({ appended, facts, gone, words }: Receipt): Receipt {
  const lose = <Named extends FactState | GoneFact>(fact: Named): Named =>
    fact.state === 'retrievable' ? { ...fact, state: 'missing' } : fact
  const states = facts.map(lose)
  const { retrievable, missing } = words
  return {
    kinds: countStates(states),
    appended,
    facts: states,
    gone: gone.map(lose),
    words: { ...words, retrievable: 0, missing: missing + retrievable },
  }
}

/**
 * The output is read like the history. Equal text is verbatim. A line with a mark is what remains
 * of another one.
 */
function countWords(
  history: readonly Message[],
  output: readonly Message[],
  isKept: boolean,
): WordCounts {
  const { words, omitted } = readUserWords(history)
  const whole = groupBy(
    [...readUserWords(output).words, ...readOpening(output)],
    ({ text }) => text,
  )
  const changed: UserWords[] = []
  const counts = {
    verbatim: 0,
    clipped: 0,
    retrievable: isKept ? omitted.count : 0,
    missing: isKept ? 0 : omitted.count,
  }
  for (const one of words) {
    if (whole.get(one.text)?.pop() === undefined) changed.push(one)
    else counts[one.message === undefined && isClipped(one.text) ? 'clipped' : 'verbatim']++
  }
  const left = [...whole.values()].flat()
  const quoted = groupBy(
    left.filter(({ message }) => message === undefined),
    renderPlace,
  )
  const shortened = groupBy(
    left.filter(({ message }) => message !== undefined),
    ({ text }) => beginningOf(text),
  )
  for (const one of changed) {
    const isRecorded = one.message === undefined || (history[one.message]?.records?.length ?? 0) > 0
    const rest = quoted.get(renderPlace(one))?.pop() ?? shortened.get(beginningOf(one.text))?.pop()
    counts[rest ? 'clipped' : isKept && isRecorded ? 'retrievable' : 'missing']++
  }
  return { total: words.length + omitted.count, ...counts }
}

/**
 * The operator's words that are now next to the system prompt, because everything between them was
 * removed.
 */
function readOpening(output: readonly Message[]): UserWords[] {
  return output.slice(0, findSystemEnd(output)).map((message, index) => ({
    turn: 0,
    text: readOwnWords(message).trim(),
    message: index,
    about: OPERATOR,
  }))
}

const renderPlace = ({ turn, about = '' }: UserWords): string => `${turn} ${about}`

function groupBy(
  words: readonly UserWords[],
  name: (one: UserWords) => string,
): Map<string, UserWords[]> {
  const groups = new Map<string, UserWords[]>()
  for (const one of words) addTo(groups, name(one), one)
  return groups
}

/** All text of the output but the ledger. */
function readWritten(output: readonly Message[]): string[] {
  return output.flatMap((message) => readSummary(message) ?? message.parts.map(readPartText))
}

function countStates(states: readonly FactState[]): Receipt['kinds'] {
  const none = () => ({ total: 0, verbatim: 0, retrievable: 0, missing: 0, stale: 0 })
  const counts = new Map(factKinds.map((kind) => [kind, none()]))
  for (const { kind, state } of states) {
    const own = counts.get(kind)!
    own.total++
    own[state]++
  }
  return Object.fromEntries(counts) as Receipt['kinds']
}
