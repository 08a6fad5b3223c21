/** A question that is answered with one key. */
import { type Component, decodeKittyPrintable, matchesKey } from '@mariozechner/pi-tui'
import { renderPlural } from '../../terminal/render.ts'
import { wrapExactly, wrapText } from '../../terminal/spans.ts'
import { neutralizeLine, neutralizeText } from '../../terminal/terminal-text.ts'
import type { YesNo } from './chat-view.ts'
import { MARGIN } from './entry.ts'
import type { Palette } from './palette.ts'

// Of the panel, without the detail: its frame, the title, what it is about and the keys.
const FRAME_ROWS = 10
const MAX_DETAIL_ROWS = 16
const MIN_DETAIL_ROWS = 3

export interface Question extends Component {
  readonly cancel: () => void
}

interface Detail {
  readonly columns: number
  readonly rows: readonly string[]
}

/** All of the detail can be read, however long: ↑ and ↓ move it. `readRows` gives the height of the terminal. */
export function createQuestion(
  asked: YesNo,
  palette: Palette,
  readRows: () => number,
  onEnd: (isYes: boolean) => void,
): Question {
  let wrapped: Detail = { columns: 0, rows: [] }
  let top = 0
  const countShown = () => Math.min(Math.max(readRows() - FRAME_ROWS, MIN_DETAIL_ROWS), MAX_DETAIL_ROWS)
  const move = (by: number) => {
    top = Math.max(Math.min(top + by, wrapped.rows.length - countShown()), 0)
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
      if (wrapped.columns !== columns) wrapped = { columns, rows: renderDetail(asked, columns, palette) }
      move(0)
      const shown = wrapped.rows.slice(top, top + countShown())
      return renderQuestion({ asked, shown, top, total: wrapped.rows.length }, columns, palette)
    },
  }
}

function renderDetail({ detail, isProse }: YesNo, columns: number, palette: Palette): string[] {
  if (detail.trim() === '') return []
  const wrap = isProse ? wrapText : wrapExactly
  const lines = neutralizeText(detail.trimEnd().replaceAll('\t', '    ')).split('\n')
  return lines.flatMap((line) =>
    wrap(line, columns - MARGIN.length * 2).map(
      (part) => `${MARGIN}${palette.quiet('│')} ${colorDiff(line, part, palette)}`,
    ),
  )
}

interface Asking {
  readonly asked: YesNo
  readonly shown: readonly string[]
  readonly top: number
  readonly total: number
}

const MAX_SUBJECT_ROWS = 3

function renderQuestion({ asked, shown, top, total }: Asking, columns: number, palette: Palette): string[] {
  const { title, what, default: isYes } = asked
  const subject = wrapText(neutralizeLine(what), columns, { first: MARGIN }, palette.accent)
  const position = `${MARGIN}│ ${top + 1} to ${top + shown.length} of ${renderPlural(total, 'line')} · ↑↓ shows the rest`
  return [
    palette.warning('─'.repeat(columns)),
    `${palette.warning('?')} ${palette.strong(title)}`,
    ...subject.slice(0, MAX_SUBJECT_ROWS),
    ...(subject.length > MAX_SUBJECT_ROWS ? [palette.quiet(`${MARGIN}…`)] : []),
    ...shown,
    ...(total > shown.length ? [palette.warning(position)] : []),
    `${MARGIN}${palette.strong('y')} yes · ${palette.strong('n')} no ${palette.quiet(`· Enter: ${isYes ? 'yes' : 'no'}`)}`,
    palette.warning('─'.repeat(columns)),
  ]
}

function colorDiff(line: string, part: string, { good, bad }: Palette): string {
  return line.startsWith('+') ? good(part) : line.startsWith('-') ? bad(part) : part
}
