/** An entry of a transcript as it is saved, and what stays when it is read again. */

import type { Message } from '../../conversation/message.ts'
import type { TranscriptEntry } from './codecs.ts'

export function saveOne({ numbers, natives, messages }: TranscriptEntry): SavedEntry {
  const origins = messages.map(({ role, origin }) => ({ role, origin }))
  const isWritten = numbers.length === 0 && messages.every(({ records }) => records === undefined)
  return { natives, origins, ...(isWritten && { written: messages }) }
}

/** Whether it replaces records that were read. An entry that precis added replaces no records. */
export function isChanged({ numbers, messages }: TranscriptEntry): boolean {
  return numbers.length === 0 && messages.some(({ records }) => records !== undefined)
}

export function isWrittenCall(entry: TranscriptEntry): boolean {
  return entry.numbers.length === 0 && listCallIds([entry]).length > 0
}

export function listCallIds(entries: readonly TranscriptEntry[]): string[] {
  return entries.flatMap(({ messages }) =>
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool-call' || part.type === 'tool-result' ? [part.callId] : [],
      ),
    ),
  )
}

/**
 * Messages that are read again keep their origin. Text by precis in the user role must not count as
 * the user's.
 */
export function keepOrigins(
  entry: TranscriptEntry,
  read: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const before = entry.messages
  const after = read.flatMap(({ messages }) => messages)
  const isAlike =
    before.length === after.length && before.every(({ role }, index) => role === after[index]?.role)
  if (!isAlike) return read
  let position = 0
  return read.map((one) => ({
    ...one,
    messages: one.messages.map((message): Message => {
      const { origin = message.origin } = before[position++] ?? {}
      return origin === message.origin ? message : { ...message, origin }
    }),
  }))
}

export interface SavedEntry {
  readonly natives: readonly unknown[]
  /** Messages that precis wrote. They cannot be read from their natives. */
  readonly written?: readonly Message[]
  /** The origins of the messages that the natives are read as. */
  readonly origins: readonly Pick<Message, 'role' | 'origin'>[]
}

/** States of a history as plain values. They share entries. */
export interface SavedTranscript {
  readonly entries: readonly SavedEntry[]
  /** Positions in `entries`. */
  readonly present: readonly number[]
  readonly others: readonly (readonly number[])[]
  readonly isTailOpen: boolean
}
