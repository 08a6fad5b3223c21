import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from '../system-error.ts'

export interface ListedFile {
  readonly id: string
  readonly path: string
  readonly bytes: number
  readonly modified: Date
}

interface Layout {
  /** Of folders between the directory and the files, from and to. */
  readonly levels: readonly [number, number]
  /** Its first group is the id. */
  readonly pattern: RegExp
}

/**
 * Files below a directory. Links are followed, and what two ways lead to is listed once. What went away since, or may
 * not be read, is left out.
 */
export function listFiles(directory: string, { levels: [least, most], pattern }: Layout): ListedFile[] {
  const files: ListedFile[] = []
  let hasLinks = false
  const walk = (folder: string, level: number) => {
    for (const entry of listDirectory(folder)) {
      const id = pattern.exec(entry.name)?.[1]
      const isLink = entry.isSymbolicLink()
      const isFile = id !== undefined && level >= least && (isLink || entry.isFile())
      const isFolder = level < most && (isLink || entry.isDirectory())
      if (!isFile && !isFolder) continue
      hasLinks ||= isLink
      const path = join(folder, entry.name)
      const stats = isFile || isLink ? readStats(path) : undefined
      if (isFile && stats?.isFile()) files.push({ id, path, bytes: stats.size, modified: stats.mtime })
      // The number of levels ends what goes in a circle.
      else if (isFolder && (stats?.isDirectory() ?? !isLink)) walk(path, level + 1)
    }
  }
  walk(directory, 0)
  return hasLinks ? dropSame(files) : files
}

/** Of several paths of one file the one that is no link stays. */
function dropSame(files: readonly ListedFile[]): ListedFile[] {
  const real = new Map<string, ListedFile>()
  for (const file of files) {
    const path = attempt(() => realpathSync(file.path)) ?? file.path
    if (!real.has(path) || path === file.path) real.set(path, file)
  }
  return [...real.values()]
}

function readStats(path: string) {
  return attempt(() => statSync(path))
}

function listDirectory(directory: string): Dirent[] {
  return attempt(() => readdirSync(directory, { withFileTypes: true })) ?? []
}

/** An agent that is not installed has no folder, and one folder that cannot be read hides no other. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}
