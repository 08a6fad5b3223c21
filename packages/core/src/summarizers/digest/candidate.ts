/** What may stand in a digest: a line or a small block, where it would stand, what it costs and what it is worth. */

/** In the order in which they stand in the digest. */
export const sectionNames = ['course', 'latest', 'errors', 'changed', 'read', 'commands', 'found'] as const
export type SectionName = (typeof sectionNames)[number]

/** Candidates of one kind share a part of the budget. */
export type CandidateKind =
  | 'request'
  | 'words'
  | 'error'
  | 'file'
  | 'purpose'
  | 'change'
  | 'read'
  | 'command'
  | 'found'
  | 'latest'

/**
 * Where the priorities of each kind begin; what is added to them orders a kind in itself. What comes before `shared`
 * is taken even when its kind has used up its part of the budget.
 */
export const priorities = {
  newestRequest: 0,
  changedFile: 1,
  shared: 2,
  openError: 3,
  latestStep: 4,
  purpose: 5,
  lastReport: 6,
  request: 10,
} as const

/** Candidates that stand together: a file with its lines, the words of one turn. */
export interface Group {
  readonly section: SectionName
  /** Groups of a section stand in ascending order. */
  readonly order: number
  /** Stands before its candidates when there are any; undefined for a group that is only an order. */
  readonly heading: string | undefined
  /** So many of its candidates may stand there as single lines; the rest only beside others. */
  readonly mostSingles?: number
}

export interface Candidate {
  readonly kind: CandidateKind
  readonly group: Group
  /** Place inside the group. */
  readonly order: number
  /** As it is rendered, its mark at the start of the line included. */
  readonly text: string
  readonly entities: readonly number[]
  /** Worth apart from its names, in the unit of `worth.ts`. */
  readonly value: number
  /** How many lines it is, when more than one. */
  readonly lines?: number
  /** Whether it tells something without its neighbours. */
  readonly standsAlone?: boolean
  /** Lines that stand right before and after it in their source. */
  readonly beside?: Candidate[]
  /** Lower is taken earlier, within the share of its kind; undefined: by worth per token. */
  readonly priority?: number
}
