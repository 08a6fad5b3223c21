/** What the compactions of an agent left of each turn in the context that it has now. */
import type { Message } from '@precis/core'
import { isUserRequest, readText } from '@precis/core/conversation'
import type { LoadedSession } from './load-session.ts'
import { readTimeline } from './read-timeline.ts'

export interface SurvivingTurn {
  /** From 1, over all of the session. */
  readonly turn: number
  readonly time: Date | undefined
  /** What the user said. */
  readonly request: string
  readonly words: 'word for word' | 'its beginning' | 'gone'
  readonly messages: number
  /** Of the messages: those that are there as they were. */
  readonly left: number
}

// Shorter beginnings are of many messages.
const BEGINNING = 60

/** Empty where nothing was compacted, or the session does not have what was before. Reads the whole document. */
export function findSurvivors(session: LoadedSession): SurvivingTurn[] {
  const { timed, compactions } = readTimeline(session)
  if (compactions === 0) return []
  const { messages } = session.conversation
  const leftRecords = new Set(messages.flatMap(({ records = [] }) => records))
  const flatten = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  const said = flatten(messages.map(readText).join('\n'))
  const describeWords = (message: Message): SurvivingTurn['words'] => {
    const text = flatten(readText(message))
    if (said.includes(text)) return 'word for word'
    return text.length > BEGINNING && said.includes(text.slice(0, BEGINNING)) ? 'its beginning' : 'gone'
  }
  const turns: SurvivingTurn[] = []
  for (const { message, timeMs, records } of timed) {
    const isLeft = records.some((record) => leftRecords.has(record)) ? 1 : 0
    if (isUserRequest(message)) {
      const time = timeMs === undefined ? undefined : new Date(timeMs)
      const request = readText(message)
      turns.push({ turn: turns.length + 1, time, request, words: describeWords(message), messages: 1, left: isLeft })
      continue
    }
    const open = turns.pop()
    if (open) turns.push({ ...open, messages: open.messages + 1, left: open.left + isLeft })
  }
  return turns
}
