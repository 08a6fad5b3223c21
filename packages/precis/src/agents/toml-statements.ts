/**
 * What stands where in TOML 1.0, read far enough to find a table in any spelling and to refuse what is none.
 *
 *   [mcp_servers.other]          table  mcp_servers · other
 *   command = "x"                pair   mcp_servers · other · command
 *   ["mcp_servers" . precis]     table  mcp_servers · precis
 */

export interface TomlStatement {
  readonly type: 'table' | 'tables' | 'pair'
  /** From the root of the document. */
  readonly path: readonly string[]
  readonly start: number
  /** Behind its last character; a comment that follows is not of it. */
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
// One after the other as between the values of a list: in one pattern, millions of them are more than its stack holds.
const LOOSE_SPACE = /[ \t\r\n]+|#[^\n]*/y
const LINE_END = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' }
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
      statements.push({ type: header?.type ?? 'pair', path, start, end: this.#at, strings: this.#strings })
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
        // Up to two quotes may stand before the three that close.
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
