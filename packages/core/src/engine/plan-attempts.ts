/**
 * All ways to make a history fit, as data, from gentle to strong. `search.ts` walks the list,
 * `attempt.ts` makes each of them, and `verdict.ts` judges the results.
 *
 * A series is what its attempts have in common, and each series has the attempts of the ladder:
 *
 *     series                       attempts of `auto`
 *     ──────                       ──────────────────
 *     provider's compaction stays  keep        everything except what its own limit forbids
 *      └ share of chosen parts     clear       high-density, clear-tools, clear-reasoning
 *         └ room of the ledger     summarize   the tail of the strategy, then three that promise more
 *            └ note on recall      summarize   again by the model, if there is one
 *     provider's compaction goes   settle      the gentlest ways so far are compared
 *      └ …                         drop, clip  last resorts
 */
import { clipParts } from '../strategies/clip-parts.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import type { Ladder, Rung } from './ladder.ts'

/** The ledgers, from the largest one to the smallest one. */
type LedgerRoom = 'all-that-stays' | 'last-request' | 'binding-words' | 'pins'

/** What a series of attempts has in common. */
export interface Series {
  /** Whether the provider's compaction stays. The ledger quotes it otherwise. */
  readonly keepsCompaction: boolean
  /** The largest share of the space, from 0 to 1, that manually chosen files and turns may take. */
  readonly keptShare: number
  readonly ledgerRoom: LedgerRoom
  /** Whether a result may lack the note on recall if it does not fit. */
  readonly mayOmitRecall: boolean
}

/** Where an attempt begins: a history as earlier attempts of its series left it. */
export type StageName =
  /** Everything that the model saw, except old reasoning. Summaries are made from it. */
  | 'whole'
  /** As the clearing rungs have left it. */
  | 'cleared'
  /** `whole`, and what has to stay is clipped. */
  | 'clipped'
  /** `clipped`, and its oldest messages are dropped. */
  | 'truncated'

/**
 * The tail next to a summary: the strategy's own, the most promising remaining one, or the best so
 * far.
 */
type Tail = 'own' | 'next' | 'best'

export type Step =
  /** Nothing more than before. */
  | { readonly type: 'keep'; readonly from: 'start' | 'whole' }
  | { readonly type: 'clear'; readonly strategy: Strategy; readonly isForAll: boolean }
  | {
      readonly type: 'summarize'
      readonly strategy: Strategy
      readonly from: 'whole' | 'clipped'
      readonly tail: Tail
      /** Extraction, or the summarizer that was asked for. */
      readonly by: 'digest' | 'summarizer'
      /** Whether it only finds the best tail, and a model writes the summary. */
      readonly isTrial: boolean
    }
  | {
      readonly type: 'drop'
      /** One after the other. `clip-rest` clips all that is left but the newest messages. */
      readonly strategies: readonly (Strategy | 'clip-rest')[]
      readonly from: StageName
      /** The largest share of the budget that the result aims at. */
      readonly mostShare: number
    }
  /** What was left if no summary fit. */
  | { readonly type: 'leave-bare' }
  /** Only what every result has to keep, clipped. */
  | { readonly type: 'keep-least' }
  /** Takes the result that loses the fewest facts of all that fit so far. */
  | { readonly type: 'settle' }

/** One attempt. A last resort is made only if nothing else fits. */
export type Attempt = Step & { readonly series: Series; readonly isLastResort: boolean }

export interface PlanOptions {
  /** The ladder in which manually chosen parts take that share of the space. */
  readonly ladderOf: (keptShare: number) => Ladder
  /** Whether a model writes the summaries. It is asked once for each series. */
  readonly isModel: boolean
  readonly hasCompaction: boolean
  /** Whether files or turns were chosen manually. */
  readonly hasChoices: boolean
  readonly hasRecall: boolean
}

/** Every attempt of a search, in order. */
export function planAttempts(options: PlanOptions): Attempt[] {
  return planSeries(options).flatMap((series) =>
    planSteps(options.ladderOf(series.keptShare), options.isModel).map((step) => ({
      ...step,
      series,
    })),
  )
}

// The budget is a hard limit, so kept files give way to it.
const KEPT_SHARES = [0.7, 0.35, 0]
// The words that bind give way last, and the receipt counts them.
const LEDGER_ROOMS: readonly LedgerRoom[] = [
  'all-that-stays',
  'last-request',
  'binding-words',
  'pins',
]

function planSeries({ hasCompaction, hasChoices, hasRecall }: PlanOptions): Series[] {
  return (hasCompaction ? [true, false] : [true]).flatMap((keepsCompaction) =>
    (hasChoices ? KEPT_SHARES : [0]).flatMap((keptShare) =>
      LEDGER_ROOMS.flatMap((ledgerRoom) =>
        (hasRecall ? [false, true] : [false]).map((mayOmitRecall) => ({
          keepsCompaction,
          keptShare,
          ledgerRoom,
          mayOmitRecall,
        })),
      ),
    ),
  )
}

type PlannedStep = Step & { readonly isLastResort: boolean }

function planSteps({ rungs }: Ladder, isModel: boolean): PlannedStep[] {
  const steps = rungs.flatMap((rung) => {
    const isLastResort = rungs.length > 1 && (rung.type === 'truncate' || rung.type === 'clip')
    return planRung(rung, isModel).map((step) => ({ ...step, isLastResort }))
  })
  const settle = { type: 'settle', isLastResort: false } as const
  const resort = steps.findIndex((step) => step.isLastResort)
  const gentle = resort < 0 ? steps : steps.slice(0, resort)
  const others = resort < 0 ? [] : [...steps.slice(resort), settle]
  return [{ type: 'keep', from: 'start', isLastResort: false }, ...gentle, settle, ...others]
}

function planRung(rung: Rung, isModel: boolean): Step[] {
  const { strategy } = rung
  switch (rung.type) {
    case 'clear':
      return [{ type: 'clear', strategy, isForAll: rung.isForAll }]
    case 'summarize':
      return planSummaries(strategy, rung.byDigest, isModel)
    case 'truncate':
      return [{ type: 'drop', strategies: [strategy], from: 'cleared', mostShare: 1 }]
    case 'clip':
      return planClips(strategy)
  }
}

// Extraction costs no money, but time: so many tails are tried at most.
const TAILS: readonly Tail[] = ['own', 'next', 'next', 'next']

function planSummaries(strategy: Strategy, byDigest: boolean, isModel: boolean): Step[] {
  const step = { type: 'summarize', strategy, from: 'whole', isTrial: false } as const
  // Asking extraction again would give the same answer.
  if (byDigest) return isModel ? [{ ...step, by: 'digest', tail: 'best' }] : []
  const tries = TAILS.map((tail) => ({ ...step, by: 'digest' as const, tail, isTrial: isModel }))
  return [
    { type: 'keep', from: 'whole' },
    ...tries,
    ...(isModel ? [{ ...step, by: 'summarizer' as const, tail: 'best' as const }] : []),
  ]
}

// The ledger next to the latest messages may need more space than was left.
const LAST_SHARES = [0.8, 0.5, 0.2, 0]

function planClips(strategy: Strategy): Step[] {
  const drop = { type: 'drop', mostShare: 1 } as const
  return [
    // If what has to stay is clipped, a summary may fit.
    {
      type: 'summarize',
      strategy,
      from: 'clipped',
      tail: 'own',
      by: 'summarizer',
      isTrial: false,
    },
    { ...drop, strategies: [topDownTruncation], from: 'clipped' },
    { ...drop, strategies: ['clip-rest'], from: 'truncated' },
    { type: 'leave-bare' },
    { type: 'keep-least' },
    ...LAST_SHARES.map((mostShare) => ({
      type: 'drop' as const,
      strategies: [topDownTruncation, clipParts],
      from: 'whole' as const,
      mostShare,
    })),
  ]
}
