import { compressConversation, createTokenCounter, findModel, strategies } from '@precis/core'
import { createHistory } from './histories.ts'
import { compare, fastest, type Row } from './measure.ts'

const MESSAGES = 2_000

/** How the time of each strategy grows with the history, and how often it counts. */
export async function measureStrategies(): Promise<Row[]> {
  const rows: Row[] = []
  for (const strategy of Object.values(strategies)) {
    const time = (messageCount: number) =>
      fastest(5, async () => {
        const { outcome } = await compressConversation(createHistory(messageCount), { strategy, budgetTokens: 20_000 })
        if (outcome.type !== 'compressed')
          throw new Error(`${strategy.name} on ${messageCount} messages: ${outcome.type}`)
      })
    await time(MESSAGES)
    const once = await time(MESSAGES)
    const twice = await time(MESSAGES * 2)
    rows.push(
      compare(
        `${strategy.name}: time when the history doubles (${MESSAGES} messages, ${once.toFixed(0)} ms)`,
        twice / once,
        2.3,
      ),
    )
  }
  return [...rows, await countReads(), await measureAppend()]
}

/** Counts how often `top-down-truncation` looks into a message to count it. */
async function countReads(): Promise<Row> {
  let reads = 0
  const history = createHistory(1_001)
  const messages = history.messages.map((message) => {
    const [part] = message.parts
    if (part?.type !== 'text') return message
    const text = part.text
    const watched = {
      type: 'text' as const,
      get text() {
        reads++
        return text
      },
    }
    return { ...message, parts: [watched] } as typeof message
  })
  const counter = createTokenCounter(findModel('gpt-5'))
  const watched = messages.filter((message, index) => message !== history.messages[index]).length
  for (let pass = 0; pass < 3; pass++) counter.countConversation({ ...history, messages })
  return {
    name: `reads of each message over three counts of one conversation (${watched} messages watched)`,
    value: (reads / watched).toFixed(2),
    bar: '≤ 1',
    passed: reads <= watched,
  }
}

async function measureAppend(): Promise<Row> {
  const history = createHistory(MESSAGES)
  const model = findModel('gpt-5')
  const cold = await fastest(5, () => createTokenCounter(model).countConversation(createHistory(MESSAGES)))
  const making = await fastest(5, () => createHistory(MESSAGES))
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
