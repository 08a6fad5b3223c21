import { constants, type Dirent, realpathSync } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readErrorCode } from '../contract/chat-agent.ts'
import type { FilePort } from '../contract/ports.ts'
import { ToolError, type Workspace, type WorkspacePath } from './tool.ts'

/** `protectedPaths` are forbidden in addition to names: the key file, the chats. */
export function openWorkspace(
  folder: string,
  files: FilePort,
  protectedPaths: readonly string[] = [],
): Workspace {
  const findReal = (path: string) => findRealPath(path, files)
  const root = realpathSync(folder)
  const guarded = protectedPaths.map((path) => findReal(resolve(path)) ?? resolve(path))
  const isGuarded = (absolute: string) =>
    guarded.some((path) => absolute === path || absolute.startsWith(path + sep))
  const check = (asked: string, absolute: string): WorkspacePath => {
    const within = relative(root, absolute)
    if (within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within)) {
      throw new ToolError(
        `"${asked}" lies outside of the working folder. Only paths inside of it can be used.`,
      )
    }
    const own = isGuarded(absolute) ? 'it belongs to precis' : undefined
    const reason =
      findForbiddenPath(within) ?? findForbiddenPath(isAbsolute(asked) ? '' : asked) ?? own
    if (reason !== undefined)
      throw new ToolError(`"${asked}" is not available: ${reason}. Go on without it.`)
    return { absolute, shown: within === '' ? '.' : within }
  }
  const locate = (asked: string) => {
    if (asked.includes('\0')) throw new ToolError('A path cannot have a null character in it.')
    return resolve(root, asked === '' ? '.' : asked)
  }
  return {
    files,
    root,
    isAvailable: (absolute) =>
      findForbiddenPath(relative(root, absolute)) === undefined && !isGuarded(absolute),
    find: (asked) => {
      const wanted = locate(asked)
      const real = findReal(wanted)
      // Errors must not reveal what is outside.
      if (real === undefined) {
        const { shown } = check(asked, findRealParent(wanted, findReal))
        throw new ToolError(`There is no "${shown}". Use list_files to see what is there.`)
      }
      return check(asked, real)
    },
  }
}

/** Undefined if nothing is there. */
function findRealPath(path: string, { explainError }: FilePort): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    const code = readErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new ToolError(`"${path}" cannot be looked at: ${explainError(error)}.`)
  }
}

/** The path with its existing beginning resolved. */
function findRealParent(path: string, findReal: (path: string) => string | undefined): string {
  const missing: string[] = []
  let parent = path
  while (findReal(parent) === undefined && parent !== dirname(parent)) {
    missing.unshift(basename(parent))
    parent = dirname(parent)
  }
  return join(findReal(parent) ?? parent, ...missing)
}

/**
 * Opens a regular file whose path was found. Never waits for a pipe, and never follows a link that
 * was added since.
 */
async function openRegularFile(
  { absolute, shown }: WorkspacePath,
  { explainError }: FilePort,
): Promise<{ file: FileHandle; bytes: number }> {
  let file: FileHandle
  try {
    file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw new ToolError(`"${shown}" cannot be read: ${explainError(error)}.`)
  }
  const stats = await file.stat()
  if (stats.isFile()) return { file, bytes: stats.size }
  await file.close()
  throw new ToolError(
    stats.isDirectory()
      ? `"${shown}" is a folder. Use list_files.`
      : `"${shown}" is no regular file; it is not read.`,
  )
}

// A larger file is not text by a person.
const LARGEST_TEXT_FILE_BYTES = 10 << 20
const SAMPLE_BYTES = 8000

/** All of a text file. Rejects with `ToolError` if it is too large or binary. */
export async function readTextFile(path: WorkspacePath, files: FilePort): Promise<string> {
  const { file, bytes } = await openRegularFile(path, files)
  try {
    if (bytes > LARGEST_TEXT_FILE_BYTES) {
      throw new ToolError(
        `"${path.shown}" has ${bytes} bytes; at most ${LARGEST_TEXT_FILE_BYTES} can be read. Use search to find the part you need.`,
      )
    }
    // It may grow while it is read.
    const content = await readAtMost(file, Math.min(bytes + SAMPLE_BYTES, LARGEST_TEXT_FILE_BYTES))
    if (isBinary(content))
      throw new ToolError(`"${path.shown}" is binary (${bytes} bytes); it is not read.`)
    return content.toString('utf8')
  } finally {
    await file.close()
  }
}

async function readAtMost(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes)
  let length = 0
  while (length < maxBytes) {
    const { bytesRead } = await file.read(buffer, length, maxBytes - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** Whether the beginning contains a null byte, which is Git's rule. UTF-16 counts as binary. */
function isBinary(content: Buffer): boolean {
  return content.subarray(0, SAMPLE_BYTES).includes(0)
}

// Tools skip these, even inside the folder: the internals of a repository, and secrets by their
// names.
const REPOSITORY_FOLDERS = new Set(['.git', '.hg', '.svn'])
const SECRET_FOLDERS = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker'])
const SECRET_FILES =
  /^(?:[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|\.dockercfg|\.vault-token|credentials|\.?credentials\.json|oauth_creds\.json|auth\.json|secrets\.(?:json|ya?ml|toml)|application_default_credentials\.json)$/
const SECRET_ENDING = /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfvars|tfstate)$/
const KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519)/
// Templates that are made to be read.
const HARMLESS_ENVIRONMENT = /^\.env\.(?:example|sample|template|dist|defaults)$/

/** Why the model may not access a path, which is relative to the folder. Undefined if it may. */
function findForbiddenPath(relativePath: string): string | undefined {
  for (const part of relativePath.toLowerCase().split(/[\\/]/)) {
    if (REPOSITORY_FOLDERS.has(part)) return `"${part}" holds the inside of the repository`
    if (SECRET_FOLDERS.has(part)) return `"${part}" is a folder of keys`
    if (isSecretFile(part)) return `"${part}" holds secrets by its name`
  }
  return undefined
}

function isSecretFile(name: string): boolean {
  if (name === '.env' || name === '.envrc' || name.startsWith('.env.'))
    return !HARMLESS_ENVIRONMENT.test(name)
  if (SECRET_FILES.test(name) || SECRET_ENDING.test(name)) return true
  return KEY_NAME.test(name) && !name.endsWith('.pub')
}

/** Something in the working folder. */
interface WalkedEntry {
  /** Relative to the start of the walk, with `/`. */
  readonly path: string
  readonly absolute: string
  readonly depth: number
  readonly type: 'file' | 'folder' | 'skipped-folder' | 'link' | 'other'
}

// Made by package managers and build tools. Questions are not about them.
const GENERATED_FOLDERS = /^(?:node_modules|__pycache__|\.?venv|\.tox|\.cache|\.gradle|\.next)$/

/**
 * Everything below a folder, sorted, with a folder before its content. Does not follow links, and
 * leaves out forbidden paths.
 */
export async function* walk(
  from: WorkspacePath,
  workspace: Workspace,
  {
    signal,
    maxDepth = Number.POSITIVE_INFINITY,
  }: { readonly signal: AbortSignal; readonly maxDepth?: number },
): AsyncGenerator<WalkedEntry> {
  const stack: WalkedEntry[] = [{ path: '', absolute: from.absolute, depth: 0, type: 'folder' }]
  for (let at = stack.pop(); at; at = stack.pop()) {
    signal.throwIfAborted()
    if (at.path !== '') yield at
    if (at.type !== 'folder' || at.depth >= maxDepth) continue
    const { path, absolute, depth } = at
    const entries = await list(at, workspace)
    const children = entries.map((entry) => ({
      path: path === '' ? entry.name : `${path}/${entry.name}`,
      absolute: join(absolute, entry.name),
      depth: depth + 1,
      type: readType(entry),
    }))
    for (const child of children.reverse())
      if (workspace.isAvailable(child.absolute)) stack.push(child)
  }
}

async function list({ path, absolute }: WalkedEntry, { files }: Workspace): Promise<Dirent[]> {
  try {
    const entries = await readdir(absolute, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    // An unreadable folder further down counts as empty.
    if (path !== '') return []
    throw new ToolError(`The folder cannot be listed: ${files.explainError(error)}.`)
  }
}

function readType(entry: Dirent): WalkedEntry['type'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return GENERATED_FOLDERS.test(entry.name) ? 'skipped-folder' : 'folder'
  return entry.isFile() ? 'file' : 'other'
}
