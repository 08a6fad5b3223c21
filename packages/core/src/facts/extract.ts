/** Finds everything in a conversation that later work may need word for word, but for secrets. Linear in its text. */
import { type Message, type Part, renderInput, renderPart, type ToolCallPart } from '../conversation/message.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { isDecision, isQuestion } from './demands.ts'
import { traceDirectives } from './directives.ts'
import { scanEntities } from './entities.ts'
import { findErrorLines } from './errors.ts'
import type { Fact } from './fact.ts'
import { FactTable, type Note } from './fact-table.ts'
import { readOutcome } from './outcome.ts'
import { namePath } from './paths.ts'
import { splitSentences } from './sentences.ts'
import { StaleEvents } from './stale-events.ts'
import { type Action, readToolCall, showsContent } from './tool-calls.ts'

const SHORTEST_SENTENCE = 8
const LONGEST_SENTENCE = 400
const LONGEST_COMMAND = 400

export interface ExtractOptions {
  /** Paths below it are given relative to it. */
  readonly workingDirectory?: string
  /** The whole conversation in order, where there is more of it: it tells what later events made stale. */
  readonly history?: readonly Message[]
  /** What the person pinned outside of the conversation. */
  readonly pins?: readonly string[]
}

/** Facts of `messages`; a pin that still counts is a directive of their last one. */
export function extractFacts(messages: readonly Message[], options: ExtractOptions = {}): Fact[] {
  const { workingDirectory, history = messages, pins = [] } = options
  const extraction = new Extraction(messages, workingDirectory)
  history.forEach((message, position) => {
    extraction.read(message, position)
  })
  extraction.noteDirectives(history, pins)
  return extraction.list()
}

class Extraction {
  readonly #facts = new FactTable()
  readonly #events = new StaleEvents()
  readonly #indexes: ReadonlyMap<Message, number>
  readonly #calls = new Map<string, Action>()
  readonly #workingDirectory: string | undefined

  constructor(messages: readonly Message[], workingDirectory: string | undefined) {
    this.#indexes = new Map(messages.map((message, index) => [message, index]))
    this.#workingDirectory = workingDirectory
  }

  read(message: Message, position: number): void {
    const index = this.#indexes.get(message)
    for (const part of message.parts) {
      const note =
        index === undefined
          ? undefined
          : this.#facts.noteIn(index, position, message.origin === 'user' || message.origin === 'agent')
      this.#readPart(part, message.origin, position, note)
    }
  }

  #readPart(part: Part, origin: Message['origin'], position: number, note: Note | undefined): void {
    if (part.type === 'tool-call') this.#readCall(part, position, note)
    else if (part.type === 'tool-result') {
      const action = this.#calls.get(part.callId)
      const outcome = action || note ? readOutcome(part, action && showsContent(action)) : undefined
      if (action && outcome) this.#events.answer(action, outcome, position)
      if (!note || !outcome) return
      this.#noteNames(note, redactSecrets(renderPart(part)))
      for (const line of findErrorLines(redactSecrets(outcome.text))) {
        const fact = note('error', line)
        if (action) this.#events.blame(fact, action)
      }
    } else if (part.type === 'text' && note) {
      const text = redactSecrets(part.text)
      this.#noteNames(note, text)
      if (origin === 'user') noteQuestions(note, text)
      else if (origin === 'agent') noteDecisions(note, text)
    }
  }

  #readCall(part: ToolCallPart, position: number, note: Note | undefined): void {
    const action = readToolCall(part, this.#workingDirectory)
    this.#calls.set(part.callId, action)
    this.#events.call(action, position)
    if (!note) return
    this.#noteNames(note, redactSecrets(readableInput(part.input)))
    const { command, tasks } = action
    if (command !== undefined && command.length <= LONGEST_COMMAND) note('command', redactSecrets(command.trim()))
    for (const { text } of tasks) if (text !== undefined) note('task', redactSecrets(text))
  }

  #noteNames(note: Note, text: string): void {
    const workingDirectory = this.#workingDirectory
    scanEntities(text, (kind, name) => {
      note(kind, kind === 'path' ? namePath(name, workingDirectory) : name)
    })
  }

  noteDirectives(history: readonly Message[], pins: readonly string[]): void {
    const { inForce, ended, pins: pinned } = traceDirectives(history, pins)
    const summary = history.findLastIndex(isSummary)
    const noteAt = (text: string, at: number | undefined, stale: boolean) => {
      // What only an earlier ledger says stands in the summary that holds it.
      const position = at ?? summary
      const message = history[position]
      const index = message && this.#indexes.get(message)
      if (index === undefined) return
      const fact = this.#facts.noteIn(index, position, true)('directive', text)
      fact.stale = stale
    }
    for (const { text, message } of inForce) noteAt(text, message, false)
    for (const { text, message } of ended) noteAt(text, message, true)
    const last = this.#indexes.size - 1
    if (last >= 0) for (const text of pinned) this.#facts.noteIn(last, last, true)('directive', text)
  }

  list(): Fact[] {
    return this.#facts.list((fact) => this.#events.isStale(fact))
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
])

/** JSON text hides line ends behind a backslash that would stick to the name after it. */
export function readableInput(input: unknown): string {
  const text = renderInput(input)
  if (!text.includes('\\')) return text
  return text.replace(/\\(["\\nt])/g, (_, escaped: string) => ESCAPES.get(escaped) ?? escaped)
}

function noteQuestions(note: Note, text: string): void {
  if (!text.includes('?') && !text.includes('？')) return
  for (const sentence of readSentences(text)) if (isQuestion(sentence)) note('question', sentence)
}

function noteDecisions(note: Note, text: string): void {
  for (const sentence of readSentences(text)) if (isDecision(sentence)) note('decision', sentence)
}

function readSentences(text: string): string[] {
  return splitSentences(text).filter(({ length }) => SHORTEST_SENTENCE <= length && length <= LONGEST_SENTENCE)
}
