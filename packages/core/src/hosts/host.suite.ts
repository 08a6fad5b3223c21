/** What every host can rely on whose compaction precis answers inside the host's own process. */
import { expect, test } from 'vitest'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { readSummary } from '../conversation/summary-message.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'

/** A host's own messages, and how it compacts and sends them. */
export interface TestedHost<Row> {
  readonly user: (text: string) => Row
  readonly answer: (text: string) => Row
  readonly call: (id: string) => Row
  readonly result: (id: string, text: string) => Row
  /** Undefined if the host compacts itself. */
  readonly compact: (rows: readonly Row[]) => Promise<readonly Row[] | undefined>
  /** The same for a sub-agent. Undefined for a host without sub-agents. */
  readonly compactSubAgent?: (rows: readonly Row[]) => Promise<readonly Row[] | undefined>
  /** What the host sends. */
  readonly read: (rows: readonly Row[]) => Conversation
  /** The same if precis fails. Undefined for a host that only calls core. */
  readonly compactWithFault?: (rows: readonly Row[]) => Promise<readonly Row[] | undefined>
}

/** The window of the host's model. */
export const WINDOW_TOKENS = 100_000

const model = { ...findModel('claude-opus-4-5'), contextWindowTokens: WINDOW_TOKENS }

export function testHost<Row>(host: TestedHost<Row>): void {
  const { user, answer, call, result, compact, read } = host
  const counter = createTokenCounter(model, { byCharacters: true })
  const count = (rows: readonly Row[]) => counter.countConversation(read(rows)).upper
  const requests = (from: number, to: number) =>
    [...Array(to - from).keys()].flatMap((step) => {
      const id = `call_${from + step}`
      return [
        user(`Request ${from + step}: never rename module m${from + step}.`),
        call(id),
        result(id, `src/file-${from + step}.ts is fine\n`.repeat(90)),
        answer(`Module m${from + step} is done.`),
      ]
    })
  const compacted = async (rows: readonly Row[]): Promise<readonly Row[]> => {
    const found = await compact(rows)
    if (!found) throw new Error('It was left to the host.')
    return found
  }

  test('a compaction makes the history shorter and valid, and begins with its summary', async () => {
    const rows = requests(0, 40)
    const after = await compacted(rows)
    expect(count(after)).toBeLessThan(Math.min(count(rows) / 3, WINDOW_TOKENS / 10))
    const { messages } = read(after)
    expect(checkInvariants(read(after))).toEqual([])
    // Some hosts put a question of their own before it.
    const first = messages.findIndex((message) => readSummary(message) !== undefined)
    expect([0, 1]).toContain(first)
    expect(messages.slice(0, first).every(({ origin }) => origin === 'synthetic')).toBe(true)
  })

  test('the words of the user stand whole after ten compactions, and one summary', async () => {
    let rows: readonly Row[] = []
    for (let round = 0; round < 10; round++) {
      rows = await compacted([...rows, ...requests(round * 12, round * 12 + 12)])
      expect(checkInvariants(read(rows))).toEqual([])
    }
    const text = JSON.stringify(read(rows).messages)
    const missing = [...Array(120).keys()].filter(
      (index) => !text.includes(`Request ${index}: never rename module m${index}.`),
    )
    expect(missing).toEqual([])
    expect(
      read(rows).messages.filter((message) => readSummary(message) !== undefined),
    ).toHaveLength(1)
    expect(count(rows)).toBeLessThan(WINDOW_TOKENS / 10)
  })

  test('in the middle of a turn the model still has something to answer', async () => {
    const rows = [...requests(0, 30), user('Go on.'), call('last'), result('last', 'It works.')]
    const { messages } = read(await compacted(rows))
    expect(messages.at(-1)?.role).not.toBe('assistant')
    expect(JSON.stringify(messages)).toContain('Go on.')
  })

  test('a short history is left to the host', async () => {
    expect(await compact([user('Hello.'), answer('Hi.')])).toBeUndefined()
  })

  const { compactSubAgent, compactWithFault } = host
  test.skipIf(!compactSubAgent)(
    'a sub-agent is compacted, with its own words and none of the main conversation',
    async () => {
      await compact(requests(0, 30))
      const rows = await compactSubAgent!(requests(30, 60))
      if (!rows) throw new Error('It was left to the host.')
      const { messages } = read(rows)
      expect(checkInvariants(read(rows))).toEqual([])
      expect(count(rows)).toBeLessThan(WINDOW_TOKENS / 10)
      const words = JSON.stringify(messages).match(/Request \d+:/g)
      expect(new Set(words)).toEqual(
        new Set([...Array(30).keys()].map((index) => `Request ${index + 30}:`)),
      )
    },
  )

  if (!compactWithFault) return
  test('a fault of precis leaves the compaction to the host', async () => {
    expect(await compactWithFault(requests(0, 30))).toBeUndefined()
  })
}
