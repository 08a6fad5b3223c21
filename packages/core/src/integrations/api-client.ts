/**
 * The clients of OpenAI and Anthropic are made by one generator: every method of every resource, the streaming and
 * parsing ones and the runners of tools among them, ends in the client's `post`. There the request is changed.
 *
 *   create, parse, stream, runTools ──► post(path, options) ──► an APIPromise, as without precis
 *                                          │        ▲
 *                                          └─ context ┘ the options may be a promise
 */

import type { Api } from '../apis/api.ts'
import type { Usage } from '../context/context.ts'
import type { FollowedRequest, HostRequest } from '../context/follower.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/ground/json.ts'
import {
  type FollowedCalls,
  interposeStream,
  isAbortSignal,
  isStream,
  openConversation,
  readProperty,
  type Wrapped,
  watchEvents,
} from './followed-calls.ts'

export interface Route {
  readonly path: string
  readonly api: Api
  readonly calls: FollowedCalls
}

type Post = (path: string, options?: object) => object
type Method = (...args: readonly unknown[]) => unknown

/**
 * A client like the given one, which stays as it is. It is no copy, because the client for Azure cannot be made again
 * from what it keeps: it is the same client, seen through another `post`. Only resources of the names given, and those
 * below them, see that one. A client that another library has wrapped sends with a client of its own: there the methods
 * that send are followed, one by one.
 */
export function wrapApiClient<Client extends object>(
  client: Client,
  resourceNames: ReadonlySet<PropertyKey>,
  routes: readonly Route[],
): Wrapped<Client> {
  const methods = new Map<PropertyKey, unknown>()
  const post = readMethod(client, 'post')
  const withOptions = readMethod(client, 'withOptions')
  if (post) {
    const send: Post = (path, options) => post(path, options) as object
    methods.set('post', (path: string, options?: object) => followPost(send, path, options, routes))
  }
  if (withOptions) {
    methods.set('withOptions', (options: object) =>
      wrapApiClient(withOptions(options) as Client, resourceNames, routes),
    )
  }
  methods.set('conversation', (key: string) => {
    const own = routes.map((route) => ({ ...route, calls: route.calls.withKey(key) }))
    return openConversation(
      key,
      routes.map(({ calls }) => calls),
      wrapApiClient(client, resourceNames, own),
    )
  })
  const resources = new WeakMap<object, object>()
  const mirrorResource = (resource: object, path: string): object => {
    const known = resources.get(resource)
    if (known) return known
    const own = !post || isForeign(resource) ? followMethods(resource, path, routes) : undefined
    const mirror = new Proxy(resource, {
      get(target, key) {
        if (key === CLIENT) return wrapped
        return own?.get(key) ?? mirrorValue(key, Reflect.get(target, key), path)
      },
    })
    resources.set(resource, mirror)
    return mirror
  }
  const mirrorValue = (key: PropertyKey, value: unknown, path = '') =>
    resourceNames.has(key) && typeof value === 'object' && value !== null
      ? mirrorResource(value, `${path}/${String(key)}`)
      : value
  const wrapped: Client = new Proxy(client, {
    get(target, key) {
      if (methods.has(key)) return methods.get(key)
      const value: unknown = Reflect.get(target, key)
      // A client has private members, which are there for the client itself alone.
      return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : mirrorValue(key, value)
    },
  })
  return wrapped as Wrapped<Client>
}

function readMethod(owner: object, name: string): Method | undefined {
  const method: unknown = Reflect.get(owner, name)
  return typeof method === 'function' ? method.bind(owner) : undefined
}

/** Whether another library has put a method of its own instead of the one that sends. */
function isForeign(resource: object): boolean {
  const create: unknown = Reflect.get(resource, 'create')
  return typeof create === 'function' && create !== readProperty(Object.getPrototypeOf(resource), 'create')
}

/** Methods that send go through the other library; helpers such as `stream` are those of the class, which call these. */
function followMethods(resource: object, path: string, routes: readonly Route[]): ReadonlyMap<PropertyKey, unknown> {
  const methods = new Map<PropertyKey, unknown>()
  const prototype: object = Object.getPrototypeOf(resource)
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (name !== 'constructor') methods.set(name, Reflect.get(prototype, name))
  }
  const route = routes.find((candidate) => candidate.path.endsWith(path.replace(/^\/beta/, '')))
  for (const name of ['create', 'parse']) {
    const method = readMethod(resource, name)
    if (method && route) methods.set(name, (...args: readonly unknown[]) => followMethod(method, args, route))
  }
  return methods
}

/** A promise of the answer, which knows the response where that of the method does. */
function followMethod(method: Method, args: readonly unknown[], route: Route): unknown {
  const [body, options] = args
  const request = isJsonObject(body) ? route.calls.admit(readRequest(route, body), body) : undefined
  if (!request || !isJsonObject(body)) return method(...args)
  const signal = readMember(options, 'signal')
  let call: unknown
  let sent: FollowedRequest | undefined
  const send = async (changed: JsonObject) => {
    call = method(changed, ...args.slice(1))
    return await call
  }
  const sendFollowed = (followed: FollowedRequest) => {
    sent = followed
    return send(followed.messages === request.messages ? body : route.api.writeMessages(body, followed.messages))
  }
  const answer = route.calls
    .send(request, sendFollowed, () => send(body), isAbortSignal(signal) ? signal : undefined)
    .then((data) => watchAnswer(data, route, () => sent))
  const withResponse = async () => {
    const data = await answer
    return { ...((await readMethod(call as object, 'withResponse')?.()) as object), data }
  }
  return Object.assign(answer, { withResponse })
}

/** Under this name a resource, such as `chat.completions`, keeps the client that it sends with. */
const CLIENT = '_client'

function followPost(post: Post, path: string, options: object | undefined, routes: readonly Route[]): object {
  const route = routes.find((candidate) => candidate.path === path.split('?')[0])
  const body = readMember(options, 'body')
  if (!route || !isJsonObject(options) || !isJsonObject(body)) return post(path, options)
  const request = route.calls.admit(readRequest(route, body), body)
  if (!request) return post(path, options)
  let followed: FollowedRequest | undefined
  const write = (prepared: FollowedRequest): object => {
    followed = prepared
    if (prepared.messages === request.messages) return options
    return { ...options, body: route.api.writeMessages(body, prepared.messages) }
  }
  const signal = isAbortSignal(options.signal) ? options.signal : undefined
  // The client's own answer, an `APIPromise`; it waits for the context before it sends.
  const { promise: sentOptions, resolve: send } = openPromise<object>()
  const call = post(path, sentOptions)
  const response = readResponse(call)
  let attempts = 0
  const answer = route.calls.send(
    request,
    (prepared) => {
      const written = write(prepared)
      if (attempts++ > 0) return readResponse(post(path, written))
      send(written)
      return response
    },
    () => {
      send(options)
      return response
    },
    signal,
  )
  Reflect.set(call, RESPONSE, answer)
  // For an answer that began, and then reported that the request was too long.
  const retry = async (overflow: unknown, stream: object): Promise<AsyncIterable<unknown> | undefined> => {
    const sendShorter = async (prepared: FollowedRequest): Promise<unknown> => post(path, write(prepared))
    const again = await route.calls.sendAgain(request, sendShorter, overflow, signal).catch((error) => {
      if (error === overflow) return undefined
      throw error
    })
    if (!isStream(again)) return undefined
    linkAbort(stream, again)
    return readUsageOf(again, route, () => followed)
  }
  const unwrap: unknown = Reflect.get(call, '_thenUnwrap')
  const watch = (data: unknown) => watchAnswer(data, route, () => followed, retry)
  return typeof unwrap === 'function' ? unwrap.call(call, watch) : call
}

async function* readUsageOf(events: AsyncIterable<unknown>, route: Route, readFollowed: ReadFollowed) {
  const onEvent = createUsageReader(route, readFollowed)
  for await (const event of events) {
    onEvent(event)
    yield event
  }
}

type ReadFollowed = () => FollowedRequest | undefined

function readRequest({ api, calls }: Route, body: JsonObject): HostRequest | undefined {
  try {
    return api.readRequest(body)
  } catch (problem) {
    calls.report(problem)
    return undefined
  }
}

/** The very answer or stream that the client made. */
function watchAnswer(
  data: unknown,
  route: Route,
  readFollowed: ReadFollowed,
  retry: (overflow: unknown, stream: object) => Promise<AsyncIterable<unknown> | undefined> = async () => undefined,
): unknown {
  const { api, calls } = route
  if (!isStream(data)) {
    calls.recordUsage(readFollowed(), () => api.readUsage(data))
    return data
  }
  interposeStream(data, (events) =>
    watchEvents(events, {
      onEvent: createUsageReader(route, readFollowed),
      isPrelude: (event) => api.isPrelude(event),
      findFailure: (event) => api.findFailure(event),
      isAborted: () => readProperty(readProperty(readProperty(data, 'controller'), 'signal'), 'aborted') === true,
      retry: (overflow) => retry(overflow, data),
    }),
  )
  return data
}

function createUsageReader({ api, calls }: Route, readFollowed: ReadFollowed) {
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

async function readResponse(call: object): Promise<unknown> {
  const response: unknown = Reflect.get(call, RESPONSE)
  // Without it the call is awaited itself: everything but the second attempt works all the same.
  return response === undefined ? call : response
}

/** Who aborts the first stream aborts the one that took its place. */
function linkAbort(first: object, second: object): void {
  const from: unknown = readMember(first, 'controller')
  const to: unknown = readMember(second, 'controller')
  if (from instanceof AbortController && to instanceof AbortController) {
    from.signal.addEventListener('abort', () => to.abort(), { once: true })
  }
}

function openPromise<Value>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}
