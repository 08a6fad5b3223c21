import { type BrokenBond, findBondedParts, findEnds } from '../bonds.ts'
import type { Conversation, Message, Part, TextPart } from '../message.ts'
import { partKindOf } from '../read-ties.ts'
import { INTERRUPTION, renderServed } from './call-pairs.ts'
import { createInvariant, EVERY_PROTOCOL, keepPartsOf, withMessages } from './invariant.ts'

/**
 * What a provider ran itself, required approval for or called from code must be complete: the call
 * with its result, of any type, and a request for approval with the decision. Only a call without
 * later words of the user may be pending. Repair drops a result that answers nothing, and a part that
 * is there twice. It replaces an unanswered request with words. It removes a caller that is gone from
 * its call.
 */
export const bondedPartAlone = createInvariant({
  rule: 'bonded-part-alone',
  protocols: EVERY_PROTOCOL,
  find: (conversation) =>
    findAlone(conversation).map(({ message, part, id, problem }) => ({
      message,
      detail: `${partKindOf(part)} ${PROBLEMS[problem](id)}`,
    })),
  repair: (conversation) => {
    const alone = new Map(findAlone(conversation).map(({ part, problem }) => [part, problem]))
    if (alone.size === 0) return conversation
    const isGone = (part: Part) =>
      part.type === 'opaque' && alone.has(part) && alone.get(part) !== 'unanswered'
    const left = keepPartsOf(conversation, (part) => !isGone(part))
    return withMessages(
      left,
      left.messages.map((message) =>
        message.parts.some((part: Part) => alone.has(part)) ? mend(message, alone) : message,
      ),
    )
  },
})

const PROBLEMS: Readonly<Record<BrokenBond['problem'], (id: string) => string>> = {
  unanswered: (id) => `"${id}" has no result`,
  loose: (id) => `names "${id}", which is nowhere before it`,
  repeated: (id) => `with "${id}" is there twice`,
}

function findAlone(conversation: Conversation): BrokenBond[] {
  const { messages, isContinued } = conversation
  const lastWords = findLastWords(conversation)
  const { broken, firstReference } = findBondedParts(messages)
  return broken.filter(({ problem, message }) => {
    if (problem === 'repeated') return true
    if (problem === 'unanswered') return message < lastWords
    return !isContinued && message <= firstReference
  })
}

/** The newest message that ends what the provider runs. */
const findLastWords = ({ messages, protocol }: Conversation): number =>
  protocol === 'anthropic-messages'
    ? ([...findEnds(messages)].at(-1) ?? -1)
    : messages.findLastIndex(({ role }) => role === 'user')

function mend(message: Message, alone: ReadonlyMap<Part, unknown>): Message {
  const free = <P extends Part>(part: P): P =>
    alone.has(part) ? { ...part, native: undefined, bonds: undefined, mentions: undefined } : part
  const say = <P extends Part>(part: P): P | TextPart =>
    part.type === 'opaque' && alone.has(part) ? renderServed(part, `${INTERRUPTION} `) : free(part)
  switch (message.role) {
    case 'system':
    case 'user':
      return { ...message, parts: message.parts.map(say) }
    case 'assistant':
      return { ...message, parts: message.parts.map(say) }
    case 'tool':
      return { ...message, parts: message.parts.map(free) }
  }
}
