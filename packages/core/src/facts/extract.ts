/** Finds everything in a conversation that later work may need word for word. Linear in its text. */
import { type Message, renderInput, renderPart } from '../conversation/message.ts'
import { isDecision, isDirective, isQuestion } from './demands.ts'
import { scanEntities } from './entities.ts'
import { reportsError } from './errors.ts'
import type { Fact, FactKind } from './fact.ts'
import { readOutcome } from './outcome.ts'
import { relativePath } from './paths.ts'
import { splitSentences } from './sentences.ts'
import { readToolCall } from './tool-calls.ts'

const SHORTEST_SENTENCE = 8
const LONGEST_SENTENCE = 400
const LONGEST_COMMAND = 400
const SHORTEST_ERROR = 12

/** Paths below the working directory are given relative to it. */
export function extractFacts(messages: readonly Message[], workingDirectory?: string): Fact[] {
  const facts = new FactTable()
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      const note = facts.noteIn(index, message.origin === 'user' || message.origin === 'agent')
      switch (part.type) {
        case 'text':
          noteNames(note, part.text, workingDirectory)
          if (message.origin === 'user') noteWishes(note, part.text)
          else if (message.origin === 'agent') noteDecisions(note, part.text)
          break
        case 'tool-call': {
          noteNames(note, readableInput(part.input), workingDirectory)
          const { command, tasks } = readToolCall(part, workingDirectory)
          if (command !== undefined && command.length <= LONGEST_COMMAND) note('command', command.trim())
          for (const { text } of tasks) if (text !== undefined) note('task', text)
          break
        }
        case 'tool-result':
          noteNames(note, part.output.map(renderPart).join('\n'), workingDirectory)
          noteErrors(note, readOutcome(part).text)
          break
        default:
          break
      }
    }
  })
  return facts.list()
}

type Note = (kind: FactKind, text: string) => void

function noteNames(note: Note, text: string, workingDirectory: string | undefined): void {
  scanEntities(text, (kind, name) => note(kind, kind === 'path' ? relativePath(name, workingDirectory) : name))
}

/** JSON text hides line ends behind a backslash that would stick to the name after it. */
function readableInput(input: unknown): string {
  return renderInput(input).replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"')
}

function noteWishes(note: Note, text: string): void {
  for (const sentence of readSentences(text)) {
    if (isDirective(sentence)) note('directive', sentence)
    if (isQuestion(sentence)) note('question', sentence)
  }
}

function noteDecisions(note: Note, text: string): void {
  for (const sentence of readSentences(text)) if (isDecision(sentence)) note('decision', sentence)
}

function readSentences(text: string): string[] {
  return splitSentences(text).filter(({ length }) => SHORTEST_SENTENCE <= length && length <= LONGEST_SENTENCE)
}

function noteErrors(note: Note, output: string): void {
  for (const raw of output.split('\n')) {
    const line = raw.trim()
    if (line.length >= SHORTEST_ERROR && reportsError(line)) note('error', line)
  }
}

class FactTable {
  readonly #facts = new Map<FactKind, Map<string, { -readonly [Key in keyof Fact]: Fact[Key] }>>()
  readonly #lastPart = new WeakMap<object, number>()
  #part = 0

  /** A function that notes what stands in one part of one message. */
  noteIn(message: number, written: boolean): Note {
    const part = ++this.#part
    return (kind, text) => {
      const known = this.#ofKind(kind).get(text)
      if (!known) {
        const fact = { kind, text, firstMessage: message, lastMessage: message, count: 1, written }
        this.#ofKind(kind).set(text, fact)
        this.#lastPart.set(fact, part)
        return
      }
      known.lastMessage = message
      known.written ||= written
      if (this.#lastPart.get(known) !== part) known.count++
      this.#lastPart.set(known, part)
    }
  }

  list(): Fact[] {
    return [...this.#facts.values()].flatMap((ofKind) => [...ofKind.values()])
  }

  #ofKind(kind: FactKind) {
    let ofKind = this.#facts.get(kind)
    if (!ofKind) {
      ofKind = new Map()
      this.#facts.set(kind, ofKind)
    }
    return ofKind
  }
}
