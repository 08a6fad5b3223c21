/** Documents as core reads them: random access to a file that is never loaded whole. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { ByteSource } from '@precis/core/formats'
import { explainSystemError, SessionError } from './errors.ts'

export interface OpenDocument {
  readonly source: ByteSource
  /** Undefined for standard input. */
  readonly path: string | undefined
  /** Undefined for standard input and pipes. */
  readonly stats: Stats | undefined
  /** Unreadable records of its place, which are not in it. */
  readonly damagedRecords?: number
  close(): void
}

const LINE_FEED = 0x0a
// An agent writes a line in one call. If a file ends inside a line, it is read again.
const LINE_WAIT_MS = 40
const LINE_WAITS = 5
const RECENT_MS = 2000

/**
 * Opens a file as it is now. Later lines are not read, and a line that an agent is writing is
 * waited for. `<(command)` of a shell is read to its end.
 */
export async function openDocument(path: string): Promise<OpenDocument> {
  if (SUBSTITUTION.test(path) && attempt(path, () => statSync(path)).isFIFO())
    return await openPipe(path)
  const descriptor = attempt(path, () => openInputFile(path))
  try {
    let stats = attempt(path, () => fstatSync(descriptor))
    if (stats.isDirectory())
      throw new SessionError(
        'unreadable',
        `Reading "${path}": it is a folder. Give a session file.`,
      )
    for (let waits = 0; waits < LINE_WAITS && isBeingWritten(descriptor, stats); waits++) {
      await setTimeout(LINE_WAIT_MS)
      stats = attempt(path, () => fstatSync(descriptor))
    }
    const source = createFileSource(descriptor, stats.size, path)
    return { source, path, stats, close: () => closeSync(descriptor) }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

// A file that a shell opened in addition to the three standard streams. Unlike a named pipe it has
// a writer.
const SUBSTITUTION = /^\/(?:dev|proc\/self)\/fd\/(?:[3-9]|\d{2,9})$/

/** As a stream: a read that blocks could not be interrupted. */
async function openPipe(path: string): Promise<OpenDocument> {
  const fd = attempt(path, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK))
  return {
    source: await readStream(new Socket({ fd, readable: true })),
    path,
    stats: undefined,
    close: () => {},
  }
}

export async function openStandardInput(): Promise<OpenDocument> {
  return {
    source: await readStream(process.stdin),
    path: undefined,
    stats: undefined,
    close: () => {},
  }
}

async function readStream(stream: AsyncIterable<Uint8Array | string>): Promise<ByteSource> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    // A device such as /dev/zero never ends. Binary data is refused by its beginning anyway.
    if (chunks.length === 1 && bytes.includes(0)) break
  }
  return createMemorySource(Buffer.concat(chunks))
}

function createFileSource(descriptor: number, byteLength: number, path: string): ByteSource {
  // No Buffer: its `slice` is not the copy that the `slice` of a Uint8Array is.
  let buffer = new Uint8Array(0)
  return {
    byteLength,
    read(start, end) {
      const length = Math.max(Math.min(end, byteLength) - start, 0)
      if (buffer.length < length) buffer = new Uint8Array(length)
      for (let filled = 0; filled < length; ) {
        const read = attempt(path, () =>
          readSync(descriptor, buffer, filled, length - filled, start + filled),
        )
        if (read === 0) {
          throw new SessionError(
            'changed',
            `Reading "${path}": it became shorter while it was read. Let its agent finish, then run this again.`,
          )
        }
        filled += read
      }
      return buffer.subarray(0, length)
    },
  }
}

const inMemory = new WeakSet<ByteSource>()

/** Bytes that were read already. */
export function createMemorySource({ buffer, byteOffset, length }: Uint8Array): ByteSource {
  const bytes = new Uint8Array(buffer, byteOffset, length)
  const source: ByteSource = {
    byteLength: bytes.length,
    read: (start, end) => bytes.subarray(start, end),
  }
  inMemory.add(source)
  return source
}

/** Whether what it returns stays valid. */
export const isInMemory = (source: ByteSource): boolean => inMemory.has(source)

/** An open file as it is at each read, for a look at its beginning. */
export const createPeekSource = (descriptor: number): ByteSource => ({
  byteLength: fstatSync(descriptor).size,
  read(start, end) {
    const buffer = new Uint8Array(end - start)
    return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, start))
  },
})

function isBeingWritten(descriptor: number, stats: Stats): boolean {
  if (stats.size === 0 || Date.now() - stats.mtimeMs > RECENT_MS) return false
  const last = Buffer.alloc(1)
  readSync(descriptor, last, 0, 1, stats.size - 1)
  return last[0] !== LINE_FEED
}

function attempt<T>(path: string, step: () => T): T {
  try {
    return step()
  } catch (error) {
    throw new SessionError('unreadable', `Reading "${path}": ${explainSystemError(error)}.`)
  }
}

// Files to read, which end. A process that opens a named pipe without a writer, or reads a device,
// waits forever and cannot be interrupted. So both are refused before they are opened.

/**
 * Returns a descriptor, also for a folder. Throws a system error. Its code is `EFTYPE` for a pipe,
 * a socket or a device.
 */
export function openInputFile(path: string): number {
  refuseSpecialFile(path)
  // Something else may be there by now, and opening that must not block either.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    refuse(fstatSync(descriptor))
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** The whole file. Throws like `openInputFile`, and for a folder. */
export function readInputFile(path: string): Buffer {
  const descriptor = openInputFile(path)
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Throws if it exists and can neither be read to an end nor be listed. */
export function refuseSpecialFile(path: string): void {
  refuse(statSync(path, { throwIfNoEntry: false }))
}

function refuse(stats: Stats | undefined): void {
  if (!stats || stats.isFile() || stats.isDirectory()) return
  // The code that systems of the BSD family have for it.
  throw Object.assign(new Error('it is a pipe, a socket or a device, not a file'), {
    code: 'EFTYPE',
  })
}
