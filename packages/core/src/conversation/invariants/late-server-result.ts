import { findBondedParts, findEnds } from '../bonds.ts'
import { addTo } from '../lists.ts'
import type { Conversation, Message, OpaquePart, Part } from '../message.ts'
import { isOfServer } from '../read-ties.ts'
import { createInvariant, keepParts, withMessages } from './invariant.ts'

/**
 * Anthropic: "web_search tool use was found without a corresponding web_search_tool_result block",
 * and MissingToolResultsError of the AI SDK. Words of the user end the answer in which the result
 * of a provider's own call has to be. Repair moves it back to that answer.
 *
 *   server_tool_use   user   result, text      ->   server_tool_use, result   user   text
 */
export const lateServerResult = createInvariant({
  rule: 'late-server-result',
  protocols: ['anthropic-messages', 'openai-chat'],
  find: (conversation) =>
    findLate(conversation).map(({ message, part }) => ({
      message,
      detail: `${part.kind} comes after words of the user that end its answer`,
    })),
  repair: (conversation) => {
    const late = findLate(conversation)
    if (late.length === 0) return conversation
    const isLate = new Set<Part>(late.map(({ part }) => part))
    const moved = new Map<number, OpaquePart[]>()
    for (const { home, part } of late) addTo(moved, home, part)
    const messages = conversation.messages.flatMap((message, index) => {
      const left = keepParts(message, (part) => !isLate.has(part))
      const added = moved.get(index) ?? []
      if (left.role === 'assistant' && added.length > 0)
        return [{ ...left, parts: [...left.parts, ...added] }]
      return left !== message && left.parts.length === 0 ? [] : [left]
    })
    return withMessages(conversation, messages)
  },
})

/** A result, and the last message of the answer in which it has to be. */
interface LateResult {
  readonly message: number
  readonly part: OpaquePart
  readonly home: number
}

// The AI SDK carries what its provider runs as opaque parts of these kinds.
const CARRIED = new Set(['tool-call', 'tool-result'])

const isOfProvider = (part: Part): part is OpaquePart =>
  part.type === 'opaque' && (isOfServer(part) || CARRIED.has(part.kind))

function findLate({ messages, protocol }: Conversation): LateResult[] {
  const pairs = findBondedParts(messages).groups.flatMap((group) => {
    const sites = group.flatMap(({ message, part }) =>
      isOfProvider(part) ? [{ message, part }] : [],
    )
    const [call] = sites
    const result = sites.at(-1)
    return call && result && call.message < result.message ? [{ call, result }] : []
  })
  if (pairs.length === 0) return []
  const ends = protocol === 'anthropic-messages' ? findEnds(messages) : findPrompts(messages)
  const homes = findHomes(messages, ends)
  return pairs.flatMap(({ call, result }) => {
    const home = homes[call.message]
    return home && home.words < result.message ? [{ ...result, home: home.answer }] : []
  })
}

interface Home {
  /** The last message of the answer. */
  readonly answer: number
  /** The words that end it. */
  readonly words: number
}

/** For each message, the end of the answer that it is in. Undefined if no words follow. Linear. */
function findHomes(messages: readonly Message[], ends: ReadonlySet<number>): (Home | undefined)[] {
  const homes: (Home | undefined)[] = []
  let words: number | undefined
  let home: Home | undefined
  for (let index = messages.length - 1; index >= 0; index--) {
    if (ends.has(index)) words = index
    else if (messages[index]?.role === 'assistant' && words !== undefined && words !== home?.words)
      home = { answer: index, words }
    homes[index] = home
  }
  return homes
}

const findPrompts = (messages: readonly Message[]): ReadonlySet<number> =>
  new Set(
    messages.flatMap(({ role }, index) => (role === 'user' || role === 'system' ? [index] : [])),
  )
