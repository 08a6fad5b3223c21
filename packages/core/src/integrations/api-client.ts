/**
 * The clients of OpenAI and Anthropic are made by one generator: every method of every resource, the streaming and
 * parsing ones and the runners of tools among them, ends in the client's `post`. There the request is changed.
 *
 *   create, parse, stream, runTools ──► post(path, options) ──► an APIPromise, as without precis
 *                                          │        ▲
 *                                          └─ context ┘ the options may be a promise
 */
import type { FollowedRequest, HostRequest } from '../context/follow.ts'
import type { Usage } from '../context/usage.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/json/object.ts'
import type { FollowedCalls } from './followed-calls.ts'
import { interposeStream, isStream, watchEvents } from './watch-stream.ts'
import { isAbortSignal, type WireCall } from './wire-call.ts'
import { readProperty } from './wrap-options.ts'

/** A path of the API, and how its conversations are followed. */
export interface Route {
  readonly path: string
  readonly wire: WireCall
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
): Client {
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
  return wrapped
}

function readMethod(owner: object, name: string): Method | undefined {
  const method: unknown = Reflect.get(owner, name)
  return typeof method === 'function' ? method.bind(owner) : undefined
}

/** Whether another library has put a method of its own in the place of the one that sends. */
function isForeign(resource: object): boolean {
  const create: unknown = Reflect.get(resource, 'create')
  return typeof create === 'function' && create !== readProperty(Object.getPrototypeOf(resource), 'create')
}

/** What sends goes through the other library; helpers such as `stream` are those of the class, which call what sends. */
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
  const request = isJsonObject(body) ? route.calls.admit(readRequest(route, body)) : undefined
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
    return send(followed.messages === request.messages ? body : route.wire.writeMessages(body, followed.messages))
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
  const request = route.calls.admit(readRequest(route, body))
  return request ? new FollowedPost(post, path, options, body, request, route).start() : post(path, options)
}

function readRequest({ wire, calls }: Route, body: JsonObject): HostRequest | undefined {
  try {
    return wire.readRequest(body)
  } catch (problem) {
    calls.tell(problem)
    return undefined
  }
}

/** One call of `post`. */
class FollowedPost {
  readonly #post: Post
  readonly #path: string
  readonly #options: JsonObject
  readonly #body: JsonObject
  readonly #request: HostRequest
  readonly #route: Route
  #followed: FollowedRequest | undefined

  constructor(post: Post, path: string, options: JsonObject, body: JsonObject, request: HostRequest, route: Route) {
    this.#post = post
    this.#path = path
    this.#options = options
    this.#body = body
    this.#request = request
    this.#route = route
  }

  /** What the client would have given, an `APIPromise`; it waits for the context before it sends. */
  start(): object {
    const { promise: options, resolve: send } = openPromise<object>()
    const call = this.#post(this.#path, options)
    const response = readResponse(call)
    const isFirst = once()
    const answer = this.#route.calls.send(
      this.#request,
      (followed) => {
        const written = this.#write(followed)
        if (!isFirst()) return readResponse(this.#post(this.#path, written))
        send(written)
        return response
      },
      () => {
        send(this.#options)
        return response
      },
      this.#signal,
    )
    Reflect.set(call, RESPONSE, answer)
    const unwrap: unknown = Reflect.get(call, '_thenUnwrap')
    return typeof unwrap === 'function' ? unwrap.call(call, (data: unknown) => this.#watch(data)) : call
  }

  get #signal(): AbortSignal | undefined {
    const { signal } = this.#options
    return isAbortSignal(signal) ? signal : undefined
  }

  #write(followed: FollowedRequest): object {
    this.#followed = followed
    if (followed.messages === this.#request.messages) return this.#options
    return { ...this.#options, body: this.#route.wire.writeMessages(this.#body, followed.messages) }
  }

  #watch(data: unknown): unknown {
    return watchAnswer(
      data,
      this.#route,
      () => this.#followed,
      (overflow, stream) => this.#retryStream(overflow, stream),
    )
  }

  /** For an answer that began, and then said that the request was too long. */
  async #retryStream(overflow: unknown, stream: object): Promise<AsyncIterable<unknown> | undefined> {
    const again = await this.#sendShorter(overflow)
    if (!isStream(again)) return undefined
    linkAbort(stream, again)
    const onEvent = createUsageReader(this.#route, () => this.#followed)
    return (async function* () {
      for await (const event of again) {
        onEvent(event)
        yield event
      }
    })()
  }

  async #sendShorter(overflow: unknown): Promise<unknown> {
    const isFirst = once()
    const refuse = () => Promise.reject(overflow)
    try {
      return await this.#route.calls.send<unknown>(
        this.#request,
        (followed) => (isFirst() ? refuse() : Promise.resolve(this.#post(this.#path, this.#write(followed)))),
        refuse,
        this.#signal,
      )
    } catch (error) {
      if (error === overflow) return undefined
      throw error
    }
  }
}

/** The very answer or stream that the client made. */
function watchAnswer(
  data: unknown,
  route: Route,
  readFollowed: () => FollowedRequest | undefined,
  retry: (overflow: unknown, stream: object) => Promise<AsyncIterable<unknown> | undefined> = async () => undefined,
): unknown {
  const { wire, calls } = route
  if (!isStream(data)) {
    calls.recordUsage(readFollowed(), () => wire.readUsage(data))
    return data
  }
  interposeStream(data, (events) =>
    watchEvents(events, {
      onEvent: createUsageReader(route, readFollowed),
      isPrelude: (event) => wire.isPrelude(event),
      findFailure: (event) => wire.findFailure(event),
      isAborted: () => readProperty(readProperty(readProperty(data, 'controller'), 'signal'), 'aborted') === true,
      retry: (overflow) => retry(overflow, data),
    }),
  )
  return data
}

function createUsageReader({ wire, calls }: Route, readFollowed: () => FollowedRequest | undefined) {
  let reported: Usage | undefined
  return (event: unknown) => {
    calls.recordUsage(readFollowed(), () => {
      const usage = wire.readEventUsage(event, reported)
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
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** True at the first call. */
function once(): () => boolean {
  let calls = 0
  return () => calls++ === 0
}
