import { type InspectedMessage, inspect, inspectMessages, type TokenCounter } from '@precis/core'
import type { BilledRequest } from '../../sessions/billed-request.ts'
import type { LoadedSession } from '../../sessions/load-session.ts'
import { readTimes, type SessionTimes } from '../../sessions/read-times.ts'
import { readRequests, readUsage } from '../../sessions/read-usage.ts'
import type { InspectedSession } from '../inspection.ts'

/** What the page of `precis inspect` is made of. */
export interface InspectedPage extends InspectedSession {
  readonly messages: readonly InspectedMessage[]
  readonly counter: TokenCounter
  readonly times: SessionTimes | undefined
  /** What the provider billed, request by request; empty where nothing is recorded. */
  readonly requests: readonly BilledRequest[]
}

export function createInspectedSession(session: LoadedSession, counter: TokenCounter): InspectedSession {
  const { conversation, document, home } = session
  return {
    session,
    model: counter.model,
    inspection: inspect(conversation, counter),
    usage: home && readUsage(document.source, home.agent),
  }
}

/** Reads the document again, for times and single requests. */
export function createInspectedPage(inspected: InspectedSession, counter: TokenCounter): InspectedPage {
  const { conversation, document, home } = inspected.session
  return {
    ...inspected,
    counter,
    messages: inspectMessages(conversation, counter),
    times: readTimes(document.source),
    requests: home ? readRequests(document.source, home.agent) : [],
  }
}
