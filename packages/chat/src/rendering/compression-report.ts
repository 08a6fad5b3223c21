import type { ContextCompression, Report } from '@precis/core'
import type { NoopReason } from '@precis/core/strategies'
import { neutralizeLine, renderCount, renderDollars, renderShare } from '@precis/core/text'
import { MARGIN, type Palette } from './chat-view.ts'
import { JOINING_SPACE, wrapText } from './wrap.ts'

const MIN_TABLE_COLUMNS = 64

/** Shows what a compression did, why it did nothing, or why it failed. */
export function renderCompressionReport(
  compression: ContextCompression,
  columns: number,
  palette: Palette,
): string[] {
  const head = renderCompressionLine(compression, columns, palette)
  const { outcome, report } = compression
  if (outcome.type !== 'compressed' || !report) return head
  const indent = { first: MARGIN, rest: `${MARGIN}  ` }
  const work = palette.reports
    .work(report)
    .flatMap((line) => wrapText(palette.quiet(line), columns, indent))
  return [...head, ...work, ...renderReceiptRows(report, columns, palette)]
}

function renderReceiptRows(report: Report, columns: number, palette: Palette): string[] {
  const kinds = Object.entries(report.receipt.kinds).filter(([, { total }]) => total > 0)
  if (kinds.length === 0) return []
  if (columns >= MIN_TABLE_COLUMNS) return ['', ...palette.reports.facts(report)]
  return kinds.map(([kind, { total, verbatim, retrievable, missing }]) => {
    const count = `${MARGIN}${kind} ${renderCount(verbatim)} of ${renderCount(total)}`
    const recallable = retrievable > 0 ? `, ${renderCount(retrievable)} to recall` : ''
    const lost = missing > 0 ? `, ${renderCount(missing)} missing` : ''
    return palette.quiet(count + recallable + lost)
  })
}

/** One line if it fits: before, after, and what it saves. */
export function renderCompressionLine(
  compression: ContextCompression,
  columns: number,
  palette: Palette,
  pausedSummarizer?: string,
): string[] {
  const isDone = compression.outcome.type === 'compressed'
  const mark = isDone ? palette.accent('◆') : palette.warning('◇')
  const { report, trigger } = compression
  // A report on request has separate lines for them.
  const notices =
    report && trigger !== 'manual' ? palette.reports.notices(report, pausedSummarizer) : []
  const notes = notices.map((notice) => palette.warning(` · ${notice}`)).join('')
  return wrapText(describe(compression, palette) + notes, columns, {
    first: `${mark} `,
    rest: MARGIN,
  })
}

function describe(
  compression: ContextCompression,
  { good, quiet, strong, warning }: Palette,
): string {
  const { outcome, trigger, tokensBefore, tokensAfter, report } = compression
  if (outcome.type !== 'compressed') return explainOutcome(outcome)
  // Both are counted here, because the provider's earlier count has no counterpart after the
  // compression.
  const [before, after] = report
    ? [report.before.tokens, report.after.tokens]
    : [tokensBefore, tokensAfter]
  const isClipped = report?.rungs.some(({ name }) => name === 'clip-parts')
  const saved = report?.cost ? report.cost.before - report.cost.after : 0
  // The same words, never broken across two lines.
  const join = (text: string) => text.replaceAll(' ', JOINING_SPACE)
  return [
    `compressed${WHY[trigger]}: `,
    strong(`${join(`${renderCount(before)} → ${renderCount(after)}`)} tokens`),
    quiet(` (${join(renderShare(after, before))})`),
    saved > 0 ? good(` · saves ${renderDollars(saved)} a request without cache`) : '',
    isClipped ? warning(' · what alone was too large is cut in its middle') : '',
  ].join('')
}

const WHY: Readonly<Record<ContextCompression['trigger'], string>> = {
  threshold: ' to make room',
  manual: '',
  'model-switch': ' for the new model',
  overflow: ', because the provider found it too long',
  economy: ', because it pays',
}

const NOOPS: Readonly<Record<NoopReason, string>> = {
  'empty-history': 'there is no message yet',
  'too-few-messages': 'there are too few messages, and the newest ones stay whole',
  'already-under-target': 'the history is as small as it shall become',
  'tail-covers-all': 'all of it is among the newest messages, which stay whole',
  'no-legal-cut': 'there is no place where it may be cut',
  'nothing-eligible': 'nothing of it may be removed',
}

/** Explains why there is no new result. */
function explainOutcome(outcome: ContextCompression['outcome']): string {
  switch (outcome.type) {
    case 'compressed':
      return 'compressed.'
    case 'unchanged':
      return `nothing to compress: ${NOOPS[outcome.reason]}.`
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
