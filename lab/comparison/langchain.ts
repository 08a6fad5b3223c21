import { SimpleChatModel } from '@langchain/core/language_models/chat_models'
import {
  type BaseMessage,
  coerceMessageLikeToMessage,
  getBufferString,
  trimMessages,
} from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import type { Conversation } from '@precis/core'
import { formats } from '@precis/core/formats'
import {
  ClearToolUsesEdit,
  countTokensApproximately,
  createAgent,
  summarizationMiddleware,
} from 'langchain'
import { readConversationItems, renderItems } from '../../packages/precis/src/replay/items.ts'
import { countSize } from '../evaluation/items/size.ts'
import { SUMMARY_SIZE, writeCarefulSummary } from './careful-summary.ts'
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
    await edit.apply({
      messages,
      model: new FakeListChatModel({ responses: [] }),
      countTokens: createCounter(),
    })
    return fromMessages(messages)
  },
}

/**
 * What it sends of the part that it replaces, by its documentation; and everything, for who sets
 * that.
 */
export const SENT_BY_DEFAULT = 4000
const SENT_WHOLE = Number.MAX_SAFE_INTEGER

const summarizeEmpty: ComparedMethod = {
  name: 'LangChain `summarizationMiddleware`, an empty summary',
  takesSize: false,
  stubsModel: true,
  compress: async (conversation) => {
    const { left } = await runSummarization(toMessages(conversation), '', SENT_BY_DEFAULT)
    return fromMessages(left)
  },
}

/** With the summary that `digest` writes of exactly what the middleware sends to its model. */
function createCarefulSummarization(name: string, sentTokens: number): ComparedMethod {
  return {
    name,
    takesSize: false,
    stubsModel: true,
    compress: async (conversation) => {
      const messages = toMessages(conversation)
      const { left, prompt } = await runSummarization(messages, '', sentTokens)
      if (prompt === undefined) return fromMessages(left)
      const kept = left.slice(1)
      const sent = await trimMessages(messages.slice(0, messages.length - kept.length), {
        maxTokens: sentTokens,
        tokenCounter: countTokensApproximately,
        strategy: 'last',
        allowPartial: true,
        includeSystem: true,
      })
      if (prompt !== renderPrompt(sent))
        throw new Error('Comparing: the middleware sends other messages than these.')
      const span = fromMessages(sent).messages
      const text = await writeCarefulSummary(
        conversation,
        span,
        fromMessages(kept).messages,
        SUMMARY_SIZE,
      )
      return fromMessages((await runSummarization(messages, text, sentTokens)).left)
    },
  }
}

interface Summarized {
  readonly left: readonly BaseMessage[]
  /** Undefined where it summarizes nothing. */
  readonly prompt: string | undefined
}

/**
 * An agent with the middleware, as its documentation shows it, up to the next request to its model.
 */
async function runSummarization(
  messages: readonly BaseMessage[],
  summary: string,
  sent: number,
): Promise<Summarized> {
  const summarizer = new StubbedModel(summary)
  const model = new StubbedModel('')
  const middleware = summarizationMiddleware({
    model: summarizer,
    trigger: { tokens: 1 },
    keep: { messages: 20 },
    summaryPrompt: SUMMARY_PROMPT,
    trimTokensToSummarize: sent,
  })
  await createAgent({ model, tools: [], middleware: [middleware] }).invoke({
    messages: [...messages],
  })
  const [request] = model.requests
  if (!request) throw new Error('Comparing: the agent sent no request.')
  return { left: request, prompt: summarizer.requests[0]?.map(({ text }) => text).join('') }
}

// Its own words around the messages would reach a stub alone.
const SUMMARY_PROMPT = '{messages}'

/**
 * As the middleware puts messages into its prompt: `$&` and its like in them are not themselves
 * afterwards.
 */
const renderPrompt = (messages: BaseMessage[]): string =>
  SUMMARY_PROMPT.replace(SUMMARY_PROMPT, getBufferString(messages))

/** Answers everything with one text, and keeps what it was asked. */
class StubbedModel extends SimpleChatModel {
  readonly requests: BaseMessage[][] = []

  constructor(private readonly answer: string) {
    super({})
  }

  override _llmType(): string {
    return 'stubbed'
  }

  override bindTools(): this {
    return this
  }

  override async _call(messages: BaseMessage[]): Promise<string> {
    this.requests.push(messages)
    return this.answer
  }
}

function toMessages(conversation: Conversation): BaseMessage[] {
  const empty = formats.langchain.parse([])
  const written = formats.langchain.serialize({
    ...empty,
    messages: withoutRecords(conversation),
  }) as Parameters<typeof coerceMessageLikeToMessage>[0][]
  return written.map(coerceMessageLikeToMessage)
}

const fromMessages = (messages: readonly BaseMessage[]): Conversation =>
  formats.langchain.parse([...messages])

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

export const langChainSummary = createCarefulSummarization(
  'LangChain `summarizationMiddleware`, a careful summary of the 4,000 tokens that it sends',
  SENT_BY_DEFAULT,
)

export const langChainMethods: readonly ComparedMethod[] = [
  trim,
  clear,
  summarizeEmpty,
  langChainSummary,
  createCarefulSummarization(
    'LangChain `summarizationMiddleware`, set to send everything, a careful summary of it',
    SENT_WHOLE,
  ),
]
