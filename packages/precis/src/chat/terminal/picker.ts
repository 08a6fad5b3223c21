/** A list to pick from in the place of the editor: arrows, letters narrow it down, Enter takes, Esc leaves. */
import { type Component, decodeKittyPrintable, matchesKey } from '@mariozechner/pi-tui'
import { renderTable } from '../../cli/render.ts'
import { cutToWidth } from '../../cli/terminal-text.ts'
import type { Choice, ChoiceRow } from './chat-view.ts'
import { MARGIN } from './entry.ts'
import type { Palette } from './palette.ts'
import { wrapText } from './spans.ts'

const MAX_SHOWN = 9
const MAX_DETAIL_LINES = 5

export interface Picker extends Component {
  change(row: ChoiceRow): void
  readonly cancel: () => void
}

export function createPicker(choice: Choice, palette: Palette, onEnd: (value: string | undefined) => void): Picker {
  let rows = [...choice.rows]
  let filter = ''
  let selected = 0
  const findRows = () => {
    const wanted = filter.toLowerCase()
    return rows.filter(({ cells }) => cells.join(' ').toLowerCase().includes(wanted))
  }
  const move = (by: number) => {
    const count = findRows().length
    if (count > 0) selected = Math.min(Math.max(selected + by, 0), count - 1)
  }
  const cancel = () => onEnd(undefined)
  return {
    change(row) {
      rows = rows.map((other) => (other.value === row.value ? row : other))
    },
    cancel,
    invalidate() {},
    handleInput(data) {
      if (matchesKey(data, 'up')) move(-1)
      else if (matchesKey(data, 'down') || matchesKey(data, 'tab')) move(1)
      else if (matchesKey(data, 'pageUp')) move(-MAX_SHOWN)
      else if (matchesKey(data, 'pageDown')) move(MAX_SHOWN)
      else if (matchesKey(data, 'escape')) cancel()
      else if (matchesKey(data, 'enter')) {
        const row = findRows()[selected]
        if (row) onEnd(row.value)
      } else {
        filter = changeFilter(filter, data)
        selected = Math.min(selected, Math.max(findRows().length - 1, 0))
      }
    },
    render: (columns) => renderPicker({ choice, rows: findRows(), selected, filter }, columns, palette),
  }
}

const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S} ]$/u

function changeFilter(filter: string, data: string): string {
  if (matchesKey(data, 'backspace')) return filter.slice(0, -1)
  const key = decodeKittyPrintable(data) ?? data
  return PRINTABLE.test(key) ? filter + key : filter
}

interface Picking {
  readonly choice: Choice
  readonly rows: readonly ChoiceRow[]
  readonly selected: number
  readonly filter: string
}

function renderPicker({ choice, rows, selected, filter }: Picking, columns: number, palette: Palette): string[] {
  const start = Math.max(0, Math.min(selected - Math.floor(MAX_SHOWN / 2), rows.length - MAX_SHOWN))
  const shown = rows.slice(start, start + MAX_SHOWN)
  const table = { columns: choice.columns, rows: shown.map(({ cells }) => cells) }
  const [heading = '', ...lines] = renderTable(table, columns, palette.colors).split('\n')
  const count = rows.length > MAX_SHOWN ? ` · ${selected + 1} of ${rows.length}` : ''
  const keys = filter === '' ? `↑↓ Enter · Esc leaves · type to filter${count}` : `filter: ${filter}${count}`
  const detail = rows[selected]?.detail ?? ''
  const details = detail === '' ? [] : wrapText(detail, columns, { first: MARGIN }).slice(0, MAX_DETAIL_LINES)
  return [
    palette.quiet('─'.repeat(columns)),
    cutToWidth(`${palette.accent('?')} ${choice.title}`, columns + 20),
    heading,
    ...(rows.length === 0 ? [palette.quiet(`${MARGIN}nothing matches`)] : []),
    ...lines.map((line, index) =>
      start + index === selected ? `${palette.prompt('›')} ${palette.strong(line.slice(MARGIN.length))}` : line,
    ),
    ...details,
    palette.quiet(cutToWidth(`${MARGIN}${keys}`, columns)),
    palette.quiet('─'.repeat(columns)),
  ]
}
