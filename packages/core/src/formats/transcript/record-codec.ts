import type { MessageCodec } from '../message-format.ts'
import type { TranscriptCodec } from './transcript-codec.ts'

/** Formats whose records are one or more messages each: every record is an entry. */
export function createRecordCodec(codec: MessageCodec): TranscriptCodec {
  return {
    protocol: codec.protocol,
    joinsResults: codec.joinsResults,
    readTool: (tool) => codec.readTool(tool),
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
