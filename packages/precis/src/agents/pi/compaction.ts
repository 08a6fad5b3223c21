/**
 * A compaction of pi by precis: its summary replaces everything before the entry where pi cuts.
 *
 *   entries   compaction ── b ── c ── d ── e        first kept: d
 *   document  summary · b · c · d · e
 *                      ▲ removed  ▲ stays
 */
import {
  type Conversation,
  compressConversation,
  findModel,
  type RecallPath,
  type Strategy,
  type Summarizer,
} from '@precis/core'
import { readText } from '@precis/core/conversation'
import { formats } from '@precis/core/formats'
import { loadTokenCounter } from '@precis/core/tokens'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import { createMemorySource } from '../../files/read-document.ts'

/** Everything pi sends before it compacts. */
export interface PiCompaction {
  readonly header: JsonObject
  /** The branch that pi is on, oldest first. */
  readonly entries: readonly JsonObject[]
  readonly firstKeptEntryId: string
  /** Upper limit of the summary. */
  readonly mostTokens: number
  readonly instructions?: string
}

/** The part of the session that is sent, as a separate session. */
export interface SessionTree {
  readonly text: string
  readonly conversation: Conversation
  /** Messages before it are removed. */
  readonly cut: number
}

/** Stored in the session with the summary. The next compaction reads it. */
export interface PiSummaryDetails {
  readonly by: 'precis'
  readonly summary: string
  /** The request in progress, if pi cut after it. */
  readonly request?: string
}

export interface PiSummary {
  readonly summary: string
  readonly details: PiSummaryDetails
}

/** Undefined if there is nothing before the entry. */
export function createPiDocument({
  header,
  entries,
  firstKeptEntryId,
}: PiCompaction): SessionTree | undefined {
  const live = findLive(entries)
  const lines: string[] = [JSON.stringify(header)]
  let firstKeptLine: number | undefined
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
  const conversation = formats.pi.parse(createMemorySource(Buffer.from(text)))
  const cut = conversation.messages.findIndex(({ records = [] }) =>
    records.some((line) => line >= Number(firstKeptLine)),
  )
  return cut > 0 ? { text, conversation, cut } : undefined
}

/**
 * The latest compaction, everything that it kept except an older compaction, and what came after
 * it.
 */
function findLive(entries: readonly JsonObject[]): JsonObject[] {
  const position = entries.findLastIndex(({ type }) => type === 'compaction')
  const compaction = entries[position]
  if (!compaction) return [...entries]
  const before = entries.slice(0, position)
  const first = before.findIndex(({ id }) => id === compaction.firstKeptEntryId)
  const kept = first < 0 ? [] : before.slice(first).filter(({ type }) => type !== 'compaction')
  return [compaction, ...kept, ...entries.slice(position + 1)]
}

/** pi puts its own words around a summary. Reading it as a summary by precis keeps its ledger. */
function expandSummary(entry: JsonObject): JsonObject[] {
  const details = entry.type === 'compaction' ? asObject(entry.details) : undefined
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

// The share of a text that its summary may take. It is higher for short texts, because the summary
// contains the user's decisions in full.
const SUMMARY_SHARE = 0.25
const LARGEST_SHARE = 0.6
const ENOUGH_TOKENS = 2000
const SLACK_TOKENS = 64

export interface CompactOptions {
  readonly mostTokens: number
  readonly summarizer: Summarizer
  readonly instructions?: string
  readonly recall?: RecallPath
}

/** Undefined if no summary is smaller than the text it would replace. */
export async function summarizeForPi(
  { conversation, cut }: SessionTree,
  { mostTokens, summarizer, instructions, recall }: CompactOptions,
): Promise<PiSummary | undefined> {
  const counter = await loadTokenCounter(findModel(conversation.model ?? ''))
  const count = (messages: Conversation['messages']) =>
    counter.countConversation({ ...conversation, messages }).upper
  const goingTokens = count(conversation.messages.slice(0, cut))
  const wantedTokens = Math.max(
    goingTokens * SUMMARY_SHARE,
    Math.min(goingTokens * LARGEST_SHARE, ENOUGH_TOKENS),
  )
  const targetTokens = Math.min(mostTokens, Math.floor(wantedTokens))
  const firstKept = conversation.messages[cut]
  const { outcome, conversation: result } = await compressConversation(conversation, {
    counter,
    strategy: createCut(firstKept),
    summarizer,
    budgetTokens: count(conversation.messages.slice(cut)) + targetTokens + SLACK_TOKENS,
    instructions,
    recall,
  })
  const end = firstKept ? result.messages.indexOf(firstKept) : -1
  if (outcome.type !== 'compressed' || end < 1) return undefined
  const [summary, ...others] = result.messages.slice(0, end)
  if (!summary) return undefined
  const text = readText(summary)
  const request = others
    .filter(({ role }) => role === 'user')
    .map(readText)
    .join('\n\n')
  const details: PiSummaryDetails = {
    by: 'precis',
    summary: text,
    ...(request !== '' && { request }),
  }
  return { summary: request === '' ? text : `${text}\n\n${REQUEST_OPENING}\n\n${request}`, details }
}

const REQUEST_OPENING = 'The request that is being worked on, word for word:'

/**
 * Everything before a message becomes one summary. If the latest request is among it, the request
 * stays.
 */
function createCut(firstKept: Conversation['messages'][number] | undefined): Strategy {
  return {
    name: 'pi-compaction',
    summarizes: true,
    plan({ conversation, lastUserRequest, tokensBefore, fixedTokens }, { targetTokens }) {
      const end = firstKept ? conversation.messages.indexOf(firstKept) : -1
      if (end < 1) return { noop: 'no-legal-cut' }
      const count = (start: number, stop: number) =>
        (tokensBefore[stop] ?? 0) - (tokensBefore[start] ?? 0)
      const request =
        lastUserRequest !== undefined && lastUserRequest < end ? [lastUserRequest] : []
      const staying = count(end, conversation.messages.length) + fixedTokens
      const room =
        targetTokens - request.reduce((sum, index) => sum + count(index, index + 1), staying)
      if (room <= 0) return { noop: 'tail-covers-all' }
      return {
        edits: [
          { type: 'summarize', start: 0, end, targetTokens: room, brief: 'tail', keep: request },
        ],
      }
    },
  }
}
