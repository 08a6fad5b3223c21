import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Protocol } from '@precis/core/conversation'
import type { ContextWindow } from '@precis/core/models'
import type { ModelMessage } from 'ai'
import { ChatError, type ChatOptions, type ResumedChat } from '../contract/chat-agent.ts'
import type { FilePort } from '../contract/ports.ts'
import type { ChatHeader } from '../history/history-entry.ts'
import { ChatJournal } from '../history/journal.ts'
import {
  findChat,
  findChatFolder,
  type ListedChat,
  listChats,
  readChat,
} from '../history/stored-chats.ts'

/** Where a chat begins. */
export interface ChatBeginning extends Partial<ContextWindow> {
  readonly id: string
  readonly journal: ChatJournal
  /** Whether the file exists already. */
  readonly isStored?: boolean
  /** The model of the earlier chat, with its window if the user set one. */
  readonly model?: string
  /** For the history, if it comes from another session. */
  readonly messages?: (protocol: Protocol) => readonly ModelMessage[]
  readonly from?: ChatHeader['from']
  readonly resumed?: Omit<ResumedChat, 'messages' | 'repairedCalls'>
  /** Closes the file of an agent's session after `messages` were read. */
  readonly closeSource?: () => void
}

type BeginningOptions = Pick<ChatOptions, 'resume' | 'isDemo' | 'workingDirectory' | 'ports'>

/**
 * Opens a new chat, or a chat to continue. Rejects with an error that has a code if it is missing,
 * or open elsewhere.
 */
export async function beginChat(options: BeginningOptions): Promise<ChatBeginning> {
  const { resume, workingDirectory, ports } = options
  const { files, terminal } = ports
  if (resume === undefined) return createBeginning(options)
  if (resume !== true) {
    const chat = findChat(resume, files)
    return chat ? continueChat(chat, files) : continueSession(resume, options)
  }
  const newest = listChats(workingDirectory, files).find(({ isDemo }) => isDemo === options.isDemo)
  if (newest) return continueChat(newest, files)
  const folder = terminal.shortenHome(workingDirectory)
  throw new ChatError(
    'no-such-session',
    `Resuming: there is no chat of "${folder}" yet. Begin one with "precis chat", or name a session: "precis sessions" lists those of agents.`,
  )
}

function createBeginning({ workingDirectory, ports: { files } }: BeginningOptions): ChatBeginning {
  const id = randomBytes(6).toString('hex')
  return {
    id,
    journal: new ChatJournal(join(findChatFolder(workingDirectory, files), `${id}.jsonl`), files),
  }
}

async function continueChat({ path, id }: ListedChat, files: FilePort): Promise<ChatBeginning> {
  const journal = new ChatJournal(path, files)
  try {
    const { history, wholeBytes, model, windowTokens, damage } = readChat(path, files)
    journal.goOn(history, wholeBytes)
    return {
      id,
      journal,
      isStored: true,
      model,
      windowTokens,
      resumed: { from: 'chat', id, damage },
    }
  } catch (error) {
    await journal.close()
    throw error
  }
}

/** A copy of an agent's session, in the form and under the rules of the model that continues it. */
async function continueSession(name: string, options: BeginningOptions): Promise<ChatBeginning> {
  if (name === '-') {
    const advice = 'a chat needs standard input for itself. Give a path or an id.'
    throw new ChatError('no-such-session', `Resuming "-": ${advice}`)
  }
  const { id, format, model, damage, messages, close } = await options.ports.sessions.open(name)
  return {
    ...createBeginning(options),
    model,
    messages,
    from: { format, session: id },
    resumed: { from: format, id, damage },
    closeSource: close,
  }
}
