import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Protocol } from '@precis/core'
import { toModelMessages } from '@precis/core/formats'
import type { ModelMessage } from 'ai'
import { loadSession, STANDARD_INPUT } from '../sessions/load-session.ts'
import { SessionError } from '../sessions/session-error.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import type { ResumedChat } from './chat-agent.ts'
import { type ChatFile, openChatFile } from './history/chat-file.ts'
import { type ChatHistory, createChatHistory } from './history/chat-history.ts'
import type { ChatHeader } from './history/history-entry.ts'
import { findChat, findChatFolder, type ListedChat, listChats } from './history/list-chats.ts'
import { readChat } from './history/read-chat.ts'

/** Where a chat begins. */
export interface ChatBeginning {
  readonly id: string
  readonly history: ChatHistory
  /** Undefined when the disk takes none, with the reason. */
  readonly file: ChatFile | undefined
  readonly fileError: Error | undefined
  /** In the file already. */
  readonly isStored: boolean
  /** The one it was held with, and its window where the catalogue was overruled. */
  readonly model: string | undefined
  readonly windowTokens: number | undefined
  /** For the history, when it comes from elsewhere. */
  readonly messages: (protocol: Protocol) => readonly ModelMessage[]
  readonly from: ChatHeader['from'] | undefined
  readonly resumed: Omit<ResumedChat, 'messages' | 'repairedCalls'> | undefined
  /** Ends the reading of an agent's session, once `messages` were taken. */
  readonly closeSource: () => void
}

export interface BeginningOptions {
  readonly resume: true | string | undefined
  readonly isDemo: boolean
  readonly workingDirectory: string
  readonly chatsFolder: string
}

/** Opens a new chat, or one to go on with. Throws `SessionError` when it is not there, or open elsewhere. */
export async function beginChat(options: BeginningOptions): Promise<ChatBeginning> {
  const { resume } = options
  if (resume === undefined) return createBeginning(options)
  if (resume !== true) {
    const chat = findChat(resume, options.chatsFolder)
    return chat ? continueChat(chat) : continueSession(resume, options)
  }
  const [newest] = listChats(options.workingDirectory, options.chatsFolder).filter(
    ({ isDemo }) => isDemo === options.isDemo,
  )
  if (newest) return continueChat(newest)
  const folder = shortenHome(options.workingDirectory)
  throw new SessionError(
    'no-such-session',
    `Resuming: there is no chat of "${folder}" yet. Begin one with "precis chat", or name a session: "precis sessions" lists those of agents.`,
  )
}

function createBeginning({ workingDirectory, chatsFolder }: BeginningOptions): ChatBeginning {
  const id = randomBytes(6).toString('hex')
  const path = join(findChatFolder(workingDirectory, chatsFolder), `${id}.jsonl`)
  return {
    id,
    history: createChatHistory(),
    ...openFile(path),
    isStored: false,
    model: undefined,
    windowTokens: undefined,
    messages: () => [],
    from: undefined,
    resumed: undefined,
    closeSource: () => undefined,
  }
}

/** Without a disk that takes it a chat goes on without a history; but never beside another process. */
function openFile(path: string): { file: ChatFile | undefined; fileError: Error | undefined } {
  try {
    return { file: openChatFile(path), fileError: undefined }
  } catch (error) {
    if (!(error instanceof SessionError) || error.code === 'in-use') throw error
    return { file: undefined, fileError: error }
  }
}

async function continueChat({ path, id }: ListedChat): Promise<ChatBeginning> {
  const { file, fileError } = openFile(path)
  try {
    const stored = readChat(path)
    file?.cutOffAt(stored.wholeBytes)
    const { model, windowTokens, damage } = stored
    return {
      id,
      history: stored.history,
      file,
      fileError,
      isStored: true,
      model,
      windowTokens,
      messages: () => [],
      from: undefined,
      resumed: { from: 'chat', id, damage },
      closeSource: () => undefined,
    }
  } catch (error) {
    await file?.close()
    throw error
  }
}

/** A copy of an agent's session, in the form and under the rules of the model that goes on with it. */
async function continueSession(name: string, options: BeginningOptions): Promise<ChatBeginning> {
  if (name === STANDARD_INPUT) {
    throw new SessionError(
      'no-such-session',
      'Resuming "-": a chat needs standard input for itself. Give a path or an id.',
    )
  }
  const { document, conversation, format, head, damage } = await loadSession(name)
  const id = head?.sessionId ?? name
  return {
    ...createBeginning(options),
    model: conversation.model,
    messages: (protocol) => toModelMessages(conversation, protocol),
    from: { format: format.name, session: id },
    resumed: { from: format.name, id, damage },
    // What nobody has looked at yet is read from it.
    closeSource: () => document.close(),
  }
}
