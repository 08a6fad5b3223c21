import type { Api } from '../apis/api.ts'
import type { Usage } from '../context/context.ts'
import type { FollowedRequest } from '../following/follower.ts'
import {
  classOf,
  type FollowedCalls,
  interposeStream,
  isStream,
  readProperty,
  watchEvents,
} from './followed-calls.ts'

/** The very answer or stream that the client made. */
export function watchAnswer(
  data: unknown,
  route: ClientRoute,
  readFollowed: ReadFollowed,
  retry: (
    overflow: unknown,
    stream: object,
  ) => Promise<AsyncIterable<unknown> | undefined> = async () => undefined,
): unknown {
  const { api, calls } = route
  if (!isStream(data)) {
    calls.recordUsage(readFollowed(), () => api.readUsage(data))
    return data
  }
  interposeStream(data, (events) =>
    watchEvents(events, {
      onEvent: createFollowedUsageReader(route, readFollowed),
      isPrelude: (event) => api.isPrelude(event),
      findFailure: (event) => api.findFailure(event),
      isAborted: () =>
        readProperty(readProperty(readProperty(data, 'controller'), 'signal'), 'aborted') === true,
      retry: (overflow) => retry(overflow, data),
    }),
  )
  return data
}

export function createFollowedUsageReader({ api, calls }: ClientRoute, readFollowed: ReadFollowed) {
  let reported: Usage | undefined
  return (event: unknown) => {
    calls.recordUsage(readFollowed(), () => {
      const usage = api.readEventUsage(event, reported)
      if (usage === undefined || usage === reported) return undefined
      reported = usage
      return usage
    })
  }
}

/** Under this name an `APIPromise` keeps the response it waits for. */
const RESPONSE = 'responsePromise'

/** For a promise of another library: the call itself, without a second attempt. */
export function readResponse(call: object): Promise<unknown> {
  return Promise.resolve(Reflect.get(call, RESPONSE) ?? call)
}

export function answerWith(client: object, call: object, response: Promise<unknown>): object {
  if (Reflect.get(call, RESPONSE) === undefined) {
    // It rejects as the call does.
    response.catch(() => undefined)
    return call
  }
  // `openai` has a method for it from 7.24 on, which knows of answers that are read in several
  // attempts.
  const own = readMethod(client, RESPONSE)
  if (own) return own(response) as object
  return Reflect.construct(classOf(call), [client, response, Reflect.get(call, 'parseResponse')])
}

export interface ClientRoute {
  readonly path: string
  readonly api: Api
  readonly calls: FollowedCalls
}

export type Method = (...args: readonly unknown[]) => unknown

export function readMethod(owner: object, name: string): Method | undefined {
  const method: unknown = Reflect.get(owner, name)
  return typeof method === 'function' ? method.bind(owner) : undefined
}

export type ReadFollowed = () => FollowedRequest | undefined
