/** Which of the facts that are gone a reader should hear of by name. */

import { pathKey } from '../actions/paths.ts'
import type { Message } from '../conversation/message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { type Fact, type FactKind, isPhrase, type Writer } from './fact-table.ts'
import { flatten } from './flatten.ts'

/** A fact that is not in the output, with its place in what was compressed. */
export interface GoneFact {
  readonly kind: FactKind
  /**
   * One line, cut at the end of a word if it is long. It is enough to recognize the fact and to
   * find it.
   */
  readonly text: string
  readonly state: 'retrievable' | 'missing'
  /** Who said it: the user if they did, otherwise the agent. `output` if it was only read. */
  readonly writer: Writer
  /** In how many parts of messages it was. */
  readonly count: number
  /** Position of the message that said it last in the history that was compressed. */
  readonly message: number
  /** The turn of that message, from 1. 0 before the first request. */
  readonly turn: number
}

/** Enough for a person. A model may need more. */
const USUAL_NAMED = 10
// "I see the issue!" decides nothing.
const TELLING_LENGTH = 60
const LONGEST_TEXT = 200

/** What it costs to do without one: what was said cannot be read again, files and outputs can. */
const KIND_WEIGHTS: Readonly<Record<FactKind, number>> = {
  directive: 10,
  decision: 6,
  task: 5,
  artifact: 4,
  question: 4,
  error: 4,
  command: 4,
  url: 3,
  commit: 3,
  path: 3,
  version: 2,
  identifier: 1,
  'number-with-unit': 1,
}

const WRITER_WEIGHTS: Readonly<Record<Writer, number>> = { user: 3, agent: 2, output: 1 }

/**
 * The most important facts, at most this many, the most important first. Equal facts are named once.
 *
 *   weight = kind × writer × (1 + log2 of its uses) × (1 - log of its uses / log of all messages)² × (1 for the oldest to 2 for the newest)
 *
 * A fact that is said a few times is worth more than one that is said once or everywhere. The second
 * fact of a kind counts half of its weight and the third a third, so that ten names cover more than
 * one kind.
 */
export function nameWeightiest(
  gone: readonly Fact[],
  isKept: boolean,
  removed: readonly Message[],
  history: readonly Message[] = removed,
  most = USUAL_NAMED,
): GoneFact[] {
  const all = Math.log2(removed.length + 1)
  const weigh = (fact: Fact) => {
    const { kind, text, writer, count } = fact
    const uses = Math.log2(count)
    const rarity = Math.max(1 - uses / all, 0) ** 2
    const recency = 1 + (lastMessageOf(fact) + 1) / removed.length
    const content = kind === 'decision' ? Math.min(text.length / TELLING_LENGTH, 1) : 1
    return KIND_WEIGHTS[kind] * WRITER_WEIGHTS[writer] * (1 + uses) * rarity * recency * content
  }
  const waiting = [...findHeaviest(gone, weigh).values()]
  const named: Fact[] = []
  const keys: string[] = []
  while (named.length < most) {
    const heaviest = waiting.reduce<Candidates | undefined>(
      (best, next) =>
        next.length > 0 && (!best || sharedWeight(next, named) > sharedWeight(best, named))
          ? next
          : best,
      undefined,
    )
    const fact = heaviest?.shift()?.fact
    if (!fact) break
    const key = keyOf(fact)
    const isVariant = (known: string, index: number) =>
      known.includes(key) ||
      (isPhrase(fact) && named[index]?.kind === fact.kind && key.includes(known))
    if (keys.some(isVariant)) continue
    keys.push(key)
    named.push(fact)
  }
  return named.map((fact) => describe(fact, isKept, removed, history))
}

/** Facts of one kind, heaviest first. */
type Candidates = { readonly fact: Fact; readonly weight: number }[]

function sharedWeight([first]: Candidates, named: readonly Fact[]): number {
  return first
    ? first.weight / (1 + named.filter(({ kind }) => kind === first.fact.kind).length)
    : 0
}

// Enough to find some that differ. A session may have a hundred thousand facts.
const MOST_COMPARED = 50

/** By kind, of equals the newest first. One comparison for most of them. */
function findHeaviest(
  facts: readonly Fact[],
  weigh: (fact: Fact) => number,
): Map<FactKind, Candidates> {
  const ofKind = new Map<FactKind, Candidates>()
  for (const fact of facts) {
    const heaviest = ofKind.get(fact.kind) ?? []
    ofKind.set(fact.kind, heaviest)
    const weight = weigh(fact)
    const last = heaviest[MOST_COMPARED - 1]
    if (last && weight <= last.weight) continue
    const isHeavier = (other: Candidates[number]) =>
      other.weight > weight ||
      (other.weight === weight && lastMessageOf(other.fact) > lastMessageOf(fact))
    heaviest.splice(heaviest.findLastIndex(isHeavier) + 1, 0, { fact, weight })
    heaviest.length = Math.min(heaviest.length, MOST_COMPARED)
  }
  return ofKind
}

/**
 * The same for a path in two forms, for a command or an error that differs in its numbers, for
 * sentences that begin alike.
 */
function keyOf(fact: Fact): string {
  const { kind, text } = fact
  if (kind === 'path') return pathKey(text)
  const line = flatten(text).toLowerCase()
  if (kind === 'command') return line.replace(/\d+/g, '0')
  return isPhrase(fact)
    ? (kind === 'error' ? line.replace(/\d+/g, '0') : line).slice(0, TELLING_LENGTH)
    : line
}

function describe(
  fact: Fact,
  isKept: boolean,
  removed: readonly Message[],
  history: readonly Message[],
): GoneFact {
  const { kind, text, writer, count, recorded } = fact
  const state = isKept && recorded ? 'retrievable' : 'missing'
  const message = Math.max(history.indexOf(removed[lastMessageOf(fact)]!), 0)
  const turn = history.slice(0, message + 1).filter(isUserRequest).length
  return { kind, text: clipSentence(text), state, writer, count, message, turn }
}

/** A sentence on one line. A long one ends at a word, with a mark. */
export function clipSentence(text: string): string {
  const line = flatten(text)
  if (line.length <= LONGEST_TEXT) return line
  const word = line.lastIndexOf(' ', LONGEST_TEXT)
  const end = word > 0 ? word : LONGEST_TEXT
  // Never half of a character that takes two units.
  return `${line.slice(0, end).replace(/[\ud800-\udbff]$/, '')}…`
}

const lastMessageOf = ({ messages }: Fact): number => messages.at(-1) ?? 0
