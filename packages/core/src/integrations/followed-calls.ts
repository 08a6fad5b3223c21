import type { ContextEvents } from '../context/context-events.ts'
import { createFollower, type FollowedRequest, type Follower, type HostRequest } from '../context/follow.ts'
import { tellOne } from '../context/listeners.ts'
import type { RequestFormat } from '../context/request-format.ts'
import type { Usage } from '../context/usage.ts'
import type { WrapOptions } from './wrap-options.ts'

/** The calls of one client: followed, and sent as they were given whenever precis itself fails. */
export class FollowedCalls {
  readonly #follower: Follower
  readonly #options: WrapOptions

  constructor(format: RequestFormat, options: WrapOptions) {
    this.#options = options
    this.#follower = createFollower({ ...options, format })
    for (const name of EVENTS) this.#listen(name)
  }

  #listen<Name extends keyof ContextEvents>(name: Name): void {
    const listener = this.#options.on?.[name]
    if (listener) this.#follower.on(name, listener)
  }

  /** Undefined for a request that is to stay as it is. */
  admit(request: HostRequest | undefined): HostRequest | undefined {
    if (!request || request.messages.length === 0) return undefined
    return this.#attempt(() => {
      const settings = this.#options.perRequest?.({ model: request.model })
      if (settings === false) return undefined
      return settings ? { ...request, settings } : request
    })
  }

  /** Rejects with what `send` rejects with. `sendGiven` sends the request as it was given. */
  async send<Response>(
    request: HostRequest,
    send: (followed: FollowedRequest) => Promise<Response>,
    sendGiven: () => Promise<Response>,
    signal?: AbortSignal,
  ): Promise<Response> {
    let isSent = false
    const sendFollowed = (followed: FollowedRequest) => {
      isSent = true
      return send(followed)
    }
    try {
      return await this.#follower.send(request, sendFollowed, signal ? { signal } : {})
    } catch (problem) {
      if (isSent) throw problem
      // An aborted request is left to the client: it has an error of its own for that.
      if (!signal?.aborted) this.tell(problem)
      return sendGiven()
    }
  }

  recordUsage(followed: FollowedRequest | undefined, read: () => Usage | undefined): void {
    this.#attempt(() => {
      const usage = read()
      if (usage) followed?.recordUsage(usage)
      return undefined
    })
  }

  tell(problem: unknown): void {
    const { onProblem } = this.#options
    if (onProblem) tellOne(onProblem, problem)
    else warnOnce(problem)
  }

  #attempt<Value>(run: () => Value | undefined): Value | undefined {
    try {
      return run()
    } catch (problem) {
      this.tell(problem)
      return undefined
    }
  }
}

let isWarned = false

/** Once in a process, not once a request: who wants to know more gives `onProblem`. */
function warnOnce(problem: unknown): void {
  if (isWarned) return
  isWarned = true
  const found = problem instanceof Error ? `${problem.name}: ${problem.message}` : String(problem)
  console.warn(
    `precis: a request was sent as it was given, because it could not be followed: ${found}. Give \`onProblem\` to be told every time; this is said once.`,
  )
}

const EVENTS: readonly (keyof ContextEvents)[] = [
  'compression-planned',
  'compression-started',
  'compression-applied',
  'compression-skipped',
  'compression-failed',
  'compression-deferred',
  'model-switched',
]
