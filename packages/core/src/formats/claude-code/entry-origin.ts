import { isInjectedText } from '../../conversation/injected-text.ts'
import type { Origin } from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'

/** A plain text without a mark of its own. */
const HOOK_NOTICE = 'Operation stopped by hook: '
const LOCAL_OUTPUTS = ['<local-command-stdout>', '<local-command-stderr>']

/** Whose word the text of a user entry is. `following` is the next entry on the live branch. */
export function findEntryOrigin(entry: JsonObject, texts: readonly string[], following: unknown): Origin {
  const origin = findSpeaker(entry, texts, following)
  // The client opens summaries of its own with its own words, so this mark and our text together are ours.
  return entry.isCompactSummary === true ? origin : disown(origin, texts)
}

/** Text that only looks like a summary of precis is the host's: from a notice or a command it must settle nothing. */
export function disown(origin: Origin, texts: readonly string[]): Origin {
  return origin === 'synthetic' && texts.some(isSummaryText) ? 'environment' : origin
}

function findSpeaker(entry: JsonObject, texts: readonly string[], following: unknown): Origin {
  if (entry.isMeta === true || entry.isCompactSummary === true || entry.isVisibleInTranscriptOnly === true) {
    return 'synthetic'
  }
  // Newer versions say where a message came from: typed, sdk or system; { kind: 'task-notification' }.
  if (entry.promptSource === 'system') return 'synthetic'
  if (isJsonObject(entry.origin) && typeof entry.origin.kind === 'string' && entry.origin.kind !== 'human')
    return 'synthetic'
  if (texts.length === 0) return 'user'
  if (texts.some(isTyped)) return 'user'
  // `/review look at the parser`: the arguments are the person's words, unless the client answered by itself.
  if (texts.some(hasCommandArguments) && !isLocalOutput(following)) return 'user'
  return 'synthetic'
}

/** Whether anything in the text is the person's own. */
export function isTyped(text: string): boolean {
  return text.trim() !== '' && !isInjectedText(text) && !text.startsWith(HOOK_NOTICE)
}

function hasCommandArguments(text: string): boolean {
  const trimmed = text.trimStart()
  if (!trimmed.startsWith('<command-name>') && !trimmed.startsWith('<command-message>')) return false
  const start = text.indexOf('<command-args>')
  const end = text.indexOf('</command-args>', start)
  return start >= 0 && end >= 0 && text.slice(start + '<command-args>'.length, end).trim() !== ''
}

function isLocalOutput(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false
  const content = isJsonObject(entry.message) ? entry.message.content : entry.content
  return typeof content === 'string' && LOCAL_OUTPUTS.some((opening) => content.trimStart().startsWith(opening))
}
