import { readScriptTokens, type ScriptToken } from './script-tokens.ts'

/** A place among the tokens of a script. */
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

  /** Where the next token begins in the source, or that of a token by its position. */
  placeOf(position = this.position): number {
    return this.#tokens[position]?.at ?? this.#length
  }

  next(): ScriptToken | undefined {
    return this.#tokens[this.position++]
  }

  /** Empty for anything but a sign. */
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
