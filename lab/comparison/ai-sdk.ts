import type { Conversation } from '@precis/core'
import { formats } from '@precis/core/formats'
import { type ModelMessage, pruneMessages } from 'ai'
import { type ComparedMethod, withoutRecords } from './method.ts'

type ToolCalls = NonNullable<Parameters<typeof pruneMessages>[0]['toolCalls']>

/** `pruneMessages` drops calls with their results, and reasoning; it asks for no size. */
function createPruning(name: string, toolCalls: ToolCalls): ComparedMethod {
  return {
    name,
    takesSize: false,
    compress: async (conversation) => {
      const messages = toModelMessages(conversation)
      return formats['ai-sdk'].parse(pruneMessages({ messages, reasoning: 'all', toolCalls }))
    },
  }
}

function toModelMessages(conversation: Conversation): ModelMessage[] {
  const empty = formats['ai-sdk'].parse([])
  return formats['ai-sdk'].serialize({
    ...empty,
    messages: withoutRecords(conversation),
  }) as ModelMessage[]
}

export const aiSdkMethods: readonly ComparedMethod[] = [
  createPruning(
    'AI SDK `pruneMessages`, calls before the last 10 messages',
    'before-last-10-messages',
  ),
  createPruning('AI SDK `pruneMessages`, all calls before the last message', 'before-last-message'),
]
