import type { LocatedFact } from '../archive/locate-facts.ts'
import { renderTurnNumber } from '../terminal/render.ts'
import { renderCell, renderLine, renderPageTable, renderRowHead } from './page.ts'

// A few lines of a column.
const LONGEST_FACT = 400
const LONGEST_KIND = 60

/**
 * The most important facts that a compression removed, each with the command that recalls it. Empty
 * if no fact is named.
 */
export function renderGoneTable(gone: readonly LocatedFact[]): string {
  if (gone.length === 0) return ''
  const rows = gone.map(({ kind, text, turn, count, recall }) => {
    const way = recall
      ? `<code class="command">${renderLine(recall.command, LONGEST_FACT)}</code>`
      : 'not kept: precis itself wrote it, or there was no archive'
    return [
      renderRowHead(renderLine(text, LONGEST_FACT)),
      `<td>${renderLine(kind, LONGEST_KIND)}</td>`,
      renderCell(renderTurnNumber(turn)),
      renderCell(String(count)),
      `<td class="names">${way}</td>`,
    ]
  })
  return `${renderPageTable('The weightiest that are gone', ['fact', 'kind', 'turn', 'uses', 'to recall it'], rows)}
<p class="hint">The turn is the last one that contains it. Uses are parts of messages that contain it.</p>`
}
