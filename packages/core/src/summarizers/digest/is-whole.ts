/** Reads that show a file from its first line to its last: what they do not show does not stand in it. */
import { parseJson } from '../../conversation/json-text.ts'
import type { ToolCallPart } from '../../conversation/message.ts'
import type { Action } from '../../facts/tool-calls.ts'

// Fields with which agents ask for a part of a file.
const PART_FIELDS = new Set(
  'offset limit view_range start_line end_line startLine endLine line_start line_end range lines head tail pages'.split(
    ' ',
  ),
)
const WHOLE_COMMAND = /^(?:cat|nl -ba|bat)(?: -[nbA]{1,3})? [^\s|;&<>]+$/
// Hosts show no more than this unless asked to.
const MOST_LINES = 2_000
const CUT = /truncated|omitted|tokens? left out|\[\.\.\.|…\s*$/m
const NUMBERED = /^\s{0,8}L?(\d{1,6})(?:→|:|\t)/

/** Whether a call asks for all of one file. */
export function asksForWhole(call: ToolCallPart, { kind, command, paths }: Action): boolean {
  if (kind !== 'read' || paths.length !== 1) return false
  if (command !== undefined) return WHOLE_COMMAND.test(command.trim())
  const input: unknown = typeof call.input === 'string' ? parseJson(call.input) : call.input
  if (typeof input !== 'object' || input === null) return false
  const fields: readonly [string, unknown][] = Object.entries(input)
  return !fields.some(([name, value]) => PART_FIELDS.has(name) && value !== undefined && value !== null)
}

/** Whether output goes from the first line on without a gap; where lines have no numbers, whether no cut is marked. */
export function isWhole(lines: readonly string[]): boolean {
  if (lines.length >= MOST_LINES) return false
  const numbers = lines
    .filter((line) => line.trim() !== '')
    .map((line) => Number(NUMBERED.exec(line)?.[1] ?? Number.NaN))
  // Images show no lines, and what was printed long ago is not looked at.
  if (numbers.length === 0) return false
  if (numbers.some(Number.isNaN)) return numbers.every(Number.isNaN) && !CUT.test(lines.join('\n'))
  return numbers.every((number, row) => number === row + 1)
}
