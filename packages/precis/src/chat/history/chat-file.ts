import { closeSync, constants, fstatSync, fsync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { acquireLease } from '../../sessions/file-lease.ts'
import { SessionError } from '../../sessions/session-error.ts'
import { explainSystemError, systemErrorCode } from '../../system-error.ts'
import type { HistoryEntry } from './history-entry.ts'

/** An open history file of which this process is the only writer. */
export interface ChatFile {
  readonly path: string
  /** In the file when it returns, so that the end of this process does not touch it. Throws `SessionError`. */
  append(...entries: readonly HistoryEntry[]): void
  /** Up to where the file is whole: what lies behind, a write that never ended, goes with the next entry. */
  cutOffAt(bytes: number): void
  /** On the disk when it resolves, so that the end of the machine does not touch it either. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Made at the first entry, for its owner only. Throws `SessionError` while another process has it open. */
export function openChatFile(path: string): ChatFile {
  let wholeBytes: number | undefined
  const lease = acquireLease(path)
  let descriptor: number | undefined
  let unflushed = false
  const open = (): number => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const opened = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
    if (wholeBytes !== undefined && fstatSync(opened).size > wholeBytes) ftruncateSync(opened, wholeBytes)
    return opened
  }
  const flush = () =>
    new Promise<void>((resolve, reject) => {
      if (descriptor === undefined || !unflushed) return resolve()
      unflushed = false
      fsync(descriptor, (error) => (error ? reject(explain(path, error)) : resolve()))
    })
  return {
    path,
    append: (...entries) => {
      const bytes = Buffer.from(entries.map((entry) => `${JSON.stringify(entry, replaceBytes)}\n`).join(''))
      try {
        descriptor ??= open()
        for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
        unflushed = true
      } catch (error) {
        throw explain(path, error)
      }
    },
    cutOffAt: (bytes) => {
      wholeBytes = bytes
    },
    flush,
    close: async () => {
      try {
        await flush()
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
        descriptor = undefined
        lease.release()
      }
    },
  }
}

/** Images come as bytes now and then; for the AI SDK base64 is the same. */
function replaceBytes(this: unknown, key: string, value: unknown): unknown {
  // Buffers were turned into objects before we see them.
  const original: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, key) : value
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64')
  return value
}

function explain(path: string, error: unknown): unknown {
  if (systemErrorCode(error) === undefined) return error
  return new SessionError('unwritable', `Writing the history "${path}": ${explainSystemError(error)}.`)
}
