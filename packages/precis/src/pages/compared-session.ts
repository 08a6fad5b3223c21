import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { hash } from 'node:crypto'
import { type Conversation, createTokenCounter, findModel } from '@precis/core'
import { inspectMessages } from '@precis/core/engine'
import type { ByteSource } from '@precis/core/formats'
import type { Difference } from '../archive/compare-messages.ts'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { splitDocument } from '../archive/hash-pieces.ts'
import type { LocatedFact } from '../archive/locate-facts.ts'
import { findMessageChanges, type MessageChange } from '../archive/message-changes.ts'
import type { ArchivedSpan } from '../archive/read-original.ts'
import type { JsonObject } from '../files/lines.ts'

/** The parts of the page of `precis diff`. */
export type ComparedSession = ReturnType<typeof createComparedSession>

interface ComparedParts {
  readonly compression: ArchivedCompression
  /** The stored report of the command. */
  readonly report: JsonObject
  /** The most important lost facts. */
  readonly gone: readonly LocatedFact[]
  readonly spans: readonly ArchivedSpan[]
  readonly source: ByteSource
  readonly format: string
  readonly before: Conversation
  readonly after: Conversation
  readonly differences: readonly Difference[]
}

/** Both are counted for one model, the one that reads the result. */
export function createComparedSession(parts: ComparedParts) {
  const { compression, report, gone, spans, source, format, differences } = parts
  const counter = createTokenCounter(findModel(parts.after.model ?? parts.before.model ?? ''))
  const [before, after] = [
    inspectMessages(parts.before, counter),
    inspectMessages(parts.after, counter),
  ]
  const recordSpans = findRecordSpans(source, format, spans)
  return {
    compression,
    report,
    gone,
    counter,
    before,
    after,
    /** Tool schemas, which no compression changes. */
    fixedTokens: {
      before: counter.countFixed(parts.before).upper,
      after: counter.countFixed(parts.after).upper,
    },
    changes: findMessageChanges(differences, before, after),
    /** The span of a native record of the original, for `precis restore`. */
    spanOf: (record: number) => recordSpans.get(record)?.span,
  }
}

/** The kinds of changes to messages. */
export type Change = MessageChange['fate']

/** `word` is for a line that has several of them. */
export const changeTitles: readonly {
  readonly fate: Change
  readonly title: string
  readonly word: string
}[] = [
  { fate: 'kept', title: 'kept word for word', word: 'kept' },
  { fate: 'changed', title: 'shortened', word: 'shortened' },
  { fate: 'summarized', title: 'summarized', word: 'summarized' },
  { fate: 'removed', title: 'removed', word: 'removed' },
  { fate: 'summary', title: 'the summary', word: 'summary' },
  { fate: 'added', title: 'new', word: 'new' },
]

/**
 * Messages by their change, with their tokens. `before` and `after` count all messages, including
 * fixed ones.
 */
export function sumChanges(
  all: readonly MessageChange[],
  session: ComparedSession,
  fixed = { before: 0, after: 0 },
) {
  const none = changeTitles.map(({ fate }) => [
    fate,
    { messages: 0, tokensBefore: 0, tokensAfter: 0 },
  ])
  const sums: Record<Change, { messages: number; tokensBefore: number; tokensAfter: number }> =
    Object.fromEntries(none)
  let { before, after } = fixed
  for (const entry of all) {
    const sum = sums[entry.fate]
    const [was, is] = [tokensBefore(entry, session), tokensAfter(entry, session)]
    sum.messages++
    sum.tokensBefore += was
    sum.tokensAfter += is
    before += was
    after += is
  }
  return { sums, before, after }
}

export function titleOfChange(fate: Change): string {
  return changeTitles.find((known) => known.fate === fate)?.title ?? fate
}

export function tokensBefore(entry: MessageChange, { before }: ComparedSession): number {
  return 'before' in entry ? (before[entry.before]?.tokens ?? 0) : 0
}

export function tokensAfter(entry: MessageChange, { after }: ComparedSession): number {
  return 'after' in entry ? (after[entry.after]?.tokens ?? 0) : 0
}

/**
 * By number of a native record of the original, the span that restores it. Records that stayed have
 * no span.
 */
export function findRecordSpans(
  source: ByteSource,
  format: string,
  spans: readonly ArchivedSpan[],
): ReadonlyMap<number, ArchivedSpan> {
  // Any span restores records of the same bytes, so they are used in order.
  const byHash = new Map<string, ArchivedSpan[]>()
  for (const span of spans.toReversed()) {
    const same = byHash.get(span.hash) ?? []
    same.push(span)
    byHash.set(span.hash, same)
  }
  const found = new Map<number, ArchivedSpan>()
  for (const { bytes, records } of splitDocument(source, format)) {
    if (records.length === 0) continue
    const same = byHash.get(hash('sha256', bytes))
    const span = same !== undefined && same.length > 1 ? same.pop() : same?.[0]
    if (span) for (const record of records) found.set(record, span)
  }
  return found
}
