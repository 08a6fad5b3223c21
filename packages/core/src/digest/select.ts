/** Chooses candidates within a budget: what has priority, then what adds most per token. */
import type { Steps } from '../conversation/steps.ts'
import { type SummarySection, summaryHeadings } from '../conversation/summary-layout.ts'
import {
  type AnswerList,
  type Candidate,
  type CandidateKind,
  type Group,
  priorities,
} from './draft.ts'
import { CODE, CODE_SHARE, READ, READ_SHARE, readShares } from './shares.ts'
import type { Weights } from './weights.data.ts'
import { type HeapEntry, insert, sink } from './worth-heap.ts'

interface SelectionOptions {
  readonly candidates: readonly Candidate[]
  readonly weights: Weights
  /** Worth of each name, by id. */
  readonly nameWorths: Float64Array
  /** Whether a name appears outside of output. */
  readonly isUsed: (id: number) => boolean
  /** Names that are already next to the digest. */
  readonly covered: readonly number[]
  readonly targetTokens: number
  readonly countTokens: (text: string) => number
}

// A statement and its reason.
const FEWEST_ANSWER_TOKENS = 60

const SOURCE_SHARE = 0.5
// `  … 3 more`
const MARK_TOKENS = 6
// A line, its line end included, is never fewer tokens.
const SMALLEST_LINE_TOKENS = 3
// Most text has fewer characters to a token.
const LONGEST_TOKEN = 8
// If so many in a row do not fit, few do.
const MOST_MISSES = 60
// How often unused space is filled, and from which share of the target on.
const REFILLS = 2
const SMALLEST_SLACK = 0.004
// This many rows next to each other show what they belong to.
const FEWEST_TOGETHER = 3

/**
 * `countWhole` counts the text that the chosen ones make together: most often less than the sum of
 * its lines.
 */
export function* select(
  options: SelectionOptions,
  countWhole: (chosen: Candidate[]) => number,
): Steps<Candidate[]> {
  const selection = new Selection(options)
  const { candidates, targetTokens } = options
  const first = candidates.filter((candidate) => candidate.priority !== undefined)
  first.sort((a, b) => a.priority! - b.priority!)
  for (const candidate of first) {
    yield
    selection.add(candidate, candidate.priority! >= priorities.shared ? 'shares' : 'singles')
  }
  selection.weigh(candidates)
  yield* selection.fill('shares')
  yield* selection.fill('code-share')
  yield* selection.fill('singles')
  if (!selection.isFull) yield* selection.fill('none')
  for (let round = 0; round < REFILLS && selection.hasMore; round++) {
    const slack = targetTokens - countWhole(selection.chosen())
    if (slack < targetTokens * SMALLEST_SLACK) break
    selection.widen(slack)
    yield* selection.fill('singles')
  }
  return selection.chosen()
}

/**
 * Which shares count: those of all kinds, or only that of code and output, or only that no file is
 * shown in single lines, or none.
 */
type Bounds = 'shares' | 'code-share' | 'singles' | 'none'

class Selection {
  readonly #options: SelectionOptions
  readonly #chosen = new Set<Candidate>()
  readonly #raised = new Set<Candidate>()
  #heap: HeapEntry[] = []
  /** Left out. They may fit the next time. */
  #passed: HeapEntry[] = []
  readonly #open = new Set<Group | SummarySection>()
  readonly #lists = new Set<AnswerList>()
  readonly #coverage: Uint8Array
  /** Chosen tokens of each kind, and of what belongs together. */
  readonly #used = new Map<Group | string, number>()
  readonly #singles = new Map<Group, number>()
  /** Lines of files that are chosen, under whichever file. */
  readonly #lines = new Set<string>()
  readonly #counts = new Map<Candidate | Group | SummarySection, number>()
  readonly #shares: Readonly<Record<CandidateKind, number>>
  /** Worth of a name, as a share, after this many occurrences in the digest. */
  readonly #again: Float64Array
  #left: number
  /** Tokens of chosen code and output, and the part of them that was only read or printed. */
  #code = 0
  #read = 0
  #answersLeft: number
  /** What each answer would have if all had the same. */
  readonly #answerTokens: number
  /** How many in a row were too long for the remaining space. */
  #misses = 0

  constructor(options: SelectionOptions) {
    this.#options = options
    this.#left = options.targetTokens
    this.#answersLeft = options.candidates.filter(({ isSought }) => isSought).length
    const answered = new Set(
      options.candidates.filter(({ kind }) => kind === 'answer').map(({ group }) => group),
    )
    this.#answerTokens = Math.max(FEWEST_ANSWER_TOKENS, options.targetTokens / answered.size)
    this.#again = Float64Array.from(
      { length: 256 },
      (_, times) => options.weights.nameAgain ** times,
    )
    this.#shares = readShares(options.weights, options.targetTokens)
    this.#coverage = new Uint8Array(options.nameWorths.length)
    for (const id of options.covered) this.#coverage[id] = 1
  }

  chosen(): Candidate[] {
    return [...this.#chosen]
  }

  /** Whether the last ones were left out because they did not fit. */
  get isFull(): boolean {
    return this.#misses > 0
  }

  /** Whether any is left to be taken. */
  get hasMore(): boolean {
    return this.#heap.length + this.#passed.length > 0
  }

  /** Corrects the remaining space. */
  widen(tokens: number): void {
    this.#left = tokens
  }

  /** Takes the candidate if it fits. */
  add(candidate: Candidate, within: Bounds): void {
    if (this.#chosen.has(candidate)) return
    const { group, kind, needs } = candidate
    if (needs && !this.#chosen.has(needs)) {
      if (this.#countAll(candidate) > this.#left) {
        this.#misses++
        return
      }
      this.add(needs, within)
      if (!this.#chosen.has(needs)) return
    }
    const isSingle = this.#isSingle(candidate)
    if (
      within !== 'none' &&
      isSingle &&
      (this.#singles.get(group) ?? 0) >= (group.mostSingles ?? Infinity)
    )
      return
    if (within !== 'none' && candidate.needsName && !candidate.entities.some(this.#options.isUsed))
      return
    if (isFile(group) && this.#lines.has(candidate.text)) return
    const unit = this.#unitOf(candidate)
    // Counting is slow, so a text that is far too long is not counted.
    const isFarTooLong = candidate.text.length > this.#left * LONGEST_TOKEN
    let tokens = isFarTooLong ? Infinity : 0
    if (!isFarTooLong)
      for (const one of unit) tokens += this.#count(one, one.text) + this.#markCost(one)
    const cost = isFarTooLong ? Infinity : tokens + this.#openingCost(group)
    if (cost > this.#left) {
      this.#misses++
      return
    }
    const used = this.#used.get(kind) ?? 0
    const limit = this.#options.targetTokens
    if (within === 'shares' && used + tokens > this.#shares[kind] * limit) return
    const isCodeBound = within === 'shares' || within === 'code-share'
    if (isCodeBound && CODE.has(kind) && this.#code + cost > CODE_SHARE * limit) return
    if (READ.has(kind) && this.#answersLeft > 0 && this.#read + cost > READ_SHARE * limit) return
    const whole = nameWhole(candidate)
    const usedByGroup = this.#used.get(whole) ?? 0
    if (
      within === 'shares' &&
      isFile(group) &&
      usedByGroup + tokens > this.#options.weights.fileShare * limit
    )
      return
    this.#left -= cost
    if (CODE.has(kind)) this.#code += cost
    if (READ.has(kind)) this.#read += cost
    this.#misses = 0
    this.#used.set(kind, used + tokens).set(whole, usedByGroup + tokens)
    this.#open.add(group).add(group.section)
    if (isSingle) this.#singles.set(group, (this.#singles.get(group) ?? 0) + 1)
    if (isFile(group)) this.#lines.add(candidate.text)
    for (const one of unit) this.#take(one)
  }

  #unitOf(candidate: Candidate): Candidate[] {
    return (candidate.together ?? [candidate]).filter((one) => !this.#chosen.has(one))
  }

  /** Tokens of a candidate and of all that it needs. */
  #countAll(candidate: Candidate): number {
    let tokens = 0
    for (let one: Candidate | undefined = candidate; one && !this.#chosen.has(one); one = one.needs)
      for (const part of this.#unitOf(one)) tokens += this.#count(part, part.text)
    return tokens
  }

  #take(candidate: Candidate): void {
    this.#chosen.add(candidate)
    if (candidate.list) this.#lists.add(candidate.list)
    if (candidate.isSought) this.#answersLeft--
    for (const id of candidate.entities) if (this.#coverage[id]! < 255) this.#coverage[id]!++
    for (const other of candidate.beside ?? []) this.#raise(other)
  }

  /** Whether it would be there without two chosen lines next to it. */
  #isSingle(candidate: Candidate): boolean {
    if (candidate.group.mostSingles === undefined || candidate.standsAlone) return false
    let together = 0
    for (const next of candidate.beside ?? []) {
      if (!this.#chosen.has(next)) continue
      together++
      for (const other of next.beside ?? [])
        if (other !== candidate && this.#chosen.has(other)) together++
    }
    return together < FEWEST_TOGETHER - 1
  }

  /** Two chosen neighbours raise a line as one does. */
  #raise(candidate: Candidate): void {
    if (this.#chosen.has(candidate) || this.#raised.has(candidate)) return
    this.#raised.add(candidate)
    insert(this.#heap, { candidate, worth: this.#worth(candidate) })
  }

  /** Puts all that may be chosen by worth into the heap. */
  weigh(candidates: readonly Candidate[]): void {
    const open = candidates.filter((candidate) => !this.#chosen.has(candidate))
    this.#heap = open.map((candidate) => ({ candidate, worth: this.#worth(candidate) }))
    for (let index = (this.#heap.length >> 1) - 1; index >= 0; index--) sink(this.#heap, index)
  }

  /**
   * Greedy with a lazy heap: a worth only falls as names get covered, so a stale top is re-weighed
   * and put back.
   */
  *fill(within: Bounds): Steps<void> {
    const heap = this.#heap
    for (const entry of this.#passed) insert(heap, entry)
    this.#passed = []
    this.#misses = 0
    while (heap.length > 0 && this.#left > SMALLEST_LINE_TOKENS && this.#misses < MOST_MISSES) {
      const top = heap[0]!
      const worth = this.#worth(top.candidate)
      if (worth > 0 && worth < top.worth * 0.999) {
        top.worth = worth
        sink(heap, 0)
        continue
      }
      const last = heap.pop()!
      if (heap.length > 0) {
        heap[0] = last
        sink(heap, 0)
      }
      if (worth <= 0) continue
      yield
      const { candidate } = top
      const { needs } = candidate
      if (needs && !this.#chosen.has(needs) && this.#countAll(candidate) <= this.#left) {
        // With what it needs, it may be worth less than others.
        this.add(needs, within)
        if (this.#chosen.has(needs)) insert(heap, { candidate, worth: this.#worth(candidate) })
        else this.#passed.push(top)
        continue
      }
      this.add(candidate, within)
      if (!this.#chosen.has(candidate)) this.#passed.push(top)
    }
  }

  #worth(candidate: Candidate): number {
    let gain = candidate.value
    // A turn of which much is told gives way to others.
    if (isTold(candidate) && !candidate.isSteady)
      gain /= 1 + (this.#used.get(nameWhole(candidate)) ?? 0) / this.#answerTokens
    if (this.#raised.has(candidate)) gain += this.#options.weights.besideLine
    for (const id of candidate.entities) {
      gain += this.#options.nameWorths[id]! * this.#again[this.#coverage[id]!]!
    }
    const { lines = 1, text, group } = candidate
    // What showed it is told over a line of output, of which there are seldom many.
    const source = group.section === 'seen' ? (group.heading?.length ?? 0) * SOURCE_SHARE : 0
    return gain / (this.#options.weights.lineCost * lines + (text.length + source) / 4)
  }

  /** What it takes to say that items of a list are left out. */
  #markCost({ list }: Candidate): number {
    const isOpen = list === undefined || list.pieces.length < 2 || this.#lists.has(list)
    return isOpen ? 0 : MARK_TOKENS
  }

  #openingCost(group: Group): number {
    let cost = 0
    if (!this.#open.has(group) && group.heading !== undefined)
      cost += this.#count(group, group.heading)
    if (!this.#open.has(group.section))
      cost += this.#count(group.section, `## ${summaryHeadings[group.section]}`) + 1
    return cost
  }

  #count(key: Candidate | Group | SummarySection, text: string): number {
    const tokens = this.#counts.get(key) ?? this.#options.countTokens(`${text}\n`)
    this.#counts.set(key, tokens)
    return tokens
  }
}

const isTold = ({ kind }: Candidate): boolean => kind === 'answer' || kind === 'words'

/** What was said in a turn before its answer is not part of the answer. */
const nameWhole = (candidate: Candidate): Group | string =>
  isTold(candidate) ? `${candidate.kind} ${candidate.group.order}` : candidate.group

const isFile = ({ section }: Group): boolean => section === 'changed' || section === 'read'
