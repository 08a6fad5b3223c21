/** Reads the words of a shell script, including quotes. Never throws and is linear. */

export interface ShellWord {
  /** The text of the word, unquoted. */
  readonly text: string
  /** Whether the shell replaces nothing in it. */
  readonly isPlain: boolean
}

const PLAIN = /[^\s'"\\$`*?[{;&|<>()]+/y
const DOCUMENT = /<<-?[ \t]*(?:'\w+'|"\w+"|\\?\w+)/y

/** A position in a script, and what begins there. */
export class ShellWords {
  at = 0
  readonly #script: string

  constructor(script: string) {
    this.#script = script
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#script)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  find(text: string, from: number): number {
    const found = this.#script.indexOf(text, from)
    return found < 0 ? this.#script.length : found
  }

  /** The word that begins here. Consumes at least one character. */
  readWord(): ShellWord {
    const parts: string[] = []
    let isPlain = true
    const start = this.at
    for (;;) {
      const plain = this.match(PLAIN)
      if (plain !== undefined) {
        parts.push(plain)
        continue
      }
      const from = this.at
      const character = this.#script[from] ?? ' '
      if (character === "'") {
        this.at = this.find("'", from + 1) + 1
        parts.push(this.#script.slice(from + 1, this.at - 1))
      } else if (character === '"') isPlain = this.#readQuoted(parts) && isPlain
      else if (character === '\\') {
        this.at += 2
        if (this.#script[from + 1] !== '\n') parts.push(this.#script[from + 1] ?? '')
      } else if (character === '$' || character === '`') {
        isPlain = false
        this.#skipReplaced()
        parts.push(this.#script.slice(from, this.at))
      } else if ('*?[{'.includes(character)) {
        // A single brace is a separate word, but `{}` is what `find` replaces.
        isPlain =
          isPlain &&
          character === '{' &&
          start === from &&
          /^\{(?:\s|$)/.test(this.#script.slice(from, from + 2))
        this.at++
        parts.push(character)
      } else break
    }
    if (this.at === start) this.at++
    return { text: parts.join(''), isPlain }
  }

  /** Whether the shell replaces nothing between the quotes. */
  #readQuoted(parts: string[]): boolean {
    let isPlain = true
    this.at++
    while (this.at < this.#script.length) {
      const from = this.at
      const stop = /["\\$`]/g
      stop.lastIndex = from
      const found = stop.exec(this.#script)
      this.at = found?.index ?? this.#script.length
      parts.push(this.#script.slice(from, this.at))
      if (!found) break
      if (found[0] === '"') {
        this.at++
        break
      }
      const at = this.at
      if (found[0] === '\\') {
        this.at += 2
        const next = this.#script[at + 1] ?? ''
        if (next !== '\n') parts.push('"\\$`'.includes(next) ? next : `\\${next}`)
        continue
      }
      isPlain = false
      this.#skipReplaced()
      parts.push(this.#script.slice(at, this.at))
    }
    return isPlain
  }

  /** Skips `$name`, `${name}`, `$(command)` or a command in backquotes. */
  #skipReplaced(): void {
    const from = this.at
    const next = this.#script[from + 1]
    this.at++
    if (this.#script[from] === '`') this.at = this.find('`', from + 1) + 1
    else if (next === "'") this.#skipEscaped()
    else if (next === '{') this.at = this.find('}', from) + 1
    else if (next === '(') {
      this.at++
      this.skipNested()
    }
  }

  /** `$'…'` has escapes. */
  #skipEscaped(): void {
    for (this.at++; this.at < this.#script.length && this.#script[this.at] !== "'"; this.at++) {
      if (this.#script[this.at] === '\\') this.at++
    }
    this.at++
  }

  /** Skips everything up to the closing bracket. */
  skipNested(): void {
    const closers = [')']
    for (; this.at < this.#script.length && closers.length > 0; this.at++) {
      const character = this.#script[this.at]!
      if (character === '\\') this.at++
      else if (character === closers.at(-1)) closers.pop()
      else if (character === '"') closers.push('"')
      else if (character === '(' && (closers.at(-1) === ')' || this.#script[this.at - 1] === '$'))
        closers.push(')')
      else if (closers.at(-1) === '"') continue
      else if (character === "'") this.at = this.find("'", this.at + 1)
      else if (character === '<') this.#skipDocument()
    }
  }

  /** A document inside `$(…)` may contain quotes that open no string. */
  #skipDocument(): void {
    const opening = this.match(DOCUMENT)
    const name = opening?.replace(/^<<-?\s*|['"\\]/g, '')
    if (name === undefined) return
    for (let from = this.at; ; ) {
      const line = this.find('\n', from)
      const end = line + 1 + (/^\t*/.exec(this.#script.slice(line + 1, line + 20))?.[0].length ?? 0)
      this.at = end + name.length - 1
      if (line >= this.#script.length) return
      if (
        this.#script.startsWith(name, end) &&
        /^(?:$|[\s)])/.test(this.#script.slice(this.at + 1, this.at + 2))
      )
        return
      from = line + 1
    }
  }
}
