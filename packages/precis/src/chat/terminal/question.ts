/** A question that is answered with one key. */
import { type Component, decodeKittyPrintable, matchesKey } from '@mariozechner/pi-tui'
import { neutralizeLine, neutralizeText } from '../../cli/terminal-text.ts'
import type { YesNo } from './chat-view.ts'
import { MARGIN } from './entry.ts'
import type { Palette } from './palette.ts'
import { wrapExactly, wrapText } from './spans.ts'

const MAX_DETAIL_LINES = 16

export interface Question extends Component {
  readonly cancel: () => void
}

export function createQuestion(asked: YesNo, palette: Palette, onEnd: (isYes: boolean) => void): Question {
  return {
    cancel: () => onEnd(false),
    invalidate() {},
    handleInput(data) {
      const key = (decodeKittyPrintable(data) ?? data).toLowerCase()
      if (key === 'y') onEnd(true)
      else if (key === 'n' || matchesKey(data, 'escape')) onEnd(false)
      else if (matchesKey(data, 'enter')) onEnd(asked.default)
    },
    render: (columns) => renderQuestion(asked, columns, palette),
  }
}

function renderQuestion(asked: YesNo, columns: number, palette: Palette): string[] {
  const { title, what, detail, default: isYes, isProse } = asked
  const wrap = isProse ? wrapText : wrapExactly
  const lines = neutralizeText(detail.trimEnd().replaceAll('\t', '    ')).split('\n')
  const shown = detail.trim() === '' ? [] : lines.slice(0, MAX_DETAIL_LINES)
  const more = shown.length > 0 ? lines.length - shown.length : 0
  return [
    palette.warning('─'.repeat(columns)),
    `${palette.warning('?')} ${palette.strong(title)}`,
    ...wrapText(neutralizeLine(what), columns, { first: MARGIN }, palette.accent),
    ...shown.flatMap((line) =>
      wrap(line, columns - MARGIN.length * 2).map(
        (part) => `${MARGIN}${palette.quiet('│')} ${colorDiff(line, part, palette)}`,
      ),
    ),
    ...(more > 0 ? [palette.quiet(`${MARGIN}│ … ${more} more lines`)] : []),
    `${MARGIN}${palette.strong('y')} yes · ${palette.strong('n')} no ${palette.quiet(`· Enter: ${isYes ? 'yes' : 'no'}`)}`,
    palette.warning('─'.repeat(columns)),
  ]
}

function colorDiff(line: string, part: string, { good, bad }: Palette): string {
  return line.startsWith('+') ? good(part) : line.startsWith('-') ? bad(part) : part
}
