import { closeSync, fstatSync, readSync } from 'node:fs'
import type { ByteSource } from '@precis/core/formats'
import { openInputFile } from '../../input-file.ts'
import { parseObject, readLines } from '../../sessions/lines.ts'
import { type Damage, MOST_LINE_NUMBERS } from '../../sessions/load-session.ts'
import { SessionError } from '../../sessions/session-error.ts'
import { explainSystemError } from '../../system-error.ts'
import { type ChatHistory, createChatHistory } from './chat-history.ts'
import { type ChatHeader, HISTORY_VERSION, parseHistoryEntry } from './history-entry.ts'

/** A history file, read. */
export interface StoredChat {
  readonly header: ChatHeader
  readonly history: ChatHistory
  /** The newest. */
  readonly model: string
  readonly windowTokens: number | undefined
  readonly wholeBytes: number
  readonly damage: Damage
}

const LINE_FEED = 0x0a

/** Throws `SessionError` when the file cannot be read, or is not of a chat. Torn lines are left out. */
export function readChat(path: string): StoredChat {
  return withSource(path, (source) => {
    const wholeBytes = findWholeEnd(source)
    const history = createChatHistory()
    let header: ChatHeader | undefined
    let model = ''
    let windowTokens: number | undefined
    let lineNumber = 0
    let lines = 0
    const lineNumbers: number[] = []
    for (const line of readLines(source, 0, wholeBytes)) {
      const value = parseObject(line)
      const entry = value && parseHistoryEntry(value)
      lineNumber++
      if (!value && line.toString('utf8').trim() !== '' && ++lines <= MOST_LINE_NUMBERS) lineNumbers.push(lineNumber)
      if (!entry) continue
      if (entry.type === 'chat') header ??= checkVersion(entry, path)
      if (entry.type === 'chat' || entry.type === 'model') {
        model = entry.model
        windowTokens = entry.windowTokens
      }
      history.apply(entry)
    }
    if (!header) throw new SessionError('unreadable', `Reading the chat "${path}": it does not begin like one.`)
    return {
      header,
      history,
      model,
      windowTokens,
      wholeBytes,
      damage: { lines, lineNumbers, cutOffBytes: source.byteLength - wholeBytes },
    }
  })
}

const HEAD_BYTES = 1 << 20

/** Only the beginning of the file is read. Undefined when it is not of a chat. */
export function readChatHead(path: string): { header: ChatHeader; firstPrompt: string | undefined } | undefined {
  return withSource(path, (source) => {
    let header: ChatHeader | undefined
    for (const line of readLines(source, 0, Math.min(source.byteLength, HEAD_BYTES))) {
      const value = parseObject(line)
      const entry = value && parseHistoryEntry(value)
      if (entry?.type === 'chat') header ??= entry
      if (!header) return undefined
      if (entry?.type !== 'message' || entry.message.role !== 'user') continue
      const { content } = entry.message
      const text = typeof content === 'string' ? content : content.find((part) => part.type === 'text')?.text
      return { header, firstPrompt: text }
    }
    return header && { header, firstPrompt: undefined }
  })
}

function checkVersion(header: ChatHeader, path: string): ChatHeader {
  if (header.version <= HISTORY_VERSION) return header
  throw new SessionError('unreadable', `Reading the chat "${path}": a newer version of precis wrote it.`)
}

function withSource<T>(path: string, read: (source: ByteSource) => T): T {
  let descriptor: number
  try {
    descriptor = openInputFile(path)
  } catch (error) {
    throw new SessionError('unreadable', `Reading the chat "${path}": ${explainSystemError(error)}.`)
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

/** Behind the last line that ended; a line without its end was being written. */
function findWholeEnd(source: ByteSource): number {
  for (let end = source.byteLength; end > 0; end -= TAIL_BYTES) {
    const start = Math.max(0, end - TAIL_BYTES)
    const at = source.read(start, end).lastIndexOf(LINE_FEED)
    if (at >= 0) return start + at + 1
  }
  return 0
}
