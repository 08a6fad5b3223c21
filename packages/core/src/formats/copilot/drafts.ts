/** Messages split into the requests that hold them: a question, and all that is behind it up to the next one. */
import type { Message } from '../../conversation/message.ts'
import { FormatError } from '../format.ts'
import { isNativePlace } from './read-messages.ts'

export interface Draft {
  /** The request it is written over; undefined for a new one. */
  readonly source: number | undefined
  readonly messages: Message[]
}

/** `originals`: by request, what was read from it. */
export function draftRequests(
  messages: readonly Message[],
  originals: ReadonlyMap<number, readonly Message[]>,
): Draft[] {
  const drafts: Draft[] = []
  const taken = new Set<number>()
  const findSource = createFinder(originals)
  for (const message of messages) {
    if (message.role === 'system') {
      throw new FormatError(
        'cannot-serialize',
        'Writing a copilot session: found a system message. The extension makes its system prompt anew; leave it out.',
      )
    }
    const found = findSource(message)
    const source = found === undefined || taken.has(found) ? undefined : found
    const last = drafts.at(-1)
    const hadQuestion = originals.get(source ?? -1)?.[0]?.role === 'user'
    const isOpening = message.role === 'user' || !last || (source !== undefined && !hadQuestion)
    if (isOpening) drafts.push({ source, messages: [message] })
    // A new question in the place of the old one takes its request over.
    else if (last.source === undefined && source !== undefined) {
      drafts[drafts.length - 1] = { source, messages: [...last.messages, message] }
    } else {
      last.messages.push(message)
      continue
    }
    if (source !== undefined) taken.add(source)
  }
  return drafts
}

/** A part tells its request; a message of which none is left is known by its records, in order. */
function createFinder(originals: ReadonlyMap<number, readonly Message[]>): (message: Message) => number | undefined {
  const byRecords = new Map<string, number[]>()
  for (const [request, [first]] of originals) {
    const key = String(first?.records)
    const requests = byRecords.get(key)
    if (requests) requests.push(request)
    else byRecords.set(key, [request])
  }
  let previous = -1
  return ({ records, parts }) => {
    if (!records) return undefined
    const natives = parts.map((part): unknown => part.native)
    const candidates = byRecords.get(String(records))
    const found =
      natives.find(isNativePlace)?.request ?? candidates?.find((request) => request >= previous) ?? candidates?.[0]
    previous = found ?? previous
    return found
  }
}
