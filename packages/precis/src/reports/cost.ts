/** What sessions have cost, as a table and as JSON. */
import {
  type CostGroup,
  type CostRow,
  type CostSums,
  type Costs,
  isTimed,
} from '../sessions/costs.ts'
import { NONE } from '../terminal/compaction-cells.ts'
import { renderProject } from '../terminal/overview-cells.ts'
import {
  type Column,
  type Page,
  renderCount,
  renderDollars,
  renderPlural,
  renderPreview,
  renderTable,
  renderTime,
  right,
  wrapText,
} from '../terminal/render.ts'

interface CostView {
  readonly by: CostGroup
  readonly limit: number
}

const NAME_COLUMNS = 60
/** Dated names of models fit. What follows in longer ones tells no two of them apart. */
const LEAST_NAME_COLUMNS = 26
const LEAST_PATH_COLUMNS = 16

/** The latest rows, or the most expensive ones, and the sum of all. */
export function renderCosts({ rows, total }: Costs, { by, limit }: CostView, page: Page): string {
  const { bold, dim } = page.colors
  if (rows.length === 0) return 'No request is recorded.'
  const isTime = isTimed(by)
  const shown = isTime ? rows.slice(-limit) : rows.slice(0, limit)
  const left = rows.length - shown.length
  const more = dim(
    `  … ${renderCount(left)} ${isTime ? 'earlier' : 'more'}. --limit ${rows.length} shows all`,
  )
  const table = renderTable(
    listColumns(by, total),
    [...shown, { ...total, name: 'all' }].map((row) => listCells(row, by, total)),
    page,
  ).split('\n')
  const [heading = '', ...lines] = table
  const sum = lines.pop() ?? ''
  return [
    heading,
    ...(left > 0 && isTime ? [more] : []),
    ...lines,
    ...(left > 0 && !isTime ? [more] : []),
    bold(sum),
    ...listNotes(total, heading).map((note) => dim(wrapText(note, page.columns))),
  ].join('\n')
}

function listColumns(by: CostGroup, total: CostSums): (Column | string)[] {
  const isPath = by === 'project'
  return [
    {
      title: by,
      ...(!isTimed(by) && {
        shrinkTo: isPath ? LEAST_PATH_COLUMNS : LEAST_NAME_COLUMNS,
        keepsEnd: isPath,
      }),
    },
    ...(by === 'block' ? ['agent'] : []),
    { ...right('requests'), leaves: 2 },
    { ...right('input'), leaves: 5 },
    { ...right('cache written'), leaves: 6 },
    { ...right('cache read'), leaves: 7 },
    { ...right('output'), leaves: 8 },
    ...(total.elsewhereTokens > 0 ? [{ ...right('elsewhere'), leaves: 1 }] : []),
    right('cost'),
    ...(total.compactions > 0 ? [{ ...right('compactions'), leaves: 3 }] : []),
  ]
}

function listCells(row: CostRow, by: CostGroup, total: CostSums): string[] {
  const about = row.isOutputCounted ? '~' : ''
  const { compactions, compactionDollars, unrecordedDollars } = row
  const compacted = `${renderCount(compactions)}: ${unrecordedDollars > 0 ? '~' : ''}${renderDollars(compactionDollars + unrecordedDollars)}`
  return [
    renderName(row, by),
    ...(by === 'block' ? [row.agent ?? ''] : []),
    renderCount(row.requests),
    renderCount(row.input),
    renderCount(row.cacheWrite),
    renderCount(row.cacheRead),
    `${about}${renderCount(row.output)}`,
    ...(total.elsewhereTokens > 0 ? [renderCount(row.elsewhereTokens)] : []),
    row.dollars === 0 && (row.unpriced > 0 || row.isElsewhereUnpriced)
      ? NONE
      : `${about}${renderDollars(row.dollars)}`,
    ...(total.compactions > 0 ? [compactions > 0 ? compacted : ''] : []),
  ]
}

function renderName({ name }: CostRow, by: CostGroup): string {
  if (by === 'project' && name !== 'all') return renderProject(name)
  const isStart = by === 'block' && name.endsWith('Z')
  return isStart ? renderTime(new Date(name)) : renderPreview(name, NAME_COLUMNS)
}

/** A narrow table leaves out columns that need no note then. */
function listNotes(total: CostSums, heading: string): string[] {
  return [
    'At list prices, without subscriptions and discounts. A request counts once, in the session that began first.',
    ...(total.isOutputCounted
      ? [
          '~ answers are longer than the output that was recorded for them, and precis counted them.',
        ]
      : []),
    ...(total.unpriced > 0
      ? [`Without a known price, and not in the cost: ${renderPlural(total.unpriced, 'request')}.`]
      : []),
    ...(heading.includes('compactions')
      ? [
          'Compactions: how many, and what their summaries cost. With ~, the agent recorded no request for some of them: precis calculated it, and it is not part of the cost.',
        ]
      : []),
    ...(heading.includes('elsewhere')
      ? [
          `Elsewhere: tokens of sub-agents and compactions, of which the agent records only the sum.${total.isElsewhereUnpriced ? ' Some have no known price, and are not in the cost.' : ''}`,
        ]
      : []),
  ]
}

/** The object of `cost --json`. Its fields are in docs/commands/cost.md. */
export const toCostsJson = ({ rows, total }: Costs, by: CostGroup): object => ({ by, rows, total })
