/** Files that are whole or not there. */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { CodedError, explainSystemError, quietly, SessionError, systemErrorCode } from './errors.ts'
import { makeFolders } from './make-folders.ts'
import { createTemporaryFile, type TemporaryFile } from './temporary-file.ts'

/** Writes under way. */
const unfinished = new Set<UnfinishedWrite>()

interface UnfinishedWrite {
  temporary: TemporaryFile | undefined
  /** Those made for it, outermost first. */
  readonly folders: string[]
}

// Sessions hold secrets now and then.
const PRIVATE_MODE = 0o600

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export interface WriteOptions {
  /** Permission bits for a new file. An existing file keeps its own. Private by default. */
  readonly mode?: number
  /** Makes the folders that the path needs. */
  readonly createFolders?: boolean
  /** Fails if the path exists, even if it was created during the write. */
  readonly isNew?: boolean
  /** Called when all is written, right before the file gets its name. If it throws, it does not. */
  readonly check?: () => void
}

/**
 * Replaces the file in one step and returns its size in bytes. If anything fails, the old file is
 * unchanged.
 */
export async function writeFileAtomically(
  path: string,
  chunks: Chunks,
  options: WriteOptions = {},
): Promise<number> {
  const write: UnfinishedWrite = { temporary: undefined, folders: [] }
  unfinished.add(write)
  try {
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing && !existing.isFile()) return await writeInPlace(path, existing, chunks)
    const target = existing ? realpathSync(path) : path
    if (options.createFolders) makeFolders(dirname(target), (path) => write.folders.push(path))
    const mode = (existing?.mode ?? options.mode ?? PRIVATE_MODE) & 0o777
    return await writeAndRename(target, chunks, { ...options, mode, existing }, write)
  } catch (error) {
    undo(write)
    if (error instanceof CodedError || systemErrorCode(error) === undefined) throw error
    throw new SessionError(
      'unwritable',
      `Writing "${path}": ${explainSystemError(error)}. Nothing was written.`,
    )
  } finally {
    unfinished.delete(write)
  }
}

/**
 * What is in the place of a file to be written. Undefined for nothing. Throws `SessionError` if
 * nothing can be there.
 */
export function findExisting(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw new SessionError(
      'unwritable',
      `Writing "${path}": ${explainSystemError(error)}. Give another file.`,
    )
  }
}

/** Takes back every write under way. Synchronous: it also runs while the process ends. */
export function removeUnfinished(): void {
  for (const write of unfinished) undo(write)
  unfinished.clear()
}

function undo({ temporary, folders }: UnfinishedWrite): void {
  temporary?.remove()
  for (const folder of [...folders].reverse()) quietly(() => rmdirSync(folder))
}

interface RenameOptions extends WriteOptions {
  readonly mode: number
  /** What it replaces. */
  readonly existing: Stats | undefined
}

async function writeAndRename(
  target: string,
  chunks: Chunks,
  { mode, existing, isNew, check }: RenameOptions,
  write: UnfinishedWrite,
): Promise<number> {
  const temporary = createTemporaryFile(target)
  write.temporary = temporary
  const descriptor = openSync(temporary.path, 'wx', PRIVATE_MODE)
  let bytes: number
  try {
    bytes = await writeChunks(descriptor, chunks)
    // A file that root writes for a user stays the user's. Others may only give it to their groups.
    if (existing) quietly(() => fchownSync(descriptor, existing.uid, existing.gid))
    fchmodSync(descriptor, mode)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  check?.()
  if (isNew) linkNew(temporary.path, target)
  else renameSync(temporary.path, target)
  temporary.remove()
  return bytes
}

const NO_LINKS = new Set(['EACCES', 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

/** Gives a file a name that must be new. A rename would replace whatever is there. */
export function linkNew(path: string, target: string): void {
  try {
    linkSync(path, target)
  } catch (error) {
    if (!NO_LINKS.has(systemErrorCode(error) ?? '')) throw error
    // The drive knows no links, like exFAT, or nobody may make any, as on Android. So the name is
    // taken first.
    closeSync(openSync(target, 'wx', PRIVATE_MODE))
    renameSync(path, target)
  }
}

/** Terminals, pipes, /dev/null. */
async function writeInPlace(path: string, stats: Stats, chunks: Chunks): Promise<number> {
  if (stats.isDirectory()) {
    throw new SessionError(
      'unwritable',
      `Writing "${path}": it is a folder. Give the name of a file in it.`,
    )
  }
  // A pipe without a reader, or without one any more, must not block the process.
  const descriptor = openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0))
  if (stats.isFIFO()) return await writeToPipe(descriptor, chunks)
  try {
    return await writeChunks(descriptor, chunks)
  } finally {
    closeSync(descriptor)
  }
}

async function writeToPipe(descriptor: number, chunks: Chunks): Promise<number> {
  // Every command loads this file, and few write to a pipe.
  const [{ Socket }, { pipeline }] = await Promise.all([
    import('node:net'),
    import('node:stream/promises'),
  ])
  let total = 0
  await pipeline(
    async function* () {
      for await (const chunk of chunks) {
        total += chunk.length
        // A chunk is a view that lives until the next one is read.
        yield Uint8Array.prototype.slice.call(chunk)
      }
    },
    new Socket({ fd: descriptor, writable: true }),
  )
  return total
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
    await new Promise(setImmediate)
    pauseAt = total + BYTES_BETWEEN_PAUSES
  }
  return total
}
