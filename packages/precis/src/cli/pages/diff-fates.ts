/** The fates of messages in words, and how much of a session each of them is. */
import type { MessageFate } from '../../archive/message-fates.ts'
import type { ComparedSession } from './compared-session.ts'

export type Fate = MessageFate['fate']

/** `word` is for a line that has several of them. */
export const fateTitles: readonly { readonly fate: Fate; readonly title: string; readonly word: string }[] = [
  { fate: 'kept', title: 'kept word for word', word: 'kept' },
  { fate: 'changed', title: 'shortened', word: 'shortened' },
  { fate: 'summarized', title: 'summarized', word: 'summarized' },
  { fate: 'removed', title: 'removed', word: 'removed' },
  { fate: 'summary', title: 'the summary', word: 'summary' },
  { fate: 'added', title: 'new', word: 'new' },
]

export interface FateSum {
  messages: number
  tokensBefore: number
  tokensAfter: number
}

export type FateSums = Readonly<Record<Fate, FateSum>>

export function sumFates(fates: readonly MessageFate[], session: ComparedSession): FateSums {
  const create = (): FateSum => ({ messages: 0, tokensBefore: 0, tokensAfter: 0 })
  const sums: FateSums = {
    kept: create(),
    changed: create(),
    summarized: create(),
    removed: create(),
    summary: create(),
    added: create(),
  }
  for (const entry of fates) {
    const sum = sums[entry.fate]
    sum.messages++
    sum.tokensBefore += tokensBefore(entry, session)
    sum.tokensAfter += tokensAfter(entry, session)
  }
  return sums
}

export function tokensBefore(entry: MessageFate, { before }: ComparedSession): number {
  return 'before' in entry ? (before[entry.before]?.tokens ?? 0) : 0
}

export function tokensAfter(entry: MessageFate, { after }: ComparedSession): number {
  return 'after' in entry ? (after[entry.after]?.tokens ?? 0) : 0
}
