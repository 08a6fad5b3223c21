import { toJsonText } from '../../conversation/json-text.ts'
import { findStringValues, isJsonText, mapInputStrings } from '../json-strings.ts'
import { clipLine, cutAfter, cutBefore, reportsFailure } from '../stub.ts'

/** Head and tail of a text in at most `length` characters, with a line between them of how much was cut. */
export function clipText(text: string, length: number): string {
  if (text.length <= length) return text
  const note = `\n[… ${text.length - length} of ${text.length} characters cut …]\n`
  const room = length - note.length
  if (room < note.length) return length < 1 ? '' : `${cutBefore(text, length - 1)}…`
  return `${cutBefore(text, Math.ceil(room / 2))}${note}${cutAfter(text, Math.floor(room / 2))}`
}

const REPORT_SHARE = 0.25
const REPORT_CHARACTERS = 200
// With less than this there is no room for lines.
const SHORTEST_RESULT = 800

/**
 * A result that nobody has read yet in at most `length` characters: head and tail, and from between them the first lines that
 * report a failure. `rest` says how to read what was cut.
 */
export function clipResult(text: string, length: number, rest: string): string {
  if (text.length <= length || length < SHORTEST_RESULT) return clipText(text, length)
  const reports = findReports(text, length)
  const lines = reports.map((line) => `${line}\n`).join('')
  const note = `\n[… too large to be shown whole: ${text.length - length} of ${text.length} characters cut. ${rest} …]\n${lines}`
  const room = length - note.length
  return `${cutBefore(text, Math.ceil(room / 2))}${note}${cutAfter(text, Math.floor(room / 2))}`
}

/** Of what is cut for sure: neither in the head nor in the tail that `length` leaves. */
function findReports(text: string, length: number): string[] {
  const reports: string[] = []
  let room = length * REPORT_SHARE
  for (const line of text.slice(length / 2, -length / 2).split('\n')) {
    if (!reportsFailure(line)) continue
    const report = clipLine(line, REPORT_CHARACTERS)
    room -= report.length + 1
    if (room < 0) break
    reports.push(report)
  }
  return reports
}

/** Strings inside of JSON are not cut below this. */
const SHORTEST_STRING = 40

/** The least that `clipInput` can leave of an input, in characters. */
export function measureLeast(input: unknown): number {
  const { json, lengths } = measureStrings(input)
  if (json === undefined) return 0
  return json.length - lengths.reduce((sum, length) => sum + Math.max(length - SHORTEST_STRING, 0), 0)
}

/**
 * The input of a call in at most about `length` characters, its longest strings clipped to one size; keys, numbers and
 * nesting stay, whatever they take. Free text is clipped as a text.
 */
export function clipInput(input: unknown, length: number): unknown {
  const { json, lengths } = measureStrings(input)
  if (json === undefined) return typeof input === 'string' ? clipText(input, length) : input
  const excess = json.length - length
  if (excess <= 0) return input
  const total = lengths.reduce((sum, size) => sum + size, 0)
  const cap = Math.max(Math.floor(findCap(lengths, total - excess)), SHORTEST_STRING)
  return mapInputStrings(input, (text) => clipEscaped(text, cap))
}

interface Strings {
  /** Undefined when the input is no JSON. */
  readonly json: string | undefined
  /** Of the strings as they are written, escapes included. */
  readonly lengths: readonly number[]
}

function measureStrings(input: unknown): Strings {
  const isText = typeof input === 'string'
  if (input === undefined || (isText && !isJsonText(input))) return { json: undefined, lengths: [] }
  const json = isText ? input : toJsonText(input)
  return { json, lengths: [...findStringValues(json)].map(({ start, end }) => end - start) }
}

/** A text that is written in at most about `length` characters: line breaks and quotes take two of them. */
function clipEscaped(text: string, length: number): string {
  const written = JSON.stringify(text).length
  return written <= length ? text : clipText(text, Math.max(Math.floor((text.length * length) / written), 1))
}

/** The one cap under which sizes add up to `goal`: what is above it is cut down to it. Negative when none suffices. */
function findCap(sizes: readonly number[], goal: number): number {
  const ascending = [...sizes].sort((a, b) => a - b)
  let left = goal
  for (let index = 0; index < ascending.length; index++) {
    const share = left / (ascending.length - index)
    if (share <= ascending[index]!) return share
    left -= ascending[index]!
  }
  return Infinity
}
