import { parseJson, toJsonText } from '../conversation/json-text.ts'
import type { ContentPart, MediaPart, TextPart } from '../conversation/message.ts'
import { clipLine, cutAfter, cutBefore } from '../text/clip-line.ts'
import type { CallView } from './strategy.ts'

/**
 * Head and tail of a text in at most `length` characters, with a line between them of how much was
 * cut.
 */
export function clipText(text: string, length: number): string {
  if (text.length <= length) return text
  return (
    cutMiddle(text, length, (cut, of) => `\n[… ${cut} of ${of} characters cut …]\n`) ??
    (length < 1 ? '' : `${cutBefore(text, length - 1)}…`)
  )
}

const EARLIER_CUT = /\[… (?:too large to be shown whole: )?(\d{1,15}) of \d{1,15} characters cut/g

/** The characters that earlier cuts took out of a text. */
const countEarlier = (text: string): number =>
  [...text.matchAll(EARLIER_CUT)].reduce((sum, [, cut]) => sum + Number(cut), 0)

/** Undefined if there is no space for the note. The note counts what earlier cuts took. */
function cutMiddle(
  text: string,
  length: number,
  note: (cut: number, of: number) => string,
): string | undefined {
  const most = text.length + countEarlier(text)
  const room = length - note(most, most).length
  if (room < note(most, most).length) return undefined
  const head = cutBefore(text, Math.ceil(room / 2))
  const tail = cutAfter(text, Math.floor(room / 2))
  const gone = text.slice(head.length, text.length - tail.length)
  const earlier = countEarlier(gone)
  return `${head}${note(gone.length + earlier, text.length + earlier)}${tail}`
}

const REPORT_SHARE = 0.25
const REPORT_CHARACTERS = 200
// Less than this is not enough space for lines.
const SHORTEST_RESULT = 800

/**
 * An unread result in at most `length` characters: head, tail and the first reports of failures.
 * `rest` says how to read more.
 */
export function clipResult(text: string, length: number, rest: string): string {
  if (text.length <= length || length < SHORTEST_RESULT) return clipText(text, length)
  const reports = findReports(text, length)
  const lines = reports.map((line) => `${line}\n`).join('')
  const note = (cut: number, of: number) =>
    `\n[… too large to be shown whole: ${cut} of ${of} characters cut. ${rest} …]\n${lines}`
  return cutMiddle(text, length, note) ?? clipText(text, length)
}

/** In text that is certainly cut: neither in the head nor in the tail that `length` leaves. */
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
  return (
    json.length - lengths.reduce((sum, length) => sum + Math.max(length - SHORTEST_STRING, 0), 0)
  )
}

/**
 * The input in at most about `length` characters, with its longest strings clipped to one size.
 * Everything else stays.
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

/**
 * Lengths of the strings as they are written, with escapes. `json` is undefined if the input is not
 * JSON.
 */
function measureStrings(input: unknown): {
  readonly json: string | undefined
  readonly lengths: readonly number[]
} {
  const isText = typeof input === 'string'
  if (input === undefined || (isText && !isJsonText(input))) return { json: undefined, lengths: [] }
  const json = isText ? input : toJsonText(input)
  return { json, lengths: [...findStringValues(json)].map(({ start, end }) => end - start) }
}

/**
 * Clips a text so that it takes at most about `length` characters as JSON: line breaks and quotes
 * take two of them.
 */
function clipEscaped(text: string, length: number): string {
  const written = JSON.stringify(text).length
  return written <= length
    ? text
    : clipText(text, Math.max(Math.floor((text.length * length) / written), 1))
}

/**
 * The cap under which sizes add up to `goal`, if larger sizes are cut down to it. Negative if no
 * cap is enough.
 */
function findCap(sizes: readonly number[], goal: number): number {
  const ascending = [...sizes].sort((a, b) => a - b)
  let left = goal
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index)
    if (share <= size) return share
    left -= size
  }
  return Infinity
}

/**
 * JSON with other strings as values. `json` has to be valid. It takes one pass, without recursion.
 */
export function mapJsonStrings(json: string, change: (text: string) => string): string {
  const pieces: string[] = []
  let copied = 0
  for (const { start, end } of findStringValues(json)) {
    const text = String(JSON.parse(json.slice(start, end)))
    const changed = change(text)
    if (changed === text) continue
    pieces.push(json.slice(copied, start), JSON.stringify(changed))
    copied = end
  }
  pieces.push(json.slice(copied))
  return copied === 0 ? json : pieces.join('')
}

/** The positions of string values in valid JSON, quotes included. */
function* findStringValues(
  json: string,
): Generator<{ readonly start: number; readonly end: number }> {
  let position = json.indexOf('"')
  while (position >= 0) {
    const end = findStringEnd(json, position)
    if (!isFollowedByColon(json, end)) yield { start: position, end }
    position = json.indexOf('"', end)
  }
}

function findStringEnd(json: string, start: number): number {
  for (let position = start + 1; position < json.length; position++) {
    const code = json.charCodeAt(position)
    if (code === 0x5c) position++
    else if (code === 0x22) return position + 1
  }
  return json.length
}

function isFollowedByColon(json: string, from: number): boolean {
  let position = from
  while (/[ \t\r\n]/.test(json[position] ?? '')) position++
  return json[position] === ':'
}

/**
 * The input of a call with other strings, an object or a text of JSON as before. Returns the same
 * value if no string changes.
 */
export function mapInputStrings(input: unknown, change: (text: string) => string): unknown {
  if (typeof input === 'string')
    return isJsonText(input) ? mapJsonStrings(input, change) : change(input)
  if (typeof input !== 'object' || input === null) return input
  const json = toJsonText(input)
  const changed = mapJsonStrings(json, change)
  return changed === json ? input : parseJson(changed)
}

/** Whether a text is a JSON object or list. */
export const isJsonText = (text: string): boolean =>
  /^\s{0,100}[[{]/.test(text) && parseJson(text) !== undefined

const LONGEST_TARGET = 100

/** Longer than any stub, so that a stub is never cleared again. */
export const LONGEST_STUB = 240

/**
 * One line instead of a result: the tool, what it was for, whether it failed, and why it was
 * cleared.
 */
export function renderStub(call: CallView, reason: string): string {
  return `[${renderCall(call)}: ${call.failed ? 'failed, ' : ''}${reason}]`
}

/** The tool and what it was for, on one line. */
export function renderCall({ name, paths, command }: CallView): string {
  const target = command ?? paths.join(' ')
  const tool = clipLine(name, LONGEST_TARGET / 2)
  return target === '' ? tool : `${tool} ${clipLine(target, LONGEST_TARGET)}`
}

const REPORT =
  /^\s{0,8}(?:(?:error|fatal|fail(?:ed|ure)?|panic|traceback|npm err!|--- fail|not ok)\b|[✗✘×])|[a-z](?:Error|Exception):|: error\b/i
const READ_CHARACTERS = 200

/** Whether a line of output reports a failure by its shape. Code that raises one does not count. */
export const reportsFailure = (line: string): boolean => REPORT.test(line.slice(0, READ_CHARACTERS))

/**
 * Renders the placeholder of an image or a file that was cleared, with `advice` on how it can be
 * looked at again.
 */
export function renderMedia(
  { type, mediaType, width, height, pages, bytes }: MediaPart,
  advice?: string,
): string {
  const size = width !== undefined && height !== undefined ? ` ${width}×${height}` : ''
  const length = pages === undefined ? '' : `, ${pages} ${pages === 1 ? 'page' : 'pages'}`
  const weight = bytes > 0 ? `, ${Math.ceil(bytes / 1024)} KB` : ''
  const reason = advice === undefined ? 'cleared' : `too large for a request, cleared; ${advice}`
  return `[${type} ${clipLine(mediaType, 60)}${size}${length}${weight}: ${reason}]`
}

/**
 * A line of text for an image or a file, and for opaque content beyond a length. Otherwise the part
 * itself.
 */
export function clearContent(part: ContentPart, longestOpaque: number): ContentPart {
  if (part.type === 'text') return part
  if (part.type !== 'opaque') return textPart(renderMedia(part))
  return part.text.length < longestOpaque ? part : textPart(`[${clipLine(part.kind, 60)}: cleared]`)
}

export const textPart = (text: string): TextPart => ({ type: 'text', text })
