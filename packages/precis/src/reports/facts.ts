/** What happened to the facts of removed text, as text and tables. */
import type { Report } from '@precis/core'
import type { LocatedFact } from '../archive/locate-facts.ts'
import {
  type Colors,
  neutralizeLine,
  type Page,
  renderCount,
  renderTable,
  renderTurnNumber,
  renderUserWords,
  right,
} from '../terminal/render.ts'

/** The user's words, if there are any, and the facts. One line each. */
export function renderReceipt({ receipt }: Pick<Report, 'receipt'>): string[] {
  return [renderUserWords(receipt.words), renderFactSums(receipt)].filter((line) => line !== '')
}

function renderFactSums(receipt: Report['receipt']): string {
  const sums = { total: 0, verbatim: 0, retrievable: 0, missing: 0 }
  for (const { total, verbatim, retrievable, missing, stale } of Object.values(receipt.kinds)) {
    sums.total += total - stale
    sums.verbatim += verbatim
    sums.retrievable += retrievable
    sums.missing += missing
  }
  if (sums.total === 0) return 'facts in removed text: none'
  const recalled = sums.retrievable > 0 ? `, ${renderCount(sums.retrievable)} can be recalled` : ''
  return `facts in removed text: ${renderCount(sums.verbatim)} of ${renderCount(sums.total)} kept verbatim${recalled}, ${renderCount(sums.missing)} missing`
}

export function renderFacts({ receipt }: Pick<Report, 'receipt'>, colors: Colors): string {
  const states = ['total', 'verbatim', 'retrievable', 'missing', 'stale'] as const
  const rows = Object.entries(receipt.kinds)
    .filter(([, { total }]) => total > 0)
    .map(([kind, counts]) => [kind, ...states.map((state) => renderCount(counts[state]))])
  return renderTable(['facts removed', ...states.map(right)], rows, {
    columns: Number.POSITIVE_INFINITY,
    colors,
  })
}

const MOST_NAMES = 5

/**
 * Names by a model that occur nowhere in the original, in one line. Undefined if a model wrote
 * none.
 */
export function renderNames({
  checked,
  marked,
  unmarked,
}: NonNullable<Report['names']>): string | undefined {
  if (checked === 0) return undefined
  const unknown = [...new Set([...marked, ...unmarked])]
  if (unknown.length === 0)
    return `names: the model wrote ${renderCount(checked)}, all of them from the conversation`
  const listed = unknown.slice(0, MOST_NAMES).map(neutralizeLine).join(', ')
  const more =
    unknown.length > MOST_NAMES ? ` and ${renderCount(unknown.length - MOST_NAMES)} more` : ''
  const exception =
    unmarked.length > 0 ? `, except ${renderCount(unmarked.length)} without space for a mark` : ''
  const are = unknown.length === 1 ? 'stands' : 'stand'
  return `names: of ${renderCount(checked)} that the model wrote ${renderCount(unknown.length)} ${are} nowhere in the conversation, as marks in its text say${exception}: ${listed}${more}`
}

/** One line each, no wider than the page. */
export function renderGone(gone: readonly LocatedFact[], page: Page): string {
  if (gone.length === 0) return ''
  // Before the original is in the archive, no command finds them.
  const hasWays = gone.some(({ state, recall }) => recall || state !== 'retrievable')
  const columns = [
    { title: 'gone', style: page.colors.dim },
    { title: 'fact', shrinkTo: 12 },
    { title: 'turn', align: 'right' as const },
    // If a command would leave no space for the fact, it is only in "precis diff --json".
    ...(hasWays ? [{ title: 'to recall it', leaves: 1, style: page.colors.cyan }] : []),
  ]
  const rows = gone.map(({ kind, text, state, turn, recall }) => {
    const cells = [neutralizeLine(kind), neutralizeLine(text), renderTurnNumber(turn)]
    const way =
      recall?.command ?? (state === 'retrievable' ? 'with precis recall' : 'it is not kept')
    return hasWays ? [...cells, way] : cells
  })
  return renderTable(columns, rows, page)
}
