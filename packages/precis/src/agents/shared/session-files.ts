/** The places of sessions, old and new, for agents that have one file each. */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { quietly } from '../../files/errors.ts'
import type { ListedSession, PlacementRequest, SessionIds } from './agent.ts'

interface FolderLayout {
  /** Of folders between the directory and the files, from and to. */
  readonly levels: readonly [number, number]
  /** Its first group is the id. */
  readonly pattern: RegExp
}

/**
 * Files below a directory. Links are followed, and what two ways lead to is listed once. What went
 * away since, or may not be read, is left out.
 */
export function listFiles(
  directory: string,
  { levels: [least, most], pattern }: FolderLayout,
): ListedSession[] {
  const files: ListedSession[] = []
  let hasLinks = false
  const walk = (folder: string, level: number) => {
    for (const entry of listFolder(folder)) {
      const id = pattern.exec(entry.name)?.[1]
      const isLink = entry.isSymbolicLink()
      const isFile = id !== undefined && level >= least && (isLink || entry.isFile())
      const isFolder = level < most && (isLink || entry.isDirectory())
      if (!isFile && !isFolder) continue
      hasLinks ||= isLink
      const path = join(folder, entry.name)
      const stats = isFile || isLink ? quietly(() => statSync(path)) : undefined
      if (isFile && stats?.isFile())
        files.push({ id, path, bytes: stats.size, modified: stats.mtime })
      // The number of levels ends a circle of links.
      else if (isFolder && (stats?.isDirectory() ?? !isLink)) walk(path, level + 1)
    }
  }
  walk(directory, 0)
  return hasLinks ? dropSame(files) : files
}

/** Of several paths of one file the one that is no link stays. */
function dropSame(files: readonly ListedSession[]): ListedSession[] {
  const real = new Map<string, ListedSession>()
  for (const file of files) {
    const path = quietly(() => realpathSync(file.path)) ?? file.path
    if (!real.has(path) || path === file.path) real.set(path, file)
  }
  return [...real.values()]
}

/**
 * None of a folder that cannot be read: an agent that is not installed has none, and one such
 * folder hides no other.
 */
export function listFolder(folder: string): Dirent[] {
  return quietly(() => readdirSync(folder, { withFileTypes: true })) ?? []
}

/** As most agents give them. */
export const uuidIds: SessionIds = {
  create: (uuid) => uuid,
  whole: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  beginning: /^[0-9a-f][0-9a-f-]{2,35}$/i,
}

/**
 * The name of the folder of a project below `home`: that of the original where it has one there,
 * else the one that the agent gives a directory.
 */
export function findProjectName(
  home: string,
  { originalPath, directory }: PlacementRequest,
  nameFolder: (directory: string) => string,
): string {
  const original = originalPath === undefined ? undefined : dirname(originalPath)
  const isAtHome = original !== undefined && dirname(original) === resolveRealPlace(home)
  return isAtHome ? basename(original) : nameFolder(directory ?? resolveRealPlace(process.cwd()))
}

/** With links resolved, as far as it is there. */
export function resolveRealPlace(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

export function changeDirectory(directory: string | undefined, command: string): string {
  return directory === undefined ? command : `cd ${quoteForShell(directory)} && ${command}`
}

/**
 * One word for bash and zsh. Control characters are spelled out, so that printing the line does no
 * harm.
 */
export function quoteForShell(text: string): string {
  // A word that begins with `=` is the path of a command for zsh.
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text
  const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
  if (!unprintable.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(
      unprintable,
      (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`,
    )
  return `$'${escaped}'`
}
