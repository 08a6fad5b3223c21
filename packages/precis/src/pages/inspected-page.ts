import { inspect, type Message, type TokenCounter } from '@precis/core'
import { isUserRequest, readText } from '@precis/core/conversation'
import { inspectMessages } from '@precis/core/engine'
import type { LocatedFact } from '../archive/locate-facts.ts'
import { readSessionCompactions } from '../sessions/compactions.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { readTimeline } from '../sessions/read-timeline.ts'
import { sumUsage } from '../sessions/read-usage.ts'
import { findRecordedContext } from '../sessions/recorded-context.ts'

export type InspectedSession = ReturnType<typeof createInspectedSession>

/** The parts of the page of `precis inspect`. */
export type InspectedPage = ReturnType<typeof createInspectedPage>

export function createInspectedSession(session: LoadedSession, counter: TokenCounter) {
  const { conversation, document, agent } = session
  return {
    session,
    model: counter.model,
    inspection: inspect(conversation, counter),
    context: measureContext(session, counter),
    usage: agent && sumUsage(agent.readRequests(document.source)),
  }
}

/** The conversation with what the agent adds to every request. */
function measureContext(session: LoadedSession, counter: TokenCounter) {
  const { notInFileTokens, billedTokens } = findRecordedContext(session, counter) ?? {}
  const tokens = counter.countConversation(session.conversation).upper + (notInFileTokens ?? 0)
  return { tokens, notInFileTokens, billedTokens }
}

/** Reads the document again, for times and single requests; `gone` is what the compression that made it removed. */
export function createInspectedPage(
  inspected: InspectedSession,
  counter: TokenCounter,
  gone: readonly LocatedFact[] = [],
) {
  const { conversation, document, agent } = inspected.session
  return {
    ...inspected,
    counter,
    gone,
    messages: inspectMessages(conversation, counter),
    times: agent?.readTimes(document.source),
    /** Those of the agent itself, and what each has lost. */
    compactions: agent ? readSessionCompactions(agent, document.source) : [],
    /** Turn by turn; empty where the agent never compacted. */
    survivors: findSurvivors(inspected.session),
    /** The bill of the provider, request by request; empty where nothing is recorded. */
    requests: agent?.readRequests(document.source) ?? [],
  }
}

/** What the compactions of an agent left of a turn in the context that it has now. */
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
function findSurvivors(session: LoadedSession): SurvivingTurn[] {
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
