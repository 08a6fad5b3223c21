import type { Conversation, Message } from '../../conversation/message.ts'
import { deriveUuid } from '../content/derive-uuid.ts'
import type { NewSession } from '../format.ts'
import { type JsonlSource, type OutputPiece, spliceLine } from '../json/lines.ts'
import { type Draft, draftEntries } from './drafts.ts'
import { type Entry, readEntry } from './entries.ts'
import { type Placement, renderNewEntry, renderTitle, spliceKeptEntry } from './write-entry.ts'

/** What `parse` leaves for `serialize`. */
export interface ClaudeCodeDocument {
  readonly format: 'claude-code'
  readonly source: JsonlSource
  readonly entries: readonly Entry[]
  /** Lines of the live branch, in the order the agent sends them. */
  readonly branch: readonly number[]
  /** The messages as they were parsed. */
  readonly messages: readonly Message[]
  /** What could not be read, for the person. */
  readonly warnings: readonly string[]
}

export function isClaudeCodeDocument(document: unknown): document is ClaudeCodeDocument {
  return typeof document === 'object' && document !== null && 'format' in document && document.format === 'claude-code'
}

/** Every line again under another session id, and the title. For a conversation that nobody edited. */
export function* cloneSession(document: ClaudeCodeDocument, newSession: NewSession): Generator<OutputPiece> {
  const lineBreak = findLineBreak(document)
  yield `${renderTitle(newSession)}${lineBreak}`
  const sessionId = JSON.stringify(newSession.sessionId)
  for (const entry of document.entries) {
    if (entry.type === undefined || TITLE_TYPES.has(entry.type)) continue
    yield* spliceLine(document.source, entry, [{ path: ['sessionId'], json: sessionId }])
    yield lineBreak
  }
}

export const TITLE_TYPES = new Set(['custom-title', 'ai-title', 'summary'])

/** The kept entries as one unbranched chain, new ones between them. */
export function* writeSession(
  document: ClaudeCodeDocument,
  conversation: Conversation,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, entries } = document
  const lineBreak = findLineBreak(document)
  const drafts = draftEntries(conversation.messages, document.messages)
  const used = new Set<string>()
  const createId = newSession?.createId ?? createDerivedIds(document)
  // The list of sessions takes a custom title before any other; it may stand first or last.
  if (newSession) yield `${renderTitle(newSession)}${lineBreak}`
  let parentUuid: string | undefined
  let neighbour = drafts.find((draft) => draft.type === 'kept')?.record ?? document.branch[0]
  for (const [index, draft] of drafts.entries()) {
    const entry = draft.type === 'kept' ? entries[draft.record] : undefined
    // An entry keeps its uuid, so that what refers to it still does; only a second copy of it needs another.
    const uuid = entry?.uuid !== undefined && !used.has(entry.uuid) ? entry.uuid : createId()
    const placement: Placement = { uuid, parentUuid, newSession, isLast: index === drafts.length - 1 }
    const message = findNewMessage(draft, entry)
    if (draft.type === 'kept' && entry && !message) {
      neighbour = draft.record
      yield* spliceKeptEntry(source, entry, draft, placement)
    } else if (message) {
      const envelope = neighbour === undefined ? {} : readEntry(source, entries[neighbour]!)
      yield renderNewEntry(message, placement, envelope, conversation.model)
    }
    yield lineBreak
    used.add(uuid)
    parentUuid = uuid
  }
  if (!newSession) yield* carryUnchained(document, used, lineBreak)
}

/** The message that needs a new entry: one that precis wrote, or an edited notice whose entry holds no message. */
function findNewMessage(draft: Draft, entry: Entry | undefined): Message | undefined {
  if (draft.type === 'new') return draft.message
  if (!draft.parts || entry?.type === 'user' || entry?.type === 'assistant') return undefined
  const parts = draft.parts.flatMap((part) =>
    part.type === 'reasoning' || part.type === 'tool-call' || part.type === 'tool-result' ? [] : [part],
  )
  return { role: 'user', origin: 'synthetic', parts }
}

/** Lines that repeat what was said, and would revive or keep what an edit removed. */
const HISTORY_TYPES = ['queue-operation', 'last-prompt', 'api-request']

/**
 * Entries outside the chain that stay when a session is edited under its own id: titles, modes, snapshots of files.
 * What points at an entry that is gone goes with it. A new session gets none of them: the agent needs none to resume,
 * and has no backups under the new id that a snapshot could point at.
 */
function* carryUnchained(
  { entries }: ClaudeCodeDocument,
  kept: ReadonlySet<string>,
  lineBreak: string,
): Generator<OutputPiece> {
  for (const entry of entries) {
    if (entry.uuid !== undefined || entry.type === undefined) continue
    if (HISTORY_TYPES.some((prefix) => entry.type?.startsWith(prefix))) continue
    if (entry.pointsAt !== undefined && !kept.has(entry.pointsAt)) continue
    yield { start: entry.start, end: entry.end }
    yield lineBreak
  }
}

function findLineBreak({ source, entries }: ClaudeCodeDocument): string {
  const end = entries[0]?.end ?? 0
  return source.readUnits(end, Math.min(end + 2, source.length)) === '\r\n' ? '\r\n' : '\n'
}

/** Without a source of fresh ids the same edit of the same session gives the same ids. */
function createDerivedIds({ source, entries, branch }: ClaudeCodeDocument): () => string {
  const leaf = entries[branch.at(-1) ?? -1]?.uuid ?? ''
  let count = 0
  return () => deriveUuid(`${leaf} ${source.length} ${count++}`)
}
