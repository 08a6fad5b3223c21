import { type BaseMessage, coerceMessageLikeToMessage, trimMessages } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import type { Conversation } from '@precis/core'
import { formats } from '@precis/core/formats'
import { ClearToolUsesEdit } from 'langchain'
import { readConversationItems, renderItems } from '../../packages/precis/src/replay/items.ts'
import { countSize } from '../evaluation/items/size.ts'
import { type ComparedMethod, withoutRecords } from './method.ts'

const trim: ComparedMethod = {
  name: 'LangChain `trimMessages`, the last ones',
  takesSize: true,
  compress: async (conversation, size) =>
    fromMessages(
      await trimMessages(toMessages(conversation), {
        maxTokens: size,
        tokenCounter: createCounter(),
        strategy: 'last',
        startOn: 'human',
        includeSystem: true,
      }),
    ),
}

const clear: ComparedMethod = {
  name: 'LangChain `ClearToolUsesEdit`, all but 3 results',
  takesSize: false,
  compress: async (conversation) => {
    const messages = toMessages(conversation)
    const edit = new ClearToolUsesEdit({ trigger: { messages: 1 }, keep: { messages: 3 } })
    // It counts by the model only where the trigger is a share of its window.
    await edit.apply({ messages, model: new FakeListChatModel({ responses: [] }), countTokens: createCounter() })
    return fromMessages(messages)
  },
}

function toMessages(conversation: Conversation): BaseMessage[] {
  const empty = formats.langchain.parse([])
  const written = formats.langchain.serialize({ ...empty, messages: withoutRecords(conversation) }) as Parameters<
    typeof coerceMessageLikeToMessage
  >[0][]
  return written.map(coerceMessageLikeToMessage)
}

const fromMessages = (messages: readonly BaseMessage[]): Conversation => formats.langchain.parse([...messages])

/** The measure of everything here; a message is counted once, by what it says. */
function createCounter(): (messages: readonly BaseMessage[]) => number {
  const known = new Map<unknown, number>()
  const count = (message: BaseMessage) => {
    const found = known.get(message.content)
    if (found !== undefined) return found
    const size = countSize(renderItems(readConversationItems(fromMessages([message]))))
    known.set(message.content, size)
    return size
  }
  return (messages) => messages.reduce((sum, message) => sum + count(message), 0)
}

export const langChainMethods: readonly ComparedMethod[] = [trim, clear]
