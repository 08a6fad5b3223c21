/**
 * The public API of `@precis/core/formats`: sessions and requests, read, written and converted.
 *
 * ```ts
 * import { randomUUID } from 'node:crypto'
 * import { readFileSync } from 'node:fs'
 * import { beginsWith, canImport, claudeCode, convertConversation, describeMessages, describeParts, detectFormat } from '@precis/core/formats'
 * import { encodeOwnCompaction, findGrowth, FormatError, formats, joinSessions, opencode, pi, readOwnCompaction } from '@precis/core/formats'
 * import { readRows, readWhole, serializeConverted, writeRows } from '@precis/core/formats'
 *
 * const text = readFileSync('session.jsonl', 'utf8')
 * const conversation = formats[detectFormat(text)].parse(text)
 * const { messages, protocol } = conversation
 * console.log(describeMessages(messages).length, messages.slice(0, 1).map(describeParts))
 * // The session, continued in another agent.
 * const timestamp = new Date().toISOString()
 * const newSession = { sessionId: randomUUID(), timestamp, title: 'Rate limiter', createId: randomUUID }
 * for (const target of [formats.codex, opencode, pi].filter(canImport)) {
 *   const { conversation: converted, losses } = convertConversation(conversation, target)
 *   const output = serializeConverted(converted, target, { workingDirectory: '/home/dev/gateway', protocol }, newSession)
 *   console.log(target.name, losses, typeof output)
 * }
 * // What an agent added since it was read, after the session as it was then.
 * const lines = text.trimEnd().split('\n')
 * const early = claudeCode.parse(`${lines.slice(0, 100).join('\n')}\n`)
 * const growth = findGrowth(claudeCode, early, conversation)
 * const joined = joinSessions({ format: claudeCode, base: early, grown: conversation, growth, newSession })
 * console.log(beginsWith(conversation, early), joined.keepsRecords, readWhole(claudeCode, conversation).length)
 * // Rows, as Claude Code hands them to a plugin, and an item of a compaction, as Codex takes it.
 * const rows = readRows([{ role: 'user', text: 'Why does the build fail?', toolUses: [] }])
 * console.log(writeRows(rows.conversation))
 * console.log(readOwnCompaction({ type: 'compaction', encrypted_content: encodeOwnCompaction('A summary.') }))
 * try {
 *   detectFormat('{"trajectory": []}')
 * } catch (error) {
 *   if (error instanceof FormatError) console.log(error.code, error.message)
 * }
 * ```
 */

import { aListOfMessages, allOf, anObject, aText, checking } from '../conversation/check-options.ts'
import * as rows from './claude-code/rows.ts'
import * as own from './openai-responses/own-compaction.ts'

export { type ModelMessage, toModelMessages } from './ai-sdk/model-messages.ts'
// For bundles that read no other sessions.
export { claudeCode } from './claude-code/claude-code.ts'
export {
  type RowsContext,
  readRows,
  type SessionRow,
  type SessionRows,
  type UnkeptParts,
} from './claude-code/rows.ts'
export {
  type ConvertedConversation,
  canImport,
  convertConversation,
  serializeConverted,
} from './conversion/convert.ts'
export type { ConversionLoss, LossKind } from './conversion/convert-part.ts'
export { detectFormat, type FormatName, formats } from './formats.ts'
export {
  beginsWith,
  describeMessages,
  describeParts,
  findGrowth,
  type Growth,
  type JoinedSession,
  joinSessions,
  readWhole,
} from './join-sessions.ts'
// These two are for bundles that read no other sessions.
export { opencode } from './opencode/opencode.ts'
export { pi } from './pi/pi.ts'
export type { RequestFormat } from './request-formats.ts'
export type { SessionImport, SessionStart } from './shared/format.ts'
export {
  type ByteSource,
  type CompactionState,
  type Format,
  FormatError,
  type FormatErrorCode,
  type FormatInput,
  type FormatOutput,
  type NewSession,
} from './shared/format.ts'

const ofRows = {
  conversation: allOf({ messages: aListOfMessages, document: allOf({ whole: anObject }) }),
}
const ofItem = { item: anObject }

export const encodeOwnCompaction = checking('Encoding', { summary: aText }, own.encodeOwnCompaction)
export const readOwnCompaction = checking('Reading an item', ofItem, own.readOwnCompaction)
export const writeRows = checking('Writing rows', ofRows, rows.writeRows)
