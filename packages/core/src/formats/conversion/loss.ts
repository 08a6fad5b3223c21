/** What a conversation lost on its way from one format into another. */
export type LossKind =
  /** The agent that goes on has a system prompt of its own. */
  | 'system-prompt'
  /** Schemas of tools; the agent that goes on has its own tools. */
  | 'tool-schema'
  /** What the host told of its surroundings, and what it attached; every agent tells its own. */
  | 'host-message'
  /** Reasoning that the agent could not send, or its API could not read. */
  | 'reasoning'
  /** Reasoning of which the words are kept, and what signed or encrypted it is not. */
  | 'reasoning-seal'
  /** Blocks that only their provider understands. */
  | 'provider-block'
  /** Images and files that have no place; a note stands where they were. */
  | 'media'
  /** Marks of failed calls; what the call printed is kept. */
  | 'failure-mark'
  /** Results that are there whole, and that the agent shortens in its requests. */
  | 'long-result'
  /** Names of tools that no provider takes; they were spelled otherwise. */
  | 'tool-name'
  /** Calls and results that answer nothing, or that nothing answers. */
  | 'unpaired'
  /** Records beside the conversation: other branches, side chains, snapshots, notices. */
  | 'carried-record'
  /** What answers were counted and billed as. */
  | 'token-usage'

export interface ConversionLoss {
  readonly kind: LossKind
  /** What exactly, in the words of the source: a media type, the type of a block or a record. */
  readonly name: string
  readonly count: number
}

/** Counts losses by kind and name. */
export class LossTable {
  readonly #counts = new Map<LossKind, Map<string, number>>()

  note(kind: LossKind, name: string, count = 1): void {
    const names = this.#counts.get(kind) ?? new Map<string, number>()
    names.set(name, (names.get(name) ?? 0) + count)
    this.#counts.set(kind, names)
  }

  list(): ConversionLoss[] {
    return [...this.#counts].flatMap(([kind, names]) => [...names].map(([name, count]) => ({ kind, name, count })))
  }
}
