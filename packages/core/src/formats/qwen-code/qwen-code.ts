import { importMedia } from '../gemini-contents/parts.ts'
import { createLinker, deriveUuid } from '../shared/ids.ts'
import { createSessionFormat, readFirstLine } from '../shared/session-format.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { FORMAT_NAME, isEntry, type QwenCodeDocument, readEntries } from './entries.ts'
import { readCompressed, readMessages } from './read.ts'
import { cloneSession, TITLE, writeSession } from './write.ts'

/** Sessions of Qwen Code: `~/.qwen/projects/<directory>/chats/<sessionId>.jsonl`. */
export const qwenCode = createSessionFormat<QwenCodeDocument>({
  name: FORMAT_NAME,
  import: {
    findProtocol: () => 'gemini-contents',
    marksHost: true,
    marksFailures: true,
    encodeInput: toInputObject,
    encodeMedia: importMedia,
    // A thought is sent only to the provider that produced it.
    encodeReasoning: () => undefined,
    createDocument({ workingDirectory: cwd }, { sessionId, timestamp }) {
      // This entry is never written. New entries copy their envelope from it.
      const envelope = {
        uuid: deriveUuid(sessionId),
        parentUuid: null,
        sessionId,
        timestamp,
        type: 'system',
        provenance: 'system',
        cwd,
        version: '0.24.4',
        subtype: 'session_source',
      }
      return `${JSON.stringify(envelope)}\n`
    },
  },
  isCompaction: (line) => readCompressed(line) !== undefined,
  detect: (input) => (isEntry(readFirstLine(input)) ? 1 : 0),

  read(source) {
    const list = readEntries(source)
    return {
      conversation: { protocol: 'gemini-contents', ...readMessages(source, list.path) },
      rest: { list },
    }
  },
  write: writeSession,
  clone: cloneSession,
  readWhole: ({ source, list }) => readMessages(source, list.path, true).messages,

  append: {
    createAdapter({ base, grown, start, newSession }) {
      const link = createLinker({
        keys: { id: 'uuid', parentId: 'parentUuid' },
        known: new Set(base.list.entries.flatMap(({ uuid }) => uuid ?? [])),
        leaf: base.list.path.at(-1)?.uuid,
        formerLeaf: grown.list.entries.findLast(
          (entry) => entry.start < start && entry.uuid !== undefined,
        )?.uuid,
        createId: newSession.createId,
      })
      const sessionId = JSON.stringify(newSession.sessionId)
      return (value) =>
        value.subtype === TITLE
          ? undefined
          : [{ path: ['sessionId'], json: sessionId }, ...link(value)]
    },
  },
})
