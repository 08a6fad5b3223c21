import { detectFormat, FormatError, type FormatName, formats } from '../formats/index.ts'
import { type CompressOptions, compressConversation } from './compress-conversation.ts'
import type { Outcome, Report } from './report.ts'

/** What `compress` gives back: messages in the format and shape that came in. */
export interface CompressResult<Messages> {
  /** The compressed messages; the very value that was given unless the outcome is `compressed`. */
  readonly messages: Messages
  readonly outcome: Outcome
  readonly report: Report
}

export interface CompressMessagesOptions extends CompressOptions {
  /**
   * Whose messages they are, where that is known. Without it they are recognised: `{ role, content }` with plain text
   * alone, which every API takes, and an empty list are read as `openai-chat`.
   */
  readonly format?: FormatName
}

/**
 * Compresses messages in any supported format, as native objects, text or bytes.
 * Throws `FormatError` when the format is not recognised, or is not the one that was named.
 */
export async function compress<Messages extends string | Uint8Array | object>(
  messages: Messages,
  { format: name, ...options }: CompressMessagesOptions,
): Promise<CompressResult<Messages>> {
  if (name !== undefined && !Object.hasOwn(formats, name)) {
    throw new FormatError(
      'unknown-format',
      `Compressing messages as "${name}": there is no such format. Give ${Object.keys(formats).join(', ')}.`,
    )
  }
  const format = formats[name ?? detectFormat(messages)]
  const { outcome, conversation, report } = await compressConversation(format.parse(messages), options)
  if (outcome.type !== 'compressed') return { messages, outcome, report }
  // A format gives back what it was given: text for text, bytes for bytes, a native object for a native object.
  return { messages: format.serialize(conversation) as Messages, outcome, report }
}
