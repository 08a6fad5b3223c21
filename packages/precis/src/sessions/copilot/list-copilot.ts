/**
 * Chats with GitHub Copilot below the `User` folder of VS Code:
 *
 *   workspaceStorage/<hash>/workspace.json                  the folder of the workspace
 *   workspaceStorage/<hash>/chatSessions/<id>.jsonl         since 1.109; before it .json
 *   globalStorage/emptyWindowChatSessions/<id>.jsonl        chats of windows without a folder
 */
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readInputFile } from '../../input-file.ts'
import { asText, parseObject } from '../lines.ts'
import type { SessionFile } from '../session-file.ts'
import { CHATS_FOLDER, EMPTY_WINDOW_FOLDER, WORKSPACES_FOLDER } from './chat-folders.ts'
import { listUserFolders } from './user-folders.ts'

const SESSION_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl?$/i

/** Of all editions of VS Code beside this one. */
export function listCopilotSessions(userFolder: string): SessionFile[] {
  return listUserFolders(userFolder).flatMap(listChats)
}

/** Where a session has both forms, VS Code reads the log. */
function listChats(userFolder: string): SessionFile[] {
  const folders = listWorkspaces(userFolder).map((folder) => join(folder, CHATS_FOLDER))
  return [...folders, join(userFolder, EMPTY_WINDOW_FOLDER)].flatMap((folder) => {
    const names = new Set(list(folder).flatMap((entry) => (entry.isFile() ? [entry.name] : [])))
    return [...names].filter((name) => !names.has(`${name}l`)).flatMap((name) => describeFile(folder, name))
  })
}

export function listWorkspaces(userFolder: string): string[] {
  const folder = join(userFolder, WORKSPACES_FOLDER)
  return list(folder).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))
}

function describeFile(folder: string, name: string): SessionFile[] {
  const id = SESSION_FILE.exec(name)?.[1]
  const path = join(folder, name)
  const stats = id === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
  return id !== undefined && stats ? [{ agent: 'copilot', id, path, bytes: stats.size, modified: stats.mtime }] : []
}

/** The folder of the workspace that a chat belongs to; undefined for one without, and for folders on other machines. */
export function findWorkspaceFolder(chatPath: string): string | undefined {
  const chats = dirname(chatPath)
  return basename(chats) === CHATS_FOLDER ? readWorkspaceFolder(dirname(chats)) : undefined
}

export function readWorkspaceFolder(workspace: string): string | undefined {
  try {
    const url = asText(parseObject(readInputFile(join(workspace, 'workspace.json')))?.folder)
    return url?.startsWith('file://') ? fileURLToPath(url) : undefined
  } catch {
    // Nothing there, or no path of this platform.
    return undefined
  }
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // VS Code is not installed, or has no chats there.
    return []
  }
}
