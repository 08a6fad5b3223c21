/**
 * Reads the calls in a script of tool calls by a model: `const r = await tools.exec_command({cmd:
 * "npm test"}); text(r.output)`. The script is data, and nothing of it runs. Computed values are
 * followed if they consist of literals, names for literals, concatenations and mapped lists.
 */

import type { ToolCallPart } from '../conversation/message.ts'
import { ScriptCursor } from './script-tokens.ts'
import {
  callMethod,
  join,
  readField,
  sizeOf,
  toPlain,
  Unknown,
  type Value,
} from './script-values.ts'

/**
 * The calls of a script, in the order of the text. Undefined if it is not a script. All have the id
 * of `call`.
 */
export function readScriptCalls({ name, callId, input }: ToolCallPart): ToolCallPart[] | undefined {
  if (name.slice(name.lastIndexOf('.') + 1).toLowerCase() !== 'exec') return undefined
  const given =
    typeof input === 'object' && input !== null && 'input' in input ? input.input : input
  if (
    typeof given !== 'string' ||
    !/\b(?:tools\s*[.[]|(?:text|image|store|load|notify)\s*\(|ALL_TOOLS\b)/.test(given)
  )
    return undefined
  return new Script(given).readCalls().map((call) => ({ type: 'tool-call', callId, ...call }))
}

const DEEPEST = 60
const LONGEST_WORDS = 60
const MOST_REPETITIONS = 100
// Every use of a name repeats its value. The text may not grow beyond this many times the script's
// length.
const GROWTH = 4
const DECLARES = new Set(['const', 'let', 'var'])
const CLOSERS = new Set([')', ']', '}', ',', ';', ':'])
const CONSTANTS = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const PREFIXES = new Set(['await', 'async', 'new', 'typeof', 'void', 'return', 'throw', 'yield'])
const REPEATERS = new Set(['map', 'flatMap', 'forEach'])

class Script {
  readonly #source: string
  readonly #cursor: ScriptCursor
  readonly #names = new Map<string, { readonly value: Value; readonly size: number }>()
  readonly #calls: { readonly name: string; readonly input: unknown }[] = []
  readonly #longest: number
  #depth = 0
  #room: number

  constructor(source: string) {
    this.#source = source
    this.#cursor = new ScriptCursor(source)
    this.#longest = source.length * GROWTH
    this.#room = 1_000 + this.#longest
  }

  readCalls() {
    while (!this.#cursor.isAtEnd) this.#readStatement()
    return this.#calls
  }

  /** Reads a part of a block or of the script. Consumes at least one token. */
  #readStatement(): void {
    const word = this.#cursor.word()
    const start = this.#cursor.placeOf()
    if (DECLARES.has(word)) {
      this.#cursor.position++
      const bind = this.#readPattern()
      if (this.#cursor.take('=')) bind(this.#readExpression(), this.#cursor.placeOf() - start)
    } else if (word === 'for') this.#nest(() => this.#readLoop(), undefined)
    else if (word !== '' && this.#cursor.sign(1) === '=') {
      this.#cursor.position += 2
      this.#names.set(word, { value: this.#readExpression(), size: this.#cursor.placeOf() - start })
    } else if (CLOSERS.has(this.#cursor.sign()) || this.#cursor.sign() === '{')
      this.#cursor.position++
    else this.#readExpression()
  }

  /** `for (const cmd of list)` */
  #readLoop(): void {
    this.#cursor.position++
    if (this.#cursor.word() === 'await') this.#cursor.position++
    if (!this.#cursor.take('(')) return
    if (DECLARES.has(this.#cursor.word())) this.#cursor.position++
    const bind = this.#readPattern()
    if (this.#cursor.word() !== 'of') return
    this.#cursor.position++
    const list = this.#readExpression()
    this.#cursor.take(')')
    this.#repeat(list, bind)
  }

  /** A block, or one statement. The body of an arrow function may be an expression. */
  #readBody(): void {
    if (!this.#cursor.take('{')) {
      this.#readStatement()
      return
    }
    let depth = 1
    while (!this.#cursor.isAtEnd && depth > 0) {
      if (this.#cursor.sign() === '{') depth++
      if (this.#cursor.sign() === '}') depth--
      this.#readStatement()
    }
  }

  #repeat(list: Value, bind: Bind): void {
    const items = Array.isArray(list) ? list.slice(0, MOST_REPETITIONS) : []
    const [first = new Unknown('')] = items
    const body = this.#cursor.position
    const start = this.#cursor.placeOf()
    bind(first, sizeOf(first))
    this.#readBody()
    const size = this.#cursor.placeOf() - start
    for (const item of items.slice(1)) {
      this.#room -= size + 1
      if (this.#room < 0) return
      this.#cursor.position = body
      bind(item, sizeOf(item))
      this.#readBody()
    }
  }

  /** A name, or names in brackets, to which the next value is assigned. */
  #readPattern(): Bind {
    const name = this.#cursor.word()
    if (name !== '') {
      this.#cursor.position++
      return (value, size) => this.#names.set(name, { value, size })
    }
    const close = this.#cursor.take('{') ? '}' : this.#cursor.take('[') ? ']' : undefined
    if (close === undefined) return () => undefined
    const binds: Bind[] = []
    for (let index = 0; !this.#cursor.isAtEnd && !this.#cursor.take(close); index++) {
      const key = close === '}' ? this.#cursor.word() : String(index)
      if (this.#cursor.sign(1) === ':') this.#cursor.position += 2
      const before = this.#cursor.position
      const bind = this.#nest(
        () => this.#readPattern(),
        () => undefined,
      )
      binds.push((value, size) => bind(readField(value, key), size))
      if (this.#cursor.take('=')) this.#readExpression()
      if (!this.#cursor.take(',') && this.#cursor.position === before) this.#cursor.position++
    }
    return (value, size) => {
      for (const bind of binds) bind(value, size)
    }
  }

  /** Skips too deep nesting token by token. */
  #nest<T>(read: () => T, otherwise: T): T {
    if (this.#depth >= DEEPEST) {
      this.#cursor.position++
      return otherwise
    }
    this.#depth++
    const result = read()
    this.#depth--
    return result
  }

  /** Reads a whole expression. Consumes at least one token. */
  #readExpression(): Value {
    return this.#nest(() => this.#readOperators(), new Unknown(''))
  }

  #readOperators(): Value {
    const start = this.#cursor.position
    let value = this.#readOperand()
    for (
      let sign = this.#cursor.sign();
      sign !== '' && !CLOSERS.has(sign) && sign !== '{';
      sign = this.#cursor.sign()
    ) {
      this.#cursor.position++
      if (sign === '=>') {
        this.#readBody()
        value = this.#unknownFrom(start)
        continue
      }
      const next = this.#readExpression()
      if (sign === '?') this.#cursor.take(':')
      value = sign === '+' ? join(value, next, this.#longest) : this.#unknownFrom(start)
    }
    return value
  }

  #readOperand(): Value {
    const start = this.#cursor.position
    while (
      PREFIXES.has(this.#cursor.word()) ||
      ['!', '-', '+', '...', '++', '--', '~'].includes(this.#cursor.sign())
    )
      this.#cursor.position++
    let value = this.#readPrimary(start)
    for (;;) {
      if (this.#cursor.take('.') || this.#cursor.take('?.')) {
        const name = this.#cursor.word()
        if (name !== '') this.#cursor.position++
        if (REPEATERS.has(name) && this.#cursor.sign() === '(')
          value = this.#readRepeater(value, start)
        else if (this.#cursor.sign() === '(') {
          const [argument] = this.#readList(')')
          value = callMethod(value, name, argument, this.#longest) ?? this.#unknownFrom(start)
        } else value = readField(value, name)
      } else if (this.#cursor.sign() === '(') {
        this.#readList(')')
        value = this.#unknownFrom(start)
      } else if (this.#cursor.sign() === '[') {
        const [key] = this.#readList(']')
        const isKey = typeof key === 'string' || typeof key === 'number'
        value = isKey ? readField(value, String(key)) : new Unknown('')
      } else return value
    }
  }

  #readPrimary(start: number): Value {
    const token = this.#cursor.token
    if (!token) return new Unknown('')
    if (token.type === 'piece' && !token.isNext) return this.#readTemplate()
    if (token.type === 'sign' && token.value === '[') return this.#readList(']')
    if (token.type === 'sign' && token.value === '{') return this.#readObject()
    if (token.type === 'sign' && token.value === '(') {
      const values = this.#readList(')')
      return values.length === 1 ? values[0]! : this.#unknownFrom(start)
    }
    if (token.type === 'sign' && CLOSERS.has(token.value)) return new Unknown('')
    this.#cursor.position++
    if (token.type === 'text' || token.type === 'number') return token.value
    if (token.type !== 'word') return this.#unknownFrom(start)
    if (token.value === 'function') {
      if (this.#cursor.word() !== '') this.#cursor.position++
      this.#readList(')')
      this.#readBody()
    } else if (token.value === 'tools') this.#readCall()
    else if (
      token.value === 'String' &&
      this.#cursor.sign() === '.' &&
      this.#cursor.word(1) === 'raw'
    ) {
      this.#cursor.position += 2
      return this.#cursor.token?.type === 'piece' ? this.#readTemplate() : this.#unknownFrom(start)
    } else return CONSTANTS.get(token.value) ?? this.#valueOf(token.value)
    return this.#unknownFrom(start)
  }

  /** `tools.exec_command({…})`, `tools["exec_command"]({…})` */
  #readCall(): void {
    let name = ''
    if (this.#cursor.take('.') || this.#cursor.take('?.')) {
      name = this.#cursor.word()
      if (name !== '') this.#cursor.position++
    } else if (this.#cursor.sign() === '[') {
      const [given] = this.#readList(']')
      name = typeof given === 'string' ? given : ''
    }
    if (name === '' || this.#cursor.sign() !== '(') return
    // Calls inside the input come before the call itself.
    const [input] = this.#readList(')')
    this.#calls.push({ name, input: toPlain(input ?? null) })
  }

  /** Values up to the closing bracket. The opening bracket is the next token. */
  #readList(close: string): Value[] {
    this.#cursor.position++
    const values: Value[] = []
    while (!this.#cursor.isAtEnd && !this.#cursor.take(close)) {
      if (this.#cursor.take(',')) continue
      const before = this.#cursor.position
      values.push(this.#readExpression())
      if (this.#cursor.position === before) this.#cursor.position++
    }
    return values
  }

  #readObject(): Value {
    this.#cursor.position++
    const fields = new Map<string, Value>()
    while (!this.#cursor.isAtEnd && !this.#cursor.take('}')) {
      const token = this.#cursor.token!
      this.#cursor.position++
      const isKey = token.type === 'text' || token.type === 'word' || token.type === 'number'
      if (isKey && this.#cursor.take(':')) fields.set(String(token.value), this.#readExpression())
      else if (token.type === 'word') fields.set(token.value, this.#valueOf(token.value))
      else if (token.type === 'sign' && token.value === '...') {
        const spread = this.#readExpression()
        if (spread instanceof Map) for (const [key, value] of spread) fields.set(key, value)
      }
    }
    return fields
  }

  #readTemplate(): Value {
    let text: Value = ''
    for (;;) {
      const token = this.#cursor.next()
      if (token?.type !== 'piece') return text
      text = join(text, token.value, this.#longest)
      if (!token.isOpen) return text
      text = join(text, this.#readExpression(), this.#longest)
      while (!this.#cursor.isAtEnd && !this.#cursor.isInTemplate) this.#cursor.position++
    }
  }

  /** `list.map((cmd) => tools.exec_command({cmd}))`: one call for each item of the list. */
  #readRepeater(list: Value, start: number): Value {
    this.#cursor.position++
    if (this.#cursor.word() === 'async') this.#cursor.position++
    const isBare = this.#cursor.word() !== '' && this.#cursor.sign(1) === '=>'
    if (isBare || this.#cursor.take('(')) {
      const bind = this.#readPattern()
      while (!isBare && !this.#cursor.isAtEnd && !this.#cursor.take(')')) this.#cursor.position++
      if (this.#cursor.take('=>')) this.#repeat(list, bind)
    }
    while (!this.#cursor.isAtEnd && !this.#cursor.take(')')) this.#readStatement()
    return this.#unknownFrom(start)
  }

  #valueOf(name: string): Value {
    const known = this.#names.get(name)
    if (!known) return new Unknown(name)
    this.#room -= known.size
    return this.#room < 0 ? new Unknown(name) : known.value
  }

  #unknownFrom(start: number): Unknown {
    const from = this.#cursor.placeOf(start)
    return new Unknown(
      this.#source.slice(from, Math.min(this.#cursor.placeOf(), from + LONGEST_WORDS)).trim(),
    )
  }
}

type Bind = (value: Value, size: number) => void
