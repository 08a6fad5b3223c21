import { escapeHtml, round } from './page.ts'

/** `name` is a class of the style. The title is shown on hover. */
export interface BarSegment {
  readonly name: string
  readonly value: number
  readonly title?: string
}

const WIDTH = 1000

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
