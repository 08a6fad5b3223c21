import { escapeHtml, renderShort, round } from './page.ts'

/**
 * Layers on top of each other along a line of positions. The plot is stretched to the width of the
 * page and the labels are text around it, so that they are as large on a phone as on a desk.
 *
 *   50k │      ▁▂▄ │ window
 *     0 │▁▂▃▅▆▇███ │
 *        0  …  40
 */
export interface ChartLayer {
  readonly name: string
  readonly values: readonly number[]
}

export interface AreaChart {
  /** For a reader who hears it. */
  readonly label: string
  readonly layers: readonly ChartLayer[]
  /** Drawn across if it is near enough. */
  readonly limit: number
  readonly marks?: readonly { readonly position: number; readonly title: string }[]
  /** Stretches that can be pointed at. */
  readonly columns?: readonly ChartColumn[]
  readonly axis: readonly string[]
}

export interface ChartColumn {
  readonly start: number
  readonly end: number
  /** HTML. */
  readonly title: string
  /** The place on the page that a click leads to. */
  readonly target: string
}

const WIDTH = 1000
const HEIGHT = 300
const MOST_POINTS = 400
const MOST_MARKS = 60

/** A window far above everything would flatten what there is. */
export function isNearEnough(limit: number, most: number): boolean {
  return limit <= most * 2
}

export function renderAreaChart({
  label,
  layers,
  limit,
  marks = [],
  columns = [],
  axis,
}: AreaChart): string {
  const positions = layers[0]?.values.length ?? 0
  const stacked = stackLayers(layers)
  const most = findLargest(stacked.at(-1) ?? [])
  const isLimitShown = isNearEnough(limit, most)
  const ticks = chooseTicks(isLimitShown ? Math.max(most, limit) : most)
  const high = ticks.at(-1) ?? 1
  const scaleX = (position: number) => round((position / Math.max(positions, 1)) * WIDTH)
  const scaleY = (value: number) => round(HEIGHT - (value / high) * HEIGHT)
  // The largest first. Smaller areas are drawn over it.
  const areas = layers
    .map(({ name }, index) => renderArea(name, stacked[index] ?? [], scaleX, scaleY))
    .reverse()
  const line = (name: string, value: number) =>
    `<line class="${name}" x1="0" x2="${WIDTH}" y1="${scaleY(value)}" y2="${scaleY(value)}"/>`
  const plot = [
    `<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="${escapeHtml(label)}">`,
    ...ticks.map((tick) => line('grid', tick)),
    ...areas,
    isLimitShown ? line('limit', limit) : '',
    ...marks.slice(0, MOST_MARKS).map(({ position, title }) => renderMark(scaleX(position), title)),
    ...columns.map((column) => renderColumn(column, scaleX)),
    '</svg>',
  ]
  const labels = ticks.toReversed().map((tick) => `<span>${renderShort(tick)}</span>`)
  return `<div class="chart">
<div class="y-axis" aria-hidden="true">${labels.join('')}</div>
${plot.filter((line) => line !== '').join('\n')}
<div class="x-axis" aria-hidden="true">${axis.map((text) => `<span>${escapeHtml(text)}</span>`).join('')}</div>
</div>`
}

/** Each layer with all below it. */
export function stackLayers(layers: readonly ChartLayer[]): number[][] {
  let below: readonly number[] = []
  return layers.map(({ values }) => {
    const sums = values.map((value, index) => value + (below[index] ?? 0))
    below = sums
    return sums
  })
}

/**
 * In steps, because a position adds its tokens at once. If there are many positions, each step is
 * the largest of several.
 */
function renderArea(
  name: string,
  values: readonly number[],
  scaleX: (position: number) => number,
  scaleY: (value: number) => number,
): string {
  const steps = thinOut(values, MOST_POINTS).map(({ end, top }) => `V${scaleY(top)}H${scaleX(end)}`)
  return steps.length === 0
    ? ''
    : `<path class="${name}" d="M0 ${HEIGHT}${steps.join('')}V${HEIGHT}Z"/>`
}

function renderMark(x: number, title: string): string {
  return `<g><line class="mark" x1="${x}" x2="${x}" y1="0" y2="${HEIGHT}"/><title>${escapeHtml(title)}</title></g>`
}

/** Out of the order of the keyboard: the list of turns below leads to the same places. */
function renderColumn(
  { start, end, title, target }: ChartColumn,
  scaleX: (position: number) => number,
): string {
  const x = scaleX(start)
  const rect = `<rect class="column" x="${x}" width="${round(scaleX(end) - x)}" height="${HEIGHT}"><title>${title}</title></rect>`
  return `<a href="#${target}" tabindex="-1" aria-hidden="true">${rect}</a>`
}

/** `name` is a class of the style. The title is shown on hover. */
export interface BarSegment {
  readonly name: string
  readonly value: number
  readonly title?: string
}

/**
 * Segments next to each other, each as wide as its share of `whole`. They use attributes, because
 * the policy of a page allows no style in an element. Without a label they are decoration next to
 * the same numbers.
 */
export function renderStackedBar(
  segments: readonly BarSegment[],
  whole: number,
  label?: string,
): string {
  let x = 0
  const rects = segments.map(({ name, value, title }) => {
    const start = x
    x += (value / Math.max(whole, 1)) * WIDTH
    if (value <= 0) return ''
    const inside = title === undefined ? '' : `<title>${escapeHtml(title)}</title>`
    return `<rect class="${name}" x="${round(start)}" width="${Math.max(round(x - start), 0.5)}" height="10">${inside}</rect>`
  })
  const role =
    label === undefined ? 'aria-hidden="true"' : `role="img" aria-label="${escapeHtml(label)}"`
  return `<svg class="bar" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" ${role}>${rects.join('')}</svg>`
}

const MOST_TICKS = 5

/** Round steps from zero up to at least `most`. */
export function chooseTicks(most: number): number[] {
  const rough = Math.max(most, 1e-6) / MOST_TICKS
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough) ?? rough
  const count = Math.max(Math.ceil(most / step), 1)
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** The first position of an axis, the last and three between them. */
export function spreadPlaces(last: number): number[] {
  return [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * last)))]
}

/** A long row of values in at most `most` stretches, each as high as the largest value in it. */
export function thinOut(
  values: readonly number[],
  most: number,
): { start: number; end: number; top: number }[] {
  const width = Math.max(Math.ceil(values.length / most), 1)
  return Array.from({ length: Math.ceil(values.length / width) }, (_, index) => {
    const [start, end] = [index * width, Math.min((index + 1) * width, values.length)]
    return { start, end, top: findLargest(values.slice(start, end)) }
  })
}

/** 0 for an empty list. */
export function findLargest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}
