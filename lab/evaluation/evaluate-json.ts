import type { EvaluatedSessions } from './evaluate-report.ts'
import type { Mean } from './mean.ts'

/** The object that `--json` prints; its fields: lab/README.md. */
export function toEvaluationJson({
  sessions,
  unread,
  damaged,
  failures,
  tables,
  durationMs,
}: EvaluatedSessions): object {
  return {
    sessions: sessions.map(({ session, format, results, skipped }) => ({
      session,
      format,
      points: new Set(results.map(({ kind, place }) => `${kind} ${place}`)).size,
      skipped,
    })),
    unread,
    ...(damaged.length > 0 && { damaged }),
    tables: tables.points.map(({ kind, budget, points, sessions: count, rows }) => ({
      points: kind,
      budget,
      count: points,
      sessions: count,
      methods: rows.map(({ method, means, points: fate, budgetShare, tokens, durationMs: ms }) => ({
        method: method.name,
        kind: method.kind,
        ...fate,
        budgetShare,
        tokens,
        durationMs: ms,
        measures: toMeansJson(means),
      })),
    })),
    cost: tables.costs.map(({ method, budget, cost, refetch }) => ({
      method: method.name,
      kind: method.kind,
      budget,
      cost: toMeanJson(cost),
      refetch: toMeanJson(refetch),
    })),
    rounds: tables.drift.map(({ method, summarizer, rounds, refused, means }) => ({
      method: method.name,
      summarizer,
      rounds,
      refused,
      measures: toMeansJson(means),
    })),
    failures,
    durationMs,
  }
}

function toMeansJson(means: Readonly<Record<string, Mean | undefined>>): object {
  return Object.fromEntries(Object.entries(means).map(([name, mean]) => [name, toMeanJson(mean)]))
}

/** Null where no point says anything. */
function toMeanJson(mean: Mean | undefined): object | null {
  if (!mean) return null
  const [low, high] = mean.interval ?? [null, null]
  return { mean: mean.mean, low, high, points: mean.points, sessions: mean.sessions }
}
