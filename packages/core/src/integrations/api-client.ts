/**
 * One generator makes the clients of OpenAI and Anthropic. Every method of every resource ends in
 * the client's `post`, including methods that stream or parse and the runners of tools. The request
 * is changed there.
 *
 *   create, parse, stream, runTools ──► post(path, options) ──► an APIPromise, as without precis
 *                                          │        ▲
 *                                          └─ context ┘ options may be a promise, given and sent: `openai` gives one from 7.25 on
 */

import type { FollowedRequest, HostRequest } from '../following/follower.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/shared/json.ts'
import {
  answerWith,
  type ClientRoute,
  createFollowedUsageReader,
  type Method,
  type ReadFollowed,
  readMethod,
  readResponse,
  watchAnswer,
} from './api-answer.ts'
import {
  asSignal,
  createUnreadable,
  isStream,
  openConversation,
  readCallMessages,
  readProperty,
  type Wrapped,
} from './followed-calls.ts'

/** What a client sends with. */
interface Sender {
  post(path: string, options?: unknown): object
  /** An `APIPromise` like `call`, of another response. */
  answerWith(call: object, response: Promise<unknown>): object
}

/**
 * Wraps the given client, which stays unchanged. It is not a copy, because the client for Azure
 * cannot be created again from its fields. It is the same client with another `post`. Only
 * resources of the given names, and resources below them, use that `post`. A client that another
 * library has wrapped sends with its own client. For it, the methods that send are followed one by
 * one.
 */
export function wrapApiClient<Client extends object>(
  client: Client,
  resourceNames: ReadonlySet<PropertyKey>,
  routes: readonly ClientRoute[],
): Wrapped<Client> {
  const methods = new Map<PropertyKey, unknown>()
  const post = readMethod(client, 'post')
  const withOptions = readMethod(client, 'withOptions')
  if (post) {
    const own: Sender = {
      post: (path, options) => post(path, options) as object,
      answerWith: (call, response) => answerWith(client, call, response),
    }
    methods.set('post', (path: string, options?: unknown) => followPost(own, path, options, routes))
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
      // A client has private members, which only the client itself can read.
      return typeof value === 'function' && key !== 'constructor'
        ? value.bind(target)
        : mirrorValue(key, value)
    },
  })
  return wrapped as Wrapped<Client>
}

/** Whether another library has put a method of its own instead of the one that sends. */
function isForeign(resource: object): boolean {
  const create: unknown = Reflect.get(resource, 'create')
  return (
    typeof create === 'function' &&
    create !== readProperty(Object.getPrototypeOf(resource), 'create')
  )
}

/**
 * Methods that send go through the other library. Helpers such as `stream` are those of the class,
 * which call these methods.
 */
function followMethods(
  resource: object,
  path: string,
  routes: readonly ClientRoute[],
): ReadonlyMap<PropertyKey, unknown> {
  const methods = new Map<PropertyKey, unknown>()
  const prototype: object = Object.getPrototypeOf(resource)
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (name !== 'constructor') methods.set(name, Reflect.get(prototype, name))
  }
  const route = routes.find((candidate) => candidate.path.endsWith(path.replace(/^\/beta/, '')))
  for (const name of ['create', 'parse']) {
    const method = readMethod(resource, name)
    if (method && route)
      methods.set(name, (...args: readonly unknown[]) => followMethod(method, args, route))
  }
  return methods
}

/** A promise of the answer. It has the response if the method's own promise has it. */
function followMethod(method: Method, args: readonly unknown[], route: ClientRoute): unknown {
  const [body, options] = args
  const request = route.calls.admit(() => readRequest(route, body), body)
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
    return send(
      followed.messages === request.messages
        ? body
        : route.api.writeMessages(body, followed.messages),
    )
  }
  const answer = route.calls
    .send(request, sendFollowed, () => send(body), asSignal(signal))
    .then((data) => watchAnswer(data, route, () => sent))
  const withResponse = async () => {
    const data = await answer
    return { ...((await readMethod(call as object, 'withResponse')?.()) as object), data }
  }
  return Object.assign(answer, { withResponse })
}

/** Under this name a resource, such as `chat.completions`, keeps the client that it sends with. */
const CLIENT = '_client'

function followPost(
  client: Sender,
  path: string,
  options: unknown,
  routes: readonly ClientRoute[],
): object {
  const route = routes.find((candidate) => candidate.path === path.split('?')[0])
  if (!route) return client.post(path, options)
  // The client's own answer, an `APIPromise`. It waits for the context before it sends.
  const { promise: sentOptions, resolve: send } = openPromise<unknown>()
  const call = client.post(path, sentOptions)
  const response = readResponse(call)
  const sendGiven = () => {
    send(options)
    return response
  }
  let sent: Sent | undefined
  const follow = async (): Promise<unknown> => {
    let given: unknown
    try {
      given = await options
    } catch {
      // The client rejects with it.
      return sendGiven()
    }
    const body = readMember(given, 'body')
    const request = route.calls.admit(() => readRequest(route, body), body)
    if (!request || !isJsonObject(given) || !isJsonObject(body)) return sendGiven()
    const signal = asSignal(given.signal)
    const write = (prepared: FollowedRequest): object => {
      sent = { request, followed: prepared, signal, write }
      if (prepared.messages === request.messages) return given
      return { ...given, body: route.api.writeMessages(body, prepared.messages) }
    }
    let attempts = 0
    const sendPrepared = (prepared: FollowedRequest) => {
      const written = write(prepared)
      if (attempts++ > 0) return readResponse(client.post(path, written))
      send(written)
      return response
    }
    return route.calls.send(request, sendPrepared, sendGiven, signal)
  }
  const answer = client.answerWith(call, follow())
  // For an answer that began, and then reported that the request was too long.
  const retry = async (
    overflow: unknown,
    stream: object,
  ): Promise<AsyncIterable<unknown> | undefined> => {
    if (!sent) return undefined
    const { request, write, signal } = sent
    const sendShorter = async (prepared: FollowedRequest): Promise<unknown> =>
      client.post(path, write(prepared))
    const again = await route.calls.sendAgain(request, sendShorter, overflow, signal)
    if (!isStream(again)) return undefined
    linkAbort(stream, again)
    return readUsageOf(again, route, () => sent?.followed)
  }
  const watch = (data: unknown) =>
    sent ? watchAnswer(data, route, () => sent?.followed, retry) : data
  return (readMethod(answer, '_thenUnwrap')?.(watch) ?? answer) as object
}

/** A request that went out, once it is known what it holds. */
interface Sent {
  readonly request: HostRequest
  readonly followed: FollowedRequest
  readonly signal: AbortSignal | undefined
  /** The options of the client's `post` with other messages. */
  readonly write: (prepared: FollowedRequest) => object
}

async function* readUsageOf(
  events: AsyncIterable<unknown>,
  route: ClientRoute,
  readFollowed: ReadFollowed,
) {
  const onEvent = createFollowedUsageReader(route, readFollowed)
  for await (const event of events) {
    onEvent(event)
    yield event
  }
}

/**
 * Throws `TypeError` for a body whose history cannot be read. Undefined if the body does not
 * contain it.
 */
function readRequest({ api, path }: ClientRoute, body: unknown): HostRequest | undefined {
  if (!isJsonObject(body)) throw createUnreadable(path, 'body', body)
  const request = api.readRequest(body)
  if (request) return request
  const list = body[api.listKey]
  // A text is one message. A list that is skipped has its history at the provider.
  if (list !== undefined && typeof list !== 'string') readCallMessages(path, api.listKey, list)
  return undefined
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
