import { basename, dirname, join } from 'node:path'
import { CHATS, findChatsFolder } from './project-folder.ts'
import { isLogFile } from './stored-chat.ts'

/**
 * A name under which Gemini CLI finds the new chat, beside the original where that is a chat of a project. What was
 * one object stays one: a log goes on line by line, and must begin as one.
 */
export function placeChat(
  projectsDirectory: string,
  originalPath: string | undefined,
  directory: string,
  sessionId: string,
  time: Date,
): string {
  const original = originalPath === undefined ? undefined : dirname(originalPath)
  const isAtHome =
    original !== undefined && basename(original) === CHATS && dirname(dirname(original)) === projectsDirectory
  const folder = isAtHome ? original : findChatsFolder(projectsDirectory, directory)
  const extension = originalPath === undefined || isLogFile(originalPath) ? 'jsonl' : 'json'
  const start = time.toISOString().slice(0, 16).replace(':', '-')
  return join(folder, `session-${start}-${sessionId.slice(0, 8)}.${extension}`)
}
