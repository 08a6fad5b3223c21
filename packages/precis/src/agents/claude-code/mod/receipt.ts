/** What a compaction removed, for the user: one line, and the whole of it on request. */
import type { Conversation, Message } from '@precis/core'
import { readLedgerText, readSummary, readText } from '@precis/core/conversation'
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
  /** What the agent's summary lost, until it is in the conversation. */
  readonly unrestored?: Unrestored
}

export interface Unrestored {
  /** For the model. */
  readonly text: string
  /** How many compactions there were before. */
  readonly compactions: number
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
    summary: after[0] ? renderSummary(after[0]) : '',
  }
}

/** Without what is only for the model. */
function renderSummary(message: Message): string {
  const parts = [readSummary(message), readLedgerText(message)]
  return parts.filter(Boolean).join('\n\n') || readText(message)
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

// All values of the store together may take 4 MiB.
const MOST_RECEIPTS = 20
const FEW_RECEIPTS = 5
const LONGEST_SUMMARY = 100_000

interface StoredReceipt {
  readonly storedAt: number
  readonly receipt: CompactionReceipt
}

/** Keeps the latest receipt of this session. If that fails, the user is told, and no more. */
export async function storeReceipt($: Mod, receipt: CompactionReceipt): Promise<void> {
  try {
    const stored: StoredReceipt = { storedAt: await $.clock.now(), receipt: shorten(receipt) }
    const key = nameKey(await $.session.id())
    try {
      await $.store.set(key, stored)
    } catch {
      // Together they are too large.
      await removeOldReceipts($, FEW_RECEIPTS)
      await $.store.set(key, stored)
    }
    await removeOldReceipts($, MOST_RECEIPTS)
  } catch (error) {
    $.ui.log(`The receipt of this compaction was not kept (${neutralizeLine(String(error))}).`)
  }
}

const KEY_START = 'receipt '
// One for each session, because sessions run at the same time.
const nameKey = (session: string): string => `${KEY_START}${session}`

function shorten(receipt: CompactionReceipt): CompactionReceipt {
  const { changedWords, gone, summary } = receipt
  return {
    ...receipt,
    changedWords: changedWords.map(clip),
    gone: gone.map(clip),
    summary:
      summary.length > LONGEST_SUMMARY
        ? `${summary.slice(0, LONGEST_SUMMARY)}\n… and ${renderCount(summary.length - LONGEST_SUMMARY)} more characters`
        : summary,
  }
}

async function removeOldReceipts($: Mod, most: number): Promise<void> {
  const keys = (await $.store.keys()).filter((key) => key.startsWith(KEY_START))
  if (keys.length <= most) return
  const known = []
  for (const key of keys) known.push({ key, storedAt: (await readStored($, key))?.storedAt ?? 0 })
  known.sort((a, b) => b.storedAt - a.storedAt)
  for (const { key } of known.slice(most)) await $.store.delete(key)
}

/** Undefined if precis has not compacted any of these sessions, or has compacted many since. */
export async function findReceipt(
  $: Mod,
  sessions: readonly string[],
): Promise<CompactionReceipt | undefined> {
  for (const session of sessions) {
    const stored = await readStored($, nameKey(session))
    if (stored) return stored.receipt
  }
  return undefined
}

/** Only this module writes under these keys. */
const readStored = async ($: Mod, key: string): Promise<StoredReceipt | undefined> =>
  (await $.store.get(key)) as StoredReceipt | undefined
