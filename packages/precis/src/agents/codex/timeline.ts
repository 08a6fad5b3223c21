/** The history of a session over all of its compactions, and the latest of these. */
import type { CompactedConversation } from '@precis/core/facts'
import { type ByteSource, formats } from '@precis/core/formats'
import { createMemorySource, readInputFile } from '../../files/read-document.ts'
import type { Environment, Timeline } from '../shared/agent.ts'
import { parseTimelineRows, readTimelineRows } from '../shared/session-lines.ts'
import { completeThread } from './complete-thread.ts'

/**
 * A compaction is one record with a shorter history. The lines without it are the whole history.
 */
export function readTimeline(source: ByteSource): Timeline {
  const rows = readTimelineRows(source)
  const kept = rows.filter(({ value }) => value.type !== 'compacted')
  return { timed: parseTimelineRows(formats.codex, kept), compactions: rows.length - kept.length }
}

const COMPACTED = '"type":"compacted"'

/** Undefined if the session was never compacted. Throws if it cannot be read. */
export function readNewestCompaction(
  path: string,
  environment: Environment,
): CompactedConversation | undefined {
  const own = readInputFile(path)
  const whole = completeThread(createMemorySource(own), environment)
  const bytes = whole ? Buffer.from(whole.read(0, whole.byteLength)) : own
  const found = bytes.lastIndexOf(COMPACTED)
  if (found < 0) return undefined
  const before = createMemorySource(bytes.subarray(0, bytes.lastIndexOf('\n', found) + 1))
  return {
    before: formats.codex.parse(before),
    history: readTimeline(before).timed.map(({ message }) => message),
    after: formats.codex.parse(createMemorySource(bytes)).messages,
  }
}
