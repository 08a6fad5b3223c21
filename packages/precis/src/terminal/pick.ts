/** A list to pick from: arrows move, letters narrow it down, Enter takes, Esc leaves. */
import type { Key } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { isCancel, Prompt } from '@clack/core'
import { hasWords, splitWords } from '../sessions/filter-sessions.ts'
import { type Colors, type Column, cutToWidth, type Page, renderTable } from './render.ts'

export interface ListChoice<Item extends object> {
  readonly title: string
  readonly columns: readonly (Column | string)[]
  /** In the order of the list. */
  readonly items: readonly Item[]
  /** Asked once for each item: for those on the screen, for all as soon as letters are typed, and in between. */
  readonly describe: (item: Item) => ChoiceRow
  /** More of an item, below its detail; asked once, when it is selected. Safe for a terminal already; empty for none. */
  readonly preview?: (item: Item) => string
  /** The line that takes the place of the list. */
  readonly renderPicked: (row: ChoiceRow) => string
}

/** Safe for a terminal already. */
export interface ChoiceRow {
  readonly cells: readonly string[]
  /** Below the list while the row is selected. */
  readonly detail: string
  /** The text in which typed letters are searched. */
  readonly searchText: string
}

// Of the frame: its rules, title, heading, detail and keys.
const FRAME_ROWS = 11
const MIN_SHOWN = 3
const MAX_SHOWN = 15
const MAX_DETAIL_ROWS = 3
// Two lines, on a terminal that has room for them.
const PREVIEW_ROWS = 4
const MAX_PREVIEW_ROWS = 2
const BATCH_ROWS = 25
const MARGIN = '  '
const SHOW_CURSOR = '\u001b[?25h'

/**
 * Lets the user pick an item, drawn below the cursor on standard error, and takes the list away again. Undefined when
 * nothing was picked: Esc, Ctrl+C, Ctrl+D, or a terminal that is gone. At every end the terminal is as it was.
 */
export async function pick<Item extends object>(choice: ListChoice<Item>, colors: Colors): Promise<Item | undefined> {
  const { stdin: input, stderr: output } = process
  const { describe, preview, complete } = createRows(choice)
  const gone = new AbortController()
  let found = choice.items
  let filter = ''
  let selected = 0
  const countRoom = () => (output.rows || 24) - FRAME_ROWS
  const hasPreview = () => choice.preview !== undefined && countRoom() >= PREVIEW_ROWS + MIN_SHOWN
  const countShown = () => Math.min(Math.max(countRoom() - (hasPreview() ? PREVIEW_ROWS : 0), MIN_SHOWN), MAX_SHOWN)
  const select = (index: number) => {
    selected = Math.max(Math.min(index, found.length - 1), 0)
    prompt.value = found[selected]
  }
  const prompt = new Prompt<Item>({
    input,
    output,
    signal: gone.signal,
    validate: () => (found.length === 0 ? 'nothing matches' : undefined),
    render() {
      const picked = this.state === 'submit' ? found[selected] : undefined
      if (picked !== undefined) return colors.dim(choice.renderPicked(describe(picked)))
      if (this.state === 'cancel') return ''
      const most = countShown()
      const start = Math.max(0, Math.min(selected - Math.floor(most / 2), found.length - most))
      const rows = found.slice(start, start + most).map(describe)
      const position = found.length > most ? ` · ${selected + 1} of ${found.length}` : ''
      const keys = filter === '' ? '↑↓ Enter · Esc leaves · type to filter' : `filter: ${filter}`
      const page = { columns: output.columns || 80, colors }
      const current = found[selected]
      const below = current
        ? [
            ...cutLines(describe(current).detail, page.columns * MAX_DETAIL_ROWS),
            ...cutLines(hasPreview() ? preview(current) : '', page.columns * MAX_PREVIEW_ROWS),
          ]
        : []
      return renderList(choice, { rows, selected: selected - start, below, keys: keys + position }, page).join('\n')
    },
  })
  const moves: Readonly<Record<string, () => number>> = {
    up: () => selected - 1,
    down: () => selected + 1,
    tab: () => selected + 1,
    pageup: () => selected - countShown(),
    pagedown: () => selected + countShown(),
    home: () => 0,
    end: () => found.length - 1,
  }
  prompt.on('userInput', (typed) => {
    if (typed === filter) return
    filter = typed
    const words = splitWords(filter)
    found = choice.items.filter((item) => words.length === 0 || hasWords(describe(item).searchText, words))
    select(0)
  })
  prompt.on('key', (_, key: Key) => {
    if (key.ctrl && key.name === 'd') prompt.state = 'cancel'
    const move = moves[key.name ?? '']
    if (move) select(move())
  })
  select(0)
  const leave = () => gone.abort()
  const restore = () => void output.write(SHOW_CURSOR)
  input.once('end', leave).once('error', leave)
  process.on('exit', restore)
  try {
    const [picked] = await Promise.all([prompt.prompt().finally(leave), complete(gone.signal)])
    return isCancel(picked) ? undefined : picked
  } finally {
    gone.abort()
    input.off('end', leave).off('error', leave)
    process.off('exit', restore)
  }
}

/** The rows of a choice, each described once. */
function createRows<Item extends object>({ items, describe, preview = () => '' }: ListChoice<Item>) {
  const rows = new Map<Item, ChoiceRow>()
  const previews = new Map<Item, string>()
  const find = (item: Item): ChoiceRow => {
    const row = rows.get(item) ?? describe(item)
    rows.set(item, row)
    return row
  }
  return {
    describe: find,
    preview: (item: Item): string => {
      const text = previews.get(item) ?? preview(item)
      previews.set(item, text)
      return text
    },
    /** Ahead of the letters that will ask for all of them; a few at a time, so that keys get through. */
    complete: async (signal: AbortSignal): Promise<void> => {
      for (let start = 0; start < items.length && !signal.aborted; start += BATCH_ROWS) {
        items.slice(start, start + BATCH_ROWS).forEach(find)
        await setImmediate()
      }
    },
  }
}

function cutLines(text: string, columns: number): string[] {
  return text === '' ? [] : text.split('\n').map((line) => cutToWidth(MARGIN + line, columns))
}

interface ShownList {
  /** They match the filter and have a place on the screen. */
  readonly rows: readonly ChoiceRow[]
  /** Index of one of them. */
  readonly selected: number
  /** Lines about the selected one. */
  readonly below: readonly string[]
  readonly keys: string
}

function renderList(
  choice: Pick<ListChoice<object>, 'title' | 'columns'>,
  { rows, selected, below, keys }: ShownList,
  page: Page,
): string[] {
  const { columns, colors } = page
  const cells = rows.map((row) => row.cells)
  const [heading = '', ...lines] = renderTable(choice.columns, cells, page).split('\n')
  const rule = colors.dim('─'.repeat(columns))
  return [
    rule,
    `${colors.cyan('?')} ${cutToWidth(choice.title, columns - 2)}`,
    heading,
    ...(rows.length === 0 ? [colors.dim(`${MARGIN}nothing matches`)] : []),
    ...lines.map((line, index) =>
      index === selected ? `${colors.bold(colors.green('›'))} ${colors.bold(line.slice(MARGIN.length))}` : line,
    ),
    ...below,
    colors.dim(cutToWidth(MARGIN + keys, columns)),
    rule,
  ]
}
