import type { ContextCompression, Report } from '@precis/core'
import { explainSubstitute, renderFacts, renderWork } from '../../cli/compress-report.ts'
import { renderCount, renderDollars, renderShare } from '../../terminal/render.ts'
import { JOINING_SPACE, type Span, wrapSpans, wrapText } from '../../terminal/spans.ts'
import { neutralizeLine } from '../../terminal/terminal-text.ts'
import { MARGIN } from './entry.ts'
import type { Palette } from './palette.ts'

const MIN_TABLE_COLUMNS = 64

/** What a compression did, why it did nothing, or why it failed. */
export function renderCompressionReport(compression: ContextCompression, columns: number, palette: Palette): string[] {
  const head = renderCompressionLine(compression, columns, palette)
  const { outcome, report } = compression
  if (outcome.type !== 'compressed' || !report) return head
  const indent = { first: MARGIN, rest: `${MARGIN}  ` }
  const work = renderWork(report).flatMap((line) => wrapText(line, columns, indent, palette.quiet))
  return [...head, ...work, ...renderReceiptRows(report, columns, palette)]
}

function renderReceiptRows(report: Report, columns: number, palette: Palette): string[] {
  const kinds = Object.entries(report.receipt.kinds).filter(([, { total }]) => total > 0)
  if (kinds.length === 0) return []
  if (columns >= MIN_TABLE_COLUMNS) return ['', ...renderFacts(report, palette.colors).split('\n')]
  return kinds.map(([kind, { total, verbatim, retrievable, missing }]) => {
    const count = `${MARGIN}${kind} ${renderCount(verbatim)} of ${renderCount(total)}`
    const others = [
      ...(retrievable > 0 ? [`${renderCount(retrievable)} to recall`] : []),
      ...(missing > 0 ? [`${renderCount(missing)} missing`] : []),
    ]
    return palette.quiet([count, ...others].join(', '))
  })
}

/** One line where there is room for it: before, after, and what it saves. */
export function renderCompressionLine(
  compression: ContextCompression,
  columns: number,
  palette: Palette,
  pausedSummarizer?: string,
): string[] {
  const isDone = compression.outcome.type === 'compressed'
  const mark = isDone ? palette.accent('◆') : palette.warning('◇')
  const { report, trigger } = compression
  // A report that was asked for has a line of its own for it.
  const substitute = report && trigger !== 'manual' ? explainSubstitute(report, pausedSummarizer) : undefined
  const spans = [
    ...describe(compression, palette),
    ...(substitute === undefined ? [] : [{ text: ` · ${substitute}`, style: palette.warning }]),
  ]
  return wrapSpans(spans, columns, { first: `${mark} `, rest: MARGIN })
}

function describe(
  { outcome, trigger, tokensBefore, tokensAfter, report }: ContextCompression,
  palette: Palette,
): Span[] {
  if (outcome.type !== 'compressed') return [{ text: explainOutcome(outcome) }]
  const why = WHY[trigger]
  // Both counted here: what the provider counted before has no counterpart after.
  const [before, after] = report ? [report.before.tokens, report.after.tokens] : [tokensBefore, tokensAfter]
  const share = renderShare(after, before)
  const isClipped = report?.rungs.some(({ name }) => name === 'clip-parts')
  const saved = report?.cost ? report.cost.before - report.cost.after : 0
  return [
    { text: `compressed${why}: ` },
    { text: `${join(`${renderCount(before)} → ${renderCount(after)}`)} tokens`, style: palette.strong },
    { text: ` (${join(share)})`, style: palette.quiet },
    ...(saved > 0 ? [{ text: ` · saves ${renderDollars(saved)} a request without cache`, style: palette.good }] : []),
    ...(isClipped ? [{ text: ' · what alone was too large is cut in its middle', style: palette.warning }] : []),
  ]
}

/** What belongs on one line. */
function join(text: string): string {
  return text.replaceAll(' ', JOINING_SPACE)
}

const WHY: Readonly<Record<ContextCompression['trigger'], string>> = {
  threshold: ' to make room',
  manual: '',
  'model-switch': ' for the new model',
  overflow: ', because the provider found it too long',
  economy: ', because it pays',
}

/** Why there is nothing new, in words. */
function explainOutcome(outcome: ContextCompression['outcome']): string {
  switch (outcome.type) {
    case 'compressed':
      return 'compressed.'
    case 'unchanged':
      return `nothing to compress: ${outcome.reason.replaceAll('-', ' ')}.`
    case 'ineffective':
      return `not compressed: it would save only ${Math.round(outcome.savedShare * 100)} %.`
    case 'recall-too-low':
      return `not compressed: the result would keep ${Math.round(outcome.recall * 100)} % of the facts, ${Math.round(outcome.minRecall * 100)} % are wanted.`
    case 'cannot-fit': {
      const { item, itemTokens, budgetTokens } = outcome.refusal
      return `cannot fit ${renderCount(budgetTokens)} tokens: ${neutralizeLine(item)} alone has ${renderCount(itemTokens)}.`
    }
    case 'summary-failed':
      return `not compressed: ${neutralizeLine(outcome.summarizer)} gave no summary. ${outcome.problems.map(neutralizeLine).join(' ')}`.trim()
    case 'vetoed':
      return `not compressed: ${neutralizeLine(outcome.reason)}`
    case 'discarded':
      return 'not compressed: the history changed meanwhile.'
    case 'aborted':
      return 'cancelled; the history is as it was.'
    case 'failed':
      return `compressing failed: ${neutralizeLine(outcome.error.message)} The history is as it was.`
  }
}
