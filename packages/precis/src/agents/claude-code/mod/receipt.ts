/** What a compaction removed, for the user: one line, and the whole of it on request. */
import type { Conversation } from '@precis/core'
import { readText } from '@precis/core/conversation'
import { findCompactionLosses } from '@precis/core/facts'
import type { UnkeptParts } from '@precis/core/formats'
import type { HostCompaction } from '@precis/core/hosts'
import { neutralizeLine, neutralizeText, renderCount, renderPlural } from '@precis/core/text'
import type { TokenCount } from '@precis/core/tokens'
import { renderCompactionLine } from '../../shared/compaction-line.ts'
import type { Mod } from './mod.ts'

export interface CompactionReceipt {
  /** What changed, in one line. */
  readonly line: string
  /** The user's messages that are not verbatim in the result. Keys and passwords are left out. */
  readonly changedWords: readonly string[]
  /** Facts that are gone, most important first. */
  readonly gone: readonly string[]
  readonly summary: string
}

export interface ReceiptInput {
  readonly compacted: Extract<HostCompaction, { readonly type: 'compacted' }>
  readonly unkept: UnkeptParts
  readonly count: (conversation: Conversation) => TokenCount
  readonly before: Conversation
}

export function createModReceipt(input: ReceiptInput): CompactionReceipt {
  const { before, compacted } = input
  const { words, gone } = compacted.receipt
  const after = compacted.compression.conversation.messages
  const changed =
    words.verbatim < words.total ? findCompactionLosses({ before, after }).ledger.words : []
  return {
    line: renderLine(input),
    changedWords: changed.map(({ text }) => text),
    gone: gone.map(({ kind, text }) => `${kind}: ${text}`),
    summary: after[0] ? readText(after[0]) : '',
  }
}

function renderLine({ compacted, unkept, count, before }: ReceiptInput): string {
  const after = compacted.compression.conversation
  const lost = [
    ...(unkept.reasoning > 0 ? [`${renderPlural(unkept.reasoning, 'block')} of thinking`] : []),
    ...(unkept.media > 0 ? [`${renderPlural(unkept.media, 'image')} in results`] : []),
  ]
  return [
    renderCompactionLine(compacted, { before: count(before), after: count(after) }),
    ...(lost.length > 0 ? [`A mod cannot keep ${lost.join(' and ')}.`] : []),
  ].join(' ')
}

/** A piece of what is shown on request. */
export interface ReceiptSection {
  readonly title: string
  readonly lines: readonly string[]
}

const MOST_WORDS = 20
const LONGEST_LINE = 200

/** Everything of a receipt, safe on a terminal. */
export function listSections(receipt: CompactionReceipt): ReceiptSection[] {
  const { line, changedWords, gone, summary } = receipt
  const shown = changedWords.slice(0, MOST_WORDS).map(clip)
  const more = changedWords.length - shown.length
  return [
    { title: 'The latest compaction', lines: [neutralizeLine(line)] },
    {
      title: 'Your messages that are not verbatim',
      lines: more > 0 ? [...shown, `and ${renderCount(more)} more`] : shown,
    },
    { title: 'Gone, most important first', lines: gone.map(clip) },
    { title: 'The summary', lines: neutralizeText(summary).split('\n') },
  ].filter(({ lines }) => lines.length > 0)
}

function clip(text: string): string {
  const line = neutralizeLine(text)
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE).trimEnd()} …` : line
}

const STORE_KEY = 'receipts'
const MOST_RECEIPTS = 20

interface StoredReceipt {
  readonly session: string
  readonly receipt: CompactionReceipt
}

/** Keeps the latest receipt of each of the latest sessions. */
export async function storeReceipt($: Mod, stored: StoredReceipt): Promise<void> {
  const known = await readStored($)
  const others = known.filter(({ session }) => session !== stored.session)
  await $.store.set(STORE_KEY, [stored, ...others].slice(0, MOST_RECEIPTS))
}

/** Undefined if precis has not compacted any of these sessions, or has compacted many since. */
export async function findReceipt(
  $: Mod,
  sessions: readonly string[],
): Promise<CompactionReceipt | undefined> {
  const stored = await readStored($)
  const found = sessions.flatMap((id) => stored.find(({ session }) => session === id) ?? [])
  return found[0]?.receipt
}

async function readStored($: Mod): Promise<readonly StoredReceipt[]> {
  const value = await $.store.get(STORE_KEY)
  return Array.isArray(value) ? value : []
}
