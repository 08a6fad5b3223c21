import type { Conversation, Message } from '../../conversation/message.ts'
import type { Format, FormatOutput, NewSession } from '../format.ts'
import type { SessionStart } from './adoption.ts'
import { readAdoption } from './convert-conversation.ts'

/** Writes a converted conversation, compressed or not, as a session that `target` has never had; bytes, in pieces. */
export function serializeConverted(
  conversation: Conversation,
  target: Format,
  start: SessionStart,
  newSession: NewSession,
): FormatOutput {
  const document = new TextEncoder().encode(readAdoption(target).createDocument(start, newSession))
  const empty = target.parse({ byteLength: document.length, read: (from, to) => document.subarray(from, to) })
  const messages = conversation.messages.map(withoutRecords)
  const model = conversation.model ?? start.model
  return target.serialize({ ...empty, messages, ...(model !== undefined && { model }) }, newSession)
}

/** Records of the source are none of the target. */
function withoutRecords(message: Message): Message {
  const { records: _records, ...rest } = message
  return rest
}
