/** A session as two SVG charts: how large each request is, and what all of them together cost. */
import type { Replay, ReplayRun } from '../../evaluation/replay/replay.ts'
import { renderCount } from '../../terminal/render.ts'
import { listApplied } from '../describe-replay.ts'
import { chooseTicks, renderShort, round } from './chart-ticks.ts'
import { escapeHtml } from './escape-html.ts'

const WIDTH = 420
const PLOT = { left: 52, right: 356, top: 12, bottom: 212 }
const HEIGHT = 250
const MOST_POINTS = 600
// More lines than these would be a grey field.
const MOST_LINES = 40

interface Series {
  readonly name: 'with' | 'without'
  /** One for each request. */
  readonly values: readonly number[]
}

interface Chart {
  readonly title: string
  readonly series: readonly Series[]
  readonly renderValue: (value: number) => string
  /** Drawn across, with their names. */
  readonly limits: readonly { readonly name: string; readonly value: number }[]
}

export function renderTokenPicture({ windowTokens, thresholdTokens }: Replay, run: ReplayRun): string {
  return renderChart(
    {
      title: 'Tokens of each request',
      series: [
        { name: 'without', values: run.requests.map(({ tokensWithout }) => tokensWithout) },
        { name: 'with', values: run.requests.map(({ tokens }) => tokens) },
      ],
      renderValue: renderShort,
      limits: [
        { name: 'window', value: windowTokens },
        { name: 'threshold', value: thresholdTokens },
      ],
    },
    run,
  )
}

export function renderMoneyPicture(replay: Replay, run: ReplayRun): string {
  return renderChart(
    {
      title: replay.hasPrices ? 'Paid so far, in dollars' : 'Input tokens so far',
      series: [
        { name: 'without', values: accumulate(run.requests.map(({ moneyWithout }) => moneyWithout)) },
        { name: 'with', values: accumulate(run.requests.map(({ money }) => money)) },
      ],
      renderValue: replay.hasPrices ? (value) => `$${Number(value.toPrecision(3))}` : renderShort,
      limits: [],
    },
    run,
  )
}

function renderChart({ title, series, renderValue, limits }: Chart, run: ReplayRun): string {
  const requests = run.requests.length
  const applied = listApplied(run)
  const most = series.reduce((top, { values }) => values.reduce((a, b) => Math.max(a, b), top), 0)
  // A window far above everything that is sent would flatten the lines.
  const shown = limits.filter(({ value }) => value <= most * 1.5)
  const ticks = chooseTicks(shown.reduce((top, { value }) => Math.max(top, value), most))
  const high = ticks.at(-1) ?? 1
  const scaleX = (index: number) => PLOT.left + (index / Math.max(requests - 1, 1)) * (PLOT.right - PLOT.left)
  const scaleY = (value: number) => PLOT.bottom - (value / high) * (PLOT.bottom - PLOT.top)
  const told = series.map(
    ({ name, values }) => `${name} compression up to ${renderValue(values.reduce((a, b) => Math.max(a, b), 0))}`,
  )
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(`${title}: ${told.join(', ')}`)}">`,
    `<title>${escapeHtml(title)}</title>`,
    ...ticks.map((tick) => renderTick(renderValue(tick), scaleY(tick))),
    ...chooseRequests(requests).map((request) => renderRequestTick(request, scaleX(request - 1))),
    `<text class="axis" x="${(PLOT.left + PLOT.right) / 2}" y="${HEIGHT - 4}" text-anchor="middle">request</text>`,
    ...applied.map(({ request, tokensBefore, tokensAfter }) =>
      renderMark(
        scaleX(request - 1),
        `Request ${request}: compressed from ${renderCount(tokensBefore)} to ${renderCount(tokensAfter)} tokens`,
        applied.length > MOST_LINES,
      ),
    ),
    ...series.map(({ name, values }) => renderLine(name, values, scaleX, scaleY)),
    ...shown.map(({ name, value }, index) => renderLimit(name, scaleY(value), index === 0)),
    '</svg>',
  ].join('\n')
}

function chooseRequests(requests: number): number[] {
  const places = [0, 0.25, 0.5, 0.75, 1].map((share) => 1 + Math.round(share * Math.max(requests - 1, 0)))
  return [...new Set(places)]
}

function renderTick(text: string, y: number): string {
  const line = `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${round(y)}" y2="${round(y)}"/>`
  return `${line}<text x="${PLOT.left - 6}" y="${round(y + 4)}" text-anchor="end">${escapeHtml(text)}</text>`
}

function renderRequestTick(request: number, x: number): string {
  return `<text x="${round(x)}" y="${PLOT.bottom + 16}" text-anchor="middle">${renderCount(request)}</text>`
}

/** The names stand beside the plot, where no line is hidden behind them; the lower one a little lower, for two near lines. */
function renderLimit(name: string, y: number, isUpper: boolean): string {
  const line = `<line class="limit" x1="${PLOT.left}" x2="${PLOT.right}" y1="${round(y)}" y2="${round(y)}"/>`
  return `${line}<text class="limit-name" x="${PLOT.right + 4}" y="${round(isUpper ? y : y + 9)}">${escapeHtml(name)}</text>`
}

function renderMark(x: number, said: string, isCrowded: boolean): string {
  const line = `<line class="mark" x1="${round(x)}" x2="${round(x)}" y1="${PLOT.top}" y2="${PLOT.bottom}"/>`
  return `<g>${isCrowded ? '' : line}<circle class="mark" cx="${round(x)}" cy="${PLOT.bottom}" r="${isCrowded ? 1.5 : 3.5}"/><title>${escapeHtml(said)}</title></g>`
}

/** Of a long session each point stands for the largest of several requests. */
function renderLine(
  name: Series['name'],
  values: readonly number[],
  scaleX: (index: number) => number,
  scaleY: (value: number) => number,
): string {
  const width = Math.max(Math.ceil(values.length / MOST_POINTS), 1)
  const points: string[] = []
  for (let start = 0; start < values.length; start += width) {
    const top = values.slice(start, start + width).reduce((a, b) => Math.max(a, b), 0)
    points.push(`${round(scaleX(start))} ${round(scaleY(top))}`)
  }
  return `<path class="line ${name === 'with' ? 'strategy' : 'baseline'}" d="M${points.join('L')}"/>`
}

function accumulate(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => {
    sum += value
    return sum
  })
}
