/** What a replay has to know of a recording again and again, found once. */
import {
  type Conversation,
  createTokenCounter,
  findModel,
  type Message,
  type Model,
  type TokenCounter,
} from '@precis/core'
import { formats } from '@precis/core/formats'
import { readConversationItems } from '../items/conversation-items.ts'
import { renderItems } from '../items/item.ts'
import { type KnownItem, knowEntities } from '../recording.ts'
import { sum } from '../sum.ts'
import { Mentions } from './mentions.ts'
import { listKeyOf, type RecordedSession, type RecordedStep } from './recorded-session.ts'

export interface MeasuredSession {
  readonly recorded: RecordedSession
  readonly model: Model
  readonly counter: TokenCounter
  /** System prompt and tool schemas. */
  readonly fixedTokens: number
  readonly steps: readonly MeasuredStep[]
  /** All items of the recording, in order. */
  readonly items: readonly KnownItem[]
  readonly mentions: Mentions
  /** Tokens of messages as the API has them, also of those that a compression wrote; without what is fixed. */
  countNatives(natives: readonly object[]): number
  /** The text of a history, as it is scored. */
  render(natives: readonly object[]): string
}

export interface MeasuredStep extends RecordedStep {
  readonly inputTokens: number
  readonly answerTokens: number
  /** Position of the first item of the answer. */
  readonly answerItem: number
}

/** `modelId` stands in for the recorded model. */
export function measureSession(recorded: RecordedSession, modelId = recorded.model): MeasuredSession {
  const model = findModel(modelId)
  const counter = createTokenCounter(model)
  const { requestFormat, workingDirectory } = recorded
  const parse = (natives: readonly object[]) => formats[requestFormat].parse({ [listKeyOf(requestFormat)]: natives })
  const countAll = (conversation: Conversation) =>
    sum(conversation.messages.map((message) => counter.countMessage(message).upper))
  const countNatives = (natives: readonly object[]) => (natives.length === 0 ? 0 : countAll(parse(natives)))
  const items: KnownItem[] = []
  const addItems = (messages: readonly Message[]) => {
    for (const item of knowEntities(readConversationItems({ messages }), workingDirectory)) items.push(item)
  }
  const steps = recorded.steps.map((step) => {
    const firstAnswer = step.messages.findIndex(({ role }) => role === 'assistant')
    addItems(step.messages.slice(0, firstAnswer))
    const answerItem = items.length
    addItems(step.messages.slice(firstAnswer))
    return {
      ...step,
      answerItem,
      inputTokens: countNatives(step.input),
      answerTokens: countNatives(step.answer),
    }
  })
  const body = { [listKeyOf(requestFormat)]: [], ...bodyOf(recorded) }
  return {
    recorded,
    model,
    counter,
    steps,
    items,
    mentions: new Mentions(items),
    countNatives,
    fixedTokens: counter.countConversation(formats[requestFormat].parse(body)).upper,
    render: (natives) => renderItems(readConversationItems(parse(natives))),
  }
}

/** System prompt and tools under the names that they have in a request. */
function bodyOf({ requestFormat, system, tools }: RecordedSession): Record<string, unknown> {
  const key =
    { 'openai-responses': 'instructions', 'gemini-contents': 'systemInstruction' }[String(requestFormat)] ?? 'system'
  return { ...(system !== undefined && { [key]: system }), ...(tools.length > 0 && { tools }) }
}
