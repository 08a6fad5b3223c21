/** Documents as core reads them: random access to a file that is never loaded whole. */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { ByteSource } from '@precis/core/formats'
import { explainSystemError } from '../system-error.ts'
import { SessionError } from './session-error.ts'

export interface OpenDocument {
  readonly source: ByteSource
  /** Undefined for standard input. */
  readonly path: string | undefined
  /** Undefined for standard input and pipes. */
  readonly stats: Stats | undefined
  close(): void
}

const LINE_FEED = 0x0a
// An agent writes a line in one call; a file that ends inside one is looked at again.
const LINE_WAIT_MS = 40
const LINE_WAITS = 5
const RECENT_MS = 2000

/**
 * Opens a file as it is now: what is appended later is not seen, and a line that an agent is writing at this
 * moment is waited for.
 */
export async function openDocument(path: string): Promise<OpenDocument> {
  const descriptor = attempt(path, () => openSync(path, 'r'))
  try {
    let stats = attempt(path, () => fstatSync(descriptor))
    if (stats.isDirectory())
      throw new SessionError('unreadable', `Reading "${path}": it is a folder; give a session file.`)
    if (!stats.isFile()) {
      const bytes = readPipe(descriptor, path)
      closeSync(descriptor)
      return { source: createMemorySource(bytes), path, stats: undefined, close: () => {} }
    }
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

export async function openStandardInput(): Promise<OpenDocument> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    if (chunks.length === 1 && bytes.includes(0)) break
  }
  return { source: createMemorySource(Buffer.concat(chunks)), path: undefined, stats: undefined, close: () => {} }
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
        const read = attempt(path, () => readSync(descriptor, buffer, filled, length - filled, start + filled))
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

/** Bytes that were read already. */
export function createMemorySource({ buffer, byteOffset, length }: Buffer): ByteSource {
  const bytes = new Uint8Array(buffer, byteOffset, length)
  return { byteLength: bytes.length, read: (start, end) => bytes.subarray(start, end) }
}

/** `<(command)` of a shell, or a named pipe. */
function readPipe(descriptor: number, path: string): Buffer {
  const chunks: Buffer[] = []
  for (;;) {
    const chunk = Buffer.allocUnsafe(1 << 16)
    const read = attempt(path, () => readSync(descriptor, chunk, 0, chunk.length, null))
    chunks.push(chunk.subarray(0, read))
    // A device such as /dev/zero never ends; binary is refused by its beginning anyway.
    if (read === 0 || (chunks.length === 1 && chunk.subarray(0, read).includes(0))) return Buffer.concat(chunks)
  }
}

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
