import {
  escapeHtml,
  renderCell,
  renderPage,
  renderPageTable,
} from '../../packages/precis/src/pages/page.ts'
import { renderDuration, renderPlural } from '../../packages/precis/src/terminal/render.ts'
import { renderCostPicture } from './evaluate-picture.ts'
import {
  CAVEATS,
  describePoints,
  type EvaluatedSessions,
  hasScores,
  ROUNDS_TITLE,
  renderFate,
  renderMean,
  renderNeverDone,
} from './evaluate-report.ts'
import type { Mean } from './mean.ts'
import { directives } from './measures/directives.ts'
import { measures } from './measures/index.ts'
import type { CostRow, DriftRow, MethodRow, PointTable } from './tables.ts'

/**
 * One page that needs nothing else: no script, no network, and nothing of a session in it but names
 * and numbers.
 */
export function renderEvaluationPage(evaluated: EvaluatedSessions): string {
  const { tables, sessions, durationMs } = evaluated
  const body = `<h1>What compression keeps</h1>
<p>${renderPlural(sessions.length, 'recorded session')}, evaluated in ${renderDuration(durationMs)}.</p>
<ul class="caveats">${CAVEATS.map((caveat) => `<li>${escapeHtml(caveat)}</li>`).join('')}</ul>
<h2>Cost against recall</h2>
${renderPictures(tables.costs)}
<h2>What is kept</h2>
${tables.points.map(renderPointTable).join('\n')}
<h2>What a session costs</h2>
${renderCostTables(tables.costs)}
<h2>Compressed in rounds</h2>
${renderDriftTable(tables.drift)}
<h2>Measures</h2>
<dl>${[...measures, directives]
    .map(({ name, title, lowerIsBetter }) =>
      renderTerm(name, `${title}${lowerIsBetter ? ' (lower is better)' : ''}`),
    )
    .join('')}</dl>
${renderLeftOut(evaluated)}`
  return renderPage('precis evaluate', body)
}

function renderPictures(costs: readonly CostRow[]): string {
  const pictures = [...new Set(costs.map(({ budget }) => budget))].flatMap((budget) => {
    const title = `Budget ${budget}`
    const picture = renderCostPicture(
      costs.filter((row) => row.budget === budget),
      `Cost against recall, ${title.toLowerCase()}`,
    )
    return picture === undefined
      ? []
      : [`<figure><figcaption>${escapeHtml(title)}</figcaption>${picture}</figure>`]
  })
  if (pictures.length === 0) return '<p>No session is long enough to replay what it would cost.</p>'
  const legend =
    '<p class="legend"><span class="strategy">strategies</span> <span class="baseline">baselines</span>, lines: 95 % intervals; a fraction behind a name: scored at so many of the points only. Recall at the cuts; cost of whole sessions, replayed with a cache, re-reading included.</p>'
  return `${legend}<div class="pictures">${pictures.join('\n')}</div>`
}

function renderPointTable(table: PointTable): string {
  const head = ['method', ...measures.map(({ name }) => name), 'points', 'size', 'tokens', 'ms']
  const rows = table.rows.map((row) => [
    renderName(row.method.title, row.method.kind),
    ...measures.map(({ name }) => renderMeanCell(row.means[name])),
    renderCell(renderFate(row, table.points)),
    ...renderSizeCells(row),
  ])
  return renderPageTable(describePoints(table), head, rows)
}

function renderSizeCells({ points, budgetShare, tokens, durationMs }: MethodRow): string[] {
  if (points.scored === 0) return ['–', '–', '–'].map(renderCell)
  return [
    `${Math.round(budgetShare * 100)} %`,
    String(Math.round(tokens)),
    durationMs.toFixed(0),
  ].map(renderCell)
}

function renderCostTables(costs: readonly CostRow[]): string {
  const head = ['method', 'budget', 'cost', 're-reading', 'sessions']
  const rows = costs.map(({ method, budget, cost, refetch }) => [
    renderName(method.title, method.kind),
    renderCell(budget),
    renderMeanCell(cost),
    renderCell(renderMean(refetch, 3)),
    renderCell(String(cost.sessions)),
  ])
  return renderPageTable('Of the cost without compression', head, rows)
}

function renderDriftTable(drift: readonly DriftRow[]): string {
  const shown = [...measures, directives]
  const head = ['method', 'summarizer', 'rounds', ...shown.map(({ name }) => name), 'refused']
  const rows = drift
    .filter(hasScores)
    .map(({ method, summarizer, rounds, refused, means }) => [
      renderName(method.title, method.kind),
      renderCell(summarizer),
      renderCell(String(rounds)),
      ...shown.map(({ name }) => renderMeanCell(means[name])),
      renderCell(String(refused)),
    ])
  return `${renderPageTable(ROUNDS_TITLE, head, rows)}<p>${escapeHtml(renderNeverDone(drift))}</p>`
}

function renderName(title: string, kind: string): string {
  return `<th scope="row" class="${kind}">${escapeHtml(title)}</th>`
}

function renderMeanCell(mean: Mean | undefined): string {
  const [low, high] = mean?.interval ?? []
  const interval =
    low === undefined || high === undefined
      ? ''
      : `<small>${low.toFixed(2)}–${high.toFixed(2)}</small>`
  return `<td>${renderMean(mean)}${interval}</td>`
}

function renderTerm(name: string, title: string): string {
  return `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(title)}</dd>`
}

function renderLeftOut({ sessions, unread, failures }: EvaluatedSessions): string {
  const lines = [
    ...sessions.flatMap(({ session, skipped }) =>
      skipped.map(({ place, reason }) => `${place} of ${session} was skipped: ${reason}`),
    ),
    ...unread.map(({ session, message }) => `${session} was not read: ${message}`),
    ...failures.map((reason) => `broke: ${reason}`),
  ]
  if (lines.length === 0) return ''
  return `<h2>Left out</h2><ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`
}
