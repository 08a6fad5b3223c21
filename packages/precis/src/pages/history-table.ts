/**
 * Every turn of a session, over all of its compactions: its cost, and the part of it that is left.
 */
import { NONE } from '../terminal/compaction-cells.ts'
import { renderCount, renderDollars, renderPlural, renderTime } from '../terminal/render.ts'
import type { InspectedPage, PastTurn } from './inspected-page.ts'
import { renderCell, renderLine, renderPageTable, renderRowHead } from './page.ts'

const MOST_TURNS = 400
const LONGEST_REQUEST = 120

/** A column of the table. */
interface TurnColumn {
  readonly title: string
  readonly render: (turn: PastTurn) => string
}

/** The newest turns of a long session. Empty if neither money nor losses are known. */
export function renderHistoryTable({
  history: { turns, isCompacted },
  usage,
}: InspectedPage): string {
  if (turns.length === 0 || !(isCompacted || usage)) return ''
  const columns: readonly TurnColumn[] = [
    { title: 'when', render: ({ time }) => (time === undefined ? NONE : renderTime(time)) },
    ...(usage ? MONEY : []),
    ...(isCompacted ? LEFT : []),
  ]
  const shown = turns.slice(-MOST_TURNS)
  const rows = shown.map((turn) => [
    renderRowHead(renderCount(turn.turn)),
    ...columns.map(({ render }) => renderCell(render(turn))),
    `<td class="names">${renderLine(turn.request, LONGEST_REQUEST)}</td>`,
  ])
  const kept = turns.filter(({ words }) => words === 'word for word').length
  const lead = `${renderCount(kept)} of your ${renderPlural(turns.length, 'message')} ${kept === 1 ? 'is' : 'are'} in the current context, word for word.`
  const hints = [
    ...(usage
      ? ['Cost: the requests of the turn as billed, with cache, at list prices. – not known.']
      : []),
    ...(isCompacted
      ? [
          'Shortened: only the beginning of the message is left. Still there: unchanged messages of the turn, including yours.',
        ]
      : []),
    ...(shown.length < turns.length
      ? [`${renderPlural(turns.length - shown.length, 'older turn')} not shown.`]
      : []),
  ]
  return `${isCompacted ? `<p class="lead">${lead}</p>` : ''}
${renderPageTable('All turns since the beginning', ['turn', ...columns.map(({ title }) => title), 'what you said'], rows)}
<p class="hint">${hints.join(' ')}</p>`
}

const MONEY: readonly TurnColumn[] = [
  { title: 'requests', render: ({ usage }) => (usage ? renderCount(usage.requests) : NONE) },
  {
    title: 'cost',
    render: ({ usage }) => (usage?.cost === undefined ? NONE : renderDollars(usage.cost)),
  },
]

const LEFT: readonly TurnColumn[] = [
  { title: 'your message', render: ({ words }) => words },
  {
    title: 'still there',
    render: ({ left, messages }) => `${renderCount(left)} of ${renderCount(messages)}`,
  },
]
