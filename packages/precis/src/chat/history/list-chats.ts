import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findUserFolders } from '../../configuration/user-folders.ts'
import { SessionError } from '../../sessions/session-error.ts'
import { explainSystemError, systemErrorCode } from '../../system-error.ts'
import { readChatHead } from './read-chat.ts'

/** A chat that can be gone on with. */
export interface ListedChat {
  readonly id: string
  readonly path: string
  readonly workingDirectory: string
  readonly model: string
  readonly isDemo: boolean
  readonly firstPrompt: string | undefined
  readonly bytes: number
  readonly modified: Date
}

interface ChatPath {
  readonly id: string
  readonly path: string
  readonly bytes: number
  readonly modified: Date
}

const CHAT_FILE = /^([0-9a-f]{12})\.jsonl$/
const CHAT_PREFIX = /^[0-9a-f]{3,12}$/i

/** One folder for each working directory, as its files have to be found by it. */
export function findChatFolder(workingDirectory: string, chatsFolder = findChatsFolder()): string {
  const name = basename(workingDirectory)
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 40)
  const hash = createHash('sha256').update(workingDirectory).digest('hex').slice(0, 10)
  return join(chatsFolder, `${name}-${hash}`)
}

export function findChatsFolder(): string {
  return join(findUserFolders().data, 'chats')
}

/** Chats of one working directory, newest first. The beginning of each file is read. */
export function listChats(workingDirectory: string, chatsFolder?: string): ListedChat[] {
  return listPaths(findChatFolder(workingDirectory, chatsFolder)).flatMap((chat) => describeChat(chat) ?? [])
}

/** A path, or an id or the beginning of one, of any working directory. Undefined when there is none. */
export function findChat(name: string, chatsFolder = findChatsFolder()): ListedChat | undefined {
  const given = existsSync(name) ? findByPath(name) : undefined
  if (given) return given
  if (!CHAT_PREFIX.test(name)) return undefined
  const chats = listFolder(chatsFolder).flatMap((folder) => listPaths(join(chatsFolder, folder)))
  const matches = chats.filter(({ id }) => id.startsWith(name.toLowerCase()))
  const [match] = matches
  if (match && matches.length === 1) return describeChat(match)
  if (!match) return undefined
  const ids = matches.slice(0, 10).map(({ id }) => id)
  throw new SessionError(
    'ambiguous-session',
    `Finding chat "${name}": ${matches.length} chats start like this. Give more of the id: ${ids.join(', ')}.`,
  )
}

function findByPath(path: string): ListedChat | undefined {
  const stats = statSync(path)
  if (!stats.isFile() || !path.endsWith('.jsonl')) return undefined
  return describeChat({ id: '', path, bytes: stats.size, modified: stats.mtime })
}

function describeChat(chat: ChatPath): ListedChat | undefined {
  const head = readChatHead(chat.path)
  if (!head) return undefined
  const { id, workingDirectory, model, isDemo } = head.header
  return { ...chat, id, workingDirectory, model, isDemo, firstPrompt: head.firstPrompt }
}

function listPaths(folder: string): ChatPath[] {
  const paths = listFolder(folder).flatMap((name) => {
    const id = CHAT_FILE.exec(name)?.[1]
    const path = join(folder, name)
    const stats = id === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
    return id !== undefined && stats ? [{ id, path, bytes: stats.size, modified: stats.mtime }] : []
  })
  return paths.sort((a, b) => b.modified.getTime() - a.modified.getTime())
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return []
    throw new SessionError('unreadable', `Listing chats in "${folder}": ${explainSystemError(error)}.`)
  }
}
