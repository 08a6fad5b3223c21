/** The words of a record, without its frame, and its name for users and models. */
import { isHostSummary, isHostSummaryRecord } from '@precis/core/conversation'
import { redactSecrets } from '@precis/core/secrets'
import { asObject } from '../files/lines.ts'

// What frames every record and says nothing of it.
const FRAME = new Set(
  'uuid parentUuid logicalParentUuid sessionId sessionID messageID parentID userType version gitBranch requestId promptId timestamp role type id call_id tool_use_id callID toolCallId thoughtSignature signature encrypted_content data stop_reason originator slug cwd model parentId sourceToolAssistantUUID service_tier usage permissionMode promptSource entrypoint textSignature thinkingSignature responseId'.split(
    ' ',
  ),
)
// Data, keys and signatures: no word is that long.
const LONGEST_WORD = 400
const MOST_TEXTS = 100_000

/** All strings of a record, without known shapes of secrets. */
export function renderSearchableText(bytes: Uint8Array): string {
  return redactSecrets(renderRecordText(bytes))
}

/**
 * All strings of a record, unchanged. Text that is not JSON is used as it is. `renderData` returns
 * the words for data.
 */
export function renderRecordText(bytes: Uint8Array, renderData?: (text: string) => string): string {
  // Clients keep what a tool gave a second time, for their own screen.
  return [...new Set(listTexts(parse(bytes), renderData))].join('\n')
}

const OWN_SUMMARY = '<conversation-summary by="precis"'

/**
 * The name of a record for users and models. A summary is stored with the role of one of them, but
 * is not their words.
 */
export function nameRecord(label: string, bytes: Uint8Array): string {
  if (label.startsWith('tool')) return label
  const value = parse(bytes)
  const record = asObject(value)
  const isMarked = record !== undefined && isHostSummaryRecord(record)
  const isSummary =
    isMarked ||
    listTexts(value).some((text) => text.trimStart().startsWith(OWN_SUMMARY) || isHostSummary(text))
  return isSummary ? SUMMARY_LABEL : label
}

export const SUMMARY_LABEL = 'summary'

function listTexts(root: unknown, renderData?: (text: string) => string): string[] {
  const texts: string[] = []
  // No recursion, because the session controls the depth. Last in, first out, so children are added
  // backwards.
  const open: unknown[] = [root]
  while (open.length > 0 && texts.length < MOST_TEXTS) {
    const value = open.pop()
    if (typeof value === 'string') {
      if (isReadable(value)) texts.push(value)
      else if (value !== '' && renderData) texts.push(renderData(value))
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) open.push(value[index])
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value).reverse())
        if (!FRAME.has(key)) open.push(member)
    }
  }
  return texts
}

function parse(bytes: Uint8Array): unknown {
  const json = Buffer.from(bytes).toString('utf8')
  try {
    return JSON.parse(json.startsWith('\ufeff') ? json.slice(1) : json)
  } catch {
    // A line that was cut off still has words in it.
    return json
  }
}

function isReadable(text: string): boolean {
  return text !== '' && (text.length <= LONGEST_WORD || /\s/.test(text.slice(0, LONGEST_WORD)))
}
