import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createContext, createTokenCounter, findModel } from '@precis/core'
import { formats } from '@precis/core/formats'
import { createHistory } from './histories.ts'
import { compare, fastest, type Row } from './measure.ts'

const MODEL = 'gpt-5'
const MESSAGES = 10_000
const RUNS = 200
const COMPRESSIONS = 1_000
const MESSAGES_BETWEEN = 40

/**
 * The cost of a live context for an agent: at each request, at each message, at a commit, and in
 * memory.
 */
export async function measureContext(): Promise<Row[]> {
  return [
    ...(await measurePrepare()),
    await measureAppend(),
    await measureCommit(),
    await measureMemory(),
    await measureHold(),
  ]
}

/** Native messages of the Chat Completions API. */
function createNatives(messageCount: number, charactersPerMessage?: number): object[] {
  const history = createHistory(messageCount, charactersPerMessage)
  const body = formats['openai-chat'].serialize({ ...history, protocol: 'openai-chat' })
  if (!('messages' in Object(body))) throw new Error('The format gives no request body.')
  return (body as { messages: object[] }).messages
}

async function measurePrepare(): Promise<Row[]> {
  const natives = createNatives(MESSAGES)
  const cold = await fastest(1, () => {
    const conversation = formats['openai-chat'].parse({ messages: natives })
    createTokenCounter(findModel(MODEL)).countConversation(conversation)
  })
  const context = createContext<object>({
    model: MODEL,
    format: 'openai-chat',
    messages: natives,
    windowTokens: 100_000_000,
  })
  await context.prepare()
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    context.append({
      role: run % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${run} of the benchmark.`,
    })
    const started = performance.now()
    const { messages } = await context.prepare()
    times.push(performance.now() - started)
    if (messages.length !== MESSAGES + run + 1)
      throw new Error(`prepare() gave ${messages.length} messages.`)
  }
  const median =
    times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY
  return [
    {
      name: `prepare() after an append, ${MESSAGES} messages, below the threshold: median`,
      value: `${median.toFixed(3)} ms`,
      bar: '≤ 1 ms',
      passed: median <= 1,
    },
    compare(`the same over a cold count (${cold.toFixed(0)} ms)`, median / cold, 0.002, 5),
  ]
}

async function measureAppend(): Promise<Row> {
  const appendAll = async (count: number) => {
    const natives = createNatives(count, 40)
    const context = createContext<object>({
      model: MODEL,
      format: 'openai-chat',
      windowTokens: 100_000_000,
    })
    return await fastest(1, () => {
      for (const native of natives) context.append(native)
    })
  }
  let once = Number.POSITIVE_INFINITY
  let twice = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8; round++) {
    once = Math.min(once, await appendAll(MESSAGES))
    twice = Math.min(twice, await appendAll(MESSAGES * 2))
  }
  return compare(
    `${MESSAGES} appends: time when they double (${once.toFixed(0)} ms)`,
    twice / once,
    2.3,
  )
}

/** The summary was made ahead; only the commit is left. */
async function measureCommit(): Promise<Row> {
  const windowTokens = 400_000
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    const context = createContext<object>({
      model: MODEL,
      format: 'openai-chat',
      windowTokens,
      prepareAhead: 0.5,
    })
    for (const native of createNatives(6_000)) {
      const { tokens, thresholdTokens, isPrepared } = context.state
      if (tokens >= thresholdTokens) break
      context.append(native)
      if (tokens < 0.7 * thresholdTokens || isPrepared) continue
      await context.prepare()
      await waitUntil(() => context.state.isPrepared)
    }
    const started = performance.now()
    const { compression } = await context.prepare()
    const durationMs = performance.now() - started
    if (compression?.outcome.type !== 'compressed')
      throw new Error(`prepare() came to ${compression?.outcome.type}.`)
    best = Math.min(best, durationMs)
  }
  return {
    name: 'commit of a compression that was computed ahead',
    value: `${best.toFixed(1)} ms`,
    bar: '≤ 20 ms',
    passed: best <= 20,
  }
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('No compression was computed ahead within five seconds.')
}

/** Memory in use after a quarter of the compressions and after all of them. */
async function measureMemory(): Promise<Row> {
  const context = createContext<object>({
    model: MODEL,
    format: 'openai-chat',
    windowTokens: 16_000,
  })
  const natives = createNatives(MESSAGES_BETWEEN)
  let early = 0
  for (let round = 0; round < COMPRESSIONS; round++) {
    context.append(...structuredClone(natives))
    const { outcome } = await context.compress({ budgetTokens: 2_000 })
    if (outcome.type !== 'compressed')
      throw new Error(`Compression ${round} came to ${outcome.type}.`)
    if (round === COMPRESSIONS / 4) early = measureHeap()
  }
  const late = measureHeap()
  return compare(
    `memory after ${COMPRESSIONS} compressions (${(late / 2 ** 20).toFixed(0)} MiB) over ${COMPRESSIONS / 4}`,
    late / early,
    1.1,
  )
}

const COLD_MESSAGES = 8_000

/**
 * How long a history of a million tokens, which is seen for the first time, keeps others from their
 * turn.
 */
async function measureHold(): Promise<Row> {
  const natives = createNatives(COLD_MESSAGES)
  let longest = Number.POSITIVE_INFINITY
  let tokens = 0
  for (let round = 0; round < 3; round++) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const context = createContext<object>({
      model: MODEL,
      format: 'openai-chat',
      messages: natives,
      windowTokens: 200_000,
    })
    const { compression } = await context.prepare()
    delay.disable()
    if (compression?.outcome.type !== 'compressed')
      throw new Error(`prepare() came to ${compression?.outcome.type}.`)
    tokens = compression.tokensBefore
    longest = Math.min(longest, delay.max / NANOSECONDS_PER_MS)
  }
  return {
    name: `longest hold of the thread while ${tokens} tokens are counted and compressed for the first time`,
    value: `${longest.toFixed(0)} ms`,
    bar: '≤ 50 ms',
    passed: longest <= 50,
  }
}

const NANOSECONDS_PER_MS = 1e6

function measureHeap(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
