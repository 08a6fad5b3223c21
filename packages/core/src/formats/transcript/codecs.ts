import { toJsonText } from '../../conversation/json-text.ts'
import type { Message } from '../../conversation/message.ts'
import {
  checkItem,
  createItemReader,
  needReasoning,
  requiresId,
} from '../openai-responses/read-items.ts'
import { createItemWriter, readWritten } from '../openai-responses/write-items.ts'
import { type RequestFormat, requestFormats } from '../request-formats.ts'
import { type Format, FormatError } from '../shared/format.ts'
import { isJsonObject } from '../shared/json.ts'
import { isMessageFormat, type MessageCodec, type RecordReader } from '../shared/message-format.ts'

/** The particulars of a format whose history grows record by record. */
export interface TranscriptCodec
  extends Pick<MessageCodec, 'protocol' | 'joinsResults' | 'readTool'> {
  createReader(): EntryReader
  /** Records of adjacent messages that come from one entry, or from none. */
  createWriter(): EntryWriter
}

export interface EntryReader extends Pick<RecordReader, 'readSystem'> {
  /** Entries of records in order. The first record has the number `start`. Throws `FormatError`. */
  read(natives: readonly unknown[], start: number): readonly TranscriptEntry[]
  /**
   * Both as one entry, if the format treats the appended record as its continuation. Undefined if
   * not.
   */
  join(last: TranscriptEntry, next: TranscriptEntry): TranscriptEntry | undefined
}

interface EntryWriter {
  /**
   * Called with every entry that stays, in order. Results may have to be written in the kind of
   * their calls.
   */
  keep(entry: TranscriptEntry): void
  write(messages: readonly Message[], entry: TranscriptEntry | undefined): readonly unknown[]
}

/**
 * Records that belong together, and their messages. An entry never changes, so undo restores it
 * unchanged.
 */
export interface TranscriptEntry {
  /** The numbers of its natives, as in `records` of its messages. */
  readonly numbers: readonly number[]
  readonly natives: readonly unknown[]
  readonly messages: readonly Message[]
}

/** Throws `FormatError` for a format that is not sent to a model. */
export function findCodec(name: RequestFormat): TranscriptCodec {
  if (name === 'openai-responses') return itemCodec
  const format: Format | undefined = requestFormats[name]
  if (format && isMessageFormat(format)) return createRecordCodec(format.codec)
  throw new FormatError(
    'unknown-format',
    `Opening a live history as ${name}: that is how an agent stores sessions. Give a format that is sent to a model.`,
  )
}

/**
 * Items of the Responses API. What the model produced in one response is one message and one entry,
 * so items that are appended one by one join it:
 *
 *   append   reasoning   call a   call b   output a   output b   message
 *   entry    ─────────────────────────     ────────   ────────   ───────
 */
const itemCodec: TranscriptCodec = {
  protocol: 'openai-responses',
  joinsResults: false,
  readTool: (tool) => [toJsonText(tool)],
  createReader() {
    const readMessages = createItemReader()
    return {
      readSystem: (native) =>
        typeof native === 'string' && native !== '' ? [{ type: 'text', text: native }] : [],
      read(natives, start) {
        const items = natives.map((native, index) => checkItem(native, start + index))
        const located = items.map((item, index) => ({
          item,
          ordinal: start + index,
          record: start + index,
        }))
        return readMessages(located).map((message): TranscriptEntry => {
          const numbers = message.records ?? []
          return {
            numbers,
            natives: numbers.map((number) => items[number - start]),
            messages: [message],
          }
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
        messages.flatMap((message) => writeItems(message, entry?.natives).map(readWritten)),
    }
  },
}

function joinRuns(last: TranscriptEntry, next: TranscriptEntry): TranscriptEntry | undefined {
  const [before] = last.messages
  const [after] = next.messages
  if (before?.role !== 'assistant' || after?.role !== 'assistant') return undefined
  if (before.origin !== 'agent' || after.origin !== 'agent') return undefined
  const numbers = [...last.numbers, ...next.numbers]
  const natives = [...last.natives, ...next.natives]
  const joined = [...before.parts, ...after.parts]
  const isNeeded = natives.some((item) => isJsonObject(item) && requiresId(item))
  const parts = isNeeded ? joined.map(needReasoning) : joined
  return { numbers, natives, messages: [{ ...before, parts, records: numbers }] }
}

function hasCall({ parts }: Message): boolean {
  return parts.some(({ type }) => type === 'tool-call')
}

/** Formats whose records are one or more messages each: every record is an entry. */
function createRecordCodec(codec: MessageCodec): TranscriptCodec {
  return {
    ...codec,
    createReader() {
      const reader = codec.createReader()
      return {
        readSystem: (native) => reader.readSystem(native),
        read: (natives, start) =>
          natives.map((native, index) => ({
            numbers: [start + index],
            natives: [native],
            messages: reader.readRecord(native, start + index),
          })),
        join: () => undefined,
      }
    },
    createWriter() {
      let sample: unknown
      return {
        keep(entry) {
          sample ??= entry.natives[0]
        },
        write: (messages, entry) => codec.encodeRecord(messages, entry?.natives[0], sample),
      }
    },
  }
}
