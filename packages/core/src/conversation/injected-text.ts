/**
 * Text in the user role that the user did not type. Covers what agents write there, in every
 * format.
 */
import type { Enclosure } from './host.ts'
import { hosts } from './hosts.data.ts'
import { type ContentPart, type Message, type Origin, type Part, readText } from './message.ts'
import { isSummaryText } from './summary-message.ts'

const interjections = hosts.flatMap(({ interjection }) => (interjection ? [interjection] : []))
const wrappers = hosts.flatMap((host) => host.wrappers ?? [])
const summarySigns = hosts.flatMap(({ summaries = [], summaryLine }) =>
  summaries.map((opening) => ({ opening, line: summaryLine })),
)

/** Answer by precis to a message in the user role, if the roles have to alternate. */
export const ACKNOWLEDGEMENT = 'Understood.'
/** Request by precis between two answers, if the roles have to alternate. */
export const REMOVAL_NOTICE = '[Earlier messages were removed.]'

/** How precis begins the words of a part whose first half was removed before it came. */
export const LATE_NOTICE = '[It belongs to a part that was removed earlier: '

// The text that strategies write (strategies/clip-text.ts), in one line.
const CLEARED_MEDIA =
  /^\[(?:image|file) [^\n]{1,300}: (?:cleared|too large for a request, cleared; [^\n]{1,200})\]$/
const LONGEST_CLEARED_MEDIA = 600

/** Whether it is the line that replaces a cleared image or file. */
export const isClearedMedia = (text: string): boolean =>
  text.length < LONGEST_CLEARED_MEDIA && CLEARED_MEDIA.test(text.trim())

const lines = hosts.flatMap((host) => host.lines ?? [])

/** How the rest of a text begins if it is the host's: texts of agents and of precis. */
const openings: readonly string[] = [
  ...hosts.flatMap((host) => host.notices ?? []),
  '[The model was switched from ',
  REMOVAL_NOTICE,
  LATE_NOTICE,
  '[The conversation begins with ',
]

/** Whether an agent wrote the text when it compacted its own history. */
export function isHostSummary(text: string): boolean {
  return opensSummary(text, skipBlank(text, 0))
}

const opensSummary = (text: string, start: number): boolean =>
  summarySigns.some(
    ({ opening, line }) => text.startsWith(opening, start) && (line?.test(text) ?? true),
  )

const summaryQuestions = hosts.flatMap(({ summaryQuestion }) => summaryQuestion ?? [])

/** Whether a message is such a summary as an answer, to what the agent asked right before it. */
export function isHostSummaryAnswer(message: Message, before: Message | undefined): boolean {
  return (
    message.role === 'assistant' &&
    message.origin === 'synthetic' &&
    before?.origin === 'synthetic' &&
    summaryQuestions.includes(readText(before))
  )
}

const summaryRecords = hosts.flatMap(({ summaryRecord }) => summaryRecord ?? [])

/** Whether an agent marked the record of a session as such a summary. */
export function isHostSummaryRecord(record: object): boolean {
  return summaryRecords.some((marks) => hasMembers(record, marks))
}

/** No deeper than the marks. */
function hasMembers(value: unknown, marks: unknown): boolean {
  if (typeof marks !== 'object' || marks === null) return value === marks
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(marks).every(([name, mark]) => hasMembers(Reflect.get(value, name), mark))
  )
}

/**
 * Whether the text contains no words of the user: a summary, a notice, or only elements of the
 * host.
 */
export function isInjectedText(text: string): boolean {
  if (text.trim() === '') return false
  return isClearedMedia(text) || isSummaryText(text) || isHostRest(text, skipWrappers(text))
}

/** Whether nothing more is said from there, or the host says it. */
const isHostRest = (text: string, start: number): boolean =>
  start === text.length ||
  openings.some((opening) => text.startsWith(opening, start)) ||
  opensSummary(text, start)

// `/review look at the parser`: the arguments of a command are the user's words.
const COMMAND = /<command-name>([^<]{0,200})<\/command-name>/
const ARGUMENTS = ['<command-args>', '</command-args>'] as const

/**
 * The user's own words in a text. Removes what hosts put around and between them. Empty if no words
 * are the user's.
 */
export function readOwnText(said: string): string {
  if (isClearedMedia(said)) return ''
  const start = skipWrappers(said)
  if (start < said.length && isHostRest(said, start)) return ''
  const text = readInterjection(said, skipBlank(said, 0))
  const typed = readBetween(text, ARGUMENTS).trim()
  const command = typed === '' ? '' : `${COMMAND.exec(text)?.[1]?.trim() ?? ''} ${typed}`.trim()
  const kept: string[] = []
  let position = 0
  const unclosed = new Set<string>()
  for (let tag = text.indexOf('<'); tag >= 0; tag = text.indexOf('<', tag + 1)) {
    if (tag < position) continue
    const end = findWrapperEnd(text, tag, unclosed)
    if (end === undefined) continue
    kept.push(text.slice(position, tag))
    position = end
  }
  kept.push(text.slice(position))
  return [command, kept.join('').trim()].filter((words) => words !== '').join('\n')
}

/** Empty if one of them is missing. */
function readBetween(text: string, [opening, closing]: Enclosure): string {
  const start = text.indexOf(opening)
  const end = start < 0 ? -1 : text.indexOf(closing, start)
  return end < 0 ? '' : text.slice(start + opening.length, end)
}

function readInterjection(text: string, start: number): string {
  for (const [opening, closing] of interjections) {
    const end = text.startsWith(opening, start) ? text.lastIndexOf(closing) : -1
    if (end >= 0) return text.slice(start + opening.length, end)
  }
  return text
}

/** Who wrote a message in the user role: the user if any text or picture in it is the user's. */
export function findUserOrigin(parts: readonly ContentPart[]): Origin {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (parts.some((part) => part.type === 'image' || part.type === 'file')) return 'user'
  const spoken = texts.filter((text) => text.trim() !== '')
  return spoken.length > 0 && spoken.every(isInjectedText) ? 'synthetic' : 'user'
}

/**
 * Who wrote a message in the assistant role: the model, unless it is the acknowledgement by precis.
 */
export function findAnswerOrigin(parts: readonly Part[]): Origin {
  const [first] = parts
  return parts.length === 1 && first?.type === 'text' && first.text === ACKNOWLEDGEMENT
    ? 'synthetic'
    : 'agent'
}

/**
 * The end of the wrapper element that opens at `start`. Undefined if none opens there, or if it is
 * not closed. In that case, no later one is closed either.
 */
function findWrapperEnd(
  text: string,
  start: number,
  unclosed = new Set<string>(),
): number | undefined {
  if (text[start] !== '<') return undefined
  const tag = wrappers.find(
    (name) => text.startsWith(name, start + 1) && isNameEnd(text[start + 1 + name.length]),
  )
  if (tag === undefined || unclosed.has(tag)) return undefined
  const closing = `</${tag}>`
  const end = text.indexOf(closing, start)
  if (end < 0) unclosed.add(tag)
  return end < 0 ? undefined : skipLine(text, end + closing.length)
}

/** The place behind the wrappers that a text begins with. */
function skipWrappers(text: string): number {
  let position = skipBlank(text, 0)
  for (;;) {
    const end = findWrapperEnd(text, position)
    if (end === undefined) return position
    position = skipBlank(text, end)
  }
}

function skipLine(text: string, start: number): number {
  const position = skipBlank(text, start)
  if (!lines.some((line) => text.startsWith(line, position))) return start
  const end = text.indexOf('\n', position)
  return end < 0 ? text.length : end
}

function isNameEnd(character: string | undefined): boolean {
  return character === '>' || character === ' ' || character === '\n'
}

function skipBlank(text: string, start: number): number {
  let position = start
  while (position < text.length && /\s/.test(text.charAt(position))) position++
  return position
}
