import { createTokenCounter, findModel, type Inspection, inspect } from '@precis/core'
import { formats } from '@precis/core/formats'
import { renderCount, renderShare } from '@precis/core/text'
import { MARGIN, type Palette } from '../rendering/chat-view.ts'
import type { WindowContents } from '../rendering/context-contents.ts'
import { listContents, renderFill, renderGauge } from '../rendering/status.ts'
import { wrapText } from '../rendering/wrap.ts'
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
      ...wrapText(palette.quiet(decision.explanation), columns, { first: MARGIN }),
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

function renderFattest(
  inspection: Inspection,
  workingDirectory: string,
  columns: number,
  palette: Palette,
): string[] {
  const { reports, strong } = palette
  const { total } = inspection.tokens
  const tools = inspection.byTool.slice(0, MAX_ROWS)
  const largest = inspection.largest.slice(0, MAX_ROWS)
  const byTool = [strong(`${MARGIN}By tool`), ...reports.tools(tools, total, columns), '']
  const fattest = [
    strong(`${MARGIN}Largest items`),
    ...reports.largest(largest, total, workingDirectory, columns),
    '',
  ]
  return [...(tools.length > 0 ? byTool : []), ...(largest.length > 0 ? fattest : [])]
}
