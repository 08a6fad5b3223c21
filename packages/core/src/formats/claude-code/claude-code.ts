import { createLinker, deriveUuid } from '../shared/ids.ts'
import type { MediaSource } from '../shared/media.ts'
import { readBeginning } from '../shared/preview.ts'
import { createBlock } from '../shared/records.ts'
import { createSessionFormat } from '../shared/session-format.ts'
import { findMembers } from '../shared/spans.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { TITLE_TYPES } from './carried.ts'
import {
  type ClaudeCodeDocument,
  isClaudeCodeEntry,
  isOnMainChain,
  readEntries,
} from './entries.ts'
import { findLiveBranch } from './live-branch.ts'
import { isCompaction, readCompactions, readMessages } from './read.ts'
import { cloneSession, writeSession } from './write.ts'

/** Sessions of Claude Code: `~/.claude/projects/<directory>/<sessionId>.jsonl`. */
export const claudeCode = createSessionFormat<ClaudeCodeDocument>({
  name: 'claude-code',
  import: {
    findProtocol: () => 'anthropic-messages',
    marksHost: true,
    marksFailures: true,
    encodeInput: toInputObject,
    encodeMedia(part, source) {
      const mediaType = source.mediaType ?? part.mediaType
      if (part.type === 'image') {
        const isTaken = source.isReference || IMAGE_TYPES.has(mediaType)
        return isTaken
          ? createBlock({ type: 'image', source: encodeSource(mediaType, source) })
          : undefined
      }
      if (mediaType !== 'application/pdf') return undefined
      return createBlock({
        type: 'document',
        source: encodeSource(mediaType, source),
        title: source.filename,
      })
    },
    encodeReasoning({ text }, signed) {
      switch (signed?.type) {
        case 'signature':
          return createBlock({ type: 'thinking', thinking: text, signature: signed.signature })
        case 'redacted':
          return createBlock({ type: 'redacted_thinking', data: signed.data })
        case undefined:
          return undefined
      }
    },
    createDocument({ workingDirectory }, { sessionId, timestamp }) {
      // This entry is never written. New entries copy their envelope from it.
      const envelope = {
        parentUuid: null,
        isSidechain: false,
        userType: 'external',
        cwd: workingDirectory,
        sessionId,
        version: '2.1.100',
        type: 'system',
        subtype: 'informational',
        uuid: deriveUuid(sessionId),
        timestamp,
      }
      return `${JSON.stringify(envelope)}\n`
    },
  },
  isCompaction,
  readCompactions: ({ source, ...list }) => readCompactions(source, { ...list, values: [] }),

  detect(input) {
    const beginning = readBeginning(input, BEGINNING_UNITS) ?? ''
    let seen = 0
    let known = 0
    const lines = beginning.split('\n')
    for (const [index, line] of lines.entries()) {
      // The last line may be cut off. It counts if enough of it is left.
      const members = findMembers(line)
      if (members.size === 0) continue
      const value: Record<string, unknown> = Object.create(null)
      for (const [key, span] of members) value[key] = readShallow(line.slice(span.start, span.end))
      const isKnown =
        isClaudeCodeEntry(value) || (members.has('parentUuid') && members.has('isSidechain'))
      if (isKnown) known++
      if (isKnown || index < lines.length - 1 || index === 0) seen++
    }
    return seen === 0 ? 0 : known / seen
  },

  read(source) {
    const list = readEntries(source)
    const { entries, warnings, renderers } = list
    const branch = findLiveBranch(entries)
    const read = readMessages(source, list, branch)
    return {
      conversation: { protocol: 'anthropic-messages', ...read },
      rest: { entries, branch, warnings, renderers },
    }
  },
  write: writeSession,
  clone: cloneSession,

  append: {
    createAdapter({ base, grown, start, newSession }) {
      const link = createLinker({
        keys: { id: 'uuid', parentId: 'parentUuid' },
        known: new Set(base.entries.flatMap(({ uuid }) => uuid ?? [])),
        leaf: base.entries[base.branch.at(-1) ?? -1]?.uuid,
        formerLeaf: grown.entries.findLast((entry) => entry.start < start && isOnMainChain(entry))
          ?.uuid,
        createId: newSession.createId,
      })
      const sessionId = JSON.stringify(newSession.sessionId)
      return (value) =>
        typeof value.type !== 'string' || TITLE_TYPES.has(value.type)
          ? undefined
          : [{ path: ['sessionId'], json: sessionId }, ...link(value)]
    },
  },
})

/**
 * Keeps a string as it is. Any other value becomes an empty object, because detection looks at
 * strings only.
 */
function readShallow(json: string): unknown {
  if (json.startsWith('{')) return {}
  return json.startsWith('"') && json.endsWith('"') ? json.slice(1, -1) : undefined
}

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

function encodeSource(mediaType: string, { data, isReference }: MediaSource): object {
  return isReference ? { type: 'url', url: data } : { type: 'base64', media_type: mediaType, data }
}

const BEGINNING_UNITS = 1 << 14
