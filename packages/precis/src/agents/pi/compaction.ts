/**
 * A compaction of pi by precis: its summary replaces everything before the entry where pi cuts.
 *
 *   entries   compaction ── b ── c ── d ── e        first kept: d
 *   document  summary · b · c · d · e
 *                      ▲ removed  ▲ stays
 *
 * A branch that the user leaves is summarized in the same way, and all of it is removed.
 */
import type { Conversation, Message } from '@precis/core'
import { isUserRequest, readText } from '@precis/core/conversation'
import { pi } from '@precis/core/formats'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import { type RemovedSummaryOptions, summarizeRemoved } from '../shared/summarize-removed.ts'

/** Everything pi sends before it compacts. */
export interface PiCompaction {
  readonly header: JsonObject
  /** The branch that pi is on, oldest first. */
  readonly entries: readonly JsonObject[]
  /** Undefined for a branch that the user leaves. */
  readonly firstKeptEntryId: string | undefined
}

export const readEntries = (list: readonly unknown[]): JsonObject[] =>
  list.map(asObject).filter((entry) => entry !== undefined)

/** The part of the session that is sent, as a separate session. */
export interface SessionTree {
  readonly text: string
  readonly conversation: Conversation
  /** Messages before it are removed. */
  readonly cut: number
}

/** Stored in the session with the summary. The next compaction reads it. */
interface PiSummaryDetails {
  readonly by: 'precis'
  readonly summary: string
  /** The request in progress, if pi cut after it. */
  readonly request?: string
}

export interface PiSummary {
  readonly summary: string
  readonly details: PiSummaryDetails
  /** What changed, for the user. */
  readonly line: string
}

/** Undefined if there is nothing before the entry. */
export function createPiDocument({
  header,
  entries,
  firstKeptEntryId,
}: PiCompaction): SessionTree | undefined {
  const isBranch = firstKeptEntryId === undefined
  const live = findLive(entries, isBranch)
  const lines: string[] = [JSON.stringify(header)]
  let firstKeptLine = isBranch ? Infinity : undefined
  let parentId: unknown = null
  for (const entry of live) {
    if (entry.id === firstKeptEntryId) firstKeptLine = lines.length
    for (const written of expandSummary(entry)) {
      lines.push(JSON.stringify({ ...written, parentId }))
      parentId = written.id
    }
  }
  if (firstKeptLine === undefined) return undefined
  const text = `${lines.join('\n')}\n`
  const conversation = parseSession(text)
  const first = conversation.messages.findIndex(({ records = [] }) =>
    records.some((line) => line >= Number(firstKeptLine)),
  )
  const cut = isBranch ? conversation.messages.length : first
  return cut > 0 ? { text, conversation, cut } : undefined
}

/**
 * The latest compaction, everything that it kept except an older compaction, and what came after
 * it. A branch may begin after the entry that its compaction kept first.
 */
function findLive(entries: readonly JsonObject[], isBranch: boolean): JsonObject[] {
  const position = entries.findLastIndex(({ type }) => type === 'compaction')
  const compaction = entries[position]
  if (!compaction) return [...entries]
  const before = entries.slice(0, position)
  const found = before.findIndex(({ id }) => id === compaction.firstKeptEntryId)
  const keepsNone = !isBranch || compaction.firstKeptEntryId === compaction.id
  const first = found < 0 ? (keepsNone ? before.length : 0) : found
  const kept = before.slice(first).filter(({ type }) => type !== 'compaction')
  return [compaction, ...kept, ...entries.slice(position + 1)]
}

/** pi puts its own words around a summary. Reading it as a summary by precis keeps its ledger. */
function expandSummary(entry: JsonObject): JsonObject[] {
  const isSummary = entry.type === 'compaction' || entry.type === 'branch_summary'
  const details = isSummary ? asObject(entry.details) : undefined
  const summary = details?.by === 'precis' ? asText(details.summary) : undefined
  if (summary === undefined) return [entry]
  const { id, timestamp } = entry
  const own = {
    type: 'custom_message',
    id,
    timestamp,
    customType: 'precis',
    content: summary,
    display: true,
  }
  const request = asText(details?.request)
  if (request === undefined) return [own]
  const message = { role: 'user', content: request, timestamp: 0 }
  return [own, { type: 'message', id: `${String(id)}-request`, timestamp, message }]
}

/** A session of pi, from its text. */
function parseSession(text: string): Conversation {
  const bytes = new TextEncoder().encode(text)
  return pi.parse({
    byteLength: bytes.length,
    read: (start, end) => bytes.subarray(start, end),
  })
}

/** What compactions removed from a branch of pi. pi keeps it in the file of the session. */
export function readRemoved(header: JsonObject, branch: readonly JsonObject[]): readonly Message[] {
  const live = new Set(findLive(branch, false))
  const removed = branch.filter((entry) => entry.type !== 'compaction' && !live.has(entry))
  const document = createPiDocument({ header, entries: removed, firstKeptEntryId: undefined })
  return document?.conversation.messages ?? []
}

/** Returns the reason if no summary is smaller than what it would replace. */
export async function summarizeForPi(
  { conversation, cut }: SessionTree,
  options: RemovedSummaryOptions,
): Promise<PiSummary | string> {
  const { messages } = conversation
  const request = findOpenRequest(messages, cut)
  const removed = messages.slice(0, cut).filter((message) => message !== request)
  const staying = [...(request ? [request] : []), ...messages.slice(cut)]
  const summary = await summarizeRemoved({ conversation, removed, staying }, options)
  if (typeof summary === 'string') return summary
  const { text, line } = summary
  const words = request && readText(request)
  const details = { by: 'precis', summary: text, ...(words && { request: words }) } as const
  return { summary: words ? `${text}\n\n${REQUEST_OPENING}\n\n${words}` : text, details, line }
}

const REQUEST_OPENING = 'The request that is being worked on, word for word:'

/** The request that the kept messages work on, if pi cuts after it. */
function findOpenRequest(messages: readonly Message[], cut: number): Message | undefined {
  const latest = messages.findLastIndex(isUserRequest)
  return latest < cut && cut < messages.length ? messages[latest] : undefined
}
