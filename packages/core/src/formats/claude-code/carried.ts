import { addTo } from '../../conversation/lists.ts'
import type { Message } from '../../conversation/message.ts'
import { type JsonObject, readString, withMembers } from '../shared/json.ts'
import { readObject } from '../shared/lines.ts'
import { findBesideKept, findGoneCalls, namesAny } from '../shared/records.ts'
import { type ClaudeCodeDocument, type ClaudeEntry, isOnMainChain } from './entries.ts'
import { QUEUE_TYPE } from './queue.ts'

/** An entry that is not a message but is kept in a changed session. */
export interface CarriedEntry {
  readonly type: 'carried'
  readonly record: number
  /** Whether it has a place in the chain of `parentUuid`. */
  readonly isChained: boolean
}

export const TITLE_TYPES = new Set(['custom-title', 'ai-title', 'summary'])

/** Lines that repeat messages, even messages that an edit removed. */
const HISTORY_TYPES = [QUEUE_TYPE, 'last-prompt', 'api-request']

/** A new session has its own title and bill, and no backups of files that a snapshot could name. */
const OWN_TYPES: ReadonlySet<string> = new Set([
  ...TITLE_TYPES,
  'cost-state',
  'file-history-snapshot',
  'file-history-delta',
])

/**
 * Attachments that Claude Code writes again on each resume. Version 2.1.329 always does, so a kept
 * attachment would be sent twice. Version 2.1.332 does if they are missing.
 */
export const ANNOUNCEMENTS = new Set([
  'deferred_tools_delta',
  'mcp_instructions_delta',
  'agent_listing_delta',
  'skill_listing',
  'environment',
  'model',
  'instructions',
  'date',
  'remote_session_change',
])

/** The request around the messages at that time. A changed session does not repeat it. */
const SURROUNDINGS = new Set(['prompt_snapshot', 'session_context', 'deferred_tools_record'])

/**
 * An entry of the chain stays as long as the message before it. An entry is removed if it names a
 * removed entry, a removed call, or a call whose result changed.
 */
export function listCarried(
  document: ClaudeCodeDocument,
  messages: readonly Message[],
  isNew: boolean,
): CarriedEntry[] {
  const { source, entries } = document
  const onBranch = new Set(document.branch)
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const chained = findBesideKept(listBranch(document), document.messages, messages)
  const gone = findGoneCalls(document.messages, messages)
  entries.forEach(({ uuid }, record) => {
    if (uuid !== undefined && !kept.has(record) && !chained.has(record)) gone.add(uuid)
  })
  for (const record of kept) gone.delete(entries[record]?.uuid ?? '')
  return entries.flatMap((entry, record): CarriedEntry[] => {
    const isChained = chained.has(record)
    if (!isChained && !isCarriedLine(entry, isNew)) return []
    const value = readObject(source, entry)
    const own = withMembers(value, { uuid: undefined, parentUuid: undefined })
    const isCarried = onBranch.has(record)
      ? isCarriedInChain(entry, value)
      : !isChained || isUnsentHook(value, document)
    if (isCarried && !namesAny(own, gone)) return [{ type: 'carried', record, isChained }]
    if (entry.uuid !== undefined) gone.add(entry.uuid)
    return []
  })
}

/**
 * The live branch, with entries next to it that have no children. A hook before a call is a child
 * of the call, and so is the result.
 */
function listBranch({ entries, branch }: ClaudeCodeDocument): number[] {
  const live = new Set(branch)
  const parents = new Set(entries.map(({ parentUuid }) => parentUuid))
  const beside = new Map<string, number[]>()
  entries.forEach((entry, record) => {
    if (entry.parentUuid === undefined || live.has(record)) return
    if (isOnMainChain(entry) && !parents.has(entry.uuid)) addTo(beside, entry.parentUuid, record)
  })
  return branch.flatMap((record) => [record, ...(beside.get(entries[record]?.uuid ?? '') ?? [])])
}

/**
 * Drops messages that are not sent, such as failed requests, and the progress of tools. A kept
 * boundary would cut off everything before it.
 */
function isCarriedInChain({ type, subtype }: ClaudeEntry, { attachment }: JsonObject): boolean {
  switch (type) {
    case 'user':
    case 'assistant':
    case 'progress':
      return false
    case 'system':
      return !subtype?.endsWith('boundary')
    case 'attachment': {
      const kind = readString(attachment, 'type') ?? ''
      return !ANNOUNCEMENTS.has(kind) && !SURROUNDINGS.has(kind)
    }
    default:
      return true
  }
}

/** Whether an attachment is of a hook whose output was not sent. */
function isUnsentHook(entry: JsonObject, { renderers }: ClaudeCodeDocument): boolean {
  const kind = readString(entry.attachment, 'type') ?? ''
  return (
    kind.startsWith('hook_') &&
    kind !== 'hook_additional_context' &&
    renderers.has(entry.version) &&
    !('rendered' in entry)
  )
}

function isCarriedLine({ type, uuid }: ClaudeEntry, isNew: boolean): boolean {
  if (type === undefined || uuid !== undefined) return false
  if (HISTORY_TYPES.some((prefix) => type.startsWith(prefix))) return false
  return !isNew || !OWN_TYPES.has(type)
}
