import type { Message } from '../conversation/message.ts'
import { createPathCheck } from './names.ts'

/** The kinds of facts that later work may need to know verbatim. */
export const factKinds = [
  'path',
  'identifier',
  'command',
  'error',
  'url',
  'commit',
  'version',
  'number-with-unit',
  'directive',
  'decision',
  'task',
  'question',
  'artifact',
] as const

/**
 * One of the thirteen kinds. A receipt counts each separately. An artifact is something made
 * outside of files, such as `pull request #12`.
 */
export type FactKind = (typeof factKinds)[number]

const PHRASE_KINDS: ReadonlySet<FactKind> = new Set([
  'command',
  'error',
  'directive',
  'decision',
  'task',
  'question',
  'artifact',
])

/** Runs of words. All others are names. */
export const isPhrase = ({ kind }: Pick<Fact, 'kind'>): boolean => PHRASE_KINDS.has(kind)

/** Who said a fact, in ascending order of weight. */
export type Writer = 'output' | 'agent' | 'user'

export interface Fact {
  readonly kind: FactKind
  /** As in the conversation. Paths are relative to the working directory. */
  readonly text: string
  /** Positions in the messages that were read: each that has it, in ascending order. */
  readonly messages: readonly number[]
  /** In how many parts of messages it is. */
  readonly count: number
  /** The user if they said it, otherwise the agent. `output` if it was only read. */
  readonly writer: Writer
  /**
   * Whether a native record of the conversation contains it. Text by precis or a repair has none.
   */
  readonly recorded: boolean
  /** Whether a later event took its meaning: its command succeeded, its file was deleted. */
  readonly stale: boolean
}

/** A fact while it is collected. */
export type DraftFact = { -readonly [Key in keyof Omit<Fact, 'stale' | 'messages'>]: Fact[Key] } & {
  readonly messages: number[]
  /** Position of its last occurrence in the whole conversation. */
  lastPosition: number
}

export type FactNote = (kind: FactKind, text: string) => DraftFact

type FactRow = DraftFact & { lastPart: number }

const WRITERS: readonly Writer[] = ['output', 'agent', 'user']

/** Each fact once, by kind and text. */
export class FactTable {
  readonly #ofKind = new Map<FactKind, Map<string, FactRow>>(
    factKinds.map((kind) => [kind, new Map()]),
  )
  #part = 0

  /** A function that notes the facts in one part of one message. */
  noteIn(
    message: number,
    position: number,
    { origin, records = [] }: Partial<Pick<Message, 'origin' | 'records'>>,
    writer: Writer = origin === 'user' || origin === 'agent' ? origin : 'output',
  ): FactNote {
    const part = ++this.#part
    const recorded = records.length > 0
    return (kind, text) => {
      const rows = this.#ofKind.get(kind) ?? new Map<string, FactRow>()
      const known = rows.get(text)
      if (!known) {
        const seen = { messages: [message], count: 1, writer, recorded }
        const row: FactRow = { kind, text, ...seen, lastPosition: position, lastPart: part }
        rows.set(text, row)
        return row
      }
      if (known.lastPart !== part) {
        known.lastPart = part
        known.count++
        noteMessage(known.messages, message)
        known.lastPosition = Math.max(known.lastPosition, position)
        known.recorded ||= recorded
        if (writer !== known.writer)
          known.writer = WRITERS[Math.max(WRITERS.indexOf(writer), WRITERS.indexOf(known.writer))]!
      }
      return known
    }
  }

  list(isStale: (fact: DraftFact) => boolean): Fact[] {
    const paths = this.#ofKind.get('path') ?? new Map<string, FactRow>()
    const isPath = createPathCheck(paths.keys())
    for (const path of paths.keys()) if (!isPath(path)) paths.delete(path)
    // What is called the id of something once is no commit elsewhere.
    for (const name of this.#ofKind.get('identifier')?.keys() ?? [])
      this.#ofKind.get('commit')?.delete(name)
    const rows = [...this.#ofKind.values()].flatMap((ofKind) => [...ofKind.values()])
    return rows.map((row) => {
      const { kind, text, messages, count, writer, recorded } = row
      return { kind, text, messages, count, writer, recorded, stale: isStale(row) }
    })
  }
}

/** Messages are read in order, and the user's words again after all of them. */
function noteMessage(messages: number[], message: number): void {
  const last = messages.findLastIndex((known) => known <= message)
  if (messages[last] !== message) messages.splice(last + 1, 0, message)
}
