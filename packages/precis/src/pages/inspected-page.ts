import { inspect, type TokenCounter } from '@precis/core'
import { inspectMessages } from '@precis/core/engine'
import type { LocatedFact } from '../archive/locate-facts.ts'
import { readSessionCompactions } from '../sessions/compactions.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { sumUsage } from '../sessions/read-usage.ts'
import { findRecordedContext } from '../sessions/recorded-context.ts'
import { findSurvivors } from '../sessions/survivors.ts'

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
