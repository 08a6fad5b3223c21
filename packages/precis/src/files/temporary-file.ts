/**
 * Files that become whole before they get their name. Each is noted in the user's data folder while
 * it is written, so that the next run removes it, wherever it is, when its process was killed.
 *
 *   /work/.out.jsonl.0a1b2c3d4e5f.tmp              the new content of /work/out.jsonl
 *   <data>/precis/unfinished/0a1b2c3d4e5f.json     {"path":"/work/.out.jsonl.0a1b2c3d4e5f.tmp","process":812,…}
 */
import { randomBytes } from 'node:crypto'
import {
  lstatSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { quietly } from './errors.ts'
import { makeFolders } from './make-folders.ts'
import { type ContainedProcess, identifyContained, isContainedAlive } from './process-identity.ts'
import { findUserFolders } from './user-folders.ts'

export interface TemporaryFile {
  /** In the folder of the target. Nothing is there yet. */
  readonly path: string
  /**
   * Removes the file, unless it was renamed. Never throws. Synchronous, because it also runs while
   * the process ends.
   */
  readonly remove: () => void
}

interface FileNote extends ContainedProcess {
  readonly path: string
}

const NAME = /^\..{1,200}\.[0-9a-f]{12}\.tmp$/su
const NOTE_NAME = /^[0-9a-f]{12}\.json$/
// Names of files have at most 255 bytes, and a character has up to four.
const TARGET_CHARACTERS = 50
// A process that cannot be asked about, on another machine or of a damaged note, has ended long
// before.
const ABANDONED_MS = 24 * 3600 * 1000

export function createTemporaryFile(target: string): TemporaryFile {
  const id = randomBytes(6).toString('hex')
  const name = Array.from(basename(target)).slice(0, TARGET_CHARACTERS).join('')
  const path = join(dirname(resolve(target)), `.${name}.${id}.tmp`)
  const note = join(findNotesFolder(), `${id}.json`)
  // A disk that takes no notes must not stop a write elsewhere.
  const madeFolder = quietly(() => writeNote(note, path))
  return {
    path,
    remove: () => {
      removeWithNote(path, note)
      if (madeFolder !== undefined) removeEmptyFolders(dirname(note), madeFolder)
    },
  }
}

/** Returns the outermost folder that it had to create. */
function writeNote(note: string, path: string): string | undefined {
  const content: FileNote = { path, ...identifyContained() }
  let madeFolder: string | undefined
  makeFolders(
    dirname(note),
    (made) => (madeFolder ??= made),
    () => writeFileSync(note, JSON.stringify(content), { mode: 0o600, flag: 'wx' }),
  )
  return madeFolder
}

/**
 * Removes up to and including the outermost. A folder with content stays, and so do folders around
 * it.
 */
function removeEmptyFolders(innermost: string, outermost: string): void {
  quietly(() => {
    for (let folder = innermost; folder.startsWith(outermost); folder = dirname(folder))
      rmdirSync(folder)
  })
}

/**
 * Removes the temporary files of processes that were killed. Never throws for a file that cannot be
 * read or removed.
 */
export function removeAbandonedFiles(): void {
  const folder = findNotesFolder()
  for (const name of quietly(() => readdirSync(folder)) ?? []) {
    if (NOTE_NAME.test(name)) quietly(() => removeAbandoned(join(folder, name)))
  }
}

function removeAbandoned(notePath: string): void {
  const note = readNote(notePath)
  const ageMs = (path: string) => Date.now() - (readStats(path)?.mtimeMs ?? 0)
  if (!note) {
    // Its process was killed before it wrote the note. There was no temporary file yet.
    if (ageMs(notePath) > ABANDONED_MS) rmSync(notePath, { force: true })
    return
  }
  const lives = isContainedAlive(note)
  const isSure = lives === false || (lives === true && note.startedAt !== '')
  if (isSure ? lives : Math.min(ageMs(note.path), ageMs(notePath)) < ABANDONED_MS) return
  const isOurs = NAME.test(basename(note.path)) && readStats(note.path)?.isFile()
  if (isOurs) removeWithNote(note.path, notePath)
  else rmSync(notePath, { force: true })
}

/** The note stays for the next run while the file cannot be removed. */
function removeWithNote(path: string, note: string): void {
  quietly(() => rmSync(path, { force: true }))
  if (!readStats(path)) quietly(() => rmSync(note, { force: true }))
}

function readStats(path: string): Stats | undefined {
  return quietly(() => lstatSync(path))
}

function readNote(path: string): FileNote | undefined {
  try {
    const value: Partial<FileNote> | null = JSON.parse(readFileSync(path, 'utf8'))
    const { path: file, process: id, startedAt, host, container } = value ?? {}
    if (typeof file !== 'string' || typeof id !== 'number' || typeof startedAt !== 'string')
      return undefined
    if (typeof host !== 'string' || typeof container !== 'string') return undefined
    return { path: file, process: id, startedAt, host, container }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function findNotesFolder(): string {
  return join(findUserFolders().data, 'unfinished')
}
