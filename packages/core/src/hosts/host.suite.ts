/** What every host can rely on whose compaction precis answers inside the host's own process. */
import { expect, test } from 'vitest'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { readSummary } from '../conversation/summary-message.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compactHistory } from './compact-history.ts'

/** A host's own messages, and how precis reads and writes them. */
export interface TestedHost<Row> {
  readonly user: (text: string) => Row
  readonly answer: (text: string) => Row
  readonly call: (id: string) => Row
  readonly result: (id: string, text: string) => Row
  readonly read: (rows: readonly Row[]) => Conversation
  readonly write: (conversation: Conversation) => readonly Row[]
}

const model = { ...findModel('claude-opus-4-5'), contextWindowTokens: 100_000 }
const TENTH_OF_WINDOW = 10_000

export function testHost<Row>({ user, answer, call, result, read, write }: TestedHost<Row>): void {
  const counter = createTokenCounter(model, { byCharacters: true })
  const count = (rows: readonly Row[]) => counter.countConversation(read(rows)).upper
  const compact = async (rows: readonly Row[], instructions?: string) =>
    await compactHistory(read(rows), {
      counter,
      keeps: 'tail',
      ...(instructions !== undefined && { instructions }),
    })
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
    if (found.type === 'left') throw new Error(found.reason)
    return write(found.compression.conversation)
  }

  test('a compaction makes the history shorter and valid, and its summary is the first message', async () => {
    const rows = requests(0, 40)
    const after = await compacted(rows)
    expect(count(after)).toBeLessThan(Math.min(count(rows) / 3, TENTH_OF_WINDOW))
    const { messages } = read(after)
    expect(checkInvariants(read(after))).toEqual([])
    expect(messages[0] && readSummary(messages[0])).toBeDefined()
  })

  test('the words of the user stand whole after ten compactions, and one summary', async () => {
    let rows: readonly Row[] = []
    for (let round = 0; round < 10; round++) {
      rows = await compacted([...rows, ...requests(round * 12, round * 12 + 12)])
      expect(checkInvariants(read(rows))).toEqual([])
    }
    const text = JSON.stringify(rows)
    const missing = [...Array(120).keys()].filter(
      (index) => !text.includes(`Request ${index}: never rename module m${index}.`),
    )
    expect(missing).toEqual([])
    expect(
      read(rows).messages.filter((message) => readSummary(message) !== undefined),
    ).toHaveLength(1)
    expect(count(rows)).toBeLessThan(TENTH_OF_WINDOW)
  })

  test('in the middle of a turn the model still has something to answer', async () => {
    const rows = [...requests(0, 30), user('Go on.'), call('last'), result('last', 'It works.')]
    const { messages } = read(await compacted(rows))
    expect(messages.at(-1)?.role).not.toBe('assistant')
    expect(JSON.stringify(messages)).toContain('Go on.')
  })

  test('a short history is left to the host', async () => {
    expect(await compact([user('Hello.'), answer('Hi.')])).toMatchObject({
      type: 'left',
      isShort: true,
    })
  })
}
