/**
 * Splits JavaScript into tokens, accurate enough to follow its literals and calls. Never throws, is
 * linear and runs nothing.
 */

export type ScriptToken =
  | { readonly type: 'text'; readonly value: string; readonly at: number }
  /** A part of a template. `isOpen` if a substitution follows, `isNext` if one came before. */
  | {
      readonly type: 'piece'
      readonly value: string
      readonly isOpen: boolean
      readonly isNext: boolean
      readonly at: number
    }
  | { readonly type: 'number'; readonly value: number; readonly at: number }
  | { readonly type: 'word'; readonly value: string; readonly at: number }
  | { readonly type: 'sign'; readonly value: string; readonly at: number }

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const NUMBER = /\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|0x[\da-fA-F]+/y
const SIGN = /=>|\.\.\.|\+=|\?\.|\?\?|===?|!==?|&&|\|\||[<>]=?|\+\+|--|[^\s]/uy
const SPACE = /\s+/y
// A slash after one of these is a division.
const OPERAND_ENDS = new Set([')', ']', '}'])

function readScriptTokens(source: string): ScriptToken[] {
  return new Tokenizer(source).read()
}

class Tokenizer {
  readonly #source: string
  readonly #tokens: ScriptToken[] = []
  /** Templates whose substitution is open, innermost last, with the number of open braces. */
  readonly #templates: { braces: number; readonly isRaw: boolean }[] = []
  #at = 0
  /** No regular expression ends before this position. */
  #plainUntil = 0

  constructor(source: string) {
    this.#source = source
  }

  read(): ScriptToken[] {
    while (this.#at < this.#source.length) this.#readOne()
    return this.#tokens
  }

  #readOne(): void {
    const at = this.#at
    const character = this.#source[at]!
    if (this.#match(SPACE) !== undefined || this.#skipComment()) return
    if (character === '"' || character === "'") {
      this.#at++
      this.#tokens.push({ type: 'text', value: this.#readUntil(character), at })
    } else if (character === '`') this.#readPiece(false)
    else if (character === '}' && this.#templates.at(-1)?.braces === 0) this.#readPiece(true)
    else if (character === '/' && this.#skipPattern())
      this.#tokens.push({ type: 'word', value: 'RegExp', at })
    else {
      const word = this.#match(WORD)
      const digits = word === undefined ? this.#match(NUMBER) : undefined
      if (word !== undefined) this.#tokens.push({ type: 'word', value: word, at })
      else if (digits !== undefined)
        this.#tokens.push({ type: 'number', value: Number(digits.replaceAll('_', '')), at })
      else this.#pushSign(this.#match(SIGN) ?? character, at)
    }
    if (this.#at === at) this.#at++
  }

  #pushSign(value: string, at: number): void {
    const template = this.#templates.at(-1)
    if (template && value === '{') template.braces++
    if (template && value === '}') template.braces--
    this.#tokens.push({ type: 'sign', value, at })
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #skipComment(): boolean {
    const end = this.#source.startsWith('//', this.#at)
      ? '\n'
      : this.#source.startsWith('/*', this.#at)
        ? '*/'
        : ''
    if (end === '') return false
    const found = this.#source.indexOf(end, this.#at + 2)
    this.#at = found < 0 ? this.#source.length : found + end.length
    return true
  }

  /** A pattern such as `/["']/g` may contain quotes that open no string. */
  #skipPattern(): boolean {
    const before = this.#tokens.at(-1)
    if (before && (before.type !== 'sign' || OPERAND_ENDS.has(before.value))) return false
    if (this.#at < this.#plainUntil) return false
    let isInClass = false
    for (let at = this.#at + 1; at < this.#source.length; at++) {
      const character = this.#source[at]
      if (character === '\n') {
        this.#plainUntil = at
        return false
      }
      if (character === '\\') at++
      else if (character === '[') isInClass = true
      else if (character === ']') isInClass = false
      else if (character === '/' && !isInClass) {
        this.#at = at + 1
        return true
      }
    }
    this.#plainUntil = this.#source.length
    return false
  }

  #readPiece(isNext: boolean): void {
    const at = this.#at++
    const before = this.#tokens.at(-1)
    const isTagged = before?.type === 'word' && before.value === 'raw'
    const isRaw = isNext ? this.#templates.pop()?.isRaw === true : isTagged
    const value = this.#readUntil('`', isRaw)
    const isOpen = this.#source.startsWith('${', this.#at - 2)
    if (isOpen) this.#templates.push({ braces: 0, isRaw })
    this.#tokens.push({ type: 'piece', value, isOpen, isNext, at })
  }

  /**
   * The text up to a quote, which is skipped. A template also ends at `${`, and a string at the end
   * of its line.
   */
  #readUntil(quote: string, isRaw = false): string {
    const stop = quote === '`' ? /[`\\$]/g : quote === '"' ? /["\\\n]/g : /['\\\n]/g
    const parts: string[] = []
    for (let from = this.#at; ; ) {
      stop.lastIndex = from
      const found = stop.exec(this.#source)
      const end = found?.index ?? this.#source.length
      parts.push(this.#source.slice(from, end))
      this.#at = end + 1
      if (!found || found[0] === '\n' || found[0] === quote) break
      if (found[0] === '\\') {
        const meant = isRaw
          ? ([this.#source.slice(end, end + 2), 2] as const)
          : readEscape(this.#source, end)
        parts.push(meant[0])
        from = end + meant[1]
      } else if (this.#source[end + 1] === '{') {
        this.#at = end + 2
        break
      } else {
        parts.push('$')
        from = end + 1
      }
    }
    return parts.join('')
  }
}

const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['0', '\0'],
  ['\n', ''],
])
const CODE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\})/y

/** The value of an escape, and its length. */
function readEscape(source: string, at: number): readonly [string, number] {
  const letter = source[at + 1] ?? ''
  if (letter === 'x' || letter === 'u') {
    CODE.lastIndex = at
    const found = CODE.exec(source)
    const code = Number.parseInt(found?.[1] ?? found?.[2] ?? found?.[3] ?? '', 16)
    if (found && code <= 0x10_ffff) return [String.fromCodePoint(code), found[0].length]
  }
  return [ESCAPES.get(letter) ?? letter, 2]
}

/** A position among the tokens of a script. */
export class ScriptCursor {
  position = 0
  readonly #tokens: readonly ScriptToken[]
  readonly #length: number

  constructor(source: string) {
    this.#tokens = readScriptTokens(source)
    this.#length = source.length
  }

  get isAtEnd(): boolean {
    return this.position >= this.#tokens.length
  }

  get token(): ScriptToken | undefined {
    return this.#tokens[this.position]
  }

  /** Whether the rest of a template comes next. */
  get isInTemplate(): boolean {
    return this.token?.type === 'piece' && this.token.isNext
  }

  /** The position in the source where a token begins, by default the next one. */
  placeOf(position = this.position): number {
    return this.#tokens[position]?.at ?? this.#length
  }

  next(): ScriptToken | undefined {
    return this.#tokens[this.position++]
  }

  /** Empty for any token that is not a sign. */
  sign(offset = 0): string {
    const token = this.#tokens[this.position + offset]
    return token?.type === 'sign' ? token.value : ''
  }

  word(offset = 0): string {
    const token = this.#tokens[this.position + offset]
    return token?.type === 'word' ? token.value : ''
  }

  take(sign: string): boolean {
    if (this.sign() !== sign) return false
    this.position++
    return true
  }
}
