import { parseJson } from '../conversation/json-text.ts'
import { adoption } from './copilot/adopt.ts'
import { FORMAT_NAME } from './copilot/mutation-log.ts'
import { readMessages } from './copilot/read-messages.ts'
import { readStorage } from './copilot/storage.ts'
import { type CopilotDocument, cloneSession, writeSession } from './copilot/write-session.ts'
import { glimpseJson, readBeginning } from './detection/glimpse.ts'
import { type Format, FormatError } from './format.ts'
import { openJsonl, writePieces } from './json/lines.ts'
import { isJsonObject } from './json/object.ts'
import { isSameList } from './json/same-list.ts'

// As VS Code writes it; the first line of a long session is longer than what is looked at.
const LOG_OPENING =
  /^\s*\{"kind":0,"v":\{"(?:version|creationDate|customTitle|initialLocation|responderUsername|sessionId|requests)"/

/** Chats with GitHub Copilot in VS Code: `chatSessions/*.jsonl`, in versions before 1.109 `.json`. */
export const copilot: Format = {
  name: FORMAT_NAME,
  adoption,
  kind: 'session',

  detect(input) {
    const keys = glimpseJson(input, ['requests'])?.keys
    if (keys?.has('requests')) {
      return ['sessionId', 'version', 'responderUsername'].some((key) => keys.has(key)) ? 1 : 0
    }
    const beginning = readBeginning(input) ?? ''
    if (LOG_OPENING.test(beginning)) return 1
    const first = parseJson(beginning.trimStart().split('\n', 1)[0] ?? '')
    return isJsonObject(first) && first.kind === 0 && isJsonObject(first.v) && 'requests' in first.v ? 1 : 0
  },

  parse(input) {
    const source = openJsonl(input, FORMAT_NAME)
    const storage = readStorage(source)
    const { messages, model, isSummarized } = readMessages(storage)
    const document: CopilotDocument = { format: FORMAT_NAME, source, storage, messages, isSummarized }
    return { protocol: 'openai-chat', messages, ...(model !== undefined && { model }), tools: [], document }
  },

  serialize({ document, messages }, newSession) {
    if (!isCopilotDocument(document)) {
      throw new FormatError(
        'cannot-serialize',
        'Writing a copilot session: the conversation was not parsed from one. Write it in the format it came from.',
      )
    }
    const { source } = document
    if (!isSameList(messages, document.messages)) {
      return writePieces(source, writeSession(document, messages, newSession))
    }
    if (newSession) return writePieces(source, cloneSession(document, newSession))
    return writePieces(source, [{ start: 0, end: source.length }])
  },

  readWhole(conversation) {
    const { document } = conversation
    return isCopilotDocument(document)
      ? { ...conversation, messages: readMessages(document.storage, true).messages }
      : conversation
  },
}

function isCopilotDocument(document: unknown): document is CopilotDocument {
  return typeof document === 'object' && document !== null && 'format' in document && document.format === FORMAT_NAME
}
