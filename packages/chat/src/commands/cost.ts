import { renderCount, renderDollars, renderPlural } from '@precis/core/text'
import type { SpentRow } from '../contract/chat-agent.ts'
import type { Column } from '../contract/ports.ts'
import { MARGIN } from '../rendering/chat-view.ts'
import { renderShort } from '../rendering/status.ts'
import { wrapText } from '../rendering/wrap.ts'
import type { SlashCommand } from './command.ts'

const COLUMNS: readonly Column[] = [
  { title: '', shrinkTo: 11 },
  { title: 'model', shrinkTo: 8 },
  ...['requests', 'input', 'cache read', 'cache write', 'output', 'cost'].map((title) => ({
    title,
    align: 'right' as const,
  })),
]

// Numbers of full length fit from here on.
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
    view.show((columns, { accent, preview, quiet, strong, table }) => {
      const render = columns < MIN_WIDE ? renderShort : renderCount
      const cells = rows.map((row) => renderRow(row, render, preview(row.model, 60)))
      const shown = rows.length === 0 ? [] : table({ columns: COLUMNS, rows: cells }, columns - 2)
      return [
        `${accent('◆')} ${strong(total)}`,
        ...shown.map((line) => MARGIN + line),
        ...notes.flatMap((note) => wrapText(quiet(note), columns, { first: MARGIN, rest: MARGIN })),
      ]
    })
  },
}

function renderRow(row: SpentRow, render: (count: number) => string, model: string): string[] {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, dollars } = row
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens)
  return [
    row.purpose === 'summary' ? 'compression' : 'answers',
    model,
    renderCount(row.requests),
    ...[fresh, cachedInputTokens, cacheWriteTokens, outputTokens].map(render),
    dollars === undefined ? '$?' : renderDollars(dollars),
  ]
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
