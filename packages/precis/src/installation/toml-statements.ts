/**
 * Where tables are in TOML 1.0, read far enough to find one in any spelling, and to refuse what is
 * no TOML. A marked block would not do: a table is ours too where `codex mcp add` or an older
 * precis wrote it, without marks.
 *
 *   [mcp_servers.other]          table  mcp_servers · other
 *   command = "x"                pair   mcp_servers · other · command
 *   ["mcp_servers" . precis]     table  mcp_servers · precis
 */
import type { TomlEntry, TomlValueEntry } from '../agents/ground/agent.ts'
import { applyTextEdits, type TextEdit } from './agent-file.ts'

export interface TomlStatement {
  readonly type: 'table' | 'tables' | 'pair'
  /** From the root of the document. */
  readonly path: readonly string[]
  readonly start: number
  /** After its last character; a comment that follows is not part of it. */
  readonly end: number
  /** Every string of its value, inside lists and inline tables too. */
  readonly strings: readonly string[]
}

/** Throws `SyntaxError` with the number of the line. */
export function readTomlStatements(text: string): TomlStatement[] {
  return new TomlReader(text).read()
}

const BARE_KEY = /[A-Za-z0-9_-]+/y
// A number, a date, a truth: nothing here asks which.
const BARE_VALUE = /[A-Za-z0-9_+:.-]+(?: \d\d:[\d:.+Z-]+)?/y
const SPACE = /[ \t]*/y
// One after the other as between the values of a list: in one pattern, millions of them are more
// than its stack holds.
const LOOSE_SPACE = /[ \t\r\n]+|#[^\n]*/y
const LINE_END = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
}
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(\r?\n[ \t\r\n]*|[btnfr"\\]))/g
const LARGEST_CODE_POINT = 0x10ffff
const DEEPEST = 200

class TomlReader {
  readonly #text: string
  #at: number
  #strings: string[] = []

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\u{feff}') ? 1 : 0
  }

  read(): TomlStatement[] {
    const statements: TomlStatement[] = []
    let table: readonly string[] = []
    for (;;) {
      this.#skipLooseSpace()
      if (this.#at >= this.#text.length) return statements
      const start = this.#at
      this.#strings = []
      const header = this.#readHeader()
      if (header) table = header.path
      const path = header?.path ?? [...table, ...this.#readPair()]
      statements.push({
        type: header?.type ?? 'pair',
        path,
        start,
        end: this.#at,
        strings: this.#strings,
      })
      if (this.#match(LINE_END) === undefined) this.#refuse()
    }
  }

  #readHeader(): (Pick<TomlStatement, 'path'> & { readonly type: 'table' | 'tables' }) | undefined {
    if (!this.#take('[')) return undefined
    const isList = this.#take('[')
    const path = this.#readKey()
    this.#expect(isList ? ']]' : ']')
    return { type: isList ? 'tables' : 'table', path }
  }

  #readPair(): string[] {
    const path = this.#readKey()
    this.#expect('=')
    this.#match(SPACE)
    this.#readValue(0)
    return path
  }

  #readKey(): string[] {
    const path: string[] = []
    do {
      this.#match(SPACE)
      path.push(this.#readString() ?? this.#match(BARE_KEY) ?? this.#refuse())
      this.#match(SPACE)
    } while (this.#take('.'))
    return path
  }

  #readValue(depth: number): void {
    if (depth > DEEPEST) this.#refuse()
    const string = this.#readMultiline('"""') ?? this.#readMultiline("'''") ?? this.#readString()
    if (string !== undefined) this.#strings.push(string)
    else if (this.#take('[')) this.#readList(']', depth)
    else if (this.#take('{')) this.#readList('}', depth)
    else if (this.#match(BARE_VALUE) === undefined) this.#refuse()
  }

  #readList(closing: ']' | '}', depth: number): void {
    for (;;) {
      this.#skipLooseSpace()
      if (this.#take(closing)) return
      if (closing === '}') {
        this.#readKey()
        this.#expect('=')
        this.#match(SPACE)
      }
      this.#readValue(depth + 1)
      this.#skipLooseSpace()
      if (this.#take(',')) continue
      this.#expect(closing)
      return
    }
  }

  /** On one line, with either quote. */
  #readString(): string | undefined {
    const quote = this.#text[this.#at]
    if (quote !== '"' && quote !== "'") return undefined
    for (let end = this.#at + 1; end < this.#text.length; end++) {
      const character = this.#text[end]
      if (character === '\n') break
      if (character === '\\' && quote === '"') end++
      else if (character === quote) return this.#takeString(end, 1)
    }
    return this.#refuse()
  }

  #readMultiline(quotes: '"""' | "'''"): string | undefined {
    if (!this.#text.startsWith(quotes, this.#at)) return undefined
    for (let end = this.#at + 3; end < this.#text.length; end++) {
      if (this.#text[end] === '\\' && quotes === '"""') end++
      else if (this.#text.startsWith(quotes, end)) {
        // Up to two quotes may precede the three that close.
        while (this.#text[end + 3] === quotes[0]) end++
        return this.#takeString(end, 3)
      }
    }
    return this.#refuse()
  }

  #takeString(end: number, quotes: number): string {
    const raw = this.#text.slice(this.#at + quotes, end)
    const isLiteral = this.#text[this.#at] === "'"
    this.#at = end + quotes
    const content = quotes === 3 ? raw.replace(/^\r?\n/, '') : raw
    return isLiteral ? content : content.replace(ESCAPE, unescapeMatch)
  }

  #skipLooseSpace(): void {
    while (this.#match(LOOSE_SPACE) !== undefined);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found !== undefined) this.#at += found.length
    return found
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  #expect(word: string): void {
    if (!this.#take(word)) this.#refuse()
  }

  #refuse(): never {
    throw new SyntaxError(`line ${this.#text.slice(0, this.#at).split('\n').length} is no TOML`)
  }
}

function unescapeMatch(_: string, short?: string, long?: string, other?: string): string {
  const digits = short ?? long
  if (digits === undefined) return ESCAPES[other ?? ''] ?? ''
  const code = Number.parseInt(digits, 16)
  return code <= LARGEST_CODE_POINT ? String.fromCodePoint(code) : ''
}

/** A table in TOML, written at the end and taken out again; all other text stays as it is. */

/** For an entry that is absent, in a document where it can be. */
export function insertTomlTable(text: string, { names, values }: TomlEntry): TextEdit[] {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n'
  const header = `[${names.join('.')}]`
  const pairs = Object.entries(values).map(([name, value]) => `${name} = ${renderValue(value)}`)
  const lead = text.trim() === '' ? '' : text.endsWith('\n') ? lineBreak : lineBreak + lineBreak
  return [{ offset: text.length, length: 0, text: lead + [header, ...pairs, ''].join(lineBreak) }]
}

/** The same for a value: before all else, where no table can have begun. */
export function insertTomlValue(text: string, { name, value }: TomlValueEntry): TextEdit[] {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n'
  const offset = text.startsWith('\u{feff}') ? 1 : 0
  return [{ offset, length: 0, text: `${name} = ${renderString(value)}${lineBreak}` }]
}

function renderValue(value: string | readonly string[]): string {
  return typeof value === 'string' ? renderString(value) : `[${value.map(renderString).join(', ')}]`
}

/** Basic strings of TOML have the escapes of JSON; DEL is forbidden besides. */
function renderString(text: string): string {
  return JSON.stringify(text).replaceAll('\u{7f}', '\\u007f')
}

/**
 * Tables inside it too, which an agent adds for what it remembers of a server. A value goes as a
 * table does.
 */
export function removeTomlTable(text: string, names: readonly string[]): string {
  const own = new Set(listTomlStatements(text, names).map(({ start }) => start))
  const stretches: { readonly start: number; end: number }[] = []
  let current: (typeof stretches)[number] | undefined
  for (const { start, end } of readTomlStatements(text)) {
    if (!own.has(start)) {
      current = undefined
      continue
    }
    // Comments and empty lines between its lines are removed as well.
    const begun = current ?? { start: findBlockStart(text, start), end }
    if (!current) stretches.push(begun)
    begun.end = findLineEnd(text, end)
    current = begun
  }
  return applyTextEdits(
    text,
    stretches.map(({ start, end }) => ({ offset: start, length: end - start, text: '' })),
  )
}

/** After the line break, a comment on the line included. */
function findLineEnd(text: string, end: number): number {
  const lineFeed = text.indexOf('\n', end)
  return lineFeed < 0 ? text.length : lineFeed + 1
}

/** With the empty line before it. */
function findBlockStart(text: string, start: number): number {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const [, emptyLine = ''] =
    /(?:^|\n)(\r?\n)$/.exec(text.slice(Math.max(lineStart - 3, 0), lineStart)) ?? []
  return lineStart - emptyLine.length
}

/** The statements of a table in any spelling, those of tables inside it too. */
export function listTomlStatements(text: string, names: readonly string[]): TomlStatement[] {
  return readTomlStatements(text).filter(({ path }) => startsTomlPath(path, names))
}

export function startsTomlPath(path: readonly string[], beginning: readonly string[]): boolean {
  return path.length >= beginning.length && beginning.every((name, index) => path[index] === name)
}
