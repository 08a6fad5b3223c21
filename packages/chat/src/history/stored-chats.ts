/** The chats on this machine. Each is one file, in a folder for its working directory. */
import { hash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ByteSource } from '@precis/core/formats'
import { ChatError, readErrorCode } from '../contract/chat-agent.ts'
import type { Damage, FilePort } from '../contract/ports.ts'
import { ChatHistory } from './chat-history.ts'
import { type ChatHeader, HISTORY_VERSION, parseHistoryEntry } from './history-entry.ts'

/** A chat that can be continued. */
export interface ListedChat
  extends ChatPath,
    Pick<ChatHeader, 'workingDirectory' | 'model' | 'isDemo'> {
  readonly firstPrompt: string | undefined
}

interface ChatPath {
  readonly id: string
  readonly path: string
  readonly modified: Date
}

const CHAT_FILE = /^([0-9a-f]{12})\.jsonl$/
const CHAT_PREFIX = /^[0-9a-f]{3,12}$/i

/** One folder per working directory, because chats are listed by it. */
export function findChatFolder(workingDirectory: string, { chatsFolder }: FilePort): string {
  const name = basename(workingDirectory)
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 40)
  return join(chatsFolder, `${name}-${hash('sha256', workingDirectory).slice(0, 10)}`)
}

/** Chats of one working directory, latest first. Reads the beginning of each file. */
export function listChats(workingDirectory: string, files: FilePort): ListedChat[] {
  return listPaths(findChatFolder(workingDirectory, files), files).flatMap(
    (chat) => describeChat(chat, files) ?? [],
  )
}

/**
 * Finds a chat of any working directory by path, id or the beginning of an id. Undefined if there
 * is none.
 */
export function findChat(name: string, files: FilePort): ListedChat | undefined {
  const stats = name.endsWith('.jsonl') && existsSync(name) ? statSync(name) : undefined
  const given = stats?.isFile()
    ? describeChat({ id: '', path: name, modified: stats.mtime }, files)
    : undefined
  if (given) return given
  if (!CHAT_PREFIX.test(name)) return undefined
  const folders = listFolder(files.chatsFolder, files).map((folder) =>
    join(files.chatsFolder, folder),
  )
  const chats = folders.flatMap((folder) => listPaths(folder, files))
  const [match, ...others] = chats.filter(({ id }) => id.startsWith(name.toLowerCase()))
  if (!match) return undefined
  if (others.length === 0) return describeChat(match, files)
  const ids = [match, ...others].slice(0, 10).map(({ id }) => id)
  throw new ChatError(
    'ambiguous-session',
    `Finding chat "${name}": ${others.length + 1} chats start like this. Give more of the id: ${ids.join(', ')}.`,
  )
}

function describeChat(chat: ChatPath, files: FilePort): ListedChat | undefined {
  const head = readChatHead(chat.path, files)
  if (!head) return undefined
  const { id, workingDirectory, model, isDemo } = head.header
  return { ...chat, id, workingDirectory, model, isDemo, firstPrompt: head.firstPrompt }
}

function listPaths(folder: string, files: FilePort): ChatPath[] {
  const paths = listFolder(folder, files).flatMap((name) => {
    const id = CHAT_FILE.exec(name)?.[1]
    const path = join(folder, name)
    const stats = id === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
    return id !== undefined && stats ? [{ id, path, modified: stats.mtime }] : []
  })
  return paths.sort((a, b) => b.modified.getTime() - a.modified.getTime())
}

function listFolder(folder: string, { explainError }: FilePort): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(readErrorCode(error) ?? '')) return []
    throw new ChatError('unreadable', `Listing chats in "${folder}": ${explainError(error)}.`)
  }
}

const MOST_LINE_NUMBERS = 10

// As precis writes it.
const MESSAGE_LINE = Buffer.from('{"type":"message"')

/**
 * Reads a history file. Throws `ChatError` if it cannot be read, or is not a chat. Leaves out torn
 * lines.
 */
export function readChat(path: string, files: FilePort) {
  return withSource(path, files, (source) => {
    const wholeBytes = findWholeEnd(source)
    const history = new ChatHistory()
    let header: ChatHeader | undefined
    let newest: Pick<ChatHeader, 'model' | 'windowTokens'> | undefined
    let lineNumber = 0
    let lines = 0
    const lineNumbers: number[] = []
    for (const line of files.readLines(source, 0, wholeBytes)) {
      const value = parseJson(line)
      const entry = parseHistoryEntry(value)
      lineNumber++
      const isMessage = line.subarray(0, MESSAGE_LINE.length).equals(MESSAGE_LINE)
      const isDamaged =
        !entry && (isMessage || (value === undefined && line.toString('utf8').trim() !== ''))
      if (isDamaged && ++lines <= MOST_LINE_NUMBERS) lineNumbers.push(lineNumber)
      // The messages behind it keep their numbers, also in a file without numbers.
      if (isDamaged && isMessage) history.skipTo(history.all.length + 1)
      if (!entry) continue
      if (entry.type === 'chat') header ??= checkVersion(entry, path)
      if (entry.type === 'chat' || entry.type === 'model') newest = entry
      history.apply(entry)
    }
    if (!header)
      throw new ChatError('unreadable', `Reading the chat "${path}": it does not begin like one.`)
    const { model, windowTokens } = newest ?? header
    const damage: Damage = { lines, lineNumbers, cutOffBytes: source.byteLength - wholeBytes }
    return { history, model, windowTokens, wholeBytes, damage }
  })
}

const HEAD_BYTES = 1 << 20

/** Reads only the beginning of the file. Undefined if it is not a chat. */
function readChatHead(path: string, files: FilePort) {
  return withSource(path, files, (source) => {
    let header: ChatHeader | undefined
    for (const line of files.readLines(source, 0, Math.min(source.byteLength, HEAD_BYTES))) {
      const entry = parseHistoryEntry(parseJson(line))
      if (entry?.type === 'chat') header ??= entry
      if (!header) return undefined
      if (entry?.type !== 'message' || entry.message.role !== 'user') continue
      const { content } = entry.message
      const firstPrompt =
        typeof content === 'string' ? content : content.find((part) => part.type === 'text')?.text
      return { header, firstPrompt }
    }
    return header && { header, firstPrompt: undefined }
  })
}

/** Undefined for anything but a JSON object. */
function parseJson(line: Buffer): object | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function checkVersion(header: ChatHeader, path: string): ChatHeader {
  if (header.version <= HISTORY_VERSION) return header
  throw new ChatError(
    'unreadable',
    `Reading the chat "${path}": a newer version of precis wrote it.`,
  )
}

function withSource<T>(path: string, files: FilePort, read: (source: ByteSource) => T): T {
  let descriptor: number
  try {
    descriptor = files.open(path)
  } catch (error) {
    throw new ChatError('unreadable', `Reading the chat "${path}": ${files.explainError(error)}.`)
  }
  try {
    return read({
      byteLength: fstatSync(descriptor).size,
      read: (start, end) => {
        const buffer = new Uint8Array(end - start)
        return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, start))
      },
    })
  } finally {
    closeSync(descriptor)
  }
}

const TAIL_BYTES = 1 << 16
const LINE_FEED = 0x0a
const LONGEST_TAIL_BYTES = 32 << 20

/**
 * The position after the last complete entry. A line without an end is an incomplete write, unless
 * only its line feed is missing, which some editors take away.
 */
function findWholeEnd(source: ByteSource): number {
  const { byteLength } = source
  const whole = findLastLineEnd(source)
  if (byteLength - whole > LONGEST_TAIL_BYTES) return whole
  const tail = Buffer.from(source.read(whole, byteLength))
  return parseHistoryEntry(parseJson(tail)) ? byteLength : whole
}

function findLastLineEnd(source: ByteSource): number {
  for (let end = source.byteLength; end > 0; end -= TAIL_BYTES) {
    const start = Math.max(0, end - TAIL_BYTES)
    const at = source.read(start, end).lastIndexOf(LINE_FEED)
    if (at >= 0) return start + at + 1
  }
  return 0
}
