import { basename, dirname, join } from 'node:path'
import { CHATS_FOLDER, EMPTY_WINDOW_FOLDER, WORKSPACES_FOLDER } from './chat-folders.ts'
import { listWorkspaces, readWorkspaceFolder } from './list-copilot.ts'
import { listUserFolders } from './user-folders.ts'

/**
 * A name under which VS Code finds the new chat: beside the original, else in the workspace of the directory. What was
 * one object stays one: a log must begin as one, and versions before 1.109 know no log.
 */
export function placeCopilot(
  userFolder: string,
  originalPath: string | undefined,
  directory: string | undefined,
  sessionId: string,
): string {
  const folder = originalPath !== undefined && isAtHome(originalPath) ? dirname(originalPath) : undefined
  const extension = originalPath?.endsWith('.json') ? 'json' : 'jsonl'
  return join(folder ?? findFolder(userFolder, directory), `${sessionId}.${extension}`)
}

/** Whichever edition of VS Code it is of. */
function isAtHome(chatPath: string): boolean {
  const folder = dirname(chatPath)
  const isOfWorkspace = basename(folder) === CHATS_FOLDER && basename(dirname(dirname(folder))) === WORKSPACES_FOLDER
  return isOfWorkspace || folder.endsWith(EMPTY_WINDOW_FOLDER)
}

function findFolder(userFolder: string, directory: string | undefined): string {
  const workspaces = directory === undefined ? [] : listUserFolders(userFolder).flatMap(listWorkspaces)
  const workspace = workspaces.find((folder) => readWorkspaceFolder(folder) === directory)
  return workspace === undefined ? join(userFolder, EMPTY_WINDOW_FOLDER) : join(workspace, CHATS_FOLDER)
}
