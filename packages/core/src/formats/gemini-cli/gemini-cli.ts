import { isInjectedText } from '../../conversation/injected-text.ts'
import type { ContentPart } from '../../conversation/message.ts'
import { importMedia } from '../gemini-contents/parts.ts'
import { deriveUuid } from '../shared/ids.ts'
import { isJsonObject } from '../shared/json.ts'
import { previewJson } from '../shared/preview.ts'
import { createSessionFormat, readFirstLine } from '../shared/session-format.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { isIgnored, readMessages } from './read.ts'
import { FORMAT_NAME, type GeminiCliDocument, readStorage } from './records.ts'
import { cloneSession, writeSession } from './write.ts'

/**
 * Sessions of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, or `.json` in older
 * versions.
 */
export const geminiCli = createSessionFormat<GeminiCliDocument>({
  name: FORMAT_NAME,
  import: {
    findProtocol: () => 'gemini-contents',
    marksHost: false,
    marksFailures: true,
    encodeInput: toInputObject,
    encodeMedia: importMedia,
    // Thoughts are stored for the screen and never sent.
    encodeReasoning: () => undefined,
    adaptWords,
    createDocument({ workingDirectory, workingDirectoryHash }, { sessionId, timestamp }) {
      const projectHash = workingDirectoryHash ?? deriveUuid(workingDirectory).replaceAll('-', '')
      return `${JSON.stringify({ sessionId, projectHash, startTime: timestamp, lastUpdated: timestamp, kind: 'main' })}\n`
    },
  },
  isCompaction: ({ $set }) => isJsonObject($set) && Array.isArray($set.messages),

  detect(input) {
    const keys = previewJson(input, ['messages'])?.keys
    if (
      keys?.has('sessionId') &&
      keys.has('messages') &&
      (keys.has('projectHash') || keys.has('startTime'))
    )
      return 1
    const first = readFirstLine(input)
    return isJsonObject(first) &&
      typeof first.sessionId === 'string' &&
      typeof first.projectHash === 'string'
      ? 1
      : 0
  },

  read(source) {
    const storage = readStorage(source)
    return {
      conversation: { protocol: 'gemini-contents', ...readMessages(storage.records) },
      rest: { storage },
    }
  },
  write: writeSession,
  clone: cloneSession,

  append: {
    // When a session continues, Gemini CLI stores the whole history again in one line.
    findAdded({ storage }, messages) {
      const added = new Set(messages.flatMap(({ records = [] }) => records))
      return storage.body
        ? []
        : storage.records.flatMap(({ record, span }) => (added.has(record) ? [span] : []))
    },
    // Records have ids that are unique across sessions, so nothing in them changes.
    createAdapter: () => () => [],
  },
})

const SPEAKER = 'User: '

/** Gemini CLI treats text that begins like a command as a command, and does not send it. */
function adaptWords(parts: readonly ContentPart[]): readonly ContentPart[] {
  const blocks = parts.map((part) => (part.type === 'text' ? { text: part.text } : {}))
  const [first, ...rest] = parts
  // The agent writes its own notices again.
  if (first?.type !== 'text' || isInjectedText(first.text) || !isIgnored(blocks)) return parts
  return [{ type: 'text', text: `${SPEAKER}${first.text}` }, ...rest]
}
