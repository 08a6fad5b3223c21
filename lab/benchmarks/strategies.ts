import {
  applyStrategies,
  auto,
  bands,
  type Conversation,
  clearTools,
  compressConversation,
  createTokenCounter,
  findModel,
  highDensity,
  type Ladder,
  type Message,
  type Strategy,
  topDownTruncation,
} from '@precis/core'
import { apply } from '@precis/core/conversation'
import { strategies } from '@precis/core/strategies'
import { createView } from '../../packages/core/src/engine/view.ts'
import { createHistory } from './histories.ts'
import { compare, fastest, type Row } from './measure.ts'

const MESSAGES = 2_000
const ROUNDS = 12

/** How the time of each strategy grows with the history, and how often messages are counted. */
export async function measureStrategies(): Promise<Row[]> {
  const rows: Row[] = []
  for (const strategy of [auto, ...Object.values(strategies)])
    rows.push(await measureDoubling(strategy))
  return [...rows, countReads(), await measureAppend()]
}

// These do what they can in their zone and reach no target of their own.
const CLEARING: readonly (Strategy | Ladder)[] = [highDensity, clearTools, bands]

async function measureDoubling(strategy: Strategy | Ladder): Promise<Row> {
  const run = async (messageCount: number) => {
    const history = createHistory(messageCount)
    return await fastest(1, () => runOnce(history, strategy))
  }
  let once = Number.POSITIVE_INFINITY
  let twice = Number.POSITIVE_INFINITY
  // In turns, so that whatever else the machine does slows both down alike.
  for (let round = 0; round < ROUNDS; round++) {
    once = Math.min(once, await run(MESSAGES))
    twice = Math.min(twice, await run(MESSAGES * 2))
  }
  return compare(
    `${strategy.name}: time when ${MESSAGES} messages double (${once.toFixed(0)} ms)`,
    twice / once,
    2.3,
  )
}

async function runOnce(history: Conversation, strategy: Strategy | Ladder): Promise<void> {
  if (!('rungs' in strategy) && CLEARING.includes(strategy)) {
    await applyStrategies(history, [strategy])
    return
  }
  const { outcome } = await compressConversation(history, { strategy, budgetTokens: 20_000 })
  if (outcome.type !== 'compressed') throw new Error(`${strategy.name}: ${outcome.type}`)
}

/**
 * How often `top-down-truncation` looks into a message of 1 001, from measuring to the count of its
 * result.
 */
function countReads(): Row {
  let reads = 0
  let watchedMessages = 0
  const history = createHistory(1_001)
  const watch = (message: Message): Message => {
    const [part] = message.parts
    if (message.role !== 'assistant' || part?.type !== 'text') return message
    watchedMessages++
    const { text } = part
    const watched = {
      type: 'text' as const,
      get text() {
        reads++
        return text
      },
    }
    return { ...message, parts: [watched] }
  }
  const conversation = { ...history, messages: history.messages.map(watch) }
  const counter = createTokenCounter(findModel('gpt-5'))
  const plan = topDownTruncation.plan(createView(conversation, counter), { targetTokens: 20_000 })
  if ('noop' in plan) throw new Error(plan.noop)
  counter.countConversation(
    apply(
      conversation,
      plan.edits.filter((edit) => edit.type === 'drop' || edit.type === 'replace'),
    ),
  )
  const perMessage = reads / watchedMessages
  return {
    name: 'top-down-truncation: counts of each message',
    value: perMessage.toFixed(2),
    bar: '≤ 1',
    passed: perMessage <= 1,
  }
}

async function measureAppend(): Promise<Row> {
  const model = findModel('gpt-5')
  const cold = await fastest(5, () =>
    createTokenCounter(model).countConversation(createHistory(MESSAGES)),
  )
  const making = await fastest(5, () => createHistory(MESSAGES))
  const history = createHistory(MESSAGES)
  const counter = createTokenCounter(model)
  counter.countConversation(history)
  const extra = createHistory(MESSAGES + 200).messages.slice(MESSAGES)
  let next = 0
  const warm = await fastest(100, () => {
    const messages = [...history.messages, extra[next++ % extra.length]!]
    counter.countConversation({ ...history, messages })
  })
  return compare(
    `counting again after one append, of a cold count of ${MESSAGES} messages`,
    warm / (cold - making),
    1 / 200,
    5,
  )
}
