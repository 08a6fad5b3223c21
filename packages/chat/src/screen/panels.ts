import { type Component, decodeKittyPrintable, matchesKey } from '@mariozechner/pi-tui'
import { neutralizeLine, neutralizeText, renderPlural } from '@precis/core/text'
import {
  type ChoiceRow,
  type ListChoice,
  MARGIN,
  type Palette,
  type YesNo,
} from '../rendering/chat-view.ts'
import { wrapText } from '../rendering/wrap.ts'

/** A list or a question instead of the editor, until it is answered. */
export interface Panel extends Component {
  readonly cancel: () => void
}

const MAX_SHOWN = 9
const MAX_DETAIL_LINES = 5

/**
 * A list to choose from. Arrows move, letters filter, Enter accepts, Esc leaves. `onEnd` gets
 * undefined if nothing was chosen.
 */
export class Picker implements Panel {
  readonly #choice: ListChoice
  readonly #palette: Palette
  readonly #onEnd: (value: string | undefined) => void
  readonly #rows: Map<string, ChoiceRow>
  #filter = ''
  #selected = 0
  #found: readonly ChoiceRow[] | undefined
  // Rows that match now may come before the selected one.
  #kept: string | undefined

  constructor(choice: ListChoice, palette: Palette, onEnd: (value: string | undefined) => void) {
    this.#choice = choice
    this.#palette = palette
    this.#onEnd = onEnd
    this.#rows = new Map(choice.rows.map((row) => [row.value, row]))
  }

  readonly cancel = (): void => this.#onEnd(undefined)

  invalidate(): void {}

  change(row: ChoiceRow): void {
    if (!this.#rows.has(row.value)) return
    this.#rows.set(row.value, row)
    this.#kept ??= this.#found?.[this.#selected]?.value
    this.#found = undefined
  }

  handleInput(data: string): void {
    const selected = this.#selected
    if (matchesKey(data, 'up')) this.#move(selected - 1)
    else if (matchesKey(data, 'down') || matchesKey(data, 'tab')) this.#move(selected + 1)
    else if (matchesKey(data, 'pageUp')) this.#move(selected - MAX_SHOWN)
    else if (matchesKey(data, 'pageDown')) this.#move(selected + MAX_SHOWN)
    else if (matchesKey(data, 'home')) this.#move(0)
    else if (matchesKey(data, 'end')) this.#move(this.#findRows().length - 1)
    else if (matchesKey(data, 'escape')) this.cancel()
    else if (matchesKey(data, 'enter')) {
      const row = this.#findRows()[selected]
      if (row) this.#onEnd(row.value)
    } else {
      const filter = changeFilter(this.#filter, data)
      if (filter === this.#filter) return
      this.#filter = filter
      this.#found = undefined
      this.#kept = undefined
      // The selected row may be anywhere now, so the latest is selected, which is first.
      this.#selected = 0
    }
  }

  render(columns: number): string[] {
    const rows = this.#findRows()
    this.#move(this.#selected)
    const selected = this.#selected
    const { accent, cut, prompt, quiet, strong, table } = this.#palette
    const start = Math.max(
      0,
      Math.min(selected - Math.floor(MAX_SHOWN / 2), rows.length - MAX_SHOWN),
    )
    const cells = rows.slice(start, start + MAX_SHOWN).map((row) => row.cells)
    const [heading = '', ...lines] = table({ columns: this.#choice.columns, rows: cells }, columns)
    const count = rows.length > MAX_SHOWN ? ` · ${selected + 1} of ${rows.length}` : ''
    const keys =
      this.#filter === ''
        ? `↑↓ Enter · Esc leaves · type to filter${count}`
        : `filter: ${this.#filter}${count}`
    const detail = rows[selected]?.detail ?? ''
    const details =
      detail === '' ? [] : wrapText(detail, columns, { first: MARGIN }).slice(0, MAX_DETAIL_LINES)
    return [
      quiet('─'.repeat(columns)),
      cut(`${accent('?')} ${this.#choice.title}`, columns + 20),
      heading,
      ...(rows.length === 0 ? [quiet(`${MARGIN}nothing matches`)] : []),
      ...lines.map((line, index) =>
        start + index === selected ? `${prompt('›')} ${strong(line.slice(MARGIN.length))}` : line,
      ),
      ...details,
      quiet(cut(`${MARGIN}${keys}`, columns)),
      quiet('─'.repeat(columns)),
    ]
  }

  #findRows(): readonly ChoiceRow[] {
    if (this.#found) return this.#found
    // In any order and any case.
    const words = this.#filter.toLowerCase().split(/\s+/)
    const found = [...this.#rows.values()].filter(({ cells }) => {
      const text = cells.join(' ').toLowerCase()
      return words.every((word) => text.includes(word))
    })
    const index = found.findIndex(({ value }) => value === this.#kept)
    if (index >= 0) this.#selected = index
    this.#kept = undefined
    this.#found = found
    return found
  }

  #move(to: number): void {
    this.#selected = Math.max(Math.min(to, this.#findRows().length - 1), 0)
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
    return (filter + neutralizeLine(pasted.slice(0, LONGEST_FILTER)).trim()).slice(
      0,
      LONGEST_FILTER,
    )
  }
  const key = decodeKittyPrintable(data) ?? data
  return PRINTABLE.test(key) && filter.length < LONGEST_FILTER ? filter + key : filter
}

// Rows of the panel except the detail: its frame, the title, the subject and the keys.
const FRAME_ROWS = 10
const MAX_DETAIL_ROWS = 16
const MIN_DETAIL_ROWS = 3
const MAX_SUBJECT_ROWS = 3

/**
 * A question that is answered with one key. ↑ and ↓ scroll a long detail. `readRows` returns the
 * height of the terminal.
 */
export function createQuestion(
  asked: YesNo,
  palette: Palette,
  readRows: () => number,
  onEnd: (isYes: boolean) => void,
): Panel {
  let detail: { readonly columns: number; readonly rows: readonly string[] } = {
    columns: 0,
    rows: [],
  }
  let top = 0
  const countShown = () =>
    Math.min(Math.max(readRows() - FRAME_ROWS, MIN_DETAIL_ROWS), MAX_DETAIL_ROWS)
  const move = (by: number) => {
    top = Math.max(Math.min(top + by, detail.rows.length - countShown()), 0)
  }
  return {
    cancel: () => onEnd(false),
    invalidate() {},
    handleInput(data) {
      const key = (decodeKittyPrintable(data) ?? data).toLowerCase()
      if (key === 'y') onEnd(true)
      else if (key === 'n' || matchesKey(data, 'escape')) onEnd(false)
      else if (matchesKey(data, 'enter')) onEnd(asked.default)
      else if (matchesKey(data, 'up')) move(-1)
      else if (matchesKey(data, 'down')) move(1)
      else if (matchesKey(data, 'pageUp')) move(-countShown())
      else if (matchesKey(data, 'pageDown') || key === ' ') move(countShown())
    },
    render: (columns) => {
      if (detail.columns !== columns)
        detail = { columns, rows: renderDetail(asked, columns, palette) }
      move(0)
      const { accent, quiet, strong, warning } = palette
      const shown = detail.rows.slice(top, top + countShown())
      const subject = wrapText(accent(neutralizeLine(asked.what)), columns, { first: MARGIN })
      const total = renderPlural(detail.rows.length, 'line')
      const position = `${MARGIN}│ ${top + 1} to ${top + shown.length} of ${total} · ↑↓ shows the rest`
      const usual = quiet(`· Enter: ${asked.default ? 'yes' : 'no'}`)
      return [
        warning('─'.repeat(columns)),
        `${warning('?')} ${strong(asked.title)}`,
        ...subject.slice(0, MAX_SUBJECT_ROWS),
        ...(subject.length > MAX_SUBJECT_ROWS ? [quiet(`${MARGIN}…`)] : []),
        ...shown,
        ...(detail.rows.length > shown.length ? [warning(position)] : []),
        `${MARGIN}${strong('y')} yes · ${strong('n')} no ${usual}`,
        warning('─'.repeat(columns)),
      ]
    },
  }
}

function renderDetail({ detail }: YesNo, columns: number, { quiet }: Palette): string[] {
  if (detail.trim() === '') return []
  const text = neutralizeText(detail.trimEnd().replaceAll('\t', '    '))
  return wrapText(text, columns, { first: `${MARGIN}${quiet('│')} ` })
}
