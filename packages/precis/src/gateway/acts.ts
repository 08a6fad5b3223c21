/**
 * The actions of a gateway: which requests need one, and the threads that take them, with a
 * deadline.
 */
import type { SentBefore } from '@precis/core/following'
import { Tinypool } from 'tinypool'
import { agents } from '../agents/index.ts'
import { findModuleUrl } from '../files/installed-files.ts'
import type {
  DecideResult,
  DecideTask,
  RememberTask,
  SidecarTask,
  ThreadSettings,
  UsageTask,
} from './decide.ts'
import type {
  ActRequest,
  ActResult,
  Acts,
  GatewayOptions,
  Owner,
  SidecarAnswer,
} from './gateway.ts'
import { asksToCompact, DEADLINE_MS, findPatience, hasAny, holdsSummary } from './patience.ts'

const THREADS = 2
// They need nothing that a thread remembers.
const APART: ReadonlySet<string> = new Set(['serve', 'remember'])
// No text has fewer bytes per token, so a shorter request certainly fits.
const LEAST_BYTES_PER_TOKEN = 1.5
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
const MOST_LEARNT = 5_000
const SILENCE_MS = 60_000

export function createActs(options: GatewayOptions): Acts {
  const { windowTokens, saves, database, archive } = options
  const note = sayOnce(options.note)
  const settings: ThreadSettings = { database, archive, saves }
  const createThreads = (least: number, most: number): Tinypool => {
    const filename = findModuleUrl('gateway/decide')
    const threads = new Tinypool({
      filename,
      runtime: 'worker_threads',
      minThreads: least,
      maxThreads: most,
      // Some options of Node are not valid in threads. TypeScript sources need their loader.
      execArgv: filename.endsWith('.ts') ? process.execArgv : [],
    })
    threads.on('error', (error) => note(`a thread of the gateway ended: ${String(error)}`))
    return threads
  }
  // Only a thread that saw every request knows whether a cache is warm. A late action ends its
  // thread, so other work runs in another.
  const pool = createThreads(1, saves ? 1 : THREADS)
  const others = saves ? createThreads(0, 1) : pool
  const run = async <Result>(name: string, task: object, signal?: AbortSignal): Promise<Result> =>
    await (APART.has(name) ? others : pool).run(task, { name, ...(signal && { signal }) })
  let isClosed = false
  const runBeside = (
    name: string,
    task: object,
    what: string,
    signal?: AbortSignal,
  ): Promise<void> =>
    run<void>(name, task, signal).catch((error) => {
      // What is cancelled because the gateway ends is not a failure.
      if (!isClosed) note(`${what}: ${describe(error)}`)
    })
  void runBeside('warm', settings, 'the gateway cannot act, everything passes')
  const tools = createMemory<string>()
  // Of what is saved: a thread that ended takes what it knew of caches with it.
  const sent = createMemory<SentBefore>()
  // What is being stored about sessions. The next request of the session waits for it.
  const kept = createPending()
  const shortened = createPending()
  // For any model, because the model of a request is known only after parsing.
  const windows = createMemory<{ readonly learnt: number | undefined }>()
  // Sessions with a changed request. A later request must not pass unchanged because an action is
  // late.
  const changed = createMemory<true>()
  const decide = async (request: ActRequest, before: Promise<unknown>): Promise<ActResult> => {
    const { owner } = request
    const session = nameSession(owner)
    const recallTool = findOfferedTool(request) ?? tools.find(session)
    const sentBefore = sent.find(session)
    const task: DecideTask = {
      request: { ...request, windowTokens, recallTool, sentBefore },
      settings,
    }
    const isChanged = changed.find(session) !== undefined
    const patience = findPatience(request, {
      windowTokens: windowTokens ?? windows.find(owner.id)?.learnt,
      isChanged,
      saves,
    })
    const signal = AbortSignal.timeout(patience)
    try {
      await before
      const {
        result,
        notes,
        windowTokens: learnt,
      } = await run<DecideResult>('decide', task, signal)
      notes.forEach(note)
      windows.keep(owner.id, { learnt })
      if (result.type === 'replace') changed.keep(session, true)
      return result
    } catch (error) {
      windows.keep(owner.id, windows.find(owner.id) ?? { learnt: undefined })
      const isLate = signal.aborted
      note(
        `a request passed as it was: ${isLate ? `no act within ${patience / 1000} seconds` : describe(error)}`,
      )
      return isLate
        ? { type: 'pass', reason: 'too-late' }
        : { type: 'pass', reason: 'failed', problem: describe(error) }
    }
  }
  return {
    isDue(request) {
      const { body, overflow, owner } = request
      const known = windows.find(owner.id)
      // Another process may know a smaller window. The first request of an owner finds out.
      if ((windowTokens ?? known) === undefined || shortened.has(nameSession(owner))) return true
      const window = windowTokens ?? known?.learnt ?? SMALLEST_WINDOW
      const isLarge =
        body.length > window * LEAST_BYTES_PER_TOKEN || (saves && body.length > LEAST_SAVED_BYTES)
      const isExpected = overflow !== undefined || asksToCompact(request) || holdsSummary(request)
      return isExpected || isLarge || hasAny(body, MEDIA_MARKS)
    },
    decide(request) {
      const session = nameSession(request.owner)
      const decided = decide(request, Promise.all([kept.find(session), shortened.find(session)]))
      if (request.overflow) shortened.add(session, decided)
      return decided
    },
    begin({ owner, body, purpose }) {
      const mark = agents.find(({ name }) => name === owner.agent)?.wire?.historyMark
      if (purpose !== 'generate' || mark === undefined || !hasAny(body, [Buffer.from(mark)])) return
      const session = nameSession(owner)
      const task: RememberTask = { owner, body, settings }
      const keep = async () => {
        const what = 'a request was not kept for the compaction of its session'
        await runBeside('remember', task, what, AbortSignal.timeout(DEADLINE_MS))
      }
      // One after the other, so that the latest is stored last.
      kept.add(session, (kept.find(session) ?? Promise.resolve()).then(keep))
    },
    observe(request, { status, usage }) {
      const { owner, purpose } = request
      if (status >= 400 || purpose !== 'generate') return
      if (saves && usage) {
        sent.keep(nameSession(owner), { at: Date.now(), usage })
        const task: UsageTask = { owner, usage, settings }
        void runBeside('recordUsage', task, 'what the provider counted is not known')
      }
      const tool = findOfferedTool(request)
      if (tool !== undefined) tools.keep(nameSession(owner), tool)
    },
    async serve(request) {
      const task: SidecarTask = { request, settings }
      const signal = AbortSignal.timeout(DEADLINE_MS)
      try {
        return await run<SidecarAnswer>('serve', task, signal)
      } catch (error) {
        return {
          status: 503,
          body: JSON.stringify({
            error: {
              type: 'compression_error',
              message: signal.aborted ? 'not done in time' : describe(error),
            },
          }),
        }
      }
    },
    async close() {
      isClosed = true
      await Promise.all([...new Set([pool, others])].map((threads) => threads.destroy()))
    },
  }
}

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error))
const nameSession = ({ id, session = '' }: Owner) => `${id}/${session}`

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
