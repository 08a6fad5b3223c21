/**
 * Splits a shell script into the commands that it runs. Never throws, is linear and runs nothing.
 */

import { joinPath } from './paths.ts'
import { type ShellWord, ShellWords } from './shell-words.ts'

/** One simple command. The content of quotes, comments and documents is not a step. */
export interface ShellStep {
  readonly words: readonly ShellWord[]
  /** Files that receive its output. */
  readonly writes: readonly { readonly target: ShellWord; readonly appends: boolean }[]
  /** Lines of the document that is its input. */
  readonly input?: readonly string[]
  /** The folder where it runs. Undefined if only running the script would show it. */
  readonly directory: string | undefined
  /** Whether it runs if everything succeeds. False after `||`, and in one of several branches. */
  readonly isSure: boolean
  /** Whether its input is the output of the step before. */
  readonly isPiped: boolean
}

/** `directory`: where the script begins. Empty for the folder of the reader. */
export function readShellSteps(script: string, directory = ''): ShellStep[] {
  return new Shell(script, directory).read()
}

interface StepDraft {
  words: ShellWord[]
  writes: ShellStep['writes'][number][]
  input?: string[]
}

interface Document {
  readonly step: StepDraft
  readonly end: string
  readonly isIndented: boolean
}

const OPERATOR = /&&|\|\||;;|\|&|&>>?|<<<|<<-?|<>|<&|<\(|>\(|>>|>[|&]?|[;&|<()\n]/y
const KEYWORDS = new Set([
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  '{',
  '!',
  'time',
  'if',
  'fi',
  'done',
  '}',
  'esac',
])

// In characters, as systems allow. Many steps into folders would make one of any length.
const LONGEST_PATH = 4_096

class Shell {
  readonly #script: string
  readonly #words: ShellWords
  readonly #steps: ShellStep[] = []
  #step: StepDraft = { words: [], writes: [] }
  #documents: Document[] = []
  /** Open brackets, with the directory outside them. */
  readonly #groups: {
    readonly bracket: string
    readonly isUnsure: boolean
    readonly directory: string | undefined
  }[] = []
  #directory: string | undefined
  #branches = 0
  #before = ''

  constructor(script: string, directory: string) {
    this.#script = script
    this.#words = new ShellWords(script)
    this.#directory = directory
  }

  read(): ShellStep[] {
    while (this.#words.at < this.#script.length) this.#readOne()
    this.#endStep('')
    return this.#steps
  }

  #readOne(): void {
    const character = this.#script[this.#words.at]!
    if (character === '\n') this.#endLine()
    else if (/\s/.test(character)) this.#words.at++
    else if (character === '#') this.#words.at = this.#words.find('\n', this.#words.at)
    else {
      const operator = this.#words.match(OPERATOR)
      if (operator === undefined) this.#step.words.push(this.#words.readWord())
      else if (/[<>]/.test(operator)) this.#redirect(operator)
      else this.#endStep(operator)
    }
  }

  /** The documents that a line announces begin after it. */
  #endLine(): void {
    this.#words.at++
    for (const { step, end, isIndented } of this.#documents) {
      const lines: string[] = []
      while (this.#words.at < this.#script.length) {
        const next = this.#words.find('\n', this.#words.at)
        const raw = this.#script.slice(this.#words.at, next)
        this.#words.at = next + 1
        const line = isIndented ? raw.replace(/^\t+/, '') : raw
        if (line === end) break
        lines.push(line)
      }
      step.input = lines
    }
    this.#documents = []
    this.#endStep('\n')
  }

  #redirect(operator: string): void {
    if (operator === '<(' || operator === '>(') {
      this.#words.skipNested()
      return
    }
    const last = this.#step.words.at(-1)
    const before = this.#script[this.#words.at - operator.length - 1]
    const descriptor =
      last && /^\d$/.test(last.text) && last.text === before ? last.text : undefined
    if (descriptor !== undefined) this.#step.words.pop()
    while (this.#script[this.#words.at] === ' ' || this.#script[this.#words.at] === '\t')
      this.#words.at++
    const target = this.#words.readWord()
    if (operator.startsWith('<<') && operator !== '<<<') {
      this.#documents.push({ step: this.#step, end: target.text, isIndented: operator === '<<-' })
    } else if (operator.includes('>') && operator !== '<>' && (descriptor ?? '1') === '1') {
      if (operator !== '>&') this.#step.writes.push({ target, appends: operator.endsWith('>>') })
    }
  }

  #endStep(operator: string): void {
    const { words, writes } = this.#step
    const step = this.#step
    const before = this.#before
    this.#step = { words: [], writes: [] }
    let keywords = 0
    for (; KEYWORDS.has(words[keywords]?.text ?? ''); keywords++)
      this.#pass(words[keywords]!.text, before)
    words.splice(0, keywords)
    if (words[0]?.text === 'case') this.#branches++
    if (words.length > 0 || writes.length > 0) {
      const isSure = before !== '||' && this.#branches === 0
      const isPiped = before === '|' || before === '|&'
      // The step is the same object, because a document is read after the end of its line.
      this.#steps.push(Object.assign(step, { directory: this.#directory, isSure, isPiped }))
      if (words[0]?.text === 'cd' && words[1]) this.#enter(words[1])
      this.#before = operator
    } else if (operator !== '\n') this.#before = operator
    if (operator === '(') this.#open('(', before)
    if (operator === ')') this.#close('(')
  }

  #pass(keyword: string, before: string): void {
    if (keyword === 'if') this.#branches++
    else if (keyword === 'fi' || keyword === 'esac')
      this.#branches = Math.max(0, this.#branches - 1)
    else if (keyword === '{') this.#open('{', before)
    else if (keyword === '}') this.#close('{')
  }

  /** Commands after `||` may not run. In brackets, this applies to all of them. */
  #open(bracket: string, before: string): void {
    const isUnsure = before === '||'
    if (isUnsure) this.#branches++
    this.#groups.push({ bracket, isUnsure, directory: this.#directory })
  }

  #close(bracket: string): void {
    const group = this.#groups.at(-1)
    if (group?.bracket !== bracket) return
    this.#groups.pop()
    if (group.isUnsure) this.#branches = Math.max(0, this.#branches - 1)
    if (bracket === '(') this.#directory = group.directory
  }

  #enter({ text, isPlain }: ShellWord): void {
    if (!isPlain || text === '-') this.#directory = undefined
    else if (this.#directory !== undefined || text.startsWith('/')) {
      const directory = joinPath(this.#directory ?? '', text)
      this.#directory = directory.length <= LONGEST_PATH ? directory : undefined
    }
  }
}

/** The kind of a shell command: reading files, searching, or anything else. */
export interface ShellReading {
  readonly kind: 'read' | 'search' | 'command'
  /** Files that it reads. Empty for any other kind. */
  readonly paths: readonly string[]
}

const READERS = new Set(['cat', 'head', 'tail', 'nl', 'less', 'more', 'bat', 'sed'])
const SEARCHERS = new Set(['rg', 'grep', 'egrep', 'find', 'fd', 'ls', 'tree', 'ag', 'ack'])
// What these print belongs to no file, and is little.
const SILENT = new Set(['cd', 'echo', 'printf', 'true', ':', 'export', 'set'])
const LONGEST_READ = 400

/** A command that also prints other things than files reads none: its output is not theirs. */
export function readShellCommand(command: string): ShellReading {
  const words = firstWords(command)
  const program = nameProgram(words)
  if (READERS.has(program) && command.length <= LONGEST_READ && !/[<>]|\s-i\b/.test(command)) {
    const later = readShellSteps(command).filter(({ isPiped }) => !isPiped)
    const steps = later
      .map((step) => step.words.map(({ text }) => text))
      .filter((step) => !SILENT.has(nameProgram(step)))
    const paths = [...new Set([words, ...steps].flatMap((step) => step.slice(1).filter(isPath)))]
    if (paths.length > 0 && steps.every((step) => READERS.has(nameProgram(step))))
      return { kind: 'read', paths }
  }
  return { kind: SEARCHERS.has(program) ? 'search' : 'command', paths: [] }
}

const nameProgram = ([first = '']: readonly string[]): string =>
  first.slice(first.lastIndexOf('/') + 1)

/** Words of the first command that does more than changing the directory or setting variables. */
function firstWords(command: string): string[] {
  const [first = ''] = command.slice(0, LONGEST_READ).split('\n', 1)
  for (const step of first.split(/&&|\|\||;/)) {
    const words = (step.split('|', 1)[0] ?? '')
      .split(' ')
      .map(unquote)
      .filter((word) => word !== '')
    while (words.length > 0 && (words[0] === 'env' || /^[A-Z_][A-Z0-9_]*=/.test(words[0]!)))
      words.shift()
    if (words.length > 0 && words[0] !== 'cd') return words
  }
  return []
}

function unquote(word: string): string {
  const quote = word[0]
  return (quote === '"' || quote === "'") && word.endsWith(quote) ? word.slice(1, -1) : word
}

function isPath(word: string): boolean {
  return (
    !word.startsWith('-') &&
    /[./]/.test(word) &&
    /^[\w@+~./-]{3,300}$/.test(word) &&
    !/^\d/.test(word)
  )
}
