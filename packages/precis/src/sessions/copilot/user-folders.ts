/**
 * Where editions of VS Code keep what is the person's own:
 *
 *   <data>/Code/User   <data>/Code - Insiders/User   <data>/VSCodium/User   …
 *
 * All have the same folders below, and the number of the process that runs in `code.lock` beside `User`.
 */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readInputFile } from '../../input-file.ts'
import { isRunning } from '../../process-identity.ts'
import { EMPTY_WINDOW_FOLDER } from './chat-folders.ts'

const STABLE = 'Code'
/** By folder, the command that opens its windows. */
const EDITIONS: Readonly<Record<string, string>> = {
  [STABLE]: 'code',
  'Code - Insiders': 'code-insiders',
  'Code - OSS': 'code-oss',
  VSCodium: 'codium',
  'VSCodium - Insiders': 'codium-insiders',
}

/** That of VS Code first, whether it is there or not, then those of other editions that are. */
export function listUserFolders(userFolder: string): string[] {
  const data = dirname(userFolder)
  // Portable mode is of one edition.
  if (basename(data) !== STABLE) return [userFolder]
  const others = Object.keys(EDITIONS).filter((edition) => edition !== STABLE)
  const folders = others.map((edition) => join(dirname(data), edition, basename(userFolder)))
  return [userFolder, ...folders.filter((folder) => statSync(folder, { throwIfNoEntry: false }))]
}

/** The folder that a chat is kept below, by the levels in between. */
function findUserFolder(chatPath: string): string {
  const chats = dirname(chatPath)
  return chats.endsWith(EMPTY_WINDOW_FOLDER) ? dirname(dirname(chats)) : dirname(dirname(dirname(chats)))
}

export function nameCommand(chatPath: string): string {
  return EDITIONS[basename(dirname(findUserFolder(chatPath)))] ?? 'code'
}

/** Whether the edition that keeps the chat runs. */
export function isEditorRunning(chatPath: string): boolean {
  try {
    const lock = join(dirname(findUserFolder(chatPath)), 'code.lock')
    return isRunning(Number.parseInt(readInputFile(lock).toString('utf8'), 10))
  } catch {
    // Never started, or closed.
    return false
  }
}
