import type { Conversation } from '../conversation/message.ts'
import { adoption } from './claude-code/adopt.ts'
import { continuation } from './claude-code/continuation.ts'
import { isClaudeCodeEntry, readEntries } from './claude-code/entries.ts'
import { findLiveBranch } from './claude-code/live-branch.ts'
import { readMessages } from './claude-code/read-messages.ts'
import {
  type ClaudeCodeDocument,
  cloneSession,
  isClaudeCodeDocument,
  writeSession,
} from './claude-code/write-session.ts'
import { readBeginning } from './detection/glimpse.ts'
import { type Format, FormatError } from './format.ts'
import { openJsonl, writePieces } from './json/lines.ts'
import { isSameList } from './json/same-list.ts'
import { findMembers } from './json/spans.ts'

const BEGINNING_UNITS = 1 << 14

/** Sessions of Claude Code: `~/.claude/projects/<directory>/<sessionId>.jsonl`. */
export const claudeCode: Format = {
  name: 'claude-code',
  kind: 'session',
  adoption,
  continuation,
  isCompaction: ({ type, subtype }) => type === 'system' && subtype === 'compact_boundary',

  detect(input) {
    const beginning = readBeginning(input, BEGINNING_UNITS) ?? ''
    let seen = 0
    let known = 0
    const lines = beginning.split('\n')
    for (const [index, line] of lines.entries()) {
      // The last line may be cut off: it counts if what stands before the cut is enough.
      const members = findMembers(line)
      if (members.size === 0) continue
      const value: Record<string, unknown> = Object.create(null)
      for (const [key, span] of members) value[key] = readShallow(line.slice(span.start, span.end))
      const isKnown = isClaudeCodeEntry(value) || (members.has('parentUuid') && members.has('isSidechain'))
      if (isKnown) known++
      if (isKnown || index < lines.length - 1 || index === 0) seen++
    }
    return seen === 0 ? 0 : known / seen
  },

  parse(input): Conversation {
    const source = openJsonl(input, 'claude-code')
    const { entries, warnings } = readEntries(source)
    const branch = findLiveBranch(entries)
    const { messages, ...facts } = readMessages(source, entries, branch)
    const document: ClaudeCodeDocument = { format: 'claude-code', source, entries, branch, messages, warnings }
    return { protocol: 'anthropic-messages', messages, tools: [], ...facts, document }
  },

  serialize(conversation, newSession) {
    const { document } = conversation
    if (!isClaudeCodeDocument(document)) {
      throw new FormatError(
        'cannot-serialize',
        'Writing a claude-code session: the conversation was not parsed from one. Write it in the format it came from.',
      )
    }
    const { source } = document
    if (!isSameList(conversation.messages, document.messages)) {
      return writePieces(source, writeSession(document, conversation, newSession))
    }
    if (newSession) return writePieces(source, cloneSession(document, newSession))
    return writePieces(source, [{ start: 0, end: source.length }])
  },
}

/** A string, or an empty object for any other object, which is all that detection looks at. */
function readShallow(json: string): unknown {
  if (json.startsWith('{')) return {}
  return json.startsWith('"') && json.endsWith('"') ? json.slice(1, -1) : undefined
}
