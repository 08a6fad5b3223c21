/**
 * Finds paths, identifiers, URLs, commits, versions and numbers in text, in one pass over its
 * characters.
 */
import type { Steps } from '../conversation/steps.ts'
import { CLASSES, classAt, DIGIT, JOINER, LOWER, UNDERSCORE, UPPER } from './character-classes.ts'
import { measureEscape } from './measure-escape.ts'

export type EntityKind = 'path' | 'identifier' | 'url' | 'commit' | 'version' | 'number-with-unit'

/** Called for each occurrence, run by run. `start` is its position. */
export type VisitEntity = (kind: EntityKind, text: string, start: number) => void

const SLASH = 47
const DOT = 46
const HYPHEN = 45
const COLON = 58
const HASH = 35
const SPACE = 32
const PERCENT = 37
const PLUS = 43
const BACKSLASH = 92
const LOWER_M = 109
const LOWER_V = 118
const LONGEST_PATH = 300
const LONGEST_URL = 500
const LONGEST_IDENTIFIER = 60

const EXTENSIONS = new Set(
  (
    'go ts tsx js jsx mjs cjs py md mdx json jsonl yaml yml toml sh rs java kt c h cc cpp hpp cs rb php swift css scss html vue ' +
    'svelte sql proto txt lock xml gradle nix fish lua ini cfg conf env mod sum svg png diff patch tf graphql ipynb csv log'
  ).split(' '),
)
const UNITS = new Set(
  (
    'ms s sec secs seconds min mins minutes h hours days kb mb gb tb kib mib gib bytes px em rem tokens lines files tests ' +
    'hz khz mhz ghz'
  ).split(' '),
)

/** Only ASCII is looked at: other characters end a name. */
export function scanEntities(text: string, visit: VisitEntity): void {
  scanTo(text, 0, text.length, visit)
}

export function* scanEntitiesInSteps(text: string, visit: VisitEntity): Steps<void> {
  for (let position = 0; position < text.length; ) {
    if (position > 0) yield
    position = scanTo(text, position, position + STEP_UNITS, visit)
  }
}

/** Scans the runs that begin before `stop`. Returns where the last one ends. */
function scanTo(text: string, from: number, stop: number, visit: VisitEntity): number {
  const held: [name: string, start: number][] = []
  const hold: VisitEntity = (kind, name, start) => {
    if (kind === 'identifier') held.push([name, start])
    else visit(kind, name, start)
  }
  const readRun = (start: number): number => {
    const end = scanRun(text, start, hold)
    if (held.length === 0) return end
    if (!isWholeName(text, start, end))
      for (const [name, place] of held) visit('identifier', name, place)
    held.length = 0
    return end
  }
  let position = from
  while (position < text.length && position < stop) {
    const code = text.charCodeAt(position)
    const kind = code < 128 ? CLASSES[code]! : 0
    if (kind === DIGIT) {
      const next = skipColour(text, position)
      position = next > position ? next : readRun(position)
    } else if (kind !== 0) position = skipPlainRun(text, position) ?? readRun(position)
    else if (code === HASH) position = scanIssue(text, position, visit)
    else if (code === BACKSLASH) position += measureEscape(text, position) || 1
    else position++
  }
  return position
}

// In UTF-16 units: some milliseconds.
const STEP_UNITS = 1 << 19

/**
 * The position after the `32m` of a color, if an escape ended the word before: `[32m.git/config`,
 * `32m.git/config`.
 */
function skipColour(text: string, start: number): number {
  let end = start
  while (end - start < 3 && classAt(text, end) === DIGIT) end++
  if (end === start || text.charCodeAt(end) !== LOWER_M) return start
  const before = start > 0 ? text[start - 1]! : ''
  const next = text[end + 1] ?? ''
  return before === '[' || before === ';' || './~'.includes(next || ' ') ? end + 1 : start
}

/** `#123` */
function scanIssue(text: string, start: number, visit: VisitEntity): number {
  let end = start + 1
  while (end < text.length && classAt(text, end) === DIGIT) end++
  // `#1e1e2e` is a colour.
  if (classAt(text, end) !== 0 && classAt(text, end) !== JOINER) return start + 1
  const digits = end - start - 1
  if (digits >= 2 && digits <= 6) visit('identifier', text.slice(start, end), start)
  return end
}

//   https://host/a   cmd/cli/main.go:36   v1.2.3   --all-files   snake_case   210246d   512 MB
//   a run continues over  . / - @ + ~  and its words are looked at one by one
function scanRun(text: string, start: number, visit: VisitEntity): number {
  let end = start
  let slashes = 0
  let dot = -1
  while (end < text.length) {
    const code = text.charCodeAt(end)
    const kind = code < 128 ? CLASSES[code]! : 0
    if (kind === 0) break
    if (kind !== JOINER) {
      end = scanWord(text, end, visit)
      continue
    }
    if (code === SLASH) slashes++
    // A dot at the very end is a full stop.
    else if (code === DOT && classAt(text, end + 1) !== 0) dot = end
    end++
  }
  if (
    text.charCodeAt(end) === COLON &&
    text.startsWith('://', end) &&
    text.startsWith('http', start)
  ) {
    return scanUrl(text, start, visit)
  }
  let last = end
  while (
    last > start &&
    (text.charCodeAt(last - 1) === DOT || text.charCodeAt(last - 1) === HYPHEN)
  )
    last--
  if (last - start >= 4 && last - start <= LONGEST_PATH)
    visitRun(text, start, last, slashes, dot, visit)
  return end
}

const HOST_LED = /^[\w-]+(?:\.[\w-]+)+\/[^/]*\//
const FILE = /\/[^/]*\.(\w{1,7})[.-]*$/

/** `github.com/spf13/cobra`, `agent/gemini_test.go`: no word of it is a name by itself. */
function isWholeName(text: string, start: number, end: number): boolean {
  if (end - start > LONGEST_PATH) return false
  const run = text.slice(start, end)
  const extension = FILE.exec(run)?.[1]
  return HOST_LED.test(run) || (extension !== undefined && EXTENSIONS.has(extension.toLowerCase()))
}

/** `dot` is the position of the last dot, or -1. */
function visitRun(
  text: string,
  start: number,
  end: number,
  slashes: number,
  dot: number,
  visit: VisitEntity,
): void {
  const isOption = text.startsWith('--', start)
  const hasExtension =
    dot > start &&
    dot < end - 1 &&
    end - dot <= 8 &&
    EXTENSIONS.has(text.slice(dot + 1, end).toLowerCase())
  if (isVersion(text, start, end)) visit('version', text.slice(start, end), start)
  else if (isOption) {
    const isName = end - start >= 5 && slashes === 0 && classAt(text, start + 2) === LOWER
    if (isName) visit('identifier', text.slice(start, end), start)
  } else if (hasExtension || slashes >= 2) {
    if (text.startsWith('//', start)) return
    visit('path', text.slice(start, text.charCodeAt(end - 1) === SLASH ? end - 1 : end), start)
  } else if (slashes === 0 && isIssueKey(text, start, end))
    visit('identifier', text.slice(start, end), start)
}

function scanUrl(text: string, start: number, visit: VisitEntity): number {
  let end = start
  while (end < text.length && end - start < LONGEST_URL && !endsUrl(text.charCodeAt(end))) end++
  let last = end
  while (last > start && '.,:;$'.includes(text[last - 1]!)) last--
  visit('url', text.slice(start, last), start)
  return end
}

// Closing, curly and angle brackets, quotes, backslash, bar.
const URL_ENDS = new Set(Array.from('"\'`<>)]}{\\|', (character) => character.charCodeAt(0)))

const endsUrl = (code: number): boolean => code <= SPACE || code > 126 || URL_ENDS.has(code)

/**
 * A word of letters, digits and underscores. Its shape decides whether it is a name. Returns its
 * end.
 */
function scanWord(text: string, start: number, visit: VisitEntity): number {
  let end = skipPlainWord(text, start)
  const next = classAt(text, end)
  if (next === 0 || next === JOINER) return end
  let letters = end - start
  let digits = 0
  let innerUnderscore = false
  let camel = false
  let mixed = false
  let previous = letters === 0 ? 0 : classAt(text, end - 1)
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    const kind = code < 128 ? CLASSES[code]! : 0
    if (kind === 0 || kind === JOINER) break
    if (kind === DIGIT) {
      digits++
      if (previous === LOWER || previous === UPPER) mixed = true
    } else if (kind !== UNDERSCORE) {
      letters++
      if (previous === UNDERSCORE && letters + digits > 1) innerUnderscore = true
      if (kind === UPPER && previous === LOWER) camel = true
      if (previous === DIGIT) mixed = true
    }
    previous = kind
  }
  const length = end - start
  if (length < 2 || length >= LONGEST_IDENTIFIER) return end
  const isCommit = digits > 0 && length >= 7 && length <= 40 && isHexadecimal(text, start, end)
  if (letters === 0 && digits > 0) visitNumber(text, start, end, length, visit)
  else if (isCommit) visit('commit', text.slice(start, end), start)
  else if (classAt(text, start) === DIGIT) visitMeasure(text, start, end, visit)
  else if (length >= 4 && (innerUnderscore || camel || (mixed && length >= 5))) {
    visit('identifier', text.slice(start, end), start)
  }
  return end
}

const LOWER_F = 102

/** Whether all letters of a word are `a` to `f`. */
function isHexadecimal(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const kind = classAt(text, at)
    if (kind === UPPER || (kind === LOWER && text.charCodeAt(at) > LOWER_F)) return false
  }
  return true
}

/** The end of a run that is one plain word, and a full stop after it. Undefined for other runs. */
function skipPlainRun(text: string, start: number): number | undefined {
  let end = skipPlainWord(text, start)
  if (end === start) return undefined
  if (text.charCodeAt(end) === DOT) end++
  // An address begins with a plain word too.
  return classAt(text, end) === 0 && text.charCodeAt(end) !== COLON ? end : undefined
}

/**
 * Lower-case letters, with or without a capital first: most words are no more than that, and not
 * names.
 */
function skipPlainWord(text: string, start: number): number {
  let end = classAt(text, start) === UPPER ? start + 1 : start
  while (classAt(text, end) === LOWER) end++
  return end
}

/**
 * `512 MB`, `0.5 s`, `80%`, or a bare number of at least four digits, unless it is part of a longer
 * one.
 */
function visitNumber(
  text: string,
  start: number,
  end: number,
  length: number,
  visit: VisitEntity,
): void {
  const next = text.charCodeAt(end)
  if (next === PERCENT) {
    const isEscape = classAt(text, end + 1) === DIGIT
    if (!isEscape) visitMeasured(text, start, end + 1, visit)
    return
  }
  if (next === SPACE && length <= 9) {
    let unitEnd = end + 1
    while (
      unitEnd - end < 9 &&
      (classAt(text, unitEnd) === LOWER || classAt(text, unitEnd) === UPPER)
    )
      unitEnd++
    if (UNITS.has(text.slice(end + 1, unitEnd).toLowerCase())) {
      visitMeasured(text, start, unitEnd, visit)
      return
    }
  }
  const before = start > 0 ? text.charCodeAt(start - 1) : 0
  if (length >= 4 && before !== DOT && next !== DOT && next !== HYPHEN) {
    visit('number-with-unit', text.slice(start, end), start)
  }
}

/** `30s`, `0.3s`, `512MB` */
function visitMeasure(text: string, start: number, end: number, visit: VisitEntity): void {
  let unit = start
  while (unit < end && classAt(text, unit) === DIGIT) unit++
  if (UNITS.has(text.slice(unit, end).toLowerCase())) visitMeasured(text, start, end, visit)
}

/** With the digits before a point or a comma. Nothing for `1.2.3 s`. */
function visitMeasured(text: string, start: number, end: number, visit: VisitEntity): void {
  let from = start
  let points = 0
  for (; isPoint(text, from - 1) && classAt(text, from - 2) === DIGIT; points++) {
    from -= 2
    while (from > 0 && classAt(text, from - 1) === DIGIT && start - from < LONGEST_NUMBER) from--
    if (points > 1 || start - from >= LONGEST_NUMBER) return
  }
  if (points === 0 || text.charCodeAt(from - 1) !== DOT)
    visit('number-with-unit', text.slice(from, end), from)
}

const LONGEST_NUMBER = 20
const COMMA = 44

const isPoint = (text: string, at: number): boolean =>
  at > 0 && (text.charCodeAt(at) === DOT || text.charCodeAt(at) === COMMA)

/** `v1.2.3`, `6.0.0-alpha.3`: three numbers and whatever hangs on them. */
function isVersion(text: string, start: number, end: number): boolean {
  let position = text.charCodeAt(start) === LOWER_V ? start + 1 : start
  for (let group = 0; group < 3; group++) {
    if (group > 0 && (position >= end || text.charCodeAt(position++) !== DOT)) return false
    const from = position
    while (position < end && classAt(text, position) === DIGIT) position++
    if (position === from || position - from > 6) return false
  }
  const code = text.charCodeAt(position)
  if (position < end && code !== HYPHEN && code !== PLUS && code !== DOT) return false
  // `c.405.394 1.17.657 1.995` and `2.33.127.578-.322` draw a line.
  return !/-\.|^\d [\d.]+ [-.\d]/.test(text.slice(start - 2, end + 2))
}

/** `ABC-12` */
function isIssueKey(text: string, start: number, end: number): boolean {
  if (end - start > 16 || classAt(text, start) !== UPPER) return false
  let position = start
  while (position < end && (classAt(text, position) === UPPER || classAt(text, position) === DIGIT))
    position++
  if (position - start < 2 || text.charCodeAt(position) !== HYPHEN || position + 1 >= end)
    return false
  for (position++; position < end; position++) if (classAt(text, position) !== DIGIT) return false
  return true
}
