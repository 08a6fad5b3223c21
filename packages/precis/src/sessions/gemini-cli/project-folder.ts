/** Folders of projects below `~/.gemini/tmp`: each has a short name and a file that tells whose it is. */
import { type Dirent, readdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { readInputFile } from '../../input-file.ts'

export const CHATS = 'chats'
const MARKER = '.project_root'
const MOST_PATH_BYTES = 1 << 12

/** The directory that the chats beside this one belong to; undefined in folders of older versions, named by a hash. */
export function findProjectRoot(chatPath: string): string | undefined {
  const chats = dirname(chatPath)
  return basename(chats) === CHATS ? readMarker(dirname(chats)) : undefined
}

/** Where Gemini CLI looks for chats of a directory, or will look when it is first started there. */
export function findChatsFolder(projectsDirectory: string, directory: string): string {
  const names = listNames(projectsDirectory)
  const known = names.find((name) => readMarker(join(projectsDirectory, name)) === directory)
  const taken = new Set(names)
  const slug = toSlug(basename(directory))
  let name = known ?? slug
  // As Gemini CLI counts them.
  for (let count = 1; known === undefined && taken.has(name); count++) name = `${slug}-${count}`
  return join(projectsDirectory, name, CHATS)
}

function toSlug(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug || 'project'
}

function readMarker(folder: string): string | undefined {
  try {
    const bytes = readInputFile(join(folder, MARKER))
    const root = bytes.length > MOST_PATH_BYTES ? '' : bytes.toString('utf8').trim()
    return isAbsolute(root) ? root : undefined
  } catch {
    // Older versions left none.
    return undefined
  }
}

function listNames(folder: string): string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    // An agent that was never started has no folder.
    return []
  }
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}
