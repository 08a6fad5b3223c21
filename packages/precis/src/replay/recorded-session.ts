/**
 * A recorded session as its agent could have sent it, had its window been large enough: request by
 * request, the compactions of the agent's own undone.
 *
 *   step 1                      step 2                     step 3
 *   input ──► answer (calls)    input (results) ──► answer  …
 */
import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import {
  type Conversation,
  createTokenCounter,
  findModel,
  type Message,
  type TokenCounter,
} from '@precis/core'
import type { RequestFormat } from '@precis/core/context'
import { formats } from '@precis/core/formats'
import type { TimedMessage } from '../agents/shared/agent.ts'
import { asObject } from '../files/lines.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { readTimeline } from '../sessions/load-session.ts'
import { findRecordedContext, findUsedWindow } from '../sessions/recorded-context.ts'
import type { Entity } from './entities.ts'
import { type KnownItem, knowEntities, readConversationItems, renderItems } from './items.ts'

/**
 * The messages since the last answer, and the answer to them, both in the shape of the provider's
 * API.
 */
export interface RecordedStep {
  readonly input: readonly object[]
  readonly answer: readonly object[]
  readonly messages: readonly Message[]
  /** When the request was sent. Undefined if the format has no times. */
  readonly timeMs: number | undefined
  /** Whether it has words of the user. */
  readonly startsTurn: boolean
}

export type RecordedSession = ReturnType<typeof readRecordedSession>

/**
 * Reads the whole document. Messages after the last answer are left out, because no answer to them
 * was recorded.
 */
export function readRecordedSession(session: LoadedSession) {
  const { conversation, format } = session
  const requestFormat = findRequestFormat(conversation, format.name)
  const { timed, compactions } = readTimeline(session)
  const recordedCounter = createTokenCounter(findModel(conversation.model ?? ''))
  const apart = timed.flatMap(({ message }) => (isApart(message) ? [message] : []))
  const steps = splitSteps(
    timed.filter(({ message }) => !isApart(message)),
    (messages) => toNatives(requestFormat, conversation, messages),
  )
  return {
    name: session.name,
    format: format.name,
    requestFormat,
    model: conversation.model ?? '',
    system: readSystem(requestFormat, apart),
    tools: readTools(requestFormat, conversation.tools),
    workingDirectory: conversation.workingDirectory ?? '',
    steps,
    /** What the agent took for the window of the model. */
    windowTokens: findUsedWindow(session, findModel(conversation.model ?? '')),
    /** Tokens that the agent adds to every request. 0 if the recorded usage does not show them. */
    notInFileTokens: findRecordedContext(session, recordedCounter)?.notInFileTokens ?? 0,
    /** The number of the agent's automatic compactions. Their summaries are left out. */
    compactions,
    hasTimes: steps.some(({ timeMs }) => timeMs !== undefined),
  }
}

/**
 * A session of an agent is sent in the format of its provider, and any other session in its own
 * format.
 */
function findRequestFormat({ protocol }: Conversation, name: string): RequestFormat {
  return name === 'ai-sdk' || name === 'langchain' ? name : protocol
}

function splitSteps(
  timed: readonly TimedMessage[],
  encode: (messages: readonly Message[]) => readonly object[],
): RecordedStep[] {
  const steps: RecordedStep[] = []
  let start = 0
  while (start < timed.length) {
    let middle = start
    while (middle < timed.length && timed[middle]?.message.role !== 'assistant') middle++
    let end = middle
    while (end < timed.length && timed[end]?.message.role === 'assistant') end++
    if (middle === end) break
    const messages = timed.slice(start, end).map(({ message }) => message)
    const input = messages.slice(0, middle - start)
    steps.push({
      input: encode(input),
      answer: encode(messages.slice(input.length)),
      messages,
      timeMs: timed.slice(start, middle).at(-1)?.timeMs ?? timed[middle]?.timeMs,
      startsTurn: input.some(({ role, origin }) => role === 'user' && origin === 'user'),
    })
    start = end
  }
  return steps
}

/** The names of the list of messages and of the system prompt in a request. */
function keysOf(format: RequestFormat): typeof USUAL_KEYS {
  return REQUEST_KEYS[format] ?? USUAL_KEYS
}

const USUAL_KEYS = { messages: 'messages', system: 'system' }
const REQUEST_KEYS: Readonly<Partial<Record<RequestFormat, typeof USUAL_KEYS>>> = {
  'openai-responses': { messages: 'input', system: 'instructions' },
  'gemini-contents': { messages: 'contents', system: 'systemInstruction' },
}

function toNatives(
  format: RequestFormat,
  conversation: Conversation,
  messages: readonly Message[],
): readonly object[] {
  if (messages.length === 0) return []
  const { document: _, ...facts } = conversation
  const fresh = messages.map(({ records: _records, ...message }) => message as Message)
  const body = asObject(formats[format].serialize({ ...facts, messages: fresh }))
  const natives = body?.[keysOf(format).messages]
  return Array.isArray(natives) ? natives : []
}

/** A system prompt kept apart is in no record of the list. */
function isApart({ role, records }: Message): boolean {
  return role === 'system' && records?.length === 0
}

function readSystem(format: RequestFormat, apart: readonly Message[]): unknown {
  const texts = apart.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  )
  if (texts.length === 0) return undefined
  const text = texts.join('\n\n')
  return format === 'gemini-contents' ? { parts: [{ text }] } : text
}

function readTools(format: RequestFormat, tools: readonly string[]): readonly object[] {
  const schemas = tools
    .map((text) => asObject(JSON.parse(text)))
    .filter((tool) => tool !== undefined)
  return format === 'gemini-contents' && schemas.length > 0
    ? [{ functionDeclarations: schemas }]
    : schemas
}

/** The facts of a recording that a replay needs again and again, found once. */
export type MeasuredSession = ReturnType<typeof measureSession>

export interface MeasuredStep extends RecordedStep {
  readonly inputTokens: number
  readonly answerTokens: number
  /** Position of the first item of the answer. */
  readonly answerItem: number
}

/** `modelId` replaces the recorded model. */
export function measureSession(recorded: RecordedSession, modelId = recorded.model) {
  const model = findModel(modelId)
  const counter = createTokenCounter(model)
  const { requestFormat, workingDirectory } = recorded
  const keys = keysOf(requestFormat)
  const parse = (natives: readonly object[], others = {}) =>
    formats[requestFormat].parse({ [keys.messages]: natives, ...others })
  const { countNatives, countRecorded } = countBoth(counter, parse)
  const items: KnownItem[] = []
  const addItems = (messages: readonly Message[]) => {
    for (const item of knowEntities(readConversationItems({ messages }), workingDirectory))
      items.push(item)
  }
  const steps = recorded.steps.map((step): MeasuredStep => {
    const firstAnswer = step.messages.findIndex(({ role }) => role === 'assistant')
    addItems(step.messages.slice(0, firstAnswer))
    const answerItem = items.length
    addItems(step.messages.slice(firstAnswer))
    const inputTokens = countRecorded(step.input, step.messages.slice(0, firstAnswer))
    return {
      ...step,
      answerItem,
      inputTokens,
      answerTokens: countRecorded(step.answer, step.messages.slice(firstAnswer)),
    }
  })
  const { system, tools } = recorded
  // Unknown for another model.
  const notInFileTokens = modelId === recorded.model ? recorded.notInFileTokens : 0
  const fixed = {
    ...(system !== undefined && { [keys.system]: system }),
    ...(tools.length > 0 && { tools }),
  }
  return {
    recorded,
    model,
    counter,
    steps,
    items,
    mentions: new Mentions(items),
    /**
     * Tokens of messages in the shape of the API, including those that a compression wrote, without
     * fixed parts.
     */
    countNatives,
    fixedTokens: counter.countConversation(parse([], fixed)).upper + notInFileTokens,
    notInFileTokens,
    windowTokens: modelId === recorded.model ? recorded.windowTokens : model.contextWindowTokens,
    /** The text of a history, as it is scored. */
    render: (natives: readonly object[]) => renderItems(readConversationItems(parse(natives))),
  }
}

/** Counts messages as they were recorded, and copies of them in the shape of the API. */
function countBoth(
  counter: TokenCounter,
  parse: (natives: readonly object[]) => Pick<Conversation, 'messages'>,
) {
  // Tokens of the recorded messages that their copies lack, such as the seals of reasoning.
  const extraTokens = new WeakMap<object, number>()
  const countAll = (messages: readonly Message[]) =>
    sum(messages.map((message) => counter.countMessage(message).upper))
  const countCopies = (natives: readonly object[]) =>
    natives.length === 0 ? 0 : countAll(parse(natives).messages)
  return {
    countNatives: (natives: readonly object[]) =>
      countCopies(natives) + sum(natives.map((native) => extraTokens.get(native) ?? 0)),
    countRecorded: (natives: readonly object[], messages: readonly Message[]): number => {
      const tokens = countAll(messages)
      const [first] = natives
      if (first) extraTokens.set(first, tokens - countCopies(natives))
      return tokens
    },
  }
}

// A name is looked up with a dozen of its places, because some items with the name have no words
// around it.
const MOST_PLACES = 200

/** The places of each name of a recording, so that it is not read again at every compression. */
export class Mentions {
  readonly #items: readonly KnownItem[]
  readonly #places = new Map<Entity, ItemPlace[]>()

  constructor(items: readonly KnownItem[]) {
    this.#items = items
    for (const [index, item] of items.entries()) {
      for (const entity of item.entities) this.#add(entity, index, item)
    }
  }

  /**
   * From the items before `end`, in order: the newest with one of the names, and the smallest with
   * each.
   */
  findBefore(end: number, names: Iterable<Entity>): KnownItem[] {
    const found = new Set<number>()
    for (const name of names) {
      const places = this.#places.get(name) ?? []
      const count = places.findLastIndex(({ index }) => index < end) + 1
      for (const { index } of places.slice(Math.max(count - MOST_PLACES, 0), count))
        found.add(index)
      const smallest = places[count - 1]?.smallest
      if (smallest !== undefined) found.add(smallest)
    }
    return [...found].sort((a, b) => a - b).flatMap((index) => this.#items[index] ?? [])
  }

  #add(entity: Entity, index: number, { text }: KnownItem): void {
    const places = this.#places.get(entity) ?? []
    if (places.length === 0) this.#places.set(entity, places)
    const before = places.at(-1)?.smallest
    const isSmaller = before === undefined || text.length < (this.#items[before]?.text.length ?? 0)
    places.push({ index, smallest: isSmaller ? index : before })
  }
}

interface ItemPlace {
  readonly index: number
  /** The shortest item up to here that has the name, the oldest of equals. */
  readonly smallest: number
}

const MOST_SHARE = 1 / 5
const LEAST_TOKENS = 1000

/** The reserve for the answer. An agent knows the length of its answers, and asks for that much. */
export function chooseReserve(steps: readonly MeasuredStep[], windowTokens: number): number {
  const largest = steps.reduce(
    (most, { answerTokens }) => Math.max(most, answerTokens),
    LEAST_TOKENS,
  )
  return Math.floor(Math.min(largest, windowTokens * MOST_SHARE))
}

/** 0 for an empty list. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
