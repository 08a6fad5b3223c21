import { isInjectedText } from '../../conversation/injected-text.ts'
import type { Origin } from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'

const HOOK_NOTICE = 'Operation stopped by hook: '

const LOCAL_OUTPUTS = ['<local-command-stdout>', '<local-command-stderr>']

/** Whether a mod wrote it when it answered a compaction (2.1.332). */
export const isOfMod = ({ rowSource }: JsonObject): boolean => rowSource === 'hook'

/** Who wrote the text of a user entry. `following` is the next entry on the live branch. */
export function findEntryOrigin(
  entry: JsonObject,
  texts: readonly string[],
  following: unknown,
): Origin {
  const origin = findSpeaker(entry, texts, following)
  // The client puts its own words before its summaries. This mark, or that of a mod, together with
  // our text means a summary by precis.
  return entry.isCompactSummary === true || isOfMod(entry) ? origin : disown(origin, texts)
}

/**
 * If text in a notice or a command only looks like a summary by precis, it counts as the host's, so
 * nothing trusts it.
 */
export function disown(origin: Origin, texts: readonly string[]): Origin {
  return origin === 'synthetic' && texts.some(isSummaryText) ? 'environment' : origin
}

function findSpeaker(entry: JsonObject, texts: readonly string[], following: unknown): Origin {
  if (
    entry.isMeta === true ||
    entry.isCompactSummary === true ||
    entry.isVisibleInTranscriptOnly === true
  ) {
    return 'synthetic'
  }
  // Newer versions record where a message came from: typed, sdk or system, or { kind:
  // 'task-notification' }.
  if (entry.promptSource === 'system') return 'synthetic'
  if (
    isJsonObject(entry.origin) &&
    typeof entry.origin.kind === 'string' &&
    entry.origin.kind !== 'human'
  )
    return 'synthetic'
  if (texts.length === 0) return 'user'
  if (texts.some(isTyped)) return 'user'
  // `/review look at the parser`: the arguments are the user's words, unless the client answered
  // them itself.
  if (texts.some(hasCommandArguments) && !isLocalOutput(following)) return 'user'
  return 'synthetic'
}

export function isTyped(text: string): boolean {
  return text.trim() !== '' && !isInjectedText(text) && !text.startsWith(HOOK_NOTICE)
}

function hasCommandArguments(text: string): boolean {
  const trimmed = text.trimStart()
  if (!trimmed.startsWith('<command-name>') && !trimmed.startsWith('<command-message>'))
    return false
  const start = text.indexOf('<command-args>')
  const end = text.indexOf('</command-args>', start)
  return start >= 0 && end >= 0 && text.slice(start + '<command-args>'.length, end).trim() !== ''
}

function isLocalOutput(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false
  const content = isJsonObject(entry.message) ? entry.message.content : entry.content
  return (
    typeof content === 'string' &&
    LOCAL_OUTPUTS.some((opening) => content.trimStart().startsWith(opening))
  )
}
