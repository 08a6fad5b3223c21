import { isJsonObject } from '../shared/json.ts'
import { previewJson, readBeginning } from '../shared/preview.ts'
import { createSessionFormat, readFirstLine } from '../shared/session-format.ts'
import { parseTimestamp } from '../shared/timestamp.ts'
import { toInputJson } from '../shared/tool-calls.ts'
import { readMessages } from './read.ts'
import { FORMAT_NAME, readStorage } from './storage.ts'
import { type CopilotDocument, cloneSession, writeSession } from './write.ts'

// The opening as VS Code writes it. The first line of a long session is longer than the part that
// is read.
const LOG_OPENING =
  /^\s*\{"kind":0,"v":\{"(?:version|creationDate|customTitle|initialLocation|responderUsername|sessionId|requests)"/

/**
 * Chats with GitHub Copilot in VS Code: `chatSessions/*.jsonl`, or `.json` in versions before
 * 1.109.
 */
export const copilot = createSessionFormat<CopilotDocument>({
  name: FORMAT_NAME,
  import: {
    findProtocol: () => 'openai-chat',
    marksHost: false,
    marksFailures: false,
    encodeInput: toInputJson,
    // The extension sends only a mention of images in earlier requests. It sends none of their
    // reasoning.
    encodeMedia: () => undefined,
    encodeReasoning: () => undefined,
    createDocument(_, { sessionId, timestamp }) {
      const state = {
        version: 3,
        creationDate: parseTimestamp(timestamp) ?? 0,
        initialLocation: 'panel',
        responderUsername: 'GitHub Copilot',
        sessionId,
        hasPendingEdits: false,
        requests: [],
        pendingRequests: [],
      }
      return `${JSON.stringify({ kind: 0, v: state })}\n`
    },
  },

  detect(input) {
    const keys = previewJson(input, ['requests'])?.keys
    if (keys?.has('requests')) {
      return ['sessionId', 'version', 'responderUsername'].some((key) => keys.has(key)) ? 1 : 0
    }
    if (LOG_OPENING.test(readBeginning(input) ?? '')) return 1
    const first = readFirstLine(input)
    return isJsonObject(first) && first.kind === 0 && isJsonObject(first.v) && 'requests' in first.v
      ? 1
      : 0
  },

  read(source) {
    const storage = readStorage(source)
    const { messages, model, isSummarized } = readMessages(storage)
    return {
      conversation: { protocol: 'openai-chat', messages, model },
      rest: { storage, isSummarized },
    }
  },
  write: writeSession,
  clone: cloneSession,
  readWhole: ({ storage }) => readMessages(storage, true).messages,
})
