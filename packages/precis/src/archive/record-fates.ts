/** What became of every native record of a session. */
import type { Conversation, Message } from '@precis/core'

/** `changed`: something else of the same record stands in its place. */
export type Fate = 'kept' | 'changed' | 'removed'

export interface RecordFate {
  readonly fate: Fate
  /** Who says it and which tools it calls, one line: `assistant: Read, Bash`. */
  readonly label: string
}

const MOST_NAMES = 4
const NAME_CHARACTERS = 40

/** By number of the record; one that no message stands for has none. */
export function findRecordFates(
  before: Pick<Conversation, 'messages'>,
  after: Pick<Conversation, 'messages'>,
): Map<number, RecordFate> {
  const kept = new Set(after.messages)
  const written = new Set(after.messages.flatMap(({ records = [] }) => records))
  const fates = new Map<number, RecordFate>()
  for (const message of before.messages) {
    for (const record of message.records ?? []) {
      const fate = kept.has(message) ? 'kept' : written.has(record) ? 'changed' : 'removed'
      const other = fates.get(record)
      // A record may hold several messages.
      if (!other) fates.set(record, { fate, label: describe(message) })
      else if (other.fate !== fate) fates.set(record, { ...other, fate: 'changed' })
    }
  }
  return fates
}

function describe({ role, parts }: Message): string {
  const names = new Set<string>()
  for (const part of parts) {
    const name = part.type === 'tool-call' || part.type === 'tool-result' ? part.name : undefined
    if (name) names.add(name.slice(0, NAME_CHARACTERS))
    if (names.size === MOST_NAMES) break
  }
  return names.size > 0 ? `${role}: ${[...names].join(', ')}` : role
}
