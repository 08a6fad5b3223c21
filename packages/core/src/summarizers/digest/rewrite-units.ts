/** The pieces a message is shortened by, and the message made of those that are kept. */
import { splitSentences } from '../../facts/sentences.ts'

/** A line, a sentence of a long line, or a line of code. */
export interface Unit {
  readonly text: string
  /** Position among all units of the message. */
  readonly order: number
  /** Row of the line it stands on; sentences of one line share it. */
  readonly row: number
  /** The fence that opened the block of code it stands in; undefined outside of one. */
  readonly fence: string | undefined
  /** Counts the blocks of code; lines of the same one are rendered together. */
  readonly block: number
  /** First of its paragraph. */
  readonly opens: boolean
}

// A line up to this many characters is taken whole or not at all.
const LONGEST_LINE = 120

export function splitUnits(text: string): Unit[] {
  const units: Unit[] = []
  let fence: string | undefined
  let block = 0
  let opens = true
  text.split('\n').forEach((raw, row) => {
    const mark = /^\s{0,3}(?:```|~~~)/.test(raw)
    if (mark) {
      fence = fence === undefined ? raw.trim() : undefined
      block++
      opens = true
    } else if (raw.trim() === '') opens = true
    else {
      const line = raw.trimEnd()
      // A list item or a row of a table keeps its mark; long prose goes by sentences.
      const pieces = fence !== undefined || line.length <= LONGEST_LINE ? [line] : splitSentences(line)
      for (const [index, piece] of pieces.entries()) {
        units.push({ text: piece, order: units.length, row, fence, block, opens: opens && index === 0 })
      }
      opens = false
    }
  })
  return units
}

const GAP = '…'

/** Units in their order; code stands in its fence again, with a mark where lines are left out. */
export function renderUnits(units: readonly Unit[]): string {
  const lines: string[] = []
  let last: Unit | undefined
  let fence: string | undefined
  const close = () => {
    if (fence !== undefined) lines.push(closingOf(fence))
    fence = undefined
  }
  for (const unit of [...units].sort((a, b) => a.order - b.order)) {
    if (last?.block !== unit.block) close()
    if (unit.fence !== undefined && fence === undefined) {
      fence = unit.fence
      lines.push(fence)
    } else if (unit.fence !== undefined && unit.order > (last?.order ?? 0) + 1) lines.push(GAP)
    if (last && last.row === unit.row) lines.push(`${lines.pop() ?? ''} ${unit.text}`)
    else lines.push(unit.text)
    last = unit
  }
  close()
  return lines.join('\n')
}

/** As many marks as opened it. */
function closingOf(fence: string): string {
  const mark = fence.charAt(0)
  let length = 0
  while (fence.charAt(length) === mark) length++
  return mark.repeat(length)
}
