/** From results at points to what is shown: a mean for every method, measure and budget. */
import type { CostResult, MethodOutcome, MethodResult, SessionEvaluation } from './evaluation.ts'
import type { PointKind } from './find-points.ts'
import { computeMean, type Mean, median } from './mean.ts'
import { directives } from './measures/directives.ts'
import { measures } from './measures/index.ts'
import type { Method } from './method.ts'

export interface MethodRow {
  readonly method: Method
  readonly means: Readonly<Record<string, Mean | undefined>>
  readonly points: {
    readonly scored: number
    readonly refused: number
    readonly overBudget: number
    readonly failed: number
  }
  /** Mean share of the budget that was used, by characters. */
  readonly budgetShare: number
  /** Medians over the points that were scored. */
  readonly tokens: number
  readonly durationMs: number
}

export interface PointTable {
  readonly kind: PointKind
  readonly budget: string
  readonly points: number
  readonly sessions: number
  readonly rows: readonly MethodRow[]
}

export interface CostRow {
  readonly method: Method
  readonly budget: string
  readonly cost: Mean
  readonly refetch: Mean | undefined
  readonly recall: Mean | undefined
  /** Points at the cuts that the recall is of, and all of them. */
  readonly scored: number
  readonly points: number
}

export interface DriftRow {
  readonly method: Method
  readonly summarizer: string
  readonly rounds: number
  readonly refused: number
  readonly means: Readonly<Record<string, Mean | undefined>>
}

export interface EvaluationTables {
  readonly points: readonly PointTable[]
  readonly costs: readonly CostRow[]
  readonly drift: readonly DriftRow[]
}

export function createTables(
  sessions: readonly SessionEvaluation[],
  methods: readonly Method[],
): EvaluationTables {
  const results = sessions.flatMap((session) => session.results)
  const points = [...groupBy(results, ({ kind, budget }) => `${kind} ${budget}`).values()]
    .map((group) => createPointTable(group, methods))
    .sort((a, b) => (a.kind === b.kind ? 0 : a.kind === 'cuts' ? -1 : 1))
  const costs = sessions.flatMap((session) => session.costs)
  return {
    points,
    costs: createCostRows(costs, points, methods),
    drift: createDriftRows(sessions, methods),
  }
}

function createPointTable(
  results: readonly MethodResult[],
  methods: readonly Method[],
): PointTable {
  const byMethod = groupBy(results, ({ method }) => method)
  const [first] = results
  return {
    kind: first?.kind ?? 'cuts',
    budget: first?.budget ?? '',
    points: new Set(results.map(({ session, place }) => `${session} ${place}`)).size,
    sessions: new Set(results.map(({ session }) => session)).size,
    rows: methods.flatMap((method) => {
      const group = byMethod.get(method.name)
      return group ? [createMethodRow(method, group)] : []
    }),
  }
}

function createMethodRow(method: Method, results: readonly MethodResult[]): MethodRow {
  const scored = results.flatMap(({ session, outcome }) =>
    outcome.type === 'scored' ? [{ session, ...outcome }] : [],
  )
  const count = (type: MethodOutcome['type']) =>
    results.filter(({ outcome }) => outcome.type === type).length
  const means = measures.map(({ name }) => {
    const scores = scored.flatMap(({ session, scores }) =>
      scores[name] ? [{ session, score: scores[name] }] : [],
    )
    return [name, computeMean(scores)] as const
  })
  return {
    method,
    means: Object.fromEntries(means),
    points: {
      scored: scored.length,
      refused: count('refused'),
      overBudget: count('over-budget'),
      failed: count('failed'),
    },
    budgetShare:
      scored.reduce((total, { budgetShare }) => total + budgetShare, 0) /
      Math.max(scored.length, 1),
    tokens: median(scored.map(({ tokens }) => tokens)),
    durationMs: median(scored.map(({ durationMs }) => durationMs)),
  }
}

function createCostRows(
  costs: readonly CostResult[],
  tables: readonly PointTable[],
  methods: readonly Method[],
): CostRow[] {
  return [...groupBy(costs, ({ budget }) => budget)].flatMap(([budget, group]) => {
    const table = tables.find(
      (candidate) => candidate.kind === 'cuts' && candidate.budget === budget,
    )
    return methods.flatMap((method) => {
      const own = group.filter((result) => result.method === method.name)
      const cost = computeMean(own.map(({ session, cost: score }) => ({ session, score })))
      if (!cost) return []
      const refetch = computeMean(own.map(({ session, refetch: score }) => ({ session, score })))
      const row = table?.rows.find((candidate) => candidate.method.name === method.name)
      const scored = row?.points.scored ?? 0
      return [
        {
          method,
          budget,
          cost,
          refetch,
          recall: row?.means.gcrr,
          scored,
          points: table?.points ?? 0,
        },
      ]
    })
  })
}

function createDriftRows(
  sessions: readonly SessionEvaluation[],
  methods: readonly Method[],
): DriftRow[] {
  const results = sessions.flatMap((session) => session.drift)
  const groups = groupBy(
    results,
    ({ method, summarizer, rounds }) => `${method} ${summarizer} ${rounds}`,
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    const method = methods.find(({ name }) => name === first?.method)
    if (!first || !method) return []
    const means = [...measures, directives].map(({ name }) => {
      const scores = group.flatMap(({ session, scores }) => {
        const score = scores?.[name]
        return score ? [{ session, score }] : []
      })
      return [name, computeMean(scores)] as const
    })
    const refused = group.filter(({ scores }) => !scores).length
    const { summarizer, rounds } = first
    return [{ method, summarizer, rounds, refused, means: Object.fromEntries(means) }]
  })
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const group = groups.get(keyOf(value))
    if (group) group.push(value)
    else groups.set(keyOf(value), [value])
  }
  return groups
}
