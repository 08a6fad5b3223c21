/**
 * Reads the usage from an answer as it passes: on a copy, without a delay, and in bounded memory.
 */
import { finished } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { findOverflow, type Overflow, type Usage } from '@precis/core'
import { type ApiName, apis } from '@precis/core/apis'
import { asBuffer, asObject } from '../files/lines.ts'
import { readRawHeader } from './headers.ts'
import type { AnswerWatcher } from './relay.ts'

export interface UsageReader extends AnswerWatcher {
  /** Called after the last byte. Never rejects. */
  finish(): Promise<ReadAnswer>
}

interface ReadAnswer {
  /** Undefined if none was reported, or none could be read. */
  readonly usage: Usage | undefined
  /** As the answer names it, if it reports usage. */
  readonly model: string | undefined
  /** Whether an answer that had begun reports that the request was too long. */
  readonly overflow: Overflow | undefined
  /**
   * Time of the first byte of the body, on the clock of `performance`. Undefined if there was none.
   */
  readonly firstByteAt: number | undefined
}

/** Receives text in pieces. */
interface Reader {
  write(chunk: Uint8Array): void
  finish(): void | Promise<void>
}

/**
 * For a line of a stream, or an answer in one piece. An answer of 100 000 tokens has half a
 * megabyte.
 */
const MOST_TEXT_BYTES = 2 << 20
/** For one answer, decompressed. */
const MOST_DECOMPRESSED_BYTES = 128 << 20
/** For bytes that are not decompressed yet. */
const MOST_WAITING_BYTES = 4 << 20
const NEWLINE = 10

export function createWireUsageReader(api: ApiName): UsageReader {
  let usage: Usage | undefined
  let model: string | undefined
  let firstByteAt: number | undefined
  let overflow: Overflow | undefined
  let reader: Reader | undefined
  const onJson = (json: Buffer) => {
    const answer = json.includes(MARK) ? parse(json) : undefined
    // Google streams a list of answers if the request asks for no other form.
    for (const event of Array.isArray(answer) ? answer : []) readEvent(event)
    if (!Array.isArray(answer)) {
      usage = apis[api].readUsage(unwrap(answer)) ?? usage
      model = findModelName(unwrap(answer)) ?? model
    }
  }
  const readEvent = (event: unknown) => {
    usage = apis[api].readEventUsage(unwrap(event), usage)
    if (asObject(event)?.type === 'response.failed')
      overflow = findOverflow(asObject(asObject(event)?.response)?.error)
    model = findModelName(unwrap(event)) ?? model
  }
  const onLine = (line: Buffer) => {
    if (line.subarray(0, FIELD.length).equals(FIELD) && line.includes(MARK))
      readEvent(parse(line.subarray(FIELD.length)))
  }
  return {
    start(headers) {
      const type = readRawHeader(headers, 'content-type') ?? ''
      if (type.startsWith('text/event-stream')) reader = createLineReader(onLine)
      else if (type.includes('json')) reader = createWholeReader(onJson)
      const encoding = readRawHeader(headers, 'content-encoding')?.trim().toLowerCase()
      if (reader && encoding && encoding !== 'identity') reader = createDecoder(encoding, reader)
    },
    write(chunk) {
      firstByteAt ??= performance.now()
      reader?.write(chunk)
    },
    async finish() {
      await reader?.finish()
      return { usage, model, overflow, firstByteAt }
    },
  }
}

// Most lines of a stream have no usage and are not parsed.
const MARK = Buffer.from('"usage')
const FIELD = Buffer.from('data:')

/** The model in answers and events of the four APIs. */
function findModelName(answer: unknown): string | undefined {
  const event = asObject(answer)
  const names = [
    event?.model,
    asObject(event?.message)?.model,
    asObject(event?.response)?.model,
    event?.modelVersion,
  ]
  return names.find((name) => typeof name === 'string')
}

/** Google's internal API wraps the answer in another object. */
function unwrap(answer: unknown): unknown {
  const inner = asObject(asObject(answer)?.response)
  return inner && 'usageMetadata' in inner ? inner : answer
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Passes on every whole line that is not too long. */
function createLineReader(onLine: (line: Buffer) => void): Reader {
  const before = createBuffer()
  return {
    write(chunk) {
      const bytes = asBuffer(chunk)
      let start = 0
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        const piece = bytes.subarray(start, end)
        start = end + 1
        if (before.isEmpty()) onLine(piece)
        else {
          before.add(piece)
          const line = before.take()
          if (line) onLine(line)
        }
      }
      if (start < bytes.length) before.add(bytes.subarray(start))
    },
    finish() {
      const line = before.take()
      if (line) onLine(line)
    },
  }
}

function createWholeReader(onEnd: (text: Buffer) => void): Reader {
  const text = createBuffer()
  return {
    write: (chunk) => text.add(asBuffer(chunk)),
    finish() {
      const whole = text.take()
      if (whole) onEnd(whole)
    },
  }
}

/** One block of memory for any number of small pieces. */
function createBuffer() {
  let block = Buffer.alloc(0)
  let length = 0
  let isTooLong = false
  return {
    isEmpty: () => length === 0 && !isTooLong,
    add(piece: Buffer): void {
      isTooLong ||= length + piece.length > MOST_TEXT_BYTES
      if (isTooLong) {
        length = 0
        return
      }
      if (length + piece.length > block.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * block.length, length + piece.length))
        block.copy(larger, 0, 0, length)
        block = larger
      }
      piece.copy(block, length)
      length += piece.length
    },
    /** Valid until more is added. Undefined if it was too long. */
    take(): Buffer | undefined {
      const taken = isTooLong ? undefined : block.subarray(0, length)
      length = 0
      isTooLong = false
      return taken
    },
  }
}

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

/** Undefined for an encoding that this Node does not know. */
function createDecoder(encoding: string, reader: Reader): Reader | undefined {
  if (!isKnown(encoding)) return undefined
  const decoder = DECODERS[encoding]()
  let bytes = 0
  decoder.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MOST_DECOMPRESSED_BYTES) decoder.destroy()
    else reader.write(chunk)
  })
  // If an answer breaks off, what was read before stays valid.
  decoder.on('error', () => decoder.destroy())
  return {
    write(chunk) {
      if (decoder.writableLength > MOST_WAITING_BYTES) decoder.destroy()
      if (!decoder.destroyed) decoder.write(chunk)
    },
    async finish() {
      if (!decoder.destroyed) {
        decoder.end()
        // Its error was handled above.
        await Promise.allSettled([finished(decoder)])
      }
      await reader.finish()
    },
  }
}

function isKnown(encoding: string): encoding is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, encoding)
}
