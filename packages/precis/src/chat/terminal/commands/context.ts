import { createTokenCounter, findModel, type Inspection, inspect } from '@precis/core'
import { formats } from '@precis/core/formats'
import { renderLargest, renderTools } from '../../../cli/inspection.ts'
import { renderCount, renderShare } from '../../../terminal/render.ts'
import { wrapText } from '../../../terminal/spans.ts'
import type { WindowContents } from '../context-contents.ts'
import { MARGIN } from '../entry.ts'
import { listContents, renderFill, renderGauge } from '../gauge.ts'
import type { Palette } from '../palette.ts'
import type { SlashCommand } from './command.ts'

const MAX_ROWS = 6
const MAX_GAUGE = 76
const TOKEN_COLUMNS = 10

export const contextCommand: SlashCommand = {
  name: 'context',
  summary: 'what fills the window',
  runsWhileAnswering: true,
  async run(_, { agent, view, measure, workingDirectory }) {
    const contents = measure()
    const { state, messages } = agent.context
    const conversation = formats['ai-sdk'].parse([...messages])
    const inspection = inspect(conversation, createTokenCounter(findModel(state.model)))
    const decision = agent.context.advise()
    view.show((columns, palette) => [
      ...renderContents(contents, columns, palette),
      '',
      ...renderFattest(inspection, workingDirectory, columns, palette),
      ...wrapText(decision.explanation, columns, { first: MARGIN }, palette.quiet),
    ])
  },
}

function renderContents(contents: WindowContents, columns: number, palette: Palette): string[] {
  const rows = listContents(contents)
  const width = Math.max(...rows.map(({ name }) => name.length))
  return [
    `${palette.accent('◆')} ${palette.strong(renderFill(contents))}`,
    MARGIN + renderGauge(contents, Math.min(columns - 4, MAX_GAUGE), palette),
    ...rows.map(({ name, letter, kind, tokens }) => {
      const style = kind ? palette.kinds[kind] : palette.quiet
      const mark = style(kind && palette.hasColors ? '■' : letter)
      const count = renderCount(tokens).padStart(TOKEN_COLUMNS)
      const share = renderShare(tokens, contents.windowTokens).padStart(6)
      return `${MARGIN}${mark} ${name.padEnd(width)}${count}${palette.quiet(share)}`
    }),
  ]
}

function renderFattest(inspection: Inspection, workingDirectory: string, columns: number, palette: Palette): string[] {
  const page = { columns, colors: palette.colors }
  const { total } = inspection.tokens
  const tools = inspection.byTool.slice(0, MAX_ROWS)
  const largest = inspection.largest.slice(0, MAX_ROWS)
  return [
    ...(tools.length > 0
      ? [palette.strong(`${MARGIN}By tool`), ...renderTools(tools, total, page).split('\n'), '']
      : []),
    ...(largest.length > 0
      ? [
          palette.strong(`${MARGIN}Fattest items`),
          ...renderLargest(largest, total, workingDirectory, page).split('\n'),
          '',
        ]
      : []),
  ]
}
