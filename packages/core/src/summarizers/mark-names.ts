/**
 * Marks names in a model's text that appear in none of its sources. Removes and replaces nothing.
 */

import { bisect } from '../conversation/lists.ts'
import { type EntityKind, scanEntities } from '../facts/entities.ts'
import { findUnknown, NAME_MARK, type Name } from './known-names.ts'

/** The names in a text by a model, held against what it was made from. */
export interface NameCheck {
  /** How many different names were looked up. */
  readonly checked: number
  /** Marked names, which appear in no source, in the order of the text. */
  readonly marked: readonly string[]
  /** Names that appear in no source, and whose marks do not fit. */
  readonly unmarked: readonly string[]
}

interface MarkedText extends NameCheck {
  readonly text: string
}

interface MarkOptions {
  /** Everything that the text was made from, and the text next to it. */
  readonly sources: Iterable<string>
  /** Whether a text fits. If marks do not fit, the last of them are left out. */
  readonly fits?: (text: string) => boolean
}

/**
 * Writes `[not in the conversation]` after paths, identifiers, hashes and addresses that no source
 * contains, once per name and line. It ignores names of future things, placeholders, versions,
 * numbers and marked names.
 */
export function markUnknownNames(
  text: string,
  { sources, fits = () => true }: MarkOptions,
): MarkedText {
  const sites = findSites(text)
  const names = new Map(sites.map((site) => [site.text, site]))
  const missing = findUnknown([...names.values()], sources)
  const isPlanned = findPlans(text)
  const found = sites.filter((site) => missing.has(site.text) && !isPlanned(site.start))
  const marks = placeMarks(text, found)
  const apply = (count: number) => insertMarks(text, marks.slice(0, count))
  const count = fits(apply(marks.length))
    ? marks.length
    : bisect(marks.length, (at) => !fits(apply(at + 1)))
  const unmarked = new Set(marks.slice(count).map(({ name }) => name))
  const marked = new Set(found.map((site) => site.text).filter((name) => !unmarked.has(name)))
  return { text: apply(count), checked: names.size, marked: [...marked], unmarked: [...unmarked] }
}

interface Mark {
  readonly name: string
  readonly position: number
}

/** One mark per name and line, unless the line already has it. */
function placeMarks(text: string, sites: readonly Site[]): Mark[] {
  const marks: Mark[] = []
  let lineEnd = -1
  const inLine = new Set<string>()
  for (const { text: name, start, end } of sites) {
    if (start > lineEnd) {
      const next = text.indexOf('\n', end)
      lineEnd = next < 0 ? text.length : next
      inLine.clear()
    }
    if (inLine.has(name)) continue
    inLine.add(name)
    const position = skipSuffix(text, end)
    if (!text.startsWith(` ${NAME_MARK}`, position)) marks.push({ name, position })
  }
  return marks
}

function insertMarks(text: string, marks: readonly Mark[]): string {
  const pieces: string[] = []
  let from = 0
  for (const { position } of marks) {
    pieces.push(text.slice(from, position), ` ${NAME_MARK}`)
    from = position
  }
  return pieces.join('') + text.slice(from)
}

interface Site extends Name {
  readonly start: number
  readonly end: number
}

const CHECKED = new Set<EntityKind>(['path', 'identifier', 'url', 'commit'])

/**
 * The names that are looked up, each in its largest form: of `src/fooBar.ts` not `fooBar` as well.
 */
function findSites(text: string): Site[] {
  const found: Site[] = []
  scanEntities(text, (kind, name, start) => {
    found.push({ kind, text: name, start, end: start + name.length })
  })
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  let end = 0
  return found.filter((site) => {
    if (site.start < end) return false
    end = site.end
    return CHECKED.has(site.kind) && !isPlaceholder(text, site) && !isGeneral(site)
  })
}

/** `foo_*.py`, `<name>`, `${name}`, `src/…/a.ts`: patterns of names, not names. */
function isPlaceholder(text: string, { start, end, text: name }: Site): boolean {
  const [before = '', after = ''] = [text[start - 1], text[end]]
  if ((before === '<' && after === '>') || (before === '{' && after === '}')) return true
  // Arguments of a call often only say what kind of thing they are.
  if (before === '(' && /\w/.test(text[start - 2] ?? '')) return true
  if ('>}]$…%'.includes(before || ' ') || '<{$…%'.includes(after || ' ')) return true
  const isJoined = (character: string | undefined) =>
    character !== undefined && '._-/'.includes(character)
  if (before === '*' && isJoined(name[0])) return true
  if (after === '*' && isJoined(name.at(-1))) return true
  // Cut short.
  if (text.startsWith('...', end) || name.includes('...')) return true
  return INVENTED.test(name) || (before === '#' && LINE_NUMBER.test(name))
}

const INVENTED = /(?:^|[^A-Za-z])(?:[Ff]oo|[Bb]ar|[Bb]az|abc_?123|xyz_?\d*|file_?\d)(?![a-z])|x{4}/
// The anchor of an address: `sync.go#L120`.
const LINE_NUMBER = /^L\d+$/

const GENERAL = new Set(
  (
    'github gitlab bitbucket javascript typescript coffeescript postgresql mysql nosql mongodb graphql openai deepseek ' +
    'langchain fastapi numpy pytorch tensorflow macos macosx oauth oauth2 base64 utf8 utf-8 utf16 utf-16 sha1 sha-1 sha256 ' +
    'sha-256 sha512 http2 ipv4 ipv6 youtube linkedin vscode webassembly websocket websockets devops nodejs node.js next.js ' +
    'vue.js nuxt.js three.js express.js react.js package.json readme.md dockerfile intellij jetbrains powershell posix'
  ).split(' '),
)

/** Products, standards and files of every project, which look like names of this one. */
const isGeneral = ({ text }: Site): boolean => GENERAL.has(text.toLowerCase())

/** The place after `:12`, `()`, an ending of plural or possession and the quotes around a name. */
function skipSuffix(text: string, end: number): number {
  SUFFIX.lastIndex = end
  return end + (SUFFIX.exec(text)?.[0].length ?? 0)
}

const SUFFIX = /(?::\d{1,7}(?:[-:,]\d{1,7}){0,3})?(?:\(\))?["'`*_]{0,4}(?:['’]?s\b)?/y

// Parts of a summary about future work. A name in them need not appear in a source.

const AHEAD = createWordTest(
  'next|plan(?:s|ned|ning)?|pending|remaining|open|to[- ]?dos?|future|upcoming|proposed|proposals?|suggest(?:ed|ions?)|' +
    'recommend(?:ed|ations?)|ideas?|outstanding|follow[- ]ups?|options?|examples?|' +
    'nächste|geplant|offen|ausstehend|prochaine|prévu|à faire|próximos?|pendientes?|siguientes?',
)

// What will be, could be, or is said not to be there.
const NOT_MADE = createWordTest(
  'will|would|shall|should|could|going to|to be|plan(?:s|ned|ning)?|next|propos(?:e[ds]?|als?|ing)|to[- ]?do|needs? to|' +
    'wants? to|intend(?:s|ed)?|consider(?:s|ed|ing)?|suggest(?:s|ed|ing)?|recommend(?:s|ed|ing)?|e\\.g\\.|' +
    "(?:for|an) example|such as|instead of|future|pending|(?:not|doesn['’]t|didn['’]t|don['’]t) exist|no such|missing|yet|" +
    'wird|werden|soll|sollen|sera|seront|doit|será|serán|debe',
)

/** Any of the words, but not as a piece of a name: `src/plan.ts` is not a plan. */
function createWordTest(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d_/.-])(?:${words})(?![\\p{L}\\d_/-]|\\.[\\p{L}\\d_])`, 'iu')
}

// An order at the beginning of a sentence or an item is not carried out yet.
const ORDER =
  /^[\s\-*+•\d.)[\]>_]{0,20}(?:add|build|create|define|extract|generate|implement|introduce|make|move|rename|write)\b/i

const HEADING = /^ {0,3}(?:#{1,6} |\*\*[^*\n]{1,120}\*\*:?\s*$|\d{1,2}\. [^.\n]{1,120}:\s*$)/
const INTRODUCTION = /:\**\s*$/
const ITEM = /^\s{0,20}(?:[-*+•]|\d{1,3}[.)]) |^\s{2,}\S/
// What a line begins with is enough to know what it is.
const LONGEST_BEGINNING = 300

/** Whether a position is in a section, a list or a sentence about future work. */
function findPlans(text: string): (position: number) => boolean {
  const starts: number[] = []
  const ahead: boolean[] = []
  let isSection = false
  let isList = false
  let start = 0
  for (const line of text.split('\n')) {
    const beginning = line.slice(0, LONGEST_BEGINNING)
    const isHeading = HEADING.test(beginning)
    if (isHeading) isSection = AHEAD.test(beginning)
    if (isHeading || !ITEM.test(beginning)) {
      isList =
        INTRODUCTION.test(line.slice(-LONGEST_BEGINNING)) &&
        (AHEAD.test(beginning) || NOT_MADE.test(beginning))
    }
    starts.push(start)
    ahead.push(isSection || isList)
    start += line.length + 1
  }
  return (position) => {
    if (ahead[bisect(starts.length, (line) => starts[line]! > position) - 1]) return true
    const sentence = sentenceAround(text, position)
    return NOT_MADE.test(sentence) || ORDER.test(sentence)
  }
}

// Characters on each side: a longer sentence is looked at in part.
const LONGEST_SIDE = 300

function sentenceAround(text: string, position: number): string {
  const before = text.slice(Math.max(0, position - LONGEST_SIDE), position)
  const after = text.slice(position, position + LONGEST_SIDE)
  let start = before.length
  while (start > 0 && !isBreak(before, start - 1)) start--
  let end = 0
  while (end < after.length && !isBreak(after, end)) end++
  return before.slice(start) + after.slice(0, end)
}

/** A line end, a semicolon, or a full stop before a space. */
function isBreak(text: string, at: number): boolean {
  const character = text[at]!
  return '\n;'.includes(character) || ('.!?'.includes(character) && text[at + 1] === ' ')
}
