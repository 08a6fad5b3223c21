/** Chooses candidates within a budget: what has priority, then what adds most per token. */
import { type Candidate, type CandidateKind, type Group, priorities, type SectionName } from './candidate.ts'

interface SelectionOptions {
  readonly candidates: readonly Candidate[]
  /** Worth of each name, by id. */
  readonly weights: Float64Array
  /** Names that stand beside the digest anyway. */
  readonly covered: readonly number[]
  readonly targetTokens: number
  readonly countTokens: (text: string) => number
  readonly headingOf: (section: SectionName) => string
}

// Largest part of the budget a kind may take while others still want some.
const SHARES: Readonly<Record<CandidateKind, number>> = {
  request: 0.3,
  words: 0.25,
  task: 0.08,
  error: 0.08,
  file: 0.2,
  change: 0.4,
  read: 0.35,
  command: 0.22,
  found: 0.25,
  latest: 0.1,
}
// No single file may crowd out the others.
const FILE_SHARE = 0.2
// What a name is worth when it does not stand there yet, stands there once, twice, more often.
const REPEATED = [1, 0.25, 0.08, 0.03]
// Short lines are cheap and tell little: each pays this many tokens before its length counts.
const LINE_COST = 6

// A line, its line end included, is never fewer tokens.
const SMALLEST_LINE_TOKENS = 3

export function select(options: SelectionOptions): Candidate[] {
  const selection = new Selection(options)
  const { candidates } = options
  const first = candidates.filter((candidate) => candidate.priority !== undefined)
  first.sort((a, b) => a.priority! - b.priority!)
  for (const candidate of first) selection.add(candidate, candidate.priority! >= priorities.shared)
  selection.fill(candidates, true)
  selection.fill(candidates, false)
  return selection.chosen()
}

class Selection {
  readonly #options: SelectionOptions
  readonly #chosen = new Set<Candidate>()
  readonly #open = new Set<Group | SectionName>()
  readonly #coverage: Uint8Array
  readonly #used = new Map<CandidateKind | Group, number>()
  readonly #counts = new Map<Candidate | Group | SectionName, number>()
  #left: number

  constructor(options: SelectionOptions) {
    this.#options = options
    this.#left = options.targetTokens
    this.#coverage = new Uint8Array(options.weights.length)
    for (const id of options.covered) this.#coverage[id] = 1
  }

  chosen(): Candidate[] {
    return [...this.#chosen]
  }

  /** Takes the candidate if it fits. */
  add(candidate: Candidate, withinShare: boolean): void {
    if (this.#chosen.has(candidate)) return
    const { group, kind } = candidate
    const tokens = this.#count(candidate, candidate.text)
    const cost = tokens + this.#openingCost(group)
    if (cost > this.#left) return
    const used = this.#used.get(kind) ?? 0
    const limit = this.#options.targetTokens
    if (withinShare && used + tokens > SHARES[kind] * limit) return
    const usedByGroup = this.#used.get(group) ?? 0
    if (withinShare && isFile(group) && usedByGroup + tokens > FILE_SHARE * limit) return
    this.#left -= cost
    this.#used.set(kind, used + tokens).set(group, usedByGroup + tokens)
    this.#open.add(group).add(group.section)
    this.#chosen.add(candidate)
    for (const id of candidate.entities) if (this.#coverage[id]! < 255) this.#coverage[id]!++
  }

  /** Greedy with a lazy heap: a worth only falls as names get covered, so a stale top is re-weighed and put back. */
  fill(candidates: readonly Candidate[], withinShare: boolean): void {
    const heap: Entry[] = []
    for (const candidate of candidates) {
      if (!this.#chosen.has(candidate)) heap.push({ candidate, worth: this.#worth(candidate) })
    }
    heapify(heap)
    while (heap.length > 0 && this.#left > SMALLEST_LINE_TOKENS) {
      const top = heap[0]!
      const worth = this.#worth(top.candidate)
      if (worth > 0 && worth < top.worth * 0.999) {
        top.worth = worth
        sink(heap, 0)
        continue
      }
      if (worth > 0) this.add(top.candidate, withinShare)
      const last = heap.pop()!
      if (heap.length > 0) {
        heap[0] = last
        sink(heap, 0)
      }
    }
  }

  #worth(candidate: Candidate): number {
    let gain = candidate.value
    for (const id of candidate.entities) {
      gain += this.#options.weights[id]! * REPEATED[Math.min(this.#coverage[id]!, REPEATED.length - 1)]!
    }
    return gain / (LINE_COST + candidate.text.length / 4)
  }

  #openingCost(group: Group): number {
    let cost = 0
    if (!this.#open.has(group) && group.heading !== undefined) cost += this.#count(group, group.heading)
    if (!this.#open.has(group.section)) cost += this.#count(group.section, this.#options.headingOf(group.section)) + 1
    return cost
  }

  #count(key: Candidate | Group | SectionName, text: string): number {
    let tokens = this.#counts.get(key)
    if (tokens === undefined) {
      tokens = this.#options.countTokens(`${text}\n`)
      this.#counts.set(key, tokens)
    }
    return tokens
  }
}

function isFile({ section }: Group): boolean {
  return section === 'changed' || section === 'read'
}

interface Entry {
  readonly candidate: Candidate
  worth: number
}

function heapify(heap: Entry[]): void {
  for (let index = (heap.length >> 1) - 1; index >= 0; index--) sink(heap, index)
}

function sink(heap: Entry[], start: number): void {
  const entry = heap[start]!
  let index = start
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && heap[child + 1]!.worth > heap[child]!.worth) child++
    if (heap[child]!.worth <= entry.worth) break
    heap[index] = heap[child]!
    index = child
  }
  heap[index] = entry
}
