import { parseJson } from '../conversation/json-text.ts'
import { glimpseJson, readBeginning } from './detection/glimpse.ts'
import { type Format, FormatError } from './format.ts'
import { adoption } from './gemini-cli/adopt.ts'
import { continuation } from './gemini-cli/continuation.ts'
import { readMessages } from './gemini-cli/read-messages.ts'
import { FORMAT_NAME, readStorage } from './gemini-cli/records.ts'
import { cloneSession, type GeminiCliDocument, isGeminiCliDocument, writeSession } from './gemini-cli/write-session.ts'
import { openJsonl, writePieces } from './json/lines.ts'
import { isJsonObject } from './json/object.ts'
import { isSameList } from './json/same-list.ts'

/** Sessions of Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, in older versions `.json`. */
export const geminiCli: Format = {
  name: FORMAT_NAME,
  kind: 'session',
  adoption,
  continuation,
  isCompaction: ({ $set }) => isJsonObject($set) && Array.isArray($set.messages),

  detect(input) {
    const keys = glimpseJson(input, ['messages'])?.keys
    if (keys?.has('sessionId') && keys.has('messages') && (keys.has('projectHash') || keys.has('startTime'))) return 1
    const first = parseJson(readBeginning(input)?.trimStart().split('\n', 1)[0] ?? '')
    return isJsonObject(first) && typeof first.sessionId === 'string' && typeof first.projectHash === 'string' ? 1 : 0
  },

  parse(input) {
    const source = openJsonl(input, FORMAT_NAME)
    const storage = readStorage(source)
    const conversation = readMessages(storage.records)
    const { messages } = conversation
    const document: GeminiCliDocument = { format: FORMAT_NAME, source, storage, messages }
    return { protocol: 'gemini-contents', ...conversation, tools: [], document }
  },

  serialize({ document, messages, model }, newSession) {
    if (!isGeminiCliDocument(document)) {
      throw new FormatError(
        'cannot-serialize',
        'Writing a gemini-cli session: the conversation was not parsed from one. Write it in the format it came from.',
      )
    }
    const { source } = document
    if (!isSameList(messages, document.messages)) {
      return writePieces(
        source,
        writeSession(document, { messages, ...(model !== undefined && { model }) }, newSession),
      )
    }
    if (newSession) return writePieces(source, cloneSession(document, newSession))
    return writePieces(source, [{ start: 0, end: source.length }])
  },
}
