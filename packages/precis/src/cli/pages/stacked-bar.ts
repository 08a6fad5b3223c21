import { round } from './chart-ticks.ts'
import { escapeHtml } from './escape-html.ts'

/** `name` is a class of the style; the title is shown where it is pointed at. */
export interface BarSegment {
  readonly name: string
  readonly value: number
  readonly title?: string
}

const WIDTH = 1000

/**
 * Segments beside each other, all of them as wide as their share of `whole`. Attributes, no style: the policy of a page allows
 * none in an element. Without a label it is decoration beside numbers that say the same.
 */
export function renderStackedBar(segments: readonly BarSegment[], whole: number, label?: string): string {
  let x = 0
  const rects = segments.map(({ name, value, title }) => {
    const start = x
    x += (value / Math.max(whole, 1)) * WIDTH
    if (value <= 0) return ''
    const inside = title === undefined ? '' : `<title>${escapeHtml(title)}</title>`
    return `<rect class="${name}" x="${round(start)}" width="${Math.max(round(x - start), 0.5)}" height="10">${inside}</rect>`
  })
  const role = label === undefined ? 'aria-hidden="true"' : `role="img" aria-label="${escapeHtml(label)}"`
  return `<svg class="bar" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" ${role}>${rects.join('')}</svg>`
}
