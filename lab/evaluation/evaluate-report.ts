import stringWidth from 'string-width'
import type { Damage } from '../../packages/precis/src/sessions/load-session.ts'
import {
  type Column,
  neutralizeLine,
  renderDuration,
  renderPlural,
  renderTable,
} from '../../packages/precis/src/terminal/render.ts'
import type { Terminal } from '../../packages/precis/src/terminal/terminal.ts'
import type { SessionEvaluation } from './evaluation.ts'
import type { Mean } from './mean.ts'
import { directives } from './measures/directives.ts'
import { measures } from './measures/index.ts'
import type { DriftRow, EvaluationTables, MethodRow, PointTable } from './tables.ts'

/** A session that was asked for and could not be read. */
export interface UnreadSession {
  readonly session: string
  readonly code: string
  readonly message: string
}

export interface DamagedSession extends Damage {
  readonly session: string
}

export interface EvaluatedSessions {
  readonly sessions: readonly SessionEvaluation[]
  readonly unread: readonly UnreadSession[]
  readonly damaged: readonly DamagedSession[]
  /** Failures of strategies, once for each reason. */
  readonly failures: readonly string[]
  readonly tables: EvaluationTables
  readonly durationMs: number
}

/** The reservations about every number; on a terminal and on the page. */
export const CAVEATS = [
  'Means over points, each weighing the same; 95 % intervals by drawing the sessions again. Differences under 0.05 are not findings.',
  'A method that refused a point is averaged over fewer points, and refusing the hard ones flatters it: compare "points".',
  'Same size for all: characters / 4. Strategies keep the budget by the tokenizer of the model, which counts more, so they use less of it.',
  'None of this measures the success of an agent at a task.',
]

type Look = Pick<Terminal, 'columns' | 'colors'>

export function renderEvaluationReport(evaluated: EvaluatedSessions, look: Look): string {
  const { tables } = evaluated
  const sections = [
    ...tables.points.map((table) => renderPointTable(table, look)),
    renderCosts(tables, look),
    renderRounds(tables.drift, look),
    renderLegend(look),
    renderSkipped(evaluated),
    CAVEATS.join('\n'),
    `${renderPlural(evaluated.sessions.length, 'session')} in ${renderDuration(evaluated.durationMs)}.`,
  ]
  return sections.filter((section) => section !== '').join('\n\n')
}

export function describePoints({ kind, budget, points, sessions }: PointTable): string {
  const of = `of ${renderPlural(sessions, 'session')}`
  if (kind === 'cuts') return `${renderPlural(points, 'cut')} ${of}, budget ${budget}`
  return `${renderPlural(points, 'point')} ${of} where the agent compacted, at the size of its own summary`
}

interface Field<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
}

function renderPointTable(table: PointTable, look: Look): string {
  const fields: Field<MethodRow>[] = [
    ...measures.map(({ name }, index) => ({
      title: name,
      cell: ({ means }: MethodRow) =>
        index === 0 ? renderInterval(means[name]) : renderMean(means[name]),
    })),
    { title: 'points', cell: (row) => renderFate(row, table.points) },
    {
      title: 'size',
      cell: ({ budgetShare, points }) =>
        points.scored ? `${Math.round(budgetShare * 100)} %` : '–',
    },
    {
      title: 'tokens',
      cell: ({ tokens, points }) => (points.scored ? String(Math.round(tokens)) : '–'),
    },
    {
      title: 'ms',
      cell: ({ durationMs, points }) => (points.scored ? durationMs.toFixed(0) : '–'),
    },
  ]
  const name = { title: 'method', cell: ({ method }: MethodRow) => method.title }
  return `${look.colors.bold(describePoints(table))}\n${renderFields(name, fields, table.rows, look)}`
}

/** Of the points, those that were scored. */
export function renderFate({ points: { scored } }: MethodRow, all: number): string {
  return `${scored}/${all}`
}

function renderCosts({ costs }: EvaluationTables, look: Look): string {
  if (costs.length === 0) return 'No session is long enough to replay what it would cost.'
  const byBudget = [...new Set(costs.map(({ budget }) => budget))].map((budget) => {
    const rows = costs.filter((row) => row.budget === budget)
    const title = `Cost of a session compressed to ${budget}, of the cost without: replayed with a cache, re-reading included`
    const fields: Field<(typeof rows)[number]>[] = [
      { title: 'cost', cell: ({ cost }) => renderInterval(cost) },
      { title: 're-reading', cell: ({ refetch }) => renderMean(refetch, 3) },
      { title: 'sessions', cell: ({ cost }) => String(cost.sessions) },
    ]
    const name = { title: 'method', cell: ({ method }: (typeof rows)[number]) => method.title }
    return `${look.colors.bold(title)}\n${renderFields(name, fields, rows, look)}`
  })
  return byBudget.join('\n\n')
}

function renderRounds(drift: readonly DriftRow[], look: Look): string {
  const rows = drift.filter(hasScores)
  if (rows.length === 0) return ''
  const fields: Field<DriftRow>[] = [
    { title: 'rounds', cell: ({ rounds }) => String(rounds) },
    ...[...measures, directives].map(({ name }) => ({
      title: name,
      cell: ({ means }: DriftRow) => renderMean(means[name]),
    })),
    { title: 'refused', cell: ({ refused }) => String(refused) },
  ]
  const name = {
    title: 'method, summarizer',
    cell: ({ method, summarizer }: DriftRow) => `${method.title}, ${summarizer}`,
  }
  return [
    look.colors.bold(ROUNDS_TITLE),
    renderFields(name, fields, rows, look),
    renderNeverDone(drift),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

export const ROUNDS_TITLE =
  'The same history, with two instructions put in, compressed in rounds to the first budget'

/** Strategies that got through no round have no row. */
export function renderNeverDone(drift: readonly DriftRow[]): string {
  const done = new Set(drift.filter(hasScores).map(({ method }) => method.title))
  const never = [...new Set(drift.map(({ method }) => method.title))].filter(
    (title) => !done.has(title),
  )
  return never.length === 0 ? '' : `Refused in every session: ${never.join(', ')}.`
}

export function hasScores({ means }: DriftRow): boolean {
  return Object.values(means).some((mean) => mean)
}

/**
 * One table where the terminal is wide; else several below each other, each with the first column.
 */
function renderFields<Row>(
  name: Field<Row>,
  fields: readonly Field<Row>[],
  rows: readonly Row[],
  look: Look,
): string {
  const widthOf = ({ title, cell }: Field<Row>) =>
    Math.max(...[title, ...rows.map(cell)].map((text) => stringWidth(text)))
  const room = Math.max(look.columns - widthOf(name) - 4, MINIMAL_ROOM)
  const groups: Field<Row>[][] = [[]]
  let used = 0
  for (const field of fields) {
    const width = widthOf(field) + 2
    if (used + width > room && used > 0) {
      groups.push([])
      used = 0
    }
    groups.at(-1)?.push(field)
    used += width
  }
  return groups
    .map((group) => {
      const columns: Column[] = [{ title: name.title, shrinkTo: 12 }, ...group.map(toColumn)]
      const cells = rows.map((row) => [name, ...group].map(({ cell }) => neutralizeLine(cell(row))))
      return renderTable(columns, cells, look)
    })
    .join('\n\n')
}

const MINIMAL_ROOM = 24

function toColumn({ title }: { readonly title: string }): Column {
  return { title, align: 'right' }
}

function renderLegend({ colors }: Look): string {
  const lines = [...measures, directives].map(
    ({ name, title, lowerIsBetter }) =>
      `  ${name.padEnd(10)}  ${title}${lowerIsBetter ? ' (lower is better)' : ''}`,
  )
  return [colors.bold('Measures, 0 to 1'), ...lines].join('\n')
}

function renderSkipped({ sessions, unread, failures }: EvaluatedSessions): string {
  const lines = [
    ...sessions.flatMap(({ session, skipped }) =>
      skipped.map(({ place, reason }) => `skipped: ${place} of ${session}: ${reason}`),
    ),
    ...unread.map(({ session, message }) => `not read: ${session}: ${message}`),
    ...failures.map((reason) => `broke: ${reason}`),
  ]
  return lines.map(neutralizeLine).join('\n')
}

export function renderMean(mean: Mean | undefined, digits = 2): string {
  return mean ? mean.mean.toFixed(digits) : '–'
}

/** `0.61 0.52–0.70`; the mean alone for too few sessions. */
export function renderInterval(mean: Mean | undefined): string {
  const [low, high] = mean?.interval ?? []
  if (low === undefined || high === undefined) return renderMean(mean)
  return `${renderMean(mean)} ${low.toFixed(2)}–${high.toFixed(2)}`
}
