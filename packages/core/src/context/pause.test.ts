import { setImmediate } from 'node:timers'
import { afterEach, expect, test, vi } from 'vitest'
import { readReceipt } from '../engine/report.ts'
import { assistant, type ChatMessage, call, toolResult, user } from './context.suite.ts'
import { createContext } from './create-context.ts'

const words = (number: number) =>
  `src/module${number}.ts:${number} the parser reads line ${number * 7} and fails. `.repeat(30)

const messages: ChatMessage[] = Array.from({ length: 120 }, (_, index) => [
  user(`Request ${index}: never touch config/${index}.json.`),
  call(`c${index}`),
  toolResult(`c${index}`, words(index)),
  assistant(`Answer ${index}: ${words(index)}`),
]).flat()

afterEach(() => void vi.restoreAllMocks())

/** What is sent, and how often others had their turn before. */
async function compress(now: () => number) {
  vi.spyOn(Date, 'now').mockImplementation(now)
  let turns = 0
  let isDone = false
  const takeTurn = () => {
    turns++
    if (!isDone) setImmediate(takeTurn)
  }
  setImmediate(takeTurn)
  const options = { model: 'gpt-5', format: 'openai-chat', windowTokens: 60_000 } as const
  const context = createContext<ChatMessage>({
    ...options,
    messages: [...messages, user('Go on.')],
  })
  const { messages: sent, compression } = await context.prepare()
  const turnsUntilSent = turns
  const receipt = compression?.report && (await readReceipt(compression.report))
  isDone = true
  expect(compression?.outcome.type).toBe('compressed')
  expect(receipt).toEqual(compression?.report?.receipt)
  return { sent: JSON.stringify(sent), turnsUntilSent, turnsForReceipt: turns - turnsUntilSent }
}

test('others have their turn while a history is counted and compressed, and while its receipt is made', {
  tags: 'slow',
}, async () => {
  // Loads the vocabulary and the code of a digest.
  await compress(() => 0)
  const atOnce = await compress(() => 0)
  let time = 0
  const inPieces = await compress(() => (time += 0.02))
  expect(inPieces.sent).toBe(atOnce.sent)
  // Fifty looks at this clock take a millisecond.
  expect(inPieces.turnsUntilSent).toBeGreaterThan(50)
  expect(inPieces.turnsForReceipt).toBeGreaterThan(10)
  expect(atOnce.turnsUntilSent).toBeLessThan(20)
})

test('a text of megabytes is counted and read in steps, also for a switch, with the same result', {
  tags: 'slow',
}, async () => {
  const long = Array.from(
    { length: 40_000 },
    (_, line) => `src/log${line}.ts:${line} was read, key ${line * 31}`,
  ).join('\n')
  const history = [
    user('Read the log.'),
    call('big'),
    toolResult('big', long),
    assistant('It is long.'),
    user('Go on.'),
  ]
  const run = async (now: () => number) => {
    vi.spyOn(Date, 'now').mockImplementation(now)
    let turns = 0
    let isDone = false
    const takeTurn = () => {
      turns++
      if (!isDone) setImmediate(takeTurn)
    }
    setImmediate(takeTurn)
    const create = () =>
      createContext<ChatMessage>({
        model: 'gpt-5',
        windowTokens: 60_000,
        messages: structuredClone(history),
      })
    const context = create()
    const { messages: sent } = await context.prepare()
    const preview = await create().previewSwitch('claude-haiku-4-5')
    isDone = true
    return { result: JSON.stringify({ sent, preview }), turns }
  }
  const atOnce = await run(() => 0)
  let time = 0
  const inPieces = await run(() => (time += 0.5))
  expect(inPieces.result).toBe(atOnce.result)
  expect(inPieces.turns).toBeGreaterThan(atOnce.turns + 10)
})
