/** A list to pick from: arrows move, letters narrow it down, Enter takes, Esc leaves. */
import { type Component, decodeKittyPrintable, matchesKey } from '@mariozechner/pi-tui'
import { hasWords, splitWords } from '../sessions/words.ts'
import { type Colors, type Column, renderTable } from './render.ts'
import { type Style, wrapText } from './spans.ts'
import { cutToWidth, neutralizeLine } from './terminal-text.ts'

export interface ListChoice {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly ChoiceRow[]
  /** May complete rows while they are shown. */
  readonly complete?: (change: (row: ChoiceRow) => void, signal: AbortSignal) => Promise<void>
}

/** Safe for a terminal already. */
export interface ChoiceRow {
  /** Of the result; no two rows have the same. */
  readonly value: string
  readonly cells: readonly string[]
  /** Below the list while the row is selected. */
  readonly detail?: string
  /** What letters are looked for in; the cells where it is not given. */
  readonly searchText?: string
}

export interface PickerStyles {
  readonly colors: Colors
  readonly prompt: Style
  readonly quiet: Style
  readonly strong: Style
  readonly accent: Style
}

export interface PickerSettings {
  readonly choice: ListChoice
  readonly styles: PickerStyles
  /** Undefined when nothing was picked. */
  readonly onEnd: (value: string | undefined) => void
  /** Rows of the list that have a place. */
  readonly countShown?: () => number
}

export interface Picker extends Component {
  change(row: ChoiceRow): void
  readonly cancel: () => void
}

const MAX_SHOWN = 9
const MAX_DETAIL_LINES = 5
const MARGIN = '  '

export function createPicker({ choice, styles, onEnd, countShown = () => MAX_SHOWN }: PickerSettings): Picker {
  const rows = new Map(choice.rows.map((row) => [row.value, row]))
  let filter = ''
  let selected = 0
  let found: readonly ChoiceRow[] | undefined
  // Rows that match now may have come before the one that is selected.
  let kept: string | undefined
  const findRows = () => {
    if (found) return found
    const words = splitWords(filter)
    found = [...rows.values()].filter(({ cells, searchText }) => hasWords(searchText ?? cells.join(' '), words))
    const index = found.findIndex(({ value }) => value === kept)
    if (index >= 0) selected = index
    kept = undefined
    return found
  }
  const move = (to: number) => {
    selected = Math.max(Math.min(to, findRows().length - 1), 0)
  }
  const cancel = () => onEnd(undefined)
  return {
    change(row) {
      if (!rows.has(row.value)) return
      rows.set(row.value, row)
      kept ??= found?.[selected]?.value
      found = undefined
    },
    cancel,
    invalidate() {},
    handleInput(data) {
      if (matchesKey(data, 'up')) move(selected - 1)
      else if (matchesKey(data, 'down') || matchesKey(data, 'tab')) move(selected + 1)
      else if (matchesKey(data, 'pageUp')) move(selected - countShown())
      else if (matchesKey(data, 'pageDown')) move(selected + countShown())
      else if (matchesKey(data, 'home')) move(0)
      else if (matchesKey(data, 'end')) move(findRows().length - 1)
      else if (matchesKey(data, 'escape')) cancel()
      else if (matchesKey(data, 'enter')) {
        const row = findRows()[selected]
        if (row) onEnd(row.value)
      } else {
        const changed = changeFilter(filter, data)
        if (changed === filter) return
        filter = changed
        found = undefined
        kept = undefined
        // What was selected may be anywhere now; the first row is the newest.
        selected = 0
      }
    },
    render(columns) {
      const shown = findRows()
      move(selected)
      return renderPicker({ choice, rows: shown, selected, filter, mostShown: countShown() }, columns, styles)
    },
  }
}

const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S} ]$/u
const LONGEST_FILTER = 200
const PASTE_START = '\u001b[200~'
const PASTE_END = '\u001b[201~'

function changeFilter(filter: string, data: string): string {
  if (matchesKey(data, 'backspace')) return Array.from(filter).slice(0, -1).join('')
  if (data.startsWith(PASTE_START)) {
    const pasted = data.slice(PASTE_START.length).replace(PASTE_END, '')
    return (filter + neutralizeLine(pasted.slice(0, LONGEST_FILTER)).trim()).slice(0, LONGEST_FILTER)
  }
  const key = decodeKittyPrintable(data) ?? data
  return PRINTABLE.test(key) && filter.length < LONGEST_FILTER ? filter + key : filter
}

interface Picking {
  readonly choice: ListChoice
  readonly rows: readonly ChoiceRow[]
  readonly selected: number
  readonly filter: string
  readonly mostShown: number
}

function renderPicker(
  { choice, rows, selected, filter, mostShown }: Picking,
  columns: number,
  styles: PickerStyles,
): string[] {
  const start = Math.max(0, Math.min(selected - Math.floor(mostShown / 2), rows.length - mostShown))
  const shown = rows.slice(start, start + mostShown)
  const table = { columns: choice.columns, rows: shown.map(({ cells }) => cells) }
  const [heading = '', ...lines] = renderTable(table, columns, styles.colors).split('\n')
  const count = rows.length > mostShown ? ` · ${selected + 1} of ${rows.length}` : ''
  const keys = filter === '' ? `↑↓ Enter · Esc leaves · type to filter${count}` : `filter: ${filter}${count}`
  const detail = rows[selected]?.detail ?? ''
  const details = detail === '' ? [] : wrapText(detail, columns, { first: MARGIN }).slice(0, MAX_DETAIL_LINES)
  return [
    styles.quiet('─'.repeat(columns)),
    cutToWidth(`${styles.accent('?')} ${choice.title}`, columns + 20),
    heading,
    ...(rows.length === 0 ? [styles.quiet(`${MARGIN}nothing matches`)] : []),
    ...lines.map((line, index) =>
      start + index === selected ? `${styles.prompt('›')} ${styles.strong(line.slice(MARGIN.length))}` : line,
    ),
    ...details,
    styles.quiet(cutToWidth(`${MARGIN}${keys}`, columns)),
    styles.quiet('─'.repeat(columns)),
  ]
}
