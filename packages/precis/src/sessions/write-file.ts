/** Files that are whole or not there. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { explainSystemError, systemErrorCode } from '../system-error.ts'
import { SessionError } from './session-error.ts'

const temporaryFiles = new Set<string>()
const createdFolders = new Set<string>()

// Sessions hold secrets now and then.
const PRIVATE_MODE = 0o600

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export interface WriteOptions {
  /** Permission bits for a new file; an existing one keeps its own. Private by default. */
  readonly mode?: number
  /** Makes the folders that the path needs. */
  readonly createFolders?: boolean
}

/** Replaces the file in one step and gives its size in bytes. When anything fails the old file is as it was. */
export async function writeFileAtomically(path: string, chunks: Chunks, options: WriteOptions = {}): Promise<number> {
  try {
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing && !existing.isFile()) return await writeInPlace(path, existing, chunks)
    const target = existing ? realpathSync(path) : path
    if (options.createFolders) createFolders(dirname(target))
    const mode = (existing?.mode ?? options.mode ?? PRIVATE_MODE) & 0o777
    const bytes = await writeAndRename(target, chunks, mode)
    createdFolders.clear()
    return bytes
  } catch (error) {
    removeUnfinished()
    if (systemErrorCode(error) === undefined) throw error
    throw new SessionError('unwritable', `Writing "${path}": ${explainSystemError(error)}. Nothing was written.`)
  }
}

/** What a killed run must not leave behind. Synchronous: it also runs while the process ends. */
export function removeUnfinished(): void {
  for (const path of temporaryFiles) rmSync(path, { force: true })
  temporaryFiles.clear()
  for (const folder of [...createdFolders].reverse()) removeEmptyFolder(folder)
  createdFolders.clear()
}

async function writeAndRename(target: string, chunks: Chunks, mode: number): Promise<number> {
  const folder = dirname(target)
  const temporary = join(folder, `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  const descriptor = openSync(temporary, 'wx', PRIVATE_MODE)
  temporaryFiles.add(temporary)
  let bytes: number
  try {
    bytes = await writeChunks(descriptor, chunks)
    fchmodSync(descriptor, mode)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, target)
  temporaryFiles.delete(temporary)
  return bytes
}

/** Terminals, pipes, /dev/null. */
async function writeInPlace(path: string, stats: Stats, chunks: Chunks): Promise<number> {
  if (stats.isDirectory()) {
    throw new SessionError('unwritable', `Writing "${path}": it is a folder; give the name of a file in it.`)
  }
  const descriptor = openSync(path, 'w')
  try {
    return await writeChunks(descriptor, chunks)
  } finally {
    closeSync(descriptor)
  }
}

const BYTES_BETWEEN_PAUSES = 8 << 20

async function writeChunks(descriptor: number, chunks: Chunks): Promise<number> {
  let total = 0
  let pauseAt = BYTES_BETWEEN_PAUSES
  for await (const chunk of chunks) {
    // A write may take less than it was given, as on a disk that is nearly full.
    for (let written = 0; written < chunk.length; ) written += writeSync(descriptor, chunk, written)
    total += chunk.length
    if (total < pauseAt) continue
    // Lets an interruption through.
    await setImmediate()
    pauseAt = total + BYTES_BETWEEN_PAUSES
  }
  return total
}

function createFolders(folder: string): void {
  const missing: string[] = []
  for (let path = folder; !statSync(path, { throwIfNoEntry: false }); path = dirname(path)) missing.unshift(path)
  for (const path of missing) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    createdFolders.add(path)
  }
}

function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemErrorCode(error) ?? '')) throw error
  }
}
