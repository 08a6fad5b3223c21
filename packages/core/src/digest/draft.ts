import type { Artifact } from '../actions/artifacts.ts'
import type { CallOutcome } from '../actions/outcome.ts'
import type { Action } from '../actions/tool-calls.ts'
import type { SummarySection } from '../conversation/summary-layout.ts'
import { reportsError } from '../facts/error-lines.ts'
import type { Readings } from '../facts/readings.ts'
import type { Requests } from '../facts/requests.ts'
import type { NameVocabulary, Visible } from './vocabulary.ts'
import type { Weights } from './weights.data.ts'

/** Shared by the collectors while they turn events into candidates. */
export interface Draft {
  readonly events: readonly Event[]
  /** What was made outside of files. */
  readonly artifacts: readonly Artifact[]
  /** As an earlier digest names it. */
  readonly branch: string | undefined
  readonly vocabulary: NameVocabulary
  readonly readings: Readings
  /** What the user said in each turn, also in those that an earlier summary quotes or that stay. */
  readonly requests: Requests
  /** Closing words of turns, by turn. */
  readonly answers: readonly TurnAnswer[]
  /** The turn of the newest list of questions that the user did not reply to. */
  readonly unanswered: number | undefined
  /** The turn in which calls follow after the span. */
  readonly openTurn: number | undefined
  /** Files that were made for a look and not for the work. */
  readonly isScratch: (path: string) => boolean
  /** Turns that changed files which last. */
  readonly changingTurns: ReadonlySet<number>
  readonly weights: Weights
  readonly candidates: Candidate[]
  /** Lines that are among the errors or in the state. */
  readonly reported: Set<string>
  /** What the failures that are still open reported, by event. */
  readonly failures: Map<number, readonly string[]>
  /** Words that are in the state, by event. */
  readonly stateWords: Set<number>
  /** How often each command was run, by its text on one line. */
  readonly runs: ReadonlyMap<string, number>
  /** The newest run of each that failed. */
  readonly failedRuns: ReadonlyMap<string, Placed<CallEvent>>
  readonly visible: Visible
  /** Lower-cased words of the user's instructions for this digest. */
  readonly focus: readonly string[]
  /** The newest distinct lines of output that mention a failure, 0 for the newest of all. */
  readonly newestErrors: ReadonlyMap<string, number>
  /** By event: what an edit was for. */
  readonly purposes: ReadonlyMap<number, Purpose>
  /** Words that are shown next to a file as the purpose of an edit, by event. */
  readonly purposeWords: ReadonlySet<number>
  readonly targetTokens: number
  /** The working directory with a slash at its end. Undefined for `/`, which begins any path. */
  readonly root: string | undefined
  /** By event: how many later events show or change lines of a file. */
  readonly shownAfter: readonly number[]
  /** First event that is looked at closely. */
  readonly nearStart: number
}

/** Closing words of a turn. In an earlier digest, each block is an event of its own. */
export interface TurnAnswer {
  readonly turn: number
  /** Whether the user refused a call with words after it. */
  readonly isAtFirst: boolean
  readonly events: readonly Placed<WordsEvent>[]
}

/** An event of a span. */
export type Event = Placed<UnplacedEvent>
export type UnplacedEvent = RequestEvent | WordsEvent | CallEvent
/**
 * `at` is the position among the events, which measures recency. `turn` is the number of the user's
 * request, 0 before the first.
 */
export type Placed<E extends UnplacedEvent> = E & {
  readonly at: number
  readonly turn: number
}

/** What the user typed, which is in the ledger. */
interface RequestEvent {
  readonly type: 'request'
  readonly text: string
  /** What the user showed without words: `image`. */
  readonly shown?: string | undefined
}

/** Visible text of the agent. */
export interface WordsEvent {
  readonly type: 'words'
  readonly text: string
  /** Whether it comes from an earlier summary: what was worth keeping once. */
  readonly isCarried: boolean
  /** Whether an earlier digest has it as what was said in a turn. */
  readonly isAnswer?: boolean
  /** Whether it comes from a summary by a model. Nothing else says what happened before it. */
  readonly isRecord?: boolean
  /** The turn that an earlier summary names for it. */
  readonly turn?: number
  /** What it says that the user showed there without words. */
  readonly shown?: string | undefined
  /** Whether the user refused a call with words later in its turn. */
  isAtFirst?: boolean
}

export interface CallEvent {
  readonly type: 'call'
  action: Action
  /** Undefined while the call has no result in the span. */
  outcome: CallOutcome | undefined
  /** By the last report of it. Undefined if it ended by itself. */
  state?: 'still running' | 'stopped'
  /** The line of its output with numbers that the agent then spoke of. */
  spoken?: string | undefined
  /** Whether it asks for all of one file. */
  readonly asksForWhole?: boolean
  /** How often an earlier digest says that it was done. Undefined for once. */
  times?: number
  /** Whether an earlier digest says that nothing is left of its changes. */
  readonly isUndone?: boolean
  /** Whether an earlier digest calls its files scratch, and how many more there were. */
  readonly isScratch?: boolean
  readonly unnamed?: number
}

/**
 * The purpose of an edit, and the words that name it, as a position among the events. Undefined for
 * a task.
 */
export interface Purpose {
  readonly text: string
  readonly words: number | undefined
}

/**
 * A line or a small block that may be in a digest: its place, what it costs and what it is worth.
 */
export interface Candidate {
  readonly kind: CandidateKind
  readonly group: Group
  /** Place inside the group. */
  readonly order: number
  /** As it is rendered, its mark at the start of the line included. */
  readonly text: string
  readonly entities: readonly number[]
  /** Worth apart from its names, measured in names: one that a recent step used weighs about 1. */
  readonly value: number
  /** How many lines it is, when more than one. */
  readonly lines?: number
  /**
   * Whether it is worth nothing without a name that is also elsewhere, while anything else is left
   * out.
   */
  readonly needsName?: boolean
  /** Whether it answers what was asked for, or was chosen from: read lines give way to it. */
  readonly isSought?: boolean
  /** Whether it keeps its worth however much of its answer is there. */
  readonly isSteady?: boolean
  /** Whether it makes sense without its neighbors. */
  readonly standsAlone?: boolean
  /** It says nothing without this one. */
  needs?: Candidate
  /** It is taken with all of these, of its kind and group, or not at all: itself is among them. */
  together?: readonly Candidate[]
  /** The list of an answer that it opens. How many items are left out is told below the last one. */
  list?: AnswerList
  /** The lines right before and after it in their source. */
  readonly beside?: Candidate[]
  /**
   * What it says, by key. It is left out if all of that is already further up. The key of a line of
   * content is the line.
   */
  readonly tells?: readonly string[]
  /** Lower is taken earlier, within the share of its kind. Undefined: by worth per token. */
  priority?: number
}

export interface AnswerList {
  /** Its lines, the first one included. */
  readonly pieces: readonly Candidate[]
  /** Items that an earlier digest left out. */
  omitted: number
}

/** Candidates of one kind share a part of the budget. */
export type CandidateKind =
  | 'state'
  | 'answer'
  | 'words'
  | 'error'
  | 'file'
  | 'purpose'
  | 'change'
  | 'read'
  | 'command'
  | 'seen'

/** Candidates that are shown together: a file with its lines, the words of one turn. */
export interface Group {
  readonly section: SummarySection
  /** Groups of a section are in ascending order. */
  readonly order: number
  /** The line before its candidates. Undefined for a group that only sets an order. */
  readonly heading: string | undefined
  /** This many of its candidates may be single lines. The rest are only taken next to others. */
  readonly mostSingles?: number
}

/**
 * The first priority of each kind. Candidates before `shared` are taken even beyond the share of
 * their kind.
 */
export const priorities = {
  changedFile: 1,
  shared: 2,
  state: 2.5,
  openError: 3,
  latestStep: 4,
  /** After the newest two steps. */
  checks: 4.13,
  purpose: 5,
  record: 7,
} as const

export function createGroup(section: Group['section'], order: number, heading?: string): Group {
  return { section, order, heading }
}

/** What candidates say about a call or about words, with any text. */
export const keyOfEvent = (at: number): string => `event ${at}`

// More rows than any output has.
const MOST_ROWS = 1e7

/** Order of a line inside its group: by event, then by its row there. */
export const orderOf = ({ at, row }: { readonly at: number; readonly row: number }): number =>
  at * MOST_ROWS + row

/** The files that an event changed for the work. None if it failed. */
export function listChanged(event: Event, isScratch: Draft['isScratch']): string[] {
  if (event.type !== 'call' || event.outcome?.failed === true) return []
  return event.action.changes.flatMap(({ path }) => (isScratch(path) ? [] : [path]))
}

/** Whether the output of a call is lines of one file: a read, or a search in a file. */
export function showsOneFile({ kind, paths }: Action): boolean {
  return (
    paths.length === 1 && (kind === 'read' || (kind === 'search' && /\.\w{1,8}$/.test(paths[0]!)))
  )
}

// One word of the user's instructions outweighs everything else a line can have.
const FOCUS_WORTH = 6

/** Extra worth of a line that mentions what the user wants kept above all. */
export function focusWorth(draft: Draft, text: string): number {
  if (draft.focus.length === 0) return 0
  const lower = text.toLowerCase()
  return draft.focus.filter((word) => lower.includes(word)).length * FOCUS_WORTH
}

/** Extra worth of one of the latest lines that mention a failure. */
export function errorWorth({ weights, newestErrors }: Draft, line: string): number {
  const rank = newestErrors.get(line)
  return rank === undefined
    ? 0
    : (weights.errorLine * (reportsError(line) ? 1 : 0.5)) / (1 + Math.max(0, rank - 4) / 5)
}

/** 1 for the newest event, falling to 0 for the oldest. */
export function recencyOf(draft: Draft, at: number): number {
  return draft.events.length < 2 ? 1 : at / (draft.events.length - 1)
}

// A line of this many characters can say something on its own.
const FULL_LINE = 32

/** 0 to 1: how much of a line there is. */
export const fullness = (line: string): number => Math.min(1, line.length / FULL_LINE)
