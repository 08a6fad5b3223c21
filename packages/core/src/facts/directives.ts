/** The person's standing instructions, followed from message to message: said, replaced, allowed again, taken back. */
import type { Message } from '../conversation/message.ts'
import { readLedgerText } from '../conversation/summary-message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { type Effect, readEffects, readPolarity, type Standing } from './effects.ts'
import { parseLedger } from './ledger-record.ts'
import { readOwnWords } from './own-words.ts'
import { isCommand, readStrength, type Strength } from './strength.ts'
import { readSubject, shareOf } from './subject.ts'
import { readSentenceWords } from './word-lists.ts'

/** A standing instruction of the person, in the person's words. */
export interface Directive {
  /** A sentence or a line, verbatim but for keys and passwords; at most 400 characters. */
  readonly text: string
  /** Position of the newest message that says it; undefined when only an earlier ledger does. */
  readonly message?: number
  /** 3 forbids or binds for good, 2 sets a choice, 1 is mild. */
  readonly strength: Strength
}

/** One that no longer counts. */
export interface EndedDirective extends Directive {
  /** Position of the message that ended it. */
  readonly endedBy: number
}

export interface DirectiveTrace {
  /** In the order in which they were last said: oldest first. */
  readonly inForce: readonly Directive[]
  readonly ended: readonly EndedDirective[]
  readonly pins: readonly string[]
}

/** Those in force after the last message and those that were ended on the way; `pins` were set outside of the conversation. */
export function traceDirectives(messages: readonly Message[], pins: readonly string[] = []): DirectiveTrace {
  const record = new DirectiveRecord(pins)
  messages.forEach((message, index) => {
    if (isUserRequest(message)) {
      const parts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      record.hear(parts, index)
      return
    }
    const ledger = readLedgerText(message)
    if (ledger) record.carryOn(ledger, index)
  })
  return record.trace()
}

const LONGEST_DIRECTIVE = 400
// Bounds on work, far above what anyone says: so many count at once, and so many of the newest are looked at for an end.
const MOST_DIRECTIVES = 1_000
const MOST_COMPARED = 200

interface Entry extends Standing {
  readonly strength: Strength
}

class DirectiveRecord {
  readonly #entries = new Map<string, Entry>()
  readonly #ended = new Map<string, EndedDirective>()
  readonly #pins = new Map<string, { text: string; subject: ReadonlySet<string> }>()
  #previousRequest: number | undefined

  constructor(pins: readonly string[]) {
    for (const pin of pins) this.#pin(pin)
  }

  hear(texts: readonly string[], message: number): void {
    for (const text of texts) {
      const { sentences, isDocument } = readOwnWords(redactSecrets(text))
      for (const sentence of sentences) {
        if (isDocument) {
          if (isCommand(sentence)) this.#say(sentence, message)
          continue
        }
        const { effects, rest } = readEffects(sentence)
        this.#end(effects, message)
        this.#say(rest, message)
      }
    }
    this.#previousRequest = message
  }

  /** What an earlier ledger says holds as it is: it was settled when it was written. */
  carryOn(ledgerText: string, message: number): void {
    const ledger = parseLedger(redactSecrets(ledgerText))
    for (const pin of ledger.pins) this.#pin(pin)
    for (const { text } of ledger.ended) {
      const entry = this.#entries.get(keyOf(text))
      if (entry) this.#close(entry, message)
    }
    for (const { text, strength } of ledger.directives) this.#add(text, undefined, strength)
  }

  trace(): DirectiveTrace {
    return {
      inForce: [...this.#entries.values()].map(({ text, message, strength }) =>
        createDirective(text, message, strength),
      ),
      ended: [...this.#ended.values()],
      pins: [...this.#pins.values()].map(({ text }) => text),
    }
  }

  #add(text: string, message: number | undefined, strength: Strength): void {
    const key = keyOf(text)
    const known = this.#entries.get(key)
    // Said again it is as new as its last saying, and the stronger of the two.
    this.#entries.delete(key)
    this.#ended.delete(key)
    const words = readSentenceWords(text)
    const entry: Entry = known
      ? { ...known, message: message ?? known.message, strength: known.strength > strength ? known.strength : strength }
      : { text, message, strength, subject: readSubject(words), ...readPolarity(text, words) }
    this.#entries.set(key, entry)
    const oldest = this.#entries.size > MOST_DIRECTIVES ? this.#entries.keys().next().value : undefined
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  #pin(text: string): void {
    const pin = redactSecrets(text.trim())
    if (pin !== '') this.#pins.set(keyOf(pin), { text: pin, subject: readSubject(readSentenceWords(pin)) })
  }

  #say(sentence: string, message: number): void {
    const strength = readStrength(sentence)
    if (strength !== undefined) this.#add(clipDirective(sentence), message, strength)
  }

  #end(effects: readonly Effect[], message: number): void {
    if (effects.length === 0) return
    const newest = [...this.#entries.values()].slice(-MOST_COMPARED)
    for (const effect of effects) {
      for (const entry of effect(newest, { message, previousRequest: this.#previousRequest }))
        this.#close(entry, message)
      const { subject } = effect
      if (!subject || subject.size === 0) continue
      for (const [key, pin] of this.#pins) if (shareOf(subject, pin.subject) === 1) this.#pins.delete(key)
    }
  }

  #close(entry: Standing, message: number): void {
    const key = keyOf(entry.text)
    const known = this.#entries.get(key)
    if (!known) return
    this.#entries.delete(key)
    this.#ended.set(key, { ...createDirective(known.text, known.message, known.strength), endedBy: message })
  }
}

function createDirective(text: string, message: number | undefined, strength: Strength): Directive {
  return { text, strength, ...(message !== undefined && { message }) }
}

/** Case, white space and the stop at the end make no difference. */
function keyOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[\s.!。！]{1,20}$/, '')
}

/** The clauses that bind, when the sentence is too long to keep. */
function clipDirective(sentence: string): string {
  if (sentence.length <= LONGEST_DIRECTIVE) return sentence
  const clauses = sentence.split(/(?<=[,;:—，；：])/)
  const first = clauses.findIndex((clause) => readStrength(clause.trim()) !== undefined)
  let text = ''
  for (const clause of clauses.slice(Math.max(0, first))) {
    if (text !== '' && text.length + clause.length > LONGEST_DIRECTIVE) break
    text += clause
  }
  const clipped = text.trim()
  if (clipped.length <= LONGEST_DIRECTIVE) return clipped
  const cut = clipped.slice(0, LONGEST_DIRECTIVE)
  const space = cut.lastIndexOf(' ')
  return cut.slice(0, space > LONGEST_DIRECTIVE / 2 ? space : LONGEST_DIRECTIVE - 1).trim()
}
