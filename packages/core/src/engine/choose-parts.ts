/**
 * The user's manual choice: files whose reads and changes stay verbatim, and tools whose calls are
 * removed first.
 */
import type { Edit } from '../conversation/edit.ts'
import type { Conversation, Part } from '../conversation/message.ts'
import { findTurns } from '../conversation/turns.ts'
import { createClearTools } from '../strategies/clear-tools.ts'
import { countAt } from '../strategies/ends.ts'
import type { Plan, Strategy, StrategyView } from '../strategies/strategy.ts'
import { renderPlural } from '../text/index.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { Ladder, Rung } from './ladder.ts'
import { createView } from './view.ts'

export interface ChosenParts {
  /**
   * Paths and globs (`*` within a folder, `**` over folders, `?`), relative to the working
   * directory, or the end of a path. What was read and written of these files stays verbatim, the
   * latest first, if the budget allows it.
   */
  readonly keepPaths?: readonly string[]
  /** Turns that stay verbatim, by their number from 1, if the budget allows it. */
  readonly keepTurns?: readonly number[]
  /**
   * Names of tools. Their calls and results are removed first, except those without an answer,
   * those that other parts need, and those whose answer goes on behind their results.
   */
  readonly dropTools?: readonly string[]
}

/** A file that was to stay. */
export interface KeptFile {
  readonly path: string
  /** Calls that read or wrote it. */
  readonly calls: number
  /** How many of these are there verbatim, with their results. */
  readonly verbatim: number
}

/**
 * The ladder with the user's choice. Kept files and turns take at most `keptShare` of the space,
 * from 0 to 1. `goalTokens` is what the whole result may have.
 */
export function chooseParts(
  ladder: Ladder,
  choices: ChosenParts,
  keptShare: number,
  goalTokens: number,
): Ladder {
  const { keepPaths = [], keepTurns = [], dropTools = [] } = choices
  if (keepPaths.length + keepTurns.length + dropTools.length === 0) return ladder
  const names = new Set(dropTools.map((name) => name.toLowerCase()))
  const clearing = createClearTools({ mode: 'remove', zone: { fraction: 1 }, only: [...names] })
  const drop: Rung = {
    type: 'clear',
    isForAll: true,
    // All of them, however little would be enough.
    strategy: {
      summarizes: false,
      name: 'drop-tools',
      plan: (view, options) => clearing.plan(view, { ...options, targetTokens: 0 }),
    },
  }
  const rungs = names.size > 0 ? [drop, ...ladder.rungs] : ladder.rungs
  if (keepPaths.length + keepTurns.length === 0) return { ...ladder, rungs }
  return {
    ...ladder,
    rungs: rungs.map((rung) => ({
      ...rung,
      strategy: keepChosen(
        rung.strategy,
        choices,
        keptShare,
        // What clears a part of every message has no target, and the chosen ones stay whole.
        rung.type === 'clear' ? goalTokens : undefined,
      ),
    })),
  }
}

function keepChosen(
  strategy: Strategy,
  choices: ChosenParts,
  keptShare: number,
  goalTokens?: number,
): Strategy {
  return {
    name: strategy.name,
    summarizes: strategy.summarizes,
    plan(view, options) {
      const room = ((goalTokens ?? options.targetTokens) - view.fixedTokens) * keptShare
      const { kept, tokens } = findKept(view, choices, room)
      if (kept.size === 0) return strategy.plan(view, options)
      // What clears calls never sees the kept ones.
      const shown = { ...view, calls: view.calls.filter(({ message }) => !kept.has(message)) }
      const plan = strategy.plan(shown, options)
      if ('noop' in plan || plan.edits.every(({ type }) => type === 'replace')) {
        return 'noop' in plan ? plan : spareKept(plan.edits, kept, view)
      }
      // A range that is removed needs space for the ranges inside it.
      const smaller = strategy.plan(shown, {
        ...options,
        targetTokens: Math.max(options.targetTokens - tokens, 0),
      })
      return 'noop' in smaller ? smaller : spareKept(smaller.edits, kept, view)
    },
  }
}

/**
 * Positions of messages: turns, and calls on the files with their results, the latest first, as
 * many as fit.
 */
function findKept(
  view: StrategyView,
  { keepPaths = [], keepTurns = [] }: ChosenParts,
  room: number,
) {
  const { units, openStart = view.conversation.messages.length } = view.cutPoints
  const isChosen = createPathMatcher(keepPaths)
  const called = view.calls
    .filter(({ paths }) => paths.some(isChosen))
    .map(({ message }) => message)
  const ofFiles = units.filter(({ start, end }) =>
    called.some((message) => start <= message && message < end),
  )
  const chosen = [...keepTurns.flatMap((turn) => view.turns[turn - 1] ?? []), ...ofFiles].sort(
    (a, b) => b.start - a.start,
  )
  const kept = new Set<number>()
  let tokens = 0
  for (const { start, end } of chosen) {
    const from = view.cutPoints.nearestCut(start, 'backward') ?? start
    const to = Math.min(view.cutPoints.nearestCut(end, 'forward') ?? end, openStart)
    const positions = Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index)
    const added = positions.filter((position) => !kept.has(position))
    const size = countAt(view, added)
    if (tokens + size > room) continue
    tokens += size
    for (const position of added) kept.add(position)
  }
  return { kept, tokens }
}

function spareKept(
  edits: readonly Edit[],
  kept: ReadonlySet<number>,
  { cutPoints }: StrategyView,
): Plan {
  const spared = edits.flatMap((edit): Edit[] => {
    const inside = [...kept]
      .filter((position) => edit.start <= position && position < edit.end)
      .sort((a, b) => a - b)
    if (inside.length === 0) return [edit]
    if (edit.type === 'summarize')
      return [{ ...edit, keep: [...new Set([...edit.keep, ...inside])].sort((a, b) => a - b) }]
    if (edit.type !== 'drop') return []
    const starts = [edit.start, ...inside.map((position) => position + 1)]
    const ends = [...inside, edit.end]
    return starts.flatMap((start, index): Edit[] => {
      const end = ends[index] ?? edit.end
      return start < end && cutPoints.isLegal(start) && cutPoints.isLegal(end)
        ? [{ type: 'drop', start, end }]
        : []
    })
  })
  return spared.length > 0 ? { edits: spared } : { noop: 'nothing-eligible' }
}

/** The turns to be kept of which every message is unchanged. */
export function findKeptTurns(
  given: Conversation,
  result: Conversation,
  keepTurns: readonly number[],
): number[] {
  const there = new Set(result.messages)
  const turns = findTurns(given.messages)
  return keepTurns.filter((number) => {
    const turn = turns[number - 1]
    return (
      turn !== undefined &&
      given.messages.slice(turn.start, turn.end).every((message) => there.has(message))
    )
  })
}

/** Why the other turns to be kept did not stay whole. */
export function findTurnProblems(
  { messages }: Conversation,
  keepTurns: readonly number[] = [],
  kept: readonly number[] = [],
): string[] {
  const count = findTurns(messages).length
  return [...new Set(keepTurns)]
    .filter((turn) => !kept.includes(turn))
    .map((turn) =>
      turn > count
        ? `There is no turn ${turn} to keep: the history has ${renderPlural(count, 'turn')}.`
        : `Turn ${turn} did not fit the budget as a whole.`,
    )
}

/** What became of the files that were to stay. */
export function countKeptFiles(
  given: Conversation,
  result: Conversation,
  keepPaths: readonly string[],
  counter: TokenCounter,
): KeptFile[] {
  const there = new Set<Part | undefined>(result.messages.flatMap(({ parts }) => [...parts]))
  const isChosen = createPathMatcher(keepPaths)
  const files = new Map<string, KeptFile>()
  for (const { message, part, resultMessage, resultPart, paths } of createView(given, counter)
    .calls) {
    const call = given.messages[message]?.parts[part]
    const answer = given.messages[resultMessage ?? -1]?.parts[resultPart ?? -1]
    const isThere = there.has(call) && (answer === undefined || there.has(answer))
    for (const path of new Set(paths.filter(isChosen))) {
      const { calls, verbatim } = files.get(path) ?? { calls: 0, verbatim: 0 }
      files.set(path, { path, calls: calls + 1, verbatim: verbatim + (isThere ? 1 : 0) })
    }
  }
  return [...files.values()]
}

/** Whether a path is a chosen one, ends in one, or is in a chosen folder. */
export function createPathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const cleaned = patterns.map((pattern) => pattern.replace(/^\.\//, '').replace(/\/$/, ''))
  return (path) =>
    cleaned.some((pattern) =>
      [pattern, `**/${pattern}`, `${pattern}/**`, `**/${pattern}/**`].some((one) =>
        matchGlob(one, path),
      ),
    )
}

/** Uses no regular expression. Its time is at most proportional to the product of both lengths. */
function matchGlob(pattern: string, path: string): boolean {
  // reached[i]: the first i characters of the path are matched by the pattern so far.
  let reached: boolean[] = Array.from({ length: path.length + 1 }, () => false)
  reached[0] = true
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    const isDeep = character === '*' && pattern[at + 1] === '*'
    const next: boolean[] = Array.from({ length: path.length + 1 }, () => false)
    for (let end = 0; end <= path.length; end++) {
      const isStep = end > 0 && (isDeep || path[end - 1] !== '/')
      if (character === '*') next[end] = reached[end] === true || (isStep && next[end - 1] === true)
      else if (end > 0 && reached[end - 1])
        next[end] = character === '?' ? path[end - 1] !== '/' : path[end - 1] === character
    }
    reached = next
    if (isDeep) at++
  }
  return reached[path.length] === true
}
