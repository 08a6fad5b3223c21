/** The actions of a gateway: which requests need one, and its result by a deadline. */
import type { SentBefore } from '@precis/core/following'
import { agents } from '../agents/index.ts'
import { nameFailure, reasonOf } from '../files/errors.ts'
import { ActThreads, LateError, type RunOptions } from './act-threads.ts'
import type {
  DecideResult,
  DecideTask,
  RememberTask,
  RestoreTask,
  SidecarTask,
  ThreadSettings,
  UsageTask,
} from './decide.ts'
import type {
  ActRequest,
  ActResult,
  Acts,
  GatewayOptions,
  ObservedAnswer,
  SidecarAnswer,
  SidecarRequest,
} from './gateway.ts'
import { nameSession } from './owner.ts'
import {
  asksToCompact,
  DEADLINE_MS,
  findPatience,
  hasAny,
  holdsSummary,
  LEAST_BYTES_PER_TOKEN,
} from './patience.ts'

const SMALLEST_WINDOW = 100_000
// Below this, savings are smaller than the cost of a summary.
const LEAST_SAVED_BYTES = 60_000
// An image or a document, in the words of any API. Their number is limited independently of the
// length.
const MEDIA_MARKS = [
  '"base64"',
  ';base64,',
  '"inlineData"',
  '"inline_data"',
  '"image_url"',
  '"file_id"',
].map((mark) => Buffer.from(mark))
// A quarter of a second.
const MOST_RESTORED_BYTES = 2 << 20
const MOST_LEARNT = 5_000
const SILENCE_MS = 60_000

export class GatewayActs implements Acts {
  readonly #options: GatewayOptions
  readonly #settings: ThreadSettings
  readonly #note: (text: string) => void
  readonly #threads: ActThreads
  readonly #tools = createMemory<string>()
  // The last request of each session. A thread that ends forgets which caches are warm.
  readonly #sent = createMemory<SentBefore>()
  // What is being stored about sessions. The next request of the session waits for it.
  readonly #kept = createPending()
  readonly #shortened = createPending()
  // For any model, because the model of a request is known only after parsing.
  readonly #windows = createMemory<{ readonly learnt: number | undefined }>()
  // Sessions with a changed request. A later request must not pass unchanged because an action is
  // late.
  readonly #changed = createMemory<true>()

  constructor(options: GatewayOptions) {
    const { database, archive, saves } = options
    this.#options = options
    this.#settings = { database, archive, saves }
    this.#note = sayOnce(options.note)
    this.#threads = new ActThreads({ saves, note: this.#note })
    void this.#threads.runBeside(
      'warm',
      this.#settings,
      'the gateway cannot act, everything passes',
    )
  }

  isDue(request: ActRequest): boolean {
    const { windowTokens, saves } = this.#options
    const { body, overflow, owner } = request
    const known = this.#windows.find(owner.id)
    // Another process may know a smaller window. The first request of an owner finds out.
    if ((windowTokens ?? known) === undefined || this.#shortened.has(nameSession(owner)))
      return true
    const window = windowTokens ?? known?.learnt ?? SMALLEST_WINDOW
    const isLarge =
      body.length > window * LEAST_BYTES_PER_TOKEN || (saves && body.length > LEAST_SAVED_BYTES)
    const isExpected = overflow !== undefined || asksToCompact(request) || holdsSummary(request)
    return isExpected || isLarge || hasAny(body, MEDIA_MARKS)
  }

  decide(request: ActRequest, client?: AbortSignal): Promise<ActResult> {
    const session = nameSession(request.owner)
    const after = Promise.all([this.#kept.find(session), this.#shortened.find(session)])
    const decided = this.#decideNext(request, { after, client })
    if (request.overflow) this.#shortened.add(session, decided)
    return decided
  }

  async #decideNext(
    request: ActRequest,
    waits: Pick<RunOptions, 'after' | 'client'>,
  ): Promise<ActResult> {
    const { owner } = request
    const session = nameSession(owner)
    const { windowTokens, saves } = this.#options
    const recallTool = findOfferedTool(request) ?? this.#tools.find(session)
    const sentBefore = this.#sent.find(session)
    const task: DecideTask = {
      request: { ...request, windowTokens, recallTool, sentBefore },
      settings: this.#settings,
    }
    const mostMs = findPatience(request, {
      windowTokens: windowTokens ?? this.#windows.find(owner.id)?.learnt,
      isChanged: this.#changed.find(session) !== undefined,
      saves,
    })
    try {
      const decided = await this.#threads.run<DecideResult>('decide', task, { mostMs, ...waits })
      decided.notes.forEach(this.#note)
      this.#windows.keep(owner.id, { learnt: decided.windowTokens })
      if (decided.result.type === 'replace') this.#changed.keep(session, true)
      return decided.result
    } catch (error) {
      if (waits.client?.aborted) return { type: 'pass' }
      this.#windows.keep(owner.id, this.#windows.find(owner.id) ?? { learnt: undefined })
      const problem = reasonOf(error)
      this.#note(`a request passed as it was: ${problem}`)
      const passed: ActResult =
        error instanceof LateError
          ? { type: 'pass', reason: 'too-late' }
          : { type: 'pass', reason: 'failed', problem }
      return await this.#restore(request, passed, waits.client)
    }
  }

  /**
   * Its provider cannot read an earlier answer by precis, and no thread does it in time. Here every
   * client waits meanwhile, so a large request gets a thread of its own.
   */
  async #restore(
    request: ActRequest,
    passed: ActResult,
    client: AbortSignal | undefined,
  ): Promise<ActResult> {
    if (request.overflow || !holdsSummary(request)) return passed
    try {
      if (request.body.length > MOST_RESTORED_BYTES) {
        const task: RestoreTask = { request, passed }
        return await this.#threads.run<ActResult>('restore', task, { mostMs: DEADLINE_MS, client })
      }
      const { restorePassed } = await import('./restore-messages.ts')
      return restorePassed(request, passed)
    } catch (error) {
      this.#note(`what precis answered earlier passed as it was: ${nameFailure(error)}`)
      return passed
    }
  }

  begin({ owner, body, purpose }: ActRequest): void {
    const mark = agents.find(({ name }) => name === owner.agent)?.wire?.historyMark
    if (purpose !== 'generate' || mark === undefined || !hasAny(body, [Buffer.from(mark)])) return
    const session = nameSession(owner)
    const task: RememberTask = { owner, body, settings: this.#settings }
    const keep = async () => {
      const what = 'a request was not kept for the compaction of its session'
      await this.#threads.runBeside('remember', task, what, { mostMs: DEADLINE_MS })
    }
    // One after the other: the latest request must be stored last.
    this.#kept.add(session, (this.#kept.find(session) ?? Promise.resolve()).then(keep))
  }

  observe(request: ActRequest, { status, usage }: ObservedAnswer): void {
    const { owner, purpose } = request
    if (status >= 400 || purpose !== 'generate') return
    const session = nameSession(owner)
    if (this.#options.saves && usage) {
      this.#sent.keep(session, { at: Date.now(), usage })
      const task: UsageTask = { owner, usage, settings: this.#settings }
      void this.#threads.runBeside('recordUsage', task, 'what the provider counted is not known')
    }
    const tool = findOfferedTool(request)
    if (tool !== undefined) this.#tools.keep(session, tool)
  }

  async serve(request: SidecarRequest, client?: AbortSignal): Promise<SidecarAnswer> {
    const task: SidecarTask = { request, settings: this.#settings }
    try {
      return await this.#threads.run<SidecarAnswer>('serve', task, { mostMs: DEADLINE_MS, client })
    } catch (error) {
      const message = reasonOf(error)
      const body = JSON.stringify({ error: { type: 'compression_error', message } })
      return { status: 503, body }
    }
  }

  async close(): Promise<void> {
    await this.#threads.close()
  }
}

/**
 * The tool that searches removed text, if the request offers it to the model: the installed tool,
 * or that of the plugin.
 */
function findOfferedTool({ body, owner }: ActRequest): string | undefined {
  const own = agents.filter(({ name }) => name === owner.agent)
  // Some agents send no header that identifies them.
  for (const { installation, wire } of own.length > 0 ? own : agents) {
    const tools = [installation?.recallTool, installation?.pluginRecallTool]
    const offered = tools.find(
      (tool) => tool !== undefined && hasAny(body, [Buffer.from(wire?.recallMark ?? `"${tool}"`)]),
    )
    if (offered !== undefined) return offered
  }
  return undefined
}

/**
 * Prints the same line at most once a minute, because every request notices an unreachable
 * database.
 */
function sayOnce(note: (text: string) => void): (text: string) => void {
  const said = createMemory<number>()
  return (text) => {
    if (performance.now() - (said.find(text) ?? -Infinity) < SILENCE_MS) return
    said.keep(text, performance.now())
    note(text)
  }
}

/** Unfinished work, by name. None of it rejects. */
function createPending() {
  const pending = new Map<string, Promise<unknown>>()
  return {
    has: (name: string) => pending.has(name),
    find: (name: string) => pending.get(name),
    add(name: string, work: Promise<unknown>) {
      const ended = work.finally(() => {
        if (pending.get(name) === ended) pending.delete(name)
      })
      pending.set(name, ended)
    },
  }
}

/** The latest values learned. A forgotten value is learned again from the next request. */
function createMemory<Value>() {
  const known = new Map<string, Value>()
  return {
    find: (key: string) => known.get(key),
    keep(key: string, value: Value) {
      known.delete(key)
      known.set(key, value)
      const [oldest] = known.keys()
      if (known.size > MOST_LEARNT && oldest !== undefined) known.delete(oldest)
    },
  }
}
