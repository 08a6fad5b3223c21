import { constants, lstatSync, realpathSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { explainSystemError, systemErrorCode } from '../../system-error.ts'
import { findForbiddenPath } from './forbidden-path.ts'
import { ToolError } from './tool-error.ts'

/** The one folder that tools may touch. Symbolic links are followed, and count by where they lead. */
export interface Workspace {
  /** Without symbolic links. */
  readonly root: string
  /** Throws `ToolError` for what is not there, lies outside or is forbidden. */
  find(path: string): WorkspacePath
  /** The same for a file that may not be there yet. */
  findTarget(path: string): WorkspacePath & { readonly exists: boolean }
  /** Whether what was found by walking the folder is nobody else's business; `absolute` has no symbolic links in it. */
  isAvailable(absolute: string): boolean
}

export interface WorkspacePath {
  /** Without symbolic links. */
  readonly absolute: string
  /** As it is shown; `.` for the folder itself. */
  readonly shown: string
}

/** `protectedPaths` are forbidden besides those that are by their name: the key file, the chats. */
export function openWorkspace(folder: string, protectedPaths: readonly string[] = []): Workspace {
  const root = realpathSync(folder)
  const guarded = protectedPaths.map((path) => findReal(resolve(path)) ?? resolve(path))
  const isGuarded = (absolute: string) => guarded.some((path) => absolute === path || absolute.startsWith(path + sep))
  const check = (asked: string, absolute: string): WorkspacePath => {
    const within = relative(root, absolute)
    if (within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within)) {
      throw new ToolError(`"${asked}" lies outside of the working folder. Only paths inside of it can be used.`)
    }
    const reason = findForbiddenPath(within) ?? findForbiddenPath(isAbsolute(asked) ? '' : asked)
    if (reason !== undefined) throw new ToolError(`"${asked}" is not available: ${reason}. Go on without it.`)
    if (isGuarded(absolute)) {
      throw new ToolError(`"${asked}" is not available: it belongs to precis. Go on without it.`)
    }
    return { absolute, shown: within === '' ? '.' : within }
  }
  const locate = (asked: string) => {
    if (asked.includes('\0')) throw new ToolError('A path cannot have a null character in it.')
    return resolve(root, asked === '' ? '.' : asked)
  }
  return {
    root,
    isAvailable: (absolute) => findForbiddenPath(relative(root, absolute)) === undefined && !isGuarded(absolute),
    find: (asked) => {
      const wanted = locate(asked)
      const real = findReal(wanted)
      // Outside nothing is said about what is there.
      if (real === undefined) {
        const { shown } = check(asked, findRealParent(wanted))
        throw new ToolError(`There is no "${shown}". Use list_files to see what is there.`)
      }
      return check(asked, real)
    },
    findTarget: (asked) => {
      const wanted = locate(asked)
      const real = findReal(wanted)
      if (real !== undefined) return { ...check(asked, real), exists: true }
      const target = check(asked, findRealParent(wanted))
      // A link that leads nowhere would be written through.
      if (isLink(wanted)) throw new ToolError(`"${asked}" is a symbolic link that leads nowhere.`)
      return { ...target, exists: false }
    },
  }
}

/** Undefined when nothing is there. */
function findReal(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new ToolError(`"${path}" cannot be looked at: ${explainSystemError(error)}.`)
  }
}

/** The path with its existing beginning resolved. */
function findRealParent(path: string): string {
  const missing: string[] = []
  let parent = path
  while (findReal(parent) === undefined && parent !== dirname(parent)) {
    missing.unshift(basename(parent))
    parent = dirname(parent)
  }
  return join(findReal(parent) ?? parent, ...missing)
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** Opens a regular file whose path was found; never waits for a pipe, never follows a link put there since. */
export async function openRegularFile({
  absolute,
  shown,
}: WorkspacePath): Promise<{ file: FileHandle; bytes: number }> {
  let file: FileHandle
  try {
    file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw new ToolError(`"${shown}" cannot be read: ${explainSystemError(error)}.`)
  }
  const stats = await file.stat()
  if (stats.isFile()) return { file, bytes: stats.size }
  await file.close()
  throw new ToolError(
    stats.isDirectory() ? `"${shown}" is a folder. Use list_files.` : `"${shown}" is no regular file; it is not read.`,
  )
}
