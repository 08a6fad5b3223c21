/**
 * Cost against recall as one SVG for each budget. Every point's name is in a column of its own, so
 * no two overlap.
 */

import { escapeHtml } from '../../packages/precis/src/pages/page.ts'
import type { CostRow } from './tables.ts'

const WIDTH = 420
const LABEL_HEIGHT = 15
const PLOT = { left: 40, right: 204, top: 14, bottom: 44, leastHeight: 230 }
const LABEL_LEFT = PLOT.right + 16
const LONGEST_LABEL = 28
const MOST_TICKS = 4

interface Dot {
  readonly row: CostRow
  readonly x: number
  readonly y: number
}

/** Undefined when no method has both a cost and a recall. */
export function renderCostPicture(rows: readonly CostRow[], title: string): string | undefined {
  const shown = rows.filter(({ recall, method }) => recall && method.kind !== 'control')
  if (shown.length === 0) return undefined
  const height = Math.max(PLOT.leastHeight, shown.length * LABEL_HEIGHT)
  const bottom = PLOT.top + height
  const costs = shown.flatMap(({ cost }) => [cost.mean, ...(cost.interval ?? [])])
  const ticks = chooseTicks(Math.min(...costs), Math.max(...costs))
  const [low = 0, high = 1] = [ticks.at(0), ticks.at(-1)]
  const scaleX = (value: number) =>
    PLOT.left + ((value - low) / (high - low)) * (PLOT.right - PLOT.left)
  const scaleY = (value: number) => bottom - value * height
  const dots = shown
    .map((row) => ({ row, x: scaleX(row.cost.mean), y: scaleY(row.recall?.mean ?? 0) }))
    .sort((a, b) => a.y - b.y)
  const labels = spreadLabels(dots, bottom)
  return [
    `<svg viewBox="0 0 ${WIDTH} ${bottom + PLOT.bottom}" role="img" aria-label="${escapeHtml(title)}">`,
    `<title>${escapeHtml(title)}</title>`,
    ...ticks.map((tick) => renderVerticalTick(tick, scaleX(tick), bottom)),
    ...[0, 0.2, 0.4, 0.6, 0.8, 1].map((tick) => renderHorizontalTick(tick, scaleY(tick))),
    `<text class="axis" x="${(PLOT.left + PLOT.right) / 2}" y="${bottom + 36}" text-anchor="middle">cost, of no compression (less is better)</text>`,
    `<text class="axis" transform="translate(11 ${PLOT.top + height / 2}) rotate(-90)" text-anchor="middle">gCRR (more is better)</text>`,
    ...dots.map((dot) => renderIntervals(dot, scaleX, scaleY)),
    ...dots.map((dot, index) => renderLabel(dot, labels[index] ?? dot.y)),
    ...dots.map(renderDot),
    '</svg>',
  ].join('\n')
}

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5]

/** Round numbers around everything that is shown. */
function chooseTicks(least: number, most: number): number[] {
  const step =
    STEPS.find((size) => Math.ceil(most / size) - Math.floor(least / size) <= MOST_TICKS) ?? 10
  const first = Math.floor(least / step)
  const count = Math.max(Math.ceil(most / step) - first, 1)
  return Array.from({ length: count + 1 }, (_, index) => (first + index) * step)
}

/** The height of each label: as near to its dot as the labels above and below leave room. */
function spreadLabels(dots: readonly Dot[], bottom: number): number[] {
  const heights: number[] = []
  for (const { y } of dots)
    heights.push(Math.max(y, (heights.at(-1) ?? Number.NEGATIVE_INFINITY) + LABEL_HEIGHT))
  let limit = bottom
  for (let index = heights.length - 1; index >= 0; index--) {
    heights[index] = Math.min(heights[index] ?? 0, limit)
    limit = (heights[index] ?? 0) - LABEL_HEIGHT
  }
  return heights
}

function renderVerticalTick(tick: number, x: number, bottom: number): string {
  const line = `<line class="grid" x1="${round(x)}" x2="${round(x)}" y1="${PLOT.top}" y2="${bottom}"/>`
  return `${line}<text x="${round(x)}" y="${bottom + 16}" text-anchor="middle">${Number(tick.toFixed(2))}</text>`
}

function renderHorizontalTick(tick: number, y: number): string {
  const line = `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${round(y)}" y2="${round(y)}"/>`
  return `${line}<text x="${PLOT.left - 6}" y="${round(y + 4)}" text-anchor="end">${tick}</text>`
}

function renderIntervals(
  { row, x, y }: Dot,
  scaleX: (value: number) => number,
  scaleY: (value: number) => number,
): string {
  const lines: string[] = []
  const [low, high] = row.recall?.interval ?? []
  if (low !== undefined && high !== undefined)
    lines.push(renderInterval(x, x, scaleY(low), scaleY(high)))
  const [cheap, dear] = row.cost.interval ?? []
  if (cheap !== undefined && dear !== undefined)
    lines.push(renderInterval(scaleX(cheap), scaleX(dear), y, y))
  return `<g class="interval ${row.method.kind}">${lines.join('')}</g>`
}

function renderInterval(x1: number, x2: number, y1: number, y2: number): string {
  return `<line x1="${round(x1)}" x2="${round(x2)}" y1="${round(y1)}" y2="${round(y2)}"/>`
}

function renderDot({ row, x, y }: Dot): string {
  const { method, cost, recall } = row
  const said = `${method.title}: cost ${cost.mean.toFixed(2)}, gCRR ${recall?.mean.toFixed(2)}`
  return `<circle class="dot ${method.kind}" cx="${round(x)}" cy="${round(y)}" r="4.5"><title>${escapeHtml(said)}</title></circle>`
}

function renderLabel({ row: { method, scored, points }, x, y }: Dot, height: number): string {
  const { title, kind } = method
  // A mean over the easy points alone must not look like the others.
  const said = scored < points ? `${title} ${scored}/${points}` : title
  const text = said.length > LONGEST_LABEL ? `${said.slice(0, LONGEST_LABEL - 1)}…` : said
  const line = `<path class="leader" d="M${round(x)} ${round(y)}L${LABEL_LEFT - 4} ${round(height)}"/>`
  return `${line}<text class="label ${kind}" x="${LABEL_LEFT}" y="${round(height + 4)}">${escapeHtml(text)}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
