import { findModel, inspect, type Model, type TokenCounter } from '@precis/core'
import { isUserRequest, readText } from '@precis/core/conversation'
import { inspectMessages } from '@precis/core/engine'
import type { FormatName } from '@precis/core/formats'
import { loadTokenCounter } from '@precis/core/tokens'
import type { Agent, TimedMessage } from '../agents/shared/agent.ts'
import type { LocatedFact } from '../archive/locate-facts.ts'
import { findElsewhere, readBill } from '../sessions/bill.ts'
import { openWords, readSessionCompactions } from '../sessions/compactions.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { readTimeline } from '../sessions/load-session.ts'
import {
  type ReadRequest,
  type RecordedUsage,
  readSessionRequests,
  sumUsage,
} from '../sessions/read-usage.ts'
import { findRecordedContext, findUsedWindow } from '../sessions/recorded-context.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withSession } from '../terminal/with-session.ts'

export type InspectedSession = ReturnType<typeof createInspectedSession>

/** The parts of the page of `precis inspect`. */
export type InspectedPage = ReturnType<typeof createInspectedPage>

export function createInspectedSession(session: LoadedSession, counter: TokenCounter) {
  const { conversation, agent } = session
  return {
    session,
    model: withUsedWindow(session, counter.model),
    inspection: inspect(conversation, counter),
    context: measureContext(session, counter),
    usage: agent && readUsage(agent, session),
    /** Compactions of the agent itself, with the losses of each. */
    compactions: agent ? readSessionCompactions(agent, session.document.source) : [],
  }
}

/** A session by path or id, for as long as the work takes. */
export async function withInspected<T>(
  name: string,
  { format, model }: { readonly format?: FormatName; readonly model?: string },
  terminal: Terminal,
  work: (inspected: InspectedSession, counter: TokenCounter) => Promise<T> | T,
): Promise<T> {
  terminal.progress.show('reading', 0.1)
  return await withSession(name, format, terminal, async (session) => {
    terminal.progress.show('counting', 0.5)
    const counter = await loadTokenCounter(findModel(model ?? session.conversation.model ?? ''))
    return await work(createInspectedSession(session, counter), counter)
  })
}

/** Counted as in an overview, which also knows the contents of other sessions. */
function readUsage(agent: Agent, { document: { source } }: LoadedSession) {
  const requests = readSessionRequests(agent, source)
  const [elsewhere] = findElsewhere([readBill(agent, source, requests)])
  return sumUsage(requests, elsewhere)
}

/** With the agent's window, if it is the model that the session names. */
function withUsedWindow(session: LoadedSession, model: Model): Model {
  if (findModel(session.conversation.model ?? '').id !== model.id) return model
  return { ...model, contextWindowTokens: findUsedWindow(session, model) }
}

/** The conversation with what the agent adds to every request. */
function measureContext(session: LoadedSession, counter: TokenCounter) {
  const { notInFileTokens, billedTokens } = findRecordedContext(session, counter) ?? {}
  const tokens = counter.countConversation(session.conversation).upper + (notInFileTokens ?? 0)
  return { tokens, notInFileTokens, billedTokens }
}

/**
 * Reads the document again, for times and single requests. `gone` is the facts that its compression
 * removed.
 */
export function createInspectedPage(
  inspected: InspectedSession,
  counter: TokenCounter,
  gone: readonly LocatedFact[] = [],
) {
  const { conversation, document, agent } = inspected.session
  const requests = agent ? readSessionRequests(agent, document.source) : []
  return {
    ...inspected,
    counter,
    gone,
    messages: inspectMessages(conversation, counter),
    times: agent?.readTimes(document.source),
    /** All turns, what was compacted among them. */
    history: createHistory(inspected.session, requests),
    /** The bill of the provider, request by request. Empty if nothing is recorded. */
    requests,
  }
}

/** A request of the user and everything until the next one. */
export interface PastTurn {
  /** From 1, over all of the session. */
  readonly turn: number
  readonly time: Date | undefined
  /** What the user said. */
  readonly request: string
  /** In the context as it is now. */
  readonly words: 'word for word' | 'shortened' | 'gone'
  readonly messages: number
  /** The number of messages that are unchanged in that context. */
  readonly left: number
  /** As billed. Undefined if the agent recorded no bill. */
  readonly usage: RecordedUsage | undefined
}

/** Reads the whole document. */
function createHistory(session: LoadedSession, requests: readonly ReadRequest[]) {
  const { timed, compactions } = readTimeline(session)
  const { messages } = session.conversation
  const leftRecords = new Set(messages.flatMap(({ records = [] }) => records))
  const findState = openWords(messages)
  const groups = groupTurns(timed)
  const billed = shareRequests(groups, requests)
  const turns = groups.map((group, index): PastTurn => {
    const [{ message, timeMs }] = group
    const request = readText(message)
    return {
      turn: index + 1,
      time: timeMs === undefined ? undefined : new Date(timeMs),
      request,
      words: findState(request),
      messages: group.length,
      left: group.filter(({ records }) => records.some((record) => leftRecords.has(record))).length,
      usage: sumUsage(billed[index] ?? []),
    }
  })
  return { turns, isCompacted: compactions > 0 }
}

type TurnMessages = readonly [TimedMessage, ...TimedMessage[]]

/** Leaves out messages before the first request. */
function groupTurns(timed: readonly TimedMessage[]): TurnMessages[] {
  const groups: [TimedMessage, ...TimedMessage[]][] = []
  for (const entry of timed) {
    if (isUserRequest(entry.message)) groups.push([entry])
    else groups.at(-1)?.push(entry)
  }
  return groups
}

/**
 * Each belongs to the last turn that began before its answer. On an abandoned path, it belongs to
 * the turn before it.
 */
function shareRequests(
  groups: readonly TurnMessages[],
  requests: readonly ReadRequest[],
): ReadRequest[][] {
  const starts = groups.flatMap(
    (
      [
        {
          records: [start],
        },
      ],
      turn,
    ) => (start === undefined ? [] : [{ start, turn }]),
  )
  starts.sort((a, b) => a.start - b.start)
  const shares: ReadRequest[][] = groups.map(() => [])
  let place = 0
  for (const request of [...requests].sort((a, b) => a.record - b.record)) {
    while ((starts[place + 1]?.start ?? Number.POSITIVE_INFINITY) <= request.record) place++
    const start = starts[place]
    if (start) shares[start.turn]?.push(request)
  }
  return shares
}
