import { parseJson } from '../conversation/json-text.ts'
import { readBeginning } from './detection/glimpse.ts'
import { type Format, FormatError } from './format.ts'
import { openJsonl, writePieces } from './json/lines.ts'
import { isSameList } from './json/same-list.ts'
import { adoption } from './pi/adopt.ts'
import { continuation } from './pi/continuation.ts'
import { FORMAT_NAME, findLive, findPath, isHeader, readEntries } from './pi/entries.ts'
import { readMessages } from './pi/read-messages.ts'
import { cloneSession, isPiDocument, type PiDocument, writeSession } from './pi/write-session.ts'

/** Sessions of pi: `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`. */
export const pi: Format = {
  name: FORMAT_NAME,
  kind: 'session',
  adoption,
  continuation,
  isCompaction: ({ type }) => type === 'compaction',

  detect(input) {
    const first = readBeginning(input)?.trimStart().split('\n', 1)[0]
    return first !== undefined && isHeader(parseJson(first)) ? 1 : 0
  },

  parse(input) {
    const source = openJsonl(input, FORMAT_NAME)
    const list = readEntries(source)
    const path = findPath(list)
    const { values, ...conversation } = readMessages(source, findLive(path, list))
    const { messages } = conversation
    const document: PiDocument = { format: FORMAT_NAME, source, list, path, values, messages }
    const { cwd } = list.headerValue
    return { ...conversation, tools: [], ...(typeof cwd === 'string' && { workingDirectory: cwd }), document }
  },

  serialize({ document, messages }, newSession) {
    if (!isPiDocument(document)) {
      throw new FormatError(
        'cannot-serialize',
        'Writing a pi session: the conversation was not parsed from one. Write it in the format it came from.',
      )
    }
    const { source } = document
    if (!isSameList(messages, document.messages)) {
      return writePieces(source, writeSession(document, messages, newSession))
    }
    if (newSession) return writePieces(source, cloneSession(document, newSession))
    return writePieces(source, [{ start: 0, end: source.length }])
  },
}
