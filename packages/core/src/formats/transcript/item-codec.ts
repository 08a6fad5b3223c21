import { toJsonText } from '../../conversation/json-text.ts'
import type { Message } from '../../conversation/message.ts'
import { FormatError } from '../format.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { readItemType } from '../openai-responses/read-item.ts'
import { createItemReader } from '../openai-responses/read-messages.ts'
import { createItemWriter, type ItemWrite, readWritten, untieFromReasoning } from '../openai-responses/write-items.ts'
import type { Entry, TranscriptCodec } from './transcript-codec.ts'

/**
 * Items of the Responses API. What the model gave in one go is one message and one entry, so that items which are
 * appended one by one join it:
 *
 *   append   reasoning   call a   call b   output a   output b   message
 *   entry    ─────────────────────────     ────────   ────────   ───────
 */
export const itemCodec: TranscriptCodec = {
  protocol: 'openai-responses',
  joinsResults: false,
  readTool: (tool) => [toJsonText(tool)],
  createReader() {
    const readMessages = createItemReader()
    return {
      readSystem: (native) => (typeof native === 'string' && native !== '' ? [{ type: 'text', text: native }] : []),
      read(natives, start) {
        const items = natives.map(checkItem)
        const located = items.map((item, index) => ({ item, ordinal: start + index, record: start + index }))
        return readMessages(located).map((message): Entry => {
          const numbers = message.records ?? []
          return { numbers, natives: numbers.map((number) => items[number - start]), messages: [message] }
        })
      },
      join: joinRuns,
    }
  },
  createWriter() {
    const writeItems = createItemWriter()
    return {
      keep(entry) {
        for (const message of entry.messages) if (hasCall(message)) writeItems(message)
      },
      write: (messages, entry) =>
        messages.flatMap((message) => {
          const written = writeItems(message)
          return (lostReasoning(written, entry) ? untieFromReasoning(written) : written).map(readWritten)
        }),
    }
  },
}

function checkItem(native: unknown): JsonObject {
  if (isJsonObject(native)) return native
  throw new FormatError(
    'malformed',
    `Reading openai-responses: an item is ${native === null ? 'null' : `a ${typeof native}`}. Give an object for every item.`,
  )
}

function joinRuns(last: Entry, next: Entry): Entry | undefined {
  const [before] = last.messages
  const [after] = next.messages
  if (before?.role !== 'assistant' || after?.role !== 'assistant') return undefined
  if (before.origin !== 'agent' || after.origin !== 'agent') return undefined
  const numbers = [...last.numbers, ...next.numbers]
  return {
    numbers,
    natives: [...last.natives, ...next.natives],
    messages: [{ ...before, parts: [...before.parts, ...after.parts], records: numbers }],
  }
}

function hasCall({ parts }: Message): boolean {
  return parts.some(({ type }) => type === 'tool-call')
}

/** Whether the message lost a reasoning item that its other items may be tied to. */
function lostReasoning(writes: readonly ItemWrite[], entry: Entry | undefined): boolean {
  if (!entry) return false
  const kept = new Set(writes.map(({ item }) => item))
  const ordinals = new Set(writes.map((write) => (write.type === 'new' ? -1 : write.ordinal)))
  return entry.natives.some(
    (native, index) =>
      isJsonObject(native) &&
      readItemType(native) === 'reasoning' &&
      !kept.has(native) &&
      !ordinals.has(entry.numbers[index] ?? -1),
  )
}
