import {
  type Page,
  renderCount,
  renderPreview,
  renderTable,
  right,
} from '../../../packages/precis/src/terminal/render.ts'
import { median } from '../mean.ts'
import { MOST_LOST, type SessionStudy, type WayResult } from './study.ts'

/** A session that says nothing of money, and why. */
export interface LeftOut {
  readonly session: string
  readonly reason: string
}

export interface SavingStudy {
  readonly studies: readonly SessionStudy[]
  readonly leftOut: readonly LeftOut[]
}

type WayName = keyof SessionStudy['ways']

const WAYS: Readonly<Record<WayName, string>> = {
  usual: 'most-context',
  save: 'most-context, to save',
  cheapest: 'in hindsight, cheapest',
  careful: `in hindsight, losing at most ${MOST_LOST * 100} %`,
}
const WAY_NAMES = ['usual', 'save', 'cheapest', 'careful'] as const satisfies readonly WayName[]

// Below this a ratio is 1: what a replay adds up differs in its last digits.
const ABOVE = 1 + 1e-6

export type GroupRow = ReturnType<typeof summarizeWay>

/** The sessions that a figure is of, and the figures of each way. */
export function summarizeStudies(studies: readonly SessionStudy[]) {
  const possible = studies.filter(({ isPossibleWithout }) => isPossibleWithout)
  const groups = {
    'doing nothing was possible': possible,
    'of them the first half': possible.filter(({ half }) => half === 1),
    'of them the second half': possible.filter(({ half }) => half === 2),
    'doing nothing was not possible': studies.filter(({ isPossibleWithout }) => !isPossibleWithout),
  }
  return Object.entries(groups).flatMap(([group, members]) =>
    WAY_NAMES.flatMap((way) => {
      const results = members.flatMap(({ ways }) => ways[way] ?? [])
      return results.length > 0 ? [summarizeWay(group, way, results)] : []
    }),
  )
}

function summarizeWay(group: string, way: WayName, results: readonly WayResult[]) {
  const ratios = results.map(({ ratio }) => ratio)
  const lost = results.flatMap(({ needed, missing }) => (needed > 0 ? [missing / needed] : []))
  const add = (amount: (result: WayResult) => number) =>
    results.reduce((sum, result) => sum + amount(result), 0)
  const removed = add(({ removedTokens }) => removedTokens)
  return {
    group,
    way,
    sessions: results.length,
    medianRatio: median(ratios),
    maximumRatio: Math.max(...ratios),
    above: ratios.filter((ratio) => ratio > ABOVE).length,
    /** Over all sessions; one without a compression loses nothing. */
    medianLost: median(results.map(({ needed, missing }) => (needed > 0 ? missing / needed : 0))),
    /** Over those that lost or could have lost something; undefined when there are none. */
    medianLostWhereNeeded: lost.length > 0 ? median(lost) : undefined,
    /** Of what was removed. */
    readAgainShare: removed > 0 ? add(({ readAgainTokens }) => readAgainTokens) / removed : 0,
  }
}

export function toSavingJson({ studies, leftOut }: SavingStudy): object {
  return { sessions: studies, leftOut, summary: summarizeStudies(studies) }
}

export function renderSavingReport({ studies, leftOut }: SavingStudy, page: Page): string {
  return [
    renderSessions(studies, page),
    renderSummary(studies, page),
    ...(leftOut.length > 0
      ? [leftOut.map(({ session, reason }) => `${session}: ${reason}`).join('\n')]
      : []),
    page.colors.dim(
      'Cost over the cost without any compression, answers and reading again what was lost included. Lost: of the names that later calls needed.',
    ),
  ].join('\n\n')
}

function renderSessions(studies: readonly SessionStudy[], page: Page): string {
  const columns = [
    'session',
    ...['requests', 'pauses', ...WAY_NAMES.map((way) => WAYS[way])].map(right),
  ]
  const rows = studies.map(({ session, requests, pauses, isPossibleWithout, ways }) => [
    `${renderPreview(session.split('/').slice(-2).join('/'), 44)}${isPossibleWithout ? '' : ' (too large)'}`,
    renderCount(requests),
    renderCount(pauses),
    ...WAY_NAMES.map((way) => renderWay(ways[way])),
  ])
  return renderTable(columns, rows, page)
}

function renderWay(way: WayResult | undefined): string {
  if (!way) return ''
  return way.compressions === 0
    ? way.ratio.toFixed(2)
    : `${way.ratio.toFixed(2)} (${way.missing}/${way.needed})`
}

function renderSummary(studies: readonly SessionStudy[], page: Page): string {
  const columns = [
    '',
    '',
    ...['sessions', 'median', 'largest', 'above 1.00', 'lost, median', 'read again'].map(right),
  ]
  const rows = summarizeStudies(studies).map((row, index, all) => [
    row.group === all[index - 1]?.group ? '' : row.group,
    WAYS[row.way],
    renderCount(row.sessions),
    row.medianRatio.toFixed(3),
    row.maximumRatio.toFixed(3),
    renderCount(row.above),
    row.medianLostWhereNeeded === undefined ? '' : renderShare(row.medianLostWhereNeeded),
    renderShare(row.readAgainShare),
  ])
  return renderTable(columns, rows, page)
}

const renderShare = (share: number): string => `${(share * 100).toFixed(1)} %`
