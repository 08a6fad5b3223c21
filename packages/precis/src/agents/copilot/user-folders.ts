/**
 * Where editions of VS Code keep the user's own data:
 *
 *   <data>/Code/User   <data>/Code - Insiders/User   <data>/VSCodium/User   …
 *
 * All contain the same folders. Next to `User`, `code.lock` contains the number of the running
 * process.
 */

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asText, parseObject } from '../../files/lines.ts'
import { isRunning } from '../../files/process-identity.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Environment } from '../shared/agent.ts'
import { listFolder } from '../shared/session-files.ts'

/** Names of folders in the `User` folder. */
const WORKSPACES_FOLDER = 'workspaceStorage'
export const CHATS_FOLDER = 'chatSessions'
export const EMPTY_WINDOW_FOLDER = join('globalStorage', 'emptyWindowChatSessions')

const STABLE = 'Code'
/** By folder, the command that opens its windows. */
const EDITIONS: Readonly<Record<string, string>> = {
  [STABLE]: 'code',
  'Code - Insiders': 'code-insiders',
  'Code - OSS': 'code-oss',
  VSCodium: 'codium',
  'VSCodium - Insiders': 'codium-insiders',
}

/** The `User` folder of VS Code, found as VS Code finds it. */
export function findHome(environment: Environment): string {
  if (environment.VSCODE_PORTABLE) return resolve(environment.VSCODE_PORTABLE, 'user-data', 'User')
  return resolve(environment.VSCODE_APPDATA || findApplicationData(environment), 'Code', 'User')
}

function findApplicationData(environment: Environment): string {
  switch (process.platform) {
    case 'win32':
      return environment.APPDATA || join(homedir(), 'AppData', 'Roaming')
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support')
    default:
      return environment.XDG_CONFIG_HOME || join(homedir(), '.config')
  }
}

/**
 * The folder of VS Code first, even if it does not exist, then those of other existing editions.
 */
export function listUserFolders(userFolder: string): string[] {
  const data = dirname(userFolder)
  // Portable mode applies to one edition.
  if (basename(data) !== STABLE) return [userFolder]
  const others = Object.keys(EDITIONS).filter((edition) => edition !== STABLE)
  const folders = others.map((edition) => join(dirname(data), edition, basename(userFolder)))
  return [userFolder, ...folders.filter((folder) => existsSync(folder))]
}

/** The `User` folder of a chat, by the number of levels in between. */
function findUserFolder(chatPath: string): string {
  const chats = dirname(chatPath)
  return chats.endsWith(EMPTY_WINDOW_FOLDER)
    ? dirname(dirname(chats))
    : dirname(dirname(dirname(chats)))
}

export function nameCommand(chatPath: string): string {
  return EDITIONS[basename(dirname(findUserFolder(chatPath)))] ?? 'code'
}

/** Whether the edition that keeps the chat is running. */
export function isEditorRunning(chatPath: string): boolean {
  try {
    const lock = join(dirname(findUserFolder(chatPath)), 'code.lock')
    return isRunning(Number.parseInt(readInputFile(lock).toString('utf8'), 10))
  } catch {
    // It was never started, or is closed.
    return false
  }
}

/** Whether any edition keeps chats in the folder. */
export function isChatFolder(folder: string): boolean {
  const isOfWorkspace =
    basename(folder) === CHATS_FOLDER && basename(dirname(dirname(folder))) === WORKSPACES_FOLDER
  return isOfWorkspace || folder.endsWith(EMPTY_WINDOW_FOLDER)
}

export function listWorkspaces(userFolder: string): string[] {
  const folder = join(userFolder, WORKSPACES_FOLDER)
  return listFolder(folder).flatMap((entry) =>
    entry.isDirectory() ? [join(folder, entry.name)] : [],
  )
}

/**
 * The folder of the workspace that a chat belongs to. Undefined for a chat without a workspace, and
 * for folders on other machines.
 */
export function findWorkspaceFolder(chatPath: string): string | undefined {
  const chats = dirname(chatPath)
  return basename(chats) === CHATS_FOLDER ? readWorkspaceFolder(dirname(chats)) : undefined
}

export function readWorkspaceFolder(workspace: string): string | undefined {
  try {
    const url = asText(parseObject(readInputFile(join(workspace, 'workspace.json')))?.folder)
    return url?.startsWith('file://') ? fileURLToPath(url) : undefined
  } catch {
    // The file is missing, or its path is not of this platform.
    return undefined
  }
}
