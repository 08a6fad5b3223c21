/** The paths of old and new sessions, for agents with one file per session. */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, resolve, sep } from 'node:path'
import { quietly } from '../../files/errors.ts'
import type { IsWanted, ListedSession, PlacementRequest, SessionIds } from './agent.ts'

interface FolderLayout {
  /** The smallest and the largest number of folders between the directory and the files. */
  readonly levels: readonly [number, number]
  /** Its first group is the id. */
  readonly pattern: RegExp
}

/**
 * Files below a directory. Follows links, and lists a file once even if two paths lead to it.
 * Leaves out files that disappeared or may not be read.
 */
export function listFiles(
  directory: string,
  { levels: [least, most], pattern }: FolderLayout,
  isWanted: IsWanted = () => true,
): ListedSession[] {
  const files: ListedSession[] = []
  let hasLinks = false
  const walk = (folder: string, level: number) => {
    for (const entry of listFolder(folder)) {
      const id = pattern.exec(entry.name)?.[1]
      const isLink = entry.isSymbolicLink()
      const isNamed = id !== undefined && level >= least && isWanted(id)
      const isFile = isNamed && (isLink || entry.isFile())
      const isFolder = level < most && (isLink || entry.isDirectory())
      if (!isFile && !isFolder) continue
      hasLinks ||= isLink
      // Both are normal already.
      const path = `${folder}${sep}${entry.name}`
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

/** If a file has several paths, the path that is not a link stays. */
function dropSame(files: readonly ListedSession[]): ListedSession[] {
  const real = new Map<string, ListedSession>()
  for (const file of files) {
    const path = quietly(() => realpathSync(file.path)) ?? file.path
    if (!real.has(path) || path === file.path) real.set(path, file)
  }
  return [...real.values()]
}

/**
 * Empty if the folder cannot be read. An agent may not be installed, and one such folder must not
 * hide others.
 */
export function listFolder(folder: string): Dirent[] {
  return quietly(() => readdirSync(folder, { withFileTypes: true })) ?? []
}

/** The form that most agents use. */
export const uuidIds: SessionIds = {
  create: (uuid) => uuid,
  whole: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  beginning: /^[0-9a-f][0-9a-f-]{2,35}$/i,
}

/**
 * The name of a project's folder in `home`: the folder of the original if it has one there, else
 * the name that the agent gives a directory.
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

/** Resolves links in the part of the path that exists. */
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

/** One word for bash and zsh. Control characters are escaped, so printing the line is safe. */
export function quoteForShell(text: string): string {
  // In zsh, a word that begins with `=` is the path of a command.
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
