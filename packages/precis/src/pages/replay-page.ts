import { redactSecrets } from '@precis/core/secrets'
import {
  describeDoingNothing,
  describeLifetime,
  describeReplay,
  describeWaiting,
  listApplied,
  listCaveats,
  listCells,
  listTotals,
  nameOutcome,
  type Replay,
  type ReplayedCompression,
  type ReplayRun,
  renderCostChange,
  renderMoney,
  renderNeeded,
} from '../replay/replay.ts'
import { renderCount, renderPlural } from '../terminal/render.ts'
import { chooseTicks, findLargest, spreadPlaces, thinOut } from './charts.ts'
import {
  escapeHtml,
  renderCell,
  renderLine,
  renderPage,
  renderPageTable,
  renderRowHead,
  renderSections,
  renderShort,
  round,
} from './page.ts'

/**
 * The effects that compressing would have had on a session, as one page without script or network.
 */
export function renderReplayPage(replay: Replay): string {
  const [run] = replay.runs
  const name = replay.session.slice(replay.session.lastIndexOf('/') + 1)
  const body = run ? renderBody(replay, run, name) : '<h1>Nothing was recorded</h1>'
  return renderPage(`precis replay ${name}`, body)
}

function renderBody(replay: Replay, run: ReplayRun, name: string): string {
  const turns = run.requests.at(-1)?.turn ?? 0
  return `<h1>${renderLine(name, LONGEST_NAME)}</h1>
<p class="lead">${renderPlural(run.requests.length, 'request')} in ${renderPlural(turns, 'turn')}, ${renderLine(replay.model || 'an unnamed model', LONGEST_NAME)}. ${escapeHtml(describeReplay(replay))}</p>
<p class="verdict">${escapeHtml(describeVerdict(replay, run))}</p>
<p>${escapeHtml(describeDoingNothing(replay, run))}</p>
<p class="legend"><span class="baseline">without compression</span> · <span class="strategy">with</span> · <span class="mark">compressed here</span></p>
<div class="pictures">
<figure><figcaption>Tokens of each request</figcaption>${renderTokenPicture(replay, run)}</figure>
<figure><figcaption>${replay.hasPrices ? `Paid so far, ${escapeHtml(describeLifetime(run.cacheLifetimeSeconds))}` : 'Input tokens so far'}</figcaption>${renderMoneyPicture(replay, run)}</figure>
</div>
${renderSections([
  { id: 'costs', title: 'What the session costs', body: renderTotals(replay) },
  { id: 'compressions', title: 'Compressions', body: renderCompressions(run) },
  { id: 'requests', title: 'Request by request', body: renderRequests(replay, run) },
])}
<ul class="caveats">${listCaveats(replay)
    .map((caveat) => `<li>${renderLine(caveat, LONGEST_CAVEAT)}</li>`)
    .join('')}</ul>`
}

function describeVerdict(replay: Replay, run: ReplayRun): string {
  const applied = listApplied(run).length
  if (applied === 0 && run.compressions.length > 0)
    return 'Nothing could be compressed: the cost is the same.'
  const waiting = describeWaiting(run)
  if (applied === 0) return `Nothing had to be compressed: ${waiting ?? 'the cost is the same'}.`
  const lifetime =
    replay.runs.length > 1 ? ` with a ${describeLifetime(run.cacheLifetimeSeconds)}` : ''
  const change = renderCostChange(run.without.money, run.with.money)
  const amounts = `${renderMoney(run.with.money, replay)} instead of ${renderMoney(run.without.money, replay)} (${change})${lifetime}`
  return `Compressed ${renderPlural(applied, 'time')}: ${amounts}${replay.hasPrices ? '' : ', in input tokens'}.`
}

function renderTotals(replay: Replay): string {
  const rows = listTotals(replay, {
    summaries: 'of it for summaries',
    readAgain: 'reading again what was lost',
  })
  const cells = rows.map(([title = '', ...values]) => [
    renderRowHead(escapeHtml(title)),
    ...values.map(renderCell),
  ])
  return renderPageTable(
    'Without and with compression',
    ['all requests', 'without', 'with', 'change'],
    cells,
  )
}

function renderCompressions(run: ReplayRun): string {
  if (run.compressions.length === 0) return ''
  const head = ['request', 'tokens before', 'after', 'needed later', 'of it lost', 'lost, such as']
  const rows = run.compressions.map((compression) => [
    renderRowHead(renderCount(compression.request)),
    renderCell(renderCount(compression.tokensBefore)),
    renderCell(renderCount(compression.tokensAfter)),
    ...renderNeeded(compression).map(renderCell),
    `<td class="names">${escapeHtml(listNames(compression))}</td>`,
  ])
  return renderPageTable('Each compression', head, rows)
}

const MOST_NAMES = 3
const LONGEST_NAME = 80
const LONGEST_CAVEAT = 1000

function listNames(compression: ReplayedCompression): string {
  const { missing } = compression
  const names = missing.slice(0, MOST_NAMES).map((name) => {
    const redacted = redactSecrets(name)
    return redacted.length > LONGEST_NAME ? `${redacted.slice(0, LONGEST_NAME)}…` : redacted
  })
  const rest = missing.length - names.length
  return (
    nameOutcome(compression) ||
    `${names.join(', ')}${rest > 0 ? ` and ${renderCount(rest)} more` : ''}`
  )
}

function renderRequests(replay: Replay, run: ReplayRun): string {
  const marked = new Set(listApplied(run).map(({ request }) => request - 1))
  const head = [
    'request',
    'turn',
    'tokens without',
    'tokens with',
    'cost without',
    'cost with',
    'remark',
  ]
  const rows = run.requests.map((request, row) => {
    const [number = '', ...cells] = listCells(request, marked.has(row), replay)
    return [renderRowHead(number), ...cells.map(renderCell)]
  })
  return `<details><summary>Tokens and cost</summary>${renderPageTable('Tokens and cost of each request', head, rows, marked)}</details>`
}

/** A session as two SVG charts: how large each request is, and what all of them together cost. */
const WIDTH = 420
const PLOT = { left: 52, right: 356, top: 12, bottom: 212 }
const HEIGHT = 250
const MOST_POINTS = 600
// More lines than these would be a grey field.
const MOST_LINES = 40

interface Chart {
  readonly title: string
  /** One value for each request. */
  readonly without: readonly number[]
  readonly compressed: readonly number[]
  readonly renderValue: (value: number) => string
  /** Drawn across, with their names. */
  readonly limits: readonly { readonly name: string; readonly value: number }[]
}

export function renderTokenPicture(
  { windowTokens, thresholdTokens }: Replay,
  run: ReplayRun,
): string {
  const chart: Chart = {
    title: 'Tokens of each request',
    without: run.requests.map(({ tokensWithout }) => tokensWithout),
    compressed: run.requests.map(({ tokens }) => tokens),
    renderValue: renderShort,
    limits: [
      { name: 'window', value: windowTokens },
      { name: 'threshold', value: thresholdTokens },
    ],
  }
  return renderChart(chart, run)
}

function renderMoneyPicture({ hasPrices }: Replay, run: ReplayRun): string {
  const chart: Chart = {
    title: hasPrices ? 'Paid so far, in dollars' : 'Input tokens so far',
    without: accumulate(run.requests.map(({ moneyWithout }) => moneyWithout)),
    compressed: accumulate(run.requests.map(({ money }) => money)),
    renderValue: hasPrices ? (value) => `$${Number(value.toPrecision(3))}` : renderShort,
    limits: [],
  }
  return renderChart(chart, run)
}

function renderChart(
  { title, without, compressed, renderValue, limits }: Chart,
  run: ReplayRun,
): string {
  const requests = run.requests.length
  const applied = listApplied(run)
  const most = findLargest([...without, ...compressed])
  // A window far above everything that is sent would flatten the lines.
  const shown = limits.filter(({ value }) => value <= most * 1.5)
  const ticks = chooseTicks(findLargest([most, ...shown.map(({ value }) => value)]))
  const high = ticks.at(-1) ?? 1
  const scaleX = (index: number) =>
    PLOT.left + (index / Math.max(requests - 1, 1)) * (PLOT.right - PLOT.left)
  const scaleY = (value: number) => PLOT.bottom - (value / high) * (PLOT.bottom - PLOT.top)
  const told = `without compression up to ${renderValue(findLargest(without))}, with compression up to ${renderValue(findLargest(compressed))}`
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(`${title}: ${told}`)}">`,
    `<title>${escapeHtml(title)}</title>`,
    ...ticks.map((tick) => renderTick(renderValue(tick), scaleY(tick))),
    ...spreadPlaces(Math.max(requests - 1, 0)).map((place) =>
      renderRequestTick(place + 1, scaleX(place)),
    ),
    `<text class="axis" x="${(PLOT.left + PLOT.right) / 2}" y="${HEIGHT - 4}" text-anchor="middle">request</text>`,
    ...applied.map(({ request, tokensBefore, tokensAfter }) =>
      renderMark(
        scaleX(request - 1),
        `Request ${request}: compressed from ${renderCount(tokensBefore)} to ${renderCount(tokensAfter)} tokens`,
        applied.length > MOST_LINES,
      ),
    ),
    renderCurve('baseline', without, scaleX, scaleY),
    renderCurve('strategy', compressed, scaleX, scaleY),
    ...shown.map(({ name, value }, index) => renderLimit(name, scaleY(value), index === 0)),
    '</svg>',
  ].join('\n')
}

function renderTick(text: string, y: number): string {
  return `${renderAcross('grid', y)}<text x="${PLOT.left - 6}" y="${round(y + 4)}" text-anchor="end">${escapeHtml(text)}</text>`
}

function renderAcross(name: string, y: number): string {
  return `<line class="${name}" x1="${PLOT.left}" x2="${PLOT.right}" y1="${round(y)}" y2="${round(y)}"/>`
}

function renderRequestTick(request: number, x: number): string {
  return `<text x="${round(x)}" y="${PLOT.bottom + 16}" text-anchor="middle">${renderCount(request)}</text>`
}

/**
 * The names are next to the plot and hide no line. If two lines are near, the lower name is moved
 * down.
 */
function renderLimit(name: string, y: number, isUpper: boolean): string {
  return `${renderAcross('limit', y)}<text class="limit-name" x="${PLOT.right + 4}" y="${round(isUpper ? y : y + 9)}">${escapeHtml(name)}</text>`
}

function renderMark(x: number, said: string, isCrowded: boolean): string {
  const line = `<line class="mark" x1="${round(x)}" x2="${round(x)}" y1="${PLOT.top}" y2="${PLOT.bottom}"/>`
  return `<g>${isCrowded ? '' : line}<circle class="mark" cx="${round(x)}" cy="${PLOT.bottom}" r="${isCrowded ? 1.5 : 3.5}"/><title>${escapeHtml(said)}</title></g>`
}

/** In a long session each point is the largest of several requests. */
function renderCurve(
  name: 'strategy' | 'baseline',
  values: readonly number[],
  scaleX: (index: number) => number,
  scaleY: (value: number) => number,
): string {
  const points = thinOut(values, MOST_POINTS).map(
    ({ start, top }) => `${round(scaleX(start))} ${round(scaleY(top))}`,
  )
  return `<path class="line ${name}" d="M${points.join('L')}"/>`
}

function accumulate(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => {
    sum += value
    return sum
  })
}
