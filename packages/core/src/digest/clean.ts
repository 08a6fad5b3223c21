import { relativePath } from '../actions/paths.ts'
import type { Action } from '../actions/tool-calls.ts'
import type { TextPart } from '../conversation/message.ts'
import { stripTerminalCodes } from '../facts/printed-lines.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { findBreak } from '../summarizers/clean-text.ts'
import { dropOverwritten } from './noise.ts'
import { GAP } from './quote-command.ts'

// Line ends for some readers. Here, only a line feed may be one.
const OTHER_LINE_ENDS = /[\r\v\f\u0085\u2028\u2029]+/g

/** Text as a digest may quote it: no secrets, no terminal codes, no line ends but the plain one. */
export function cleanText(text: string): string {
  return redactSecrets(
    stripTerminalCodes(text).replaceAll('\r\n', '\n').replace(OTHER_LINE_ENDS, ' '),
  )
}

/**
 * Older output is not read. Little of it is needed again, and it is most of the work in spans of
 * millions of characters. With 120,000, digests of 8,000 tokens lose 2% of the names that are
 * needed later. With 400,000 they gain none.
 */
export const NEAR_CHARACTERS = 200_000

// Takes a tenth of a second.
const LONGEST_CLEANED = 1_000_000

// Where text is cut before it is cleaned, half a secret may be left of up to this length.
const AROUND_CUT = 10_000

/** Of more than is near, the beginning and the end, in whole lines if they are not very long. */
export function cleanOutput(text: string): string {
  const clean = (piece: string) => cleanText(dropOverwritten(piece))
  const half = NEAR_CHARACTERS / 2
  if (text.length > LONGEST_CLEANED) {
    const head = clean(text.slice(0, LONGEST_CLEANED / 2))
    const tail = clean(text.slice(-LONGEST_CLEANED / 2))
    const longest = (piece: string) => Math.max(0, Math.min(half, piece.length - AROUND_CUT))
    return [takeStart(head, longest(head)), GAP, takeEnd(tail, longest(tail))].join('')
  }
  const cleaned = clean(text)
  if (cleaned.length <= NEAR_CHARACTERS) return cleaned
  return [takeStart(cleaned, half), GAP, takeEnd(cleaned, half)].join('')
}

function takeStart(text: string, longest: number): string {
  const lineEnd = text.lastIndexOf('\n', longest)
  const isLong = lineEnd < longest / 2
  return text.slice(0, isLong ? Math.max(0, findBreak(text, longest, -1)) : lineEnd + 1)
}

function takeEnd(text: string, longest: number): string {
  const start = text.length - longest
  const lineEnd = text.indexOf('\n', start)
  const isLong = lineEnd < 0 || lineEnd > start + longest / 2
  return text.slice(isLong ? findBreak(text, start, 1) : lineEnd)
}

const cleanedWords = new WeakMap<TextPart, string>()

/** The words of a message. Memoized by identity. */
export function cleanWords(part: TextPart): string {
  const known = cleanedWords.get(part) ?? cleanText(part.text).trim()
  cleanedWords.set(part, known)
  return known
}

// Some write the target in brackets of its own.
const LINK = /\[([^\]\n]{1,200})\]\(\[?(\/[^()[\]\s]{1,400})\]?\)/g
const LINE = /(?::\d[\d:]*|#L\d+)$/

/** `[a.ts](/home/dev/project/src/a.ts:12)` as `src/a.ts:12`: the place, told once. */
export function shortenLinks(text: string, workingDirectory: string | undefined): string {
  if (!text.includes('](')) return text
  return text.replace(LINK, (link, label: string, target: string) => {
    const name = label.replaceAll('`', '').replace(LINE, '')
    const isItsName = `/${target.replace(LINE, '')}`.endsWith(`/${name}`)
    return isItsName ? relativePath(target, workingDirectory) : link
  })
}

const cleaned = new WeakMap<Action, Action>()

/** The same for all that a call says. Memoized by identity. */
export function cleanAction(action: Action): Action {
  const known = cleaned.get(action) ?? clean(action)
  cleaned.set(action, known)
  return known
}

function clean(action: Action): Action {
  const { command, purpose, changes, tasks } = action
  const paths = action.paths.map(cleanLine)
  const namesOnly =
    command === undefined && purpose === undefined && changes.length === 0 && tasks.length === 0
  // Most calls name a file and say nothing else.
  if (namesOnly && paths.every((path, index) => path === action.paths[index])) return action
  return {
    ...action,
    command: command && cleanText(command),
    purpose: purpose && cleanText(purpose),
    paths,
    changes: changes.map((change) => ({
      ...change,
      path: cleanLine(change.path),
      removed: cleanLines(change.removed),
      added: cleanLines(change.added),
    })),
    tasks: tasks.map((task) =>
      task.text === undefined ? task : { ...task, text: cleanText(task.text) },
    ),
  }
}

const cleanLine = (text: string): string => cleanText(text).replaceAll('\n', ' ')

/** All lines together, because a private key spans several lines. */
function cleanLines(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : cleanText(lines.join('\n')).split('\n')
}
