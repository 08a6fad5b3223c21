/** A list in which rows are marked: arrows move, Space marks, Enter takes, Esc leaves. */
import type { Key } from 'node:readline'
import { isCancel, Prompt } from '@clack/core'
import { type Colors, type Column, cutToWidth, renderTable } from './render.ts'

export interface MarkList {
  readonly title: string
  readonly columns: readonly (Column | string)[]
  /** Cells of every row, safe for a terminal. */
  readonly rows: readonly (readonly string[])[]
  /** What the marks come to, drawn below the list again with each of them. */
  readonly renderSum: (marked: ReadonlySet<number>) => string
}

const FRAME_ROWS = 8
const MIN_SHOWN = 3

/** Positions of the marked rows. Undefined if the user left. */
export async function mark(
  { title, columns, rows, renderSum }: MarkList,
  colors: Colors,
): Promise<ReadonlySet<number> | undefined> {
  const { stdin: input, stderr: output } = process
  const marked = new Set<number>()
  let selected = 0
  const countShown = () => Math.max((output.rows || 24) - FRAME_ROWS, MIN_SHOWN)
  const prompt = new Prompt<ReadonlySet<number>>(
    {
      input,
      output,
      initialValue: marked,
      render() {
        if (this.state === 'submit' || this.state === 'cancel') return ''
        const most = countShown()
        const width = output.columns || 80
        const start = Math.max(0, Math.min(selected - Math.floor(most / 2), rows.length - most))
        const cells = rows
          .slice(start, start + most)
          .map((row, index) => [marked.has(start + index) ? '●' : '○', ...row])
        const [heading = '', ...lines] = renderTable(['', ...columns], cells, {
          columns: width - 2,
          colors,
        }).split('\n')
        const keys = `↑↓ Space marks · Enter compresses · Esc leaves · ${selected + 1} of ${rows.length}`
        return [
          `${colors.cyan('?')} ${cutToWidth(title, width - 2)}`,
          `  ${heading}`,
          ...lines.map((line, index) =>
            start + index === selected ? `${colors.green('›')} ${colors.bold(line)}` : `  ${line}`,
          ),
          `  ${colors.bold(cutToWidth(renderSum(marked), width - 2))}`,
          `  ${colors.dim(cutToWidth(keys, width - 2))}`,
        ].join('\n')
      },
    },
    false,
  )
  const moves: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -10, pagedown: 10 }
  prompt.on('key', (_, key: Key) => {
    if (key.ctrl && key.name === 'd') prompt.state = 'cancel'
    if (key.name === 'space' && !marked.delete(selected)) marked.add(selected)
    selected = Math.max(Math.min(selected + (moves[key.name ?? ''] ?? 0), rows.length - 1), 0)
    prompt.value = marked
  })
  const result = await prompt.prompt()
  return isCancel(result) || result === undefined ? undefined : marked
}
