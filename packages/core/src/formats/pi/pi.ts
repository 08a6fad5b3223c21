import { createLinker } from '../shared/ids.ts'
import { readString } from '../shared/json.ts'
import { createBlock } from '../shared/records.ts'
import {
  createSessionFormat,
  createState,
  findProviderModel,
  readFirstLine,
} from '../shared/session-format.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import {
  FORMAT_NAME,
  findLive,
  findPath,
  ID_DIGITS,
  isHeader,
  type PiDocument,
  readEntries,
} from './entries.ts'
import { readMessages } from './read.ts'
import { cloneSession, writeSession } from './write.ts'

/** Sessions of pi: `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`. */
export const pi = createSessionFormat<PiDocument>({
  name: FORMAT_NAME,
  import: {
    // pi supports every provider, so it continues with the provider of the session.
    findProtocol: (from) => from,
    marksHost: true,
    marksFailures: true,
    // pi 0.73 and 1.5 would send "(see attached image)" for an empty result.
    emptyResult: '(no output)',
    encodeInput: toInputObject,
    encodeMedia(part, { data, isReference, mediaType = part.mediaType }) {
      return part.type === 'file' || isReference
        ? undefined
        : createBlock({ type: 'image', data, mimeType: mediaType })
    },
    encodeReasoning({ text }, signed) {
      if (signed?.type === 'signature')
        return createBlock({
          type: 'thinking',
          thinking: text,
          thinkingSignature: signed.signature,
        })
      if (signed)
        return createBlock({
          type: 'thinking',
          thinking: text,
          thinkingSignature: signed.data,
          redacted: true,
        })
      // pi sends unsigned reasoning as words of the answer.
      return undefined
    },
    findModel: findProviderModel,
    createDocument(start, { sessionId, timestamp }) {
      const { provider, model } = findProviderModel(start)
      const header = {
        type: 'session',
        version: 3,
        id: sessionId,
        timestamp,
        cwd: start.workingDirectory,
      }
      const change = {
        type: 'model_change',
        id: '00000000',
        parentId: null,
        timestamp,
        provider,
        modelId: model,
      }
      return [header, change].map((entry) => `${JSON.stringify(entry)}\n`).join('')
    },
  },
  isCompaction: ({ type }) => type === 'compaction',
  readCompactions({ source, list }) {
    const readUntil = (end: number) => {
      const earlier = { ...list, entries: list.entries.filter(({ line }) => line < end) }
      return readMessages(source, findLive(findPath(earlier), earlier)).messages
    }
    return list.entries
      .filter(({ type }) => type === 'compaction')
      .map(({ line }) => createState(readUntil, line))
  },
  detect: (input) => (isHeader(readFirstLine(input)) ? 1 : 0),

  read(source) {
    const list = readEntries(source)
    const path = findPath(list)
    const live = findLive(path, list)
    const { values, edits, ...conversation } = readMessages(source, live)
    const workingDirectory = readString(list.headerValue, 'cwd')
    return {
      conversation: { ...conversation, workingDirectory },
      rest: { list, path, live: new Set(live), values, edits },
    }
  },
  write: writeSession,
  clone: cloneSession,

  findStandIns: ({ edits }) => new Map([...edits].map(([line, edit]) => [line, edit.line])),

  append: {
    changesEarlier: ({ type }) => type === 'context_edit',
    createAdapter({ base, grown, start, newSession }) {
      const link = createLinker({
        keys: { id: 'id', parentId: 'parentId' },
        references: ['targetId', 'firstKeptEntryId'],
        known: new Set(base.list.entries.flatMap(({ id }) => id ?? [])),
        leaf: base.path.at(-1)?.id,
        formerLeaf: grown.list.entries.findLast(
          (entry) => entry.start < start && entry.id !== undefined,
        )?.id,
        createId: () => newSession.createId().slice(0, ID_DIGITS),
      })
      return (value) => (value.type === 'session' ? undefined : link(value))
    },
  },
})
