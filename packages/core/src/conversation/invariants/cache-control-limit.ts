import { parseJson } from '../json-text.ts'
import { type Conversation, changeParts, type Message, type Part } from '../message.ts'
import { createInvariant, withMessages } from './invariant.ts'

// "A maximum of 4 blocks with cache_control may be provided" (Anthropic), including tools and
// system prompt.
const MAX_MARKS = 4

/**
 * At most four blocks have `cache_control`. Repair removes the oldest marks of messages, because
 * the latest ones cache the most.
 */
export const cacheControlLimit = createInvariant({
  rule: 'cache-control-limit',
  protocols: ['anthropic-messages'],
  find: (conversation) => {
    const marked = findMarked(conversation)
    const count = marked.length + countToolMarks(conversation)
    const last = marked.at(-1)
    if (count <= MAX_MARKS || !last) return []
    const detail = `${count} blocks carry cache_control, ${MAX_MARKS} are allowed`
    return [{ message: last.message, detail }]
  },
  repair: (conversation) => {
    const marked = findMarked(conversation)
    const surplus = marked.length + countToolMarks(conversation) - MAX_MARKS
    if (surplus <= 0 || marked.length === 0) return conversation
    const system = marked.filter(({ message }) => conversation.messages[message]?.role === 'system')
    const others = marked.filter(({ message }) => conversation.messages[message]?.role !== 'system')
    const losing = new Set(
      [...others, ...system].slice(0, surplus).map(({ message, part }) => `${message} ${part}`),
    )
    return withMessages(
      conversation,
      conversation.messages.map((message, index) => {
        const isTouched = message.parts.some((_, part) => losing.has(`${index} ${part}`))
        return isTouched ? unmark(message, (part) => losing.has(`${index} ${part}`)) : message
      }),
    )
  },
})

interface MarkSite {
  readonly message: number
  readonly part: number
}

function findMarked({ messages }: Conversation): MarkSite[] {
  const marked: MarkSite[] = []
  messages.forEach(({ parts }, message) => {
    parts.forEach((part, position) => {
      if (isMarked(part.native)) marked.push({ message, part: position })
    })
  })
  return marked
}

function isMarked(native: unknown): native is { readonly cache_control: unknown } {
  return (
    typeof native === 'object' &&
    native !== null &&
    'cache_control' in native &&
    native.cache_control != null
  )
}

function countToolMarks({ tools }: Conversation): number {
  return tools.filter((tool) => tool.includes('"cache_control"') && isMarked(parseJson(tool)))
    .length
}

function unmark(message: Message, losesMark: (part: number) => boolean): Message {
  const strip = <P extends Part>(part: P, index: number): P => {
    if (!losesMark(index) || !isMarked(part.native)) return part
    const { cache_control: _, ...native } = part.native
    return { ...part, native }
  }
  return changeParts(message, (parts) => parts.map(strip))
}
