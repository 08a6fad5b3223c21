/**
 * Ends pins. A pinned text is in every later result until the host ends the pin. Nothing else can
 * end it.
 */

import { apply } from '../conversation/apply.ts'
import {
  texts as aListOfTexts,
  checkOptions,
  checkValue,
  oneOf,
} from '../conversation/check-options.ts'
import type { AppliedEdit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import {
  createSummaryMessage,
  readLedgerText,
  readRecallText,
  readSummary,
} from '../conversation/summary-message.ts'
import { cleanPin, collectPins } from '../facts/ledger.ts'
import { parseLedger, writeLedger } from '../facts/ledger-record.ts'
import { detectFormat, type FormatName, formats } from '../formats/formats.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'

export { cleanPin }

/** The pins that are given, then those that summaries in a conversation carry on, each once. */
export const listPins = ({ messages }: Conversation, pins?: readonly string[]): string[] =>
  collectPins(messages, pins)

/**
 * The conversation with summaries that no longer carry these pins. Returns the same object if no
 * summary has one. Texts are compared as pins are kept: without white space at their ends, keys and
 * passwords.
 */
export function withoutPins(conversation: Conversation, texts: readonly string[]): Conversation {
  const ended = new Set(texts.map(cleanPin))
  if (ended.size === 0) return conversation
  const edits = conversation.messages.flatMap((message, start): AppliedEdit[] => {
    const record = parseLedger(readLedgerText(message) ?? '')
    const pins = record.pins.filter((pin) => !ended.has(cleanPin(pin)))
    if (pins.length === record.pins.length) return []
    const ledger = redactSecrets(writeLedger({ ...record, pins }))
    const summary = createSummaryMessage(
      redactSecrets(readSummary(message) ?? ''),
      ledger,
      readRecallText(message),
    )
    return [{ type: 'replace', start, end: start + 1, messages: [summary] }]
  })
  return edits.length === 0 ? conversation : apply(conversation, edits)
}

/**
 * The same for native objects, text or bytes of any format, in the form that was given. `compress`
 * of the result no longer carries the pins. Throws `RangeError` for a text that is not a pin in
 * them, and `FormatError` as `compress` does.
 */
export function unpin<Messages extends string | Uint8Array | object>(
  messages: Messages,
  texts: readonly string[],
  options: { readonly format?: FormatName } = {},
): Messages {
  checkValue('Ending pins', 'texts', texts, aListOfTexts)
  checkOptions('Ending pins', options, { format: oneOf(Object.keys(formats)) })
  const { format: name } = options
  const format = formats[name ?? detectFormat(messages)]
  const conversation = format.parse(messages)
  const pins = listPins(conversation)
  const unknown = texts.find((text) => !pins.includes(cleanPin(text)))
  if (unknown !== undefined) {
    const list =
      pins.length === 0
        ? 'there are none'
        : `there are ${pins.map((pin) => JSON.stringify(pin)).join(', ')}`
    throw new RangeError(
      `Ending the pin ${JSON.stringify(unknown)}: it is no pin of these messages; ${list}.`,
    )
  }
  // A format returns the kind it was given: text, bytes, or a native object.
  return format.serialize(withoutPins(conversation, texts)) as Messages
}
