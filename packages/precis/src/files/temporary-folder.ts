/**
 * A private folder of one process, in the user's data folder. If the process was killed, the next
 * run removes it.
 *
 *   <data>/precis/running/0a1b2c3d4e5f/process.json     {"process":812,"startedAt":"…","host":"…",…}
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { quietly } from './errors.ts'
import { asObject, asText } from './lines.ts'
import { makeFolders } from './make-folders.ts'
import { type ContainedProcess, identifyContained, isContainedAlive } from './process-identity.ts'
import { findUserFolders } from './user-folders.ts'

export interface TemporaryFolder {
  readonly path: string
  /**
   * Removes it with its content. Never throws. Synchronous, because it also runs while the process
   * ends.
   */
  readonly remove: () => void
}

const IDENTITY = 'process.json'
const NAME = /^[0-9a-f]{12}$/
// For a folder of another machine or container, or without its file: its process has ended long before.
const ABANDONED_MS = 24 * 3600 * 1000

/** Throws what the system says. */
export function createTemporaryFolder(): TemporaryFolder {
  const id = randomBytes(6).toString('hex')
  const path = join(findFolder(), id)
  makeFolders(path)
  writeFileSync(join(path, IDENTITY), JSON.stringify(identifyContained()), { mode: 0o600 })
  return { path, remove: () => removeFolder(path) }
}

/**
 * Removes folders of killed processes. Never throws for a folder that cannot be read or removed.
 */
export function removeAbandonedFolders(): void {
  const parent = findFolder()
  for (const name of quietly(() => readdirSync(parent)) ?? []) {
    const path = join(parent, name)
    if (NAME.test(name) && isAbandoned(path)) removeFolder(path)
  }
}

function isAbandoned(path: string): boolean {
  const owner = readOwner(join(path, IDENTITY))
  const lives = owner && isContainedAlive(owner)
  if (lives !== undefined) return !lives
  const modified = quietly(() => statSync(path).mtimeMs)
  return modified !== undefined && Date.now() - modified > ABANDONED_MS
}

function readOwner(path: string): ContainedProcess | undefined {
  const text = quietly(() => readFileSync(path, 'utf8'))
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const { process: id, ...place } = asObject(value) ?? {}
    const [startedAt, host, container] = [place.startedAt, place.host, place.container].map(asText)
    return typeof id === 'number' && startedAt !== undefined && host !== undefined
      ? { process: id, startedAt, host, container: container ?? '' }
      : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function removeFolder(path: string): void {
  quietly(() => rmSync(path, { recursive: true, force: true }))
  // It may contain folders of other processes.
  quietly(() => rmdirSync(dirname(path)))
}

function findFolder(): string {
  return join(findUserFolders().data, 'running')
}
