/**
 * The entries of precis in a TOML file, each between two marks. Only lines that matter are parsed,
 * and all other lines stay unchanged. A table without marks belongs to precis if it starts precis:
 * `codex mcp add` writes such a table, and so did earlier versions.
 *
 *   # >>> precis >>>
 *   [mcp_servers.precis]
 *   command = "node"
 *   args = ["/opt/precis/bin/precis.js", "mcp"]
 *   # <<< precis <<<
 */
import { isDeepStrictEqual } from 'node:util'
import type { TomlEntry, TomlValueEntry } from '../agents/shared/agent.ts'
import { applyTextEdits, type TextEdit } from './agent-file.ts'

const OPENING = '# >>> precis >>>'
const CLOSING = '# <<< precis <<<'

interface Line {
  readonly start: number
  /** Includes its line break. */
  readonly text: string
  /** From the root, if the line is the header of a table. */
  readonly header?: readonly string[]
  /** The table that contains the line. */
  readonly table: readonly string[]
  readonly isInString: boolean
}

const HEADER =
  /^[ \t]*\[{1,2}((?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\]"'\n])+)\]{1,2}[ \t]*(?:#[^\n]*)?\r?\n?$/
const KEY = /[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*(?:\.|$)/y

const UNKNOWN: readonly string[] = ['[']

function readLines(text: string): Line[] {
  const lines: Line[] = []
  let table: readonly string[] = []
  let open = ''
  let start = text.startsWith('\u{feff}') ? 1 : 0
  while (start < text.length) {
    const lineFeed = text.indexOf('\n', start)
    const line = text.slice(start, lineFeed < 0 ? text.length : lineFeed + 1)
    const isInString = open !== ''
    const header = isInString ? undefined : readHeader(line)
    if (header) table = header
    // Belongs to no known table. It is better to keep such a line than to remove one of the user.
    else if (!isInString && table.length > 0 && /^[ \t]*\[/.test(line)) table = UNKNOWN
    lines.push({ start, text: line, table, isInString, ...(header && { header }) })
    open = findOpenString(line, open)
    start += line.length
  }
  return lines
}

const STRING_START = /#|"""|'''|"|'/g
/** The end of a string that began with these quotes, or an escape in it. */
const STRING_END: Readonly<Record<string, RegExp>> = {
  '"""': /\\[\s\S]|"{3,5}/g,
  "'''": /'{3,5}/g,
  '"': /\\[\s\S]|"/g,
  "'": /'/g,
}

/** The quotes of a string that a line leaves open for the next one, after `open`. Empty if none. */
function findOpenString(line: string, open: string): string {
  let quotes = open
  for (let position = 0; ; ) {
    const sought = quotes === '' ? STRING_START : STRING_END[quotes]
    if (!sought) return ''
    sought.lastIndex = position
    const [found] = sought.exec(line) ?? []
    // Only strings with three quotes have several lines.
    if (found === undefined) return quotes.length === 3 ? quotes : ''
    if (found === '#') return ''
    position = sought.lastIndex
    if (!found.startsWith('\\')) quotes = quotes === '' ? found : ''
  }
}

function readHeader(line: string): string[] | undefined {
  return readKeys(HEADER.exec(line)?.[1])
}

const PAIR = /^[ \t]*((?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_.\- \t])+)=/

/** The name of a pair, relative to its table. */
function readName({ text, isInString }: Line): string[] | undefined {
  return isInString ? undefined : readKeys(PAIR.exec(text)?.[1])
}

function readKeys(keys: string | undefined): string[] | undefined {
  if (keys === undefined) return undefined
  const path: string[] = []
  KEY.lastIndex = 0
  while (KEY.lastIndex < keys.length) {
    const [found, basic, literal, bare] = KEY.exec(keys) ?? []
    if (found === undefined) return undefined
    path.push(bare ?? literal ?? readBasic(basic ?? ''))
  }
  return path
}

/** Basic strings have the escapes of JSON, and others that no path of a program needs. */
function readBasic(basic: string): string {
  try {
    return String(JSON.parse(`"${basic}"`))
  } catch {
    return basic
  }
}

const STRING = /"((?:[^"\\]|\\.)*)"|'([^']*)'/g

function readStrings(lines: readonly Line[]): string[] {
  const values = lines.filter(({ header }) => !header).map(({ text }) => text)
  return values.flatMap((text) =>
    Array.from(text.matchAll(STRING), ([, basic, literal]) => literal ?? readBasic(basic ?? '')),
  )
}

const isBlank = ({ text }: Line): boolean => /^\s*(?:#|$)/.test(text)
const startsPath = (path: readonly string[], beginning: readonly string[]): boolean =>
  beginning.every((name, index) => path[index] === name)

/** What a file contains in the place of an entry. `obstacle` is why the entry cannot be there. */
export type FoundToml =
  | { readonly type: 'absent' | 'installed' | 'own' | 'foreign' }
  | { readonly type: 'unfit'; readonly problem: string }

export function findTomlTable(text: string, { names, values, isOwn }: TomlEntry): FoundToml {
  const lines = readLines(text)
  const own = lines.filter(({ table }) => startsPath(table, names))
  if (own.length === 0) return findObstacle(lines, names)
  if (!isOwn(readStrings(own))) return { type: 'foreign' }
  const direct = own.filter(({ table }) => table.length === names.length)
  const isSame = Object.entries(values).every(([name, value]) =>
    isDeepStrictEqual(readStrings(findPair(direct, name)), [value].flat()),
  )
  return { type: isSame ? 'installed' : 'own' }
}

/** The lines of one pair, whose value may have several lines. */
function findPair(lines: readonly Line[], name: string): readonly Line[] {
  const first = lines.findIndex((line) => readName(line)?.join() === name)
  if (first < 0) return []
  const next = lines.findIndex((line, at) => at > first && (readName(line) || isBlank(line)))
  return lines.slice(first, next < 0 ? undefined : next)
}

/** A table that is written as a value, or by dotted keys, cannot be changed or removed. */
function findObstacle(lines: readonly Line[], names: readonly string[]): FoundToml {
  for (const line of lines) {
    const name = readName(line)
    if (!name) continue
    const path = [...line.table, ...name]
    if (startsPath(path, names)) return { type: 'foreign' }
    if (startsPath(names, path))
      return { type: 'unfit', problem: `"${path.join('.')}" in it is no table of its own` }
  }
  return { type: 'absent' }
}

export function findTomlValue(text: string, { name, value }: TomlValueEntry): FoundToml {
  const found = findRootPairs(readLines(text), name)
  if (found.length === 0) return { type: 'absent' }
  return { type: isDeepStrictEqual(readStrings(found), [value]) ? 'installed' : 'foreign' }
}

function findRootPairs(lines: readonly Line[], name: string): Line[] {
  return lines.filter((line) => line.table.length === 0 && readName(line)?.join() === name)
}

/** Whether the user disabled the table: `enabled = false`. */
export function isTomlTableOff(text: string, names: readonly string[]): boolean {
  const own = readLines(text).filter(({ table }) => table.length === names.length)
  return own.some(
    ({ text: line, table }) =>
      startsPath(table, names) && /^[ \t]*enabled[ \t]*=[ \t]*false\b/.test(line),
  )
}

/**
 * The lines in the table, and the tables inside it, that precis does not write, with the comments
 * between them and those between the marks.
 */
export function listOtherLines(text: string, { names, values }: TomlEntry): string[] {
  const lines = readLines(text)
  const isOwn = ({ table }: Line) => startsPath(table, names)
  const isEmpty = (line: Line) => !line.isInString && isBlank(line)
  const direct = lines.filter((line) => isOwn(line) && line.table.length === names.length)
  const written = new Set(Object.keys(values).flatMap((name) => findPair(direct, name)))
  const last = lines.findLastIndex((line) => isOwn(line) && !isEmpty(line))
  const [opening, closing] = findBlocks(lines).find(([from, to]) => from < last && last < to) ?? []
  return lines
    .slice(opening === undefined ? 0 : opening + 1, closing ?? last + 1)
    .filter((line) => !written.has(line))
    .filter((line) => isOwn(line) || (opening !== undefined && isEmpty(line)))
    .filter(({ text: line, isInString }) => isInString || line.trim() !== '')
    .filter(({ header }) => header?.length !== names.length)
    .map((line) => line.text.replace(/\r?\n$/, ''))
}

/** Adds a missing entry at the end of a file that can contain it. */
export function insertTomlTable(text: string, { names, values, more = [] }: TomlEntry): TextEdit[] {
  const lineBreak = findLineBreak(text)
  const pairs = Object.entries(values).map(([name, value]) => `${name} = ${renderValue(value)}`)
  const lead = text.trim() === '' ? '' : text.endsWith('\n') ? lineBreak : lineBreak + lineBreak
  const block = [OPENING, `[${names.join('.')}]`, ...pairs, ...more, CLOSING, '']
  return [{ offset: text.length, length: 0, text: lead + block.join(lineBreak) }]
}

/** The same for a value: before everything else, where no table can have begun. */
export function insertTomlValue(text: string, { name, value }: TomlValueEntry): TextEdit[] {
  const block = [OPENING, `${name} = ${renderString(value)}`, CLOSING, '']
  const offset = text.startsWith('\u{feff}') ? 1 : 0
  return [{ offset, length: 0, text: block.join(findLineBreak(text)) }]
}

const findLineBreak = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n'

function renderValue(value: string | readonly string[]): string {
  return typeof value === 'string' ? renderString(value) : `[${value.map(renderString).join(', ')}]`
}

/** Basic strings of TOML have the escapes of JSON, but DEL is forbidden too. */
function renderString(text: string): string {
  return JSON.stringify(text).replaceAll('\u{7f}', '\\u007f')
}

/**
 * Removes the table and the tables inside it, in which an agent stores facts about a server. Other
 * text that an agent wrote between the marks stays.
 */
export function removeTomlEntry(text: string, entry: TomlEntry | TomlValueEntry): string {
  const lines = readLines(text)
  const isOwn = (line: Line) =>
    entry.type === 'toml'
      ? startsPath(line.table, entry.names)
      : findRootPairs([line], entry.name).length > 0
  const gone = new Set(lines.flatMap((line, at) => (isOwn(line) ? [at] : [])))
  // Comments and empty lines after the last pair belong to what follows.
  for (const at of [...gone].reverse()) {
    const line = lines[at]
    if (line && isBlank(line) && !gone.has(at + 1)) gone.delete(at)
  }
  for (const [opening, closing] of findBlocks(lines)) {
    const inside = lines.slice(opening, closing + 1).map((_, index) => opening + index)
    if (opening < closing && !inside.some((at) => gone.has(at))) continue
    for (const at of inside) {
      const line = lines[at]
      if (line && isBlank(line)) gone.add(at)
    }
  }
  const isEmpty = (at: number) => !gone.has(at) && lines[at]?.text.trim() === ''
  const before = entry.type === 'toml' ? [...gone].map((at) => at - 1).filter(isEmpty) : []
  const edits = [...gone, ...before]
    .sort((a, b) => a - b)
    .flatMap((at) => {
      const line = lines[at]
      return line ? [{ offset: line.start, length: line.text.length, text: '' }] : []
    })
  return applyTextEdits(text, edits)
}

/**
 * The positions of the two marks of each block. A mark whose counterpart is missing is a block too.
 */
function findBlocks(lines: readonly Line[]): (readonly [first: number, last: number])[] {
  const blocks: (readonly [number, number])[] = []
  let opening: number | undefined
  for (const [at, { text }] of lines.entries()) {
    const mark = text.trim()
    if (mark !== OPENING && mark !== CLOSING) continue
    if (opening !== undefined) blocks.push([opening, mark === CLOSING ? at : opening])
    else if (mark === CLOSING) blocks.push([at, at])
    opening = mark === OPENING ? at : undefined
  }
  return opening === undefined ? blocks : [...blocks, [opening, opening]]
}
