import stringWidth from 'string-width'
import { renderDollars, renderShare } from '../../terminal/render.ts'
import { cutToWidth, renderPreview } from '../../terminal/terminal-text.ts'
import type { WindowContents } from './context-contents.ts'
import { renderFill, renderGauge, renderLegend } from './gauge.ts'
import type { Palette } from './palette.ts'

export interface Status {
  /** `provider/model`. */
  readonly model: string
  readonly contents: WindowContents
  /** Undefined where a price is not known. */
  readonly dollars: number | undefined
}

const MIN_WIDE = 64
const MAX_GAUGE = 48
const MIN_GAUGE = 8

/** Below the editor: model, gauge and money on one line, and under it what the gauge shows where there is room. */
export function renderStatus(status: Status, columns: number, palette: Palette): string[] {
  const money = status.dollars === undefined ? '$?' : renderDollars(status.dollars)
  const { contents } = status
  const isWide = columns >= MIN_WIDE
  const model = isWide ? renderPreview(status.model, Math.floor(columns / 3)) : shortenModel(status.model, columns)
  const fill = isWide ? renderFill(contents) : renderShare(contents.tokens, contents.windowTokens)
  const gap = isWide ? '  ' : ' '
  const used = stringWidth([model, fill, money].join(gap)) + gap.length + 1
  const gauge = Math.min(columns - used - 1, MAX_GAUGE)
  const isUrgent = contents.tokens >= contents.thresholdTokens
  const parts = [
    palette.strong(model),
    ...(gauge >= MIN_GAUGE ? [renderGauge(contents, gauge, palette)] : []),
    isUrgent ? palette.warning(fill) : fill,
    palette.quiet(money),
  ]
  const line = ` ${parts.join(gap)}`
  const legend = isWide ? renderLegend(contents, columns - 1, palette) : ''
  return legend === '' ? [line] : [line, ` ${legend}`]
}

/** Without its provider and what every model of it begins with. */
function shortenModel(name: string, columns: number): string {
  const model = renderPreview(name.slice(name.lastIndexOf('/') + 1), 60)
  return cutToWidth(model.replace(/^(?:claude|gemini)-/, ''), Math.max(Math.floor(columns / 3), 6))
}
