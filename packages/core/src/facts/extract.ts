/**
 * Finds everything in a conversation that later work may need verbatim, except secrets. Linear in
 * its text.
 */

import type { ArtifactDeed } from '../actions/artifact-deeds.ts'
import { ArtifactReader } from '../actions/artifacts.ts'
import type { FileChange } from '../actions/file-changes.ts'
import { type CallOutcome, readNotices } from '../actions/outcome.ts'
import { settleChanges } from '../actions/shell-changes.ts'
import { type Action, readToolCalls } from '../actions/tool-calls.ts'
import {
  aListOfMessages,
  aText,
  checkValue,
  objectOf,
  texts,
} from '../conversation/check-options.ts'
import { type Message, type Part, readText } from '../conversation/message.ts'
import { atOnce, type Steps } from '../conversation/steps.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { readOwnSentences } from './clip-words.ts'
import { type DraftFact, type Fact, type FactNote, FactTable } from './fact-table.ts'
import { isFact, readErrors, readPartFacts, readResult } from './part-facts.ts'
import { isBinding } from './sentences.ts'
import { readUserWords } from './user-words.ts'

export interface ExtractOptions {
  /** Paths below it are given relative to it. */
  readonly workingDirectory?: string
  /**
   * The whole conversation in order, if `messages` is a part of it. It shows what later events made
   * stale.
   */
  readonly history?: readonly Message[]
  /** Texts that the user pinned outside of the conversation. */
  readonly pins?: readonly string[]
}

export const extractOptions = objectOf({
  workingDirectory: aText,
  history: aListOfMessages,
  pins: texts,
})

/** Facts of `messages`. A pin is an instruction of their last one. */
export function extractFacts(messages: readonly Message[], options: ExtractOptions = {}): Fact[] {
  checkValue('Extracting facts', 'messages', messages, aListOfMessages)
  checkValue('Extracting facts', 'options', options, extractOptions)
  return atOnce(extractFactsInSteps(messages, options))
}

export function* extractFactsInSteps(
  messages: readonly Message[],
  options: ExtractOptions,
): Steps<Fact[]> {
  const { workingDirectory, history = messages, pins = [] } = options
  const extraction = new Extraction(messages, workingDirectory)
  for (const [position, message] of history.entries()) {
    yield
    yield* extraction.read(message, position)
  }
  yield
  extraction.noteInstructions(history, pins)
  yield
  return extraction.list()
}

const NONE: readonly Action[] = []

class Extraction {
  readonly #facts = new FactTable()
  readonly #events = new StaleEvents()
  readonly #artifacts = new ArtifactReader()
  readonly #indexes: ReadonlyMap<Message, number>
  readonly #calls = new Map<string, readonly Action[]>()
  readonly #workingDirectory: string | undefined

  constructor(messages: readonly Message[], workingDirectory: string | undefined) {
    this.#indexes = new Map(messages.map((message, index) => [message, index]))
    this.#workingDirectory = workingDirectory
  }

  *read(message: Message, position: number): Steps<void> {
    const index = this.#indexes.get(message)
    for (const { session } of message.role === 'user' ? readNotices(readText(message)) : [])
      this.#events.do(`background task ${session}`, 'ended')
    for (const part of message.parts) {
      const note = index === undefined ? undefined : this.#facts.noteIn(index, position, message)
      yield* this.#readPart(part, message.origin, position, note)
    }
  }

  *#readPart(
    part: Part,
    origin: Message['origin'],
    position: number,
    note: FactNote | undefined,
  ): Steps<void> {
    const actions = this.#readActions(part, position)
    const result =
      part.type === 'tool-result' && (actions.length > 0 || note)
        ? readResult(part, actions)
        : undefined
    for (const [index, action] of (result ? actions : []).entries())
      this.#readOutcome(action, result!.outcomes[index]!, position, note)
    if (!note) return
    for (const [kind, text] of yield* readPartFacts(part, origin, this.#workingDirectory))
      note(kind, text)
    for (const [line, action] of result ? yield* readErrors(result) : []) {
      const fact = note('error', line)
      if (action) this.#events.blame(fact, action)
    }
  }

  /** The actions of a call, or of the call that a result answers. */
  #readActions(part: Part, position: number): readonly Action[] {
    if (part.type === 'tool-result') return this.#calls.get(part.callId) ?? NONE
    if (part.type !== 'tool-call') return NONE
    const actions = readToolCalls(part, this.#workingDirectory)
    this.#calls.set(part.callId, actions)
    for (const action of actions) this.#events.call(action, position)
    return actions
  }

  #readOutcome(
    action: Action,
    outcome: CallOutcome,
    position: number,
    note: FactNote | undefined,
  ): void {
    this.#events.answer(action, outcome, position)
    for (const { kind, deed, name } of this.#artifacts.read(action, outcome)) {
      const text = redactSecrets(`${kind} ${name}`)
      this.#events.do(text, deed)
      const fact = note?.('artifact', text)
      // The agent made it, even if another program prints its name.
      if (fact?.writer === 'output') fact.writer = 'agent'
    }
  }

  /** Notes sentences of the user that bind, and pins. */
  noteInstructions(history: readonly Message[], pins: readonly string[]): void {
    const summary = history.findLastIndex(isSummary)
    for (const { text, message } of readUserWords(history).words) {
      // What only an earlier ledger says is in the summary that holds it.
      const position = message ?? summary
      const said = history[position]
      const index = said && this.#indexes.get(said)
      if (!said || index === undefined) continue
      const note = this.#facts.noteIn(index, position, said, 'user')
      for (const sentence of readOwnSentences(text)) {
        if (isFact(sentence) && isBinding(sentence)) note('directive', sentence)
      }
    }
    // A pin is in no record of the conversation.
    const last = this.#indexes.size - 1
    if (last < 0) return
    for (const pin of pins)
      this.#facts.noteIn(last, last, {}, 'user')('directive', redactSecrets(pin.trim()))
  }

  list(): Fact[] {
    return this.#facts.list((fact) => this.#events.isStale(fact))
  }
}

/**
 * Notes events that take the meaning of a fact: a command that succeeded after it failed, a file
 * that was deleted.
 */
class StaleEvents {
  /** By what was done: position of the last time it went well. */
  readonly #successes = new Map<string, number>()
  /** The call that reported an error last. */
  readonly #blamed = new Map<DraftFact, string>()
  readonly #deletions = new Map<string, number>()
  /** Artifacts by what was done to them last. */
  readonly #deeds = new Map<string, ArtifactDeed>()

  call({ command, changes }: Action, position: number): void {
    // A command changes what it says only when it goes well.
    if (command === undefined) this.#change(changes, position)
  }

  #change(changes: readonly FileChange[], position: number): void {
    for (const { path, type } of changes) {
      if (type === 'deleted') this.#deletions.set(path, position)
      else this.#deletions.delete(path)
    }
  }

  answer(action: Action, outcome: CallOutcome, position: number): void {
    if (outcome.failed) return
    const key = keyOf(action)
    if (key !== undefined) this.#successes.set(key, position)
    if (action.command !== undefined) this.#change(settleChanges(action, outcome), position)
  }

  do(artifact: string, deed: ArtifactDeed): void {
    this.#deeds.set(artifact, deed)
  }

  blame(fact: DraftFact, action: Action): void {
    const key = keyOf(action)
    if (key === undefined) this.#blamed.delete(fact)
    else this.#blamed.set(fact, key)
  }

  isStale(fact: DraftFact): boolean {
    if (fact.kind === 'path') return (this.#deletions.get(fact.text) ?? -1) >= fact.lastPosition
    if (fact.kind === 'artifact') return ENDS.has(this.#deeds.get(fact.text))
    if (fact.kind !== 'error') return false
    const key = this.#blamed.get(fact)
    return key !== undefined && (this.#successes.get(key) ?? -1) > fact.lastPosition
  }
}

const ENDS: ReadonlySet<ArtifactDeed | undefined> = new Set([
  'deleted',
  'replaced',
  'ended',
] as const)

/** The same action again: the same command, or an edit of the same files. */
function keyOf({ kind, command, paths }: Action): string | undefined {
  if (command !== undefined) return command.trim()
  return kind === 'write' && paths.length > 0 ? `write ${paths.join(' ')}` : undefined
}
