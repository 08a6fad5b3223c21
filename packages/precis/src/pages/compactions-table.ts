/** The compactions that agents made, as a table. */
import {
  COMPACTION_TITLES,
  LEGEND,
  listCompactionCells,
  listLostNames,
  NAMES_TITLE,
  NONE,
  type ShownCompaction,
} from '../terminal/compaction-cells.ts'
import { renderCount } from '../terminal/render.ts'
import type { InspectedPage } from './inspected-page.ts'
import {
  escapeHtml,
  renderCell,
  renderExcerptLines,
  renderLine,
  renderPageTable,
  renderRowHead,
  shareBytes,
} from './page.ts'

const MOST_NAMES = 5
const LONGEST_NAME = 100
const SUMMARY_BYTES = { all: 200_000, least: 1000, most: 20_000 }

/** Empty if there was no compaction. */
export function renderCompactionsTable({
  compactions,
}: Pick<InspectedPage, 'compactions'>): string {
  if (compactions.length === 0) return ''
  const excerptBytes = shareBytes(compactions.length, SUMMARY_BYTES)
  const summaries = compactions.map(({ summary }, index) =>
    summary === undefined
      ? ''
      : `<details><summary>The summary of compaction ${index + 1}</summary>${renderExcerptLines(summary, excerptBytes)}</details>`,
  )
  return `${renderCompactionRows('Each time the agent made its history shorter', 'number', compactions, (_, index) => renderRowHead(renderCount(index + 1)))}
${summaries.join('\n')}`
}

/** A row for each, below the title of its head. */
export function renderCompactionRows<Compaction extends ShownCompaction>(
  caption: string,
  headTitle: string,
  compactions: readonly Compaction[],
  renderHead: (compaction: Compaction, index: number) => string,
): string {
  const rows = compactions.map((compaction, index) => [
    renderHead(compaction, index),
    ...listCompactionCells(compaction).map(renderCell),
    renderNames(listLostNames(compaction, MOST_NAMES)),
  ])
  const marked = new Set(compactions.flatMap(({ by }, index) => (by === 'agent' ? [] : [index])))
  return `${renderPageTable(caption, [headTitle, ...COMPACTION_TITLES, NAMES_TITLE], rows, marked)}
<p class="hint">${escapeHtml(LEGEND.join(' '))}</p>`
}

function renderNames(names: readonly string[]): string {
  const items = names.map((name) => `<li>${renderLine(name, LONGEST_NAME)}</li>`)
  return `<td class="names">${items.length > 0 ? `<ul>${items.join('')}</ul>` : NONE}</td>`
}
