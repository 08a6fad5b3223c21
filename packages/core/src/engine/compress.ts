import { detectFormat, formats } from '../formats/index.ts'
import { type CompressOptions, compressConversation } from './compress-conversation.ts'
import type { Outcome, Report } from './report.ts'

/** What `compress` gives back: messages in the format and shape that came in. */
export interface CompressResult<Messages> {
  /** The compressed messages; the very value that was given unless the outcome is `compressed`. */
  readonly messages: Messages
  readonly outcome: Outcome
  readonly report: Report
}

/**
 * Compresses messages in any supported format, as native objects, text or bytes.
 * Throws `FormatError` when the format is not recognised.
 */
export async function compress<Messages extends string | Uint8Array | object>(
  messages: Messages,
  options: CompressOptions,
): Promise<CompressResult<Messages>> {
  const format = formats[detectFormat(messages)]
  const { outcome, conversation, report } = await compressConversation(format.parse(messages), options)
  if (outcome.type !== 'compressed') return { messages, outcome, report }
  // A format gives back what it was given: text for text, bytes for bytes, a native object for a native object.
  return { messages: format.serialize(conversation) as Messages, outcome, report }
}
