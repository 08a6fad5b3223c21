import { renderCount, renderDollars, renderPlural } from '@precis/core/text'
import type { SpentRow } from '../contract/chat-agent.ts'
import type { Column } from '../contract/ports.ts'
import { MARGIN, type Palette } from '../rendering/chat-view.ts'
import { renderShort } from '../rendering/status.ts'
import { wrapText } from '../rendering/wrap.ts'
import type { SlashCommand } from './command.ts'

const TITLES = ['input', 'cache read', 'cache write', 'output'] as const

const COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'model', shrinkTo: 8 },
  ...['requests', ...TITLES, 'cost'].map((title) => ({ title, align: 'right' as const })),
]

// The table fits from here on.
const MIN_WIDE = 100

export const costCommand: SlashCommand = {
  name: 'cost',
  aliases: ['usage'],
  summary: 'what this chat has cost so far, compressions apart',
  runsWhileAnswering: true,
  async run(_, { agent, view }) {
    const { requests, dollars, rows } = agent.spent
    const total = `${dollars === undefined ? '$?' : renderDollars(dollars)} in ${renderPlural(requests, 'request')}`
    const notes = listNotes(rows, agent.resumed?.from)
    view.show((columns, palette) => {
      const { accent, quiet, strong, table } = palette
      const isWide = columns >= MIN_WIDE
      const lines = rows.flatMap((row) => (isWide ? [] : renderNarrow(row, columns, palette)))
      const cells = rows.map((row) => renderRow(row, palette))
      const shown =
        isWide && rows.length > 0 ? table({ columns: COLUMNS, rows: cells }, columns - 2) : []
      return [
        `${accent('◆')} ${strong(total)}`,
        ...shown.map((line) => MARGIN + line),
        ...lines,
        ...notes.flatMap((note) => wrapText(quiet(note), columns, { first: MARGIN, rest: MARGIN })),
      ]
    })
  },
}

const MODEL_COLUMNS = 60

function renderRow(row: SpentRow, { preview }: Palette): string[] {
  return [
    row.purpose === 'summary' ? 'compression' : 'answers',
    preview(row.model, MODEL_COLUMNS),
    renderCount(row.requests),
    ...listTokens(row).map(renderCount),
    row.dollars === undefined ? '$?' : renderDollars(row.dollars),
  ]
}

/** The same in two lines, with short numbers. */
function renderNarrow(row: SpentRow, columns: number, palette: Palette): string[] {
  const cells = renderRow(row, palette)
  const [purpose, model, money] = [cells[0], cells[1], cells.at(-1)]
  const tokens = listTokens(row).map((count, at) => `${TITLES[at]} ${renderShort(count)}`)
  const rest = `${MARGIN}${MARGIN}`
  return [
    ...wrapText(
      `${purpose}: ${money} in ${renderPlural(row.requests, 'request')}, ${model}`,
      columns,
      { first: MARGIN, rest },
    ),
    ...wrapText(palette.quiet(tokens.join(', ')), columns, { first: rest, rest }),
  ]
}

/** In the order of `TITLES`. */
function listTokens(row: SpentRow): number[] {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = row
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens)
  return [fresh, cachedInputTokens, cacheWriteTokens, outputTokens]
}

function listNotes(rows: readonly SpentRow[], from: string | undefined): string[] {
  const unreported = rows.reduce((sum, row) => sum + row.unreported, 0)
  const hasSummaries = rows.some(({ purpose }) => purpose === 'summary')
  return [
    `Tokens, and dollars at list prices.${hasSummaries ? '' : ' Compressions asked no model.'}`,
    ...(rows.some(({ dollars }) => dollars === undefined)
      ? ['$?: the catalog has no price for this model.']
      : []),
    ...(unreported > 0
      ? [
          `${renderPlural(unreported, 'request')} without a reported usage, as after Esc: not in tokens and cost.`,
        ]
      : []),
    ...(from === undefined || from === 'chat'
      ? []
      : [`The part before this chat is in "precis cost": it continues a session of ${from}.`]),
  ]
}
