import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { middleOut, type Strategy } from '@precis/core'
import { afterAll, describe, expect, test } from 'vitest'
import { loadSession } from '../../packages/precis/src/sessions/load-session.ts'
import { evaluateSession } from './evaluate-session.ts'
import { findPoints } from './find-points.ts'
import { createRecordedSession } from './history.suite.ts'
import { countSize } from './items/size.ts'
import { listMethods } from './method.ts'
import { createRecording } from './recording.ts'
import { createTables } from './tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-evaluation-'))
afterAll(() => rmSync(folder, { recursive: true }))

const budgets = [{ label: '2000', sizeFor: () => 2000 }]

async function open(text: string, name = 'session.jsonl') {
  const path = join(folder, name)
  writeFileSync(path, text)
  const session = await loadSession(path)
  return { recording: createRecording(session), close: () => session.document.close() }
}

describe('points', () => {
  test('are cuts where 40, 60 and 80 % of the tokens have passed and no call is open', async () => {
    const { recording, close } = await open(createRecordedSession())
    const { points } = findPoints(recording)
    close()
    expect(points.map(({ place }) => place)).toEqual(['40 %', '60 %', '80 %'])
    const total = recording.items.reduce((sum, { text }) => sum + countSize(text), 0)
    for (const [index, { past, size }] of points.entries()) {
      expect(size).toBeGreaterThanOrEqual((0.4 + 0.2 * index) * total)
      const calls = past.filter(({ kind }) => kind === 'call').map(({ callId }) => callId)
      expect(past.filter(({ kind }) => kind === 'result').map(({ callId }) => callId)).toEqual(
        calls,
      )
    }
  })

  test('lie where the agent compacted too, with its summary, and no cut lies behind it', async () => {
    const [head = '', ...rest] = createRecordedSession().trimEnd().split('\n')
    const entry = JSON.parse(head)
    const summary = {
      ...entry,
      uuid: 'summary',
      isCompactSummary: true,
      message: { role: 'user', content: 'Then. '.repeat(300) },
    }
    const boundary = {
      ...entry,
      uuid: 'boundary',
      type: 'system',
      subtype: 'compact_boundary',
      message: undefined,
    }
    const lines = [
      head,
      ...rest.slice(0, 40),
      JSON.stringify(boundary),
      JSON.stringify(summary),
      ...rest.slice(40),
    ]
    const { recording, close } = await open(`${lines.join('\n')}\n`, 'native.jsonl')
    const { points } = findPoints(recording)
    const native = points.find(({ kind }) => kind === 'native')
    close()
    expect(native?.summary).toBe('Then. '.repeat(300))
    expect(native?.past.length).toBe(41)
    expect(
      Math.max(...points.filter(({ kind }) => kind === 'cuts').map(({ row }) => row)),
    ).toBeLessThan(41)
  })

  test('that say nothing are named with the reason', async () => {
    const lines = createRecordedSession().split('\n').slice(0, 9)
    const { recording, close } = await open(`${lines.join('\n')}\n`, 'short.jsonl')
    const { points, skipped } = findPoints(recording)
    close()
    expect(points).toEqual([])
    expect(skipped[0]?.reason).toMatch(/tokens before the first compaction, fewer than 15000/)
  })
})

describe('an evaluation', () => {
  test('scores strategies and baselines at every point, and gives the same scores each time', {
    tags: 'slow',
  }, async () => {
    const { recording, close } = await open(createRecordedSession())
    const options = {
      strategies: [middleOut],
      budgets,
      onFailure: (reason: string) => expect.fail(reason),
    }
    const [first, second] = [
      await evaluateSession(recording, options),
      await evaluateSession(recording, options),
    ]
    close()
    const [table] = createTables([first], listMethods([middleOut])).points
    expect(table?.rows.map(({ method }) => method.name)).toEqual([
      'middle-out',
      'newest',
      'users-and-newest',
      'masked-and-newest',
      'line-per-call',
      'random-lines',
      'word-list',
    ])
    expect(table?.rows[0]?.points).toEqual({ scored: 3, refused: 0, overBudget: 0, failed: 0 })
    expect(table?.rows[0]?.budgetShare).toBeLessThanOrEqual(1)
    const scoresOf = ({ results, drift }: typeof first) => [
      results.map(({ outcome }) => outcome.type === 'scored' && outcome.scores),
      drift,
    ]
    expect(scoresOf(first)).toEqual(scoresOf(second))
    expect(first.drift.map(({ summarizer, rounds }) => `${summarizer} ${rounds}`)).toEqual([
      'digest 1',
      'digest 2',
      'digest 4',
      'digest 8',
      'loses-everything 8',
      'lies 8',
    ])
  })

  test('tells of a strategy that breaks and goes on', { tags: 'slow' }, async () => {
    const { recording, close } = await open(createRecordedSession())
    const broken: Strategy = {
      name: 'broken',
      summarizes: false,
      plan() {
        throw new Error('nothing planned')
      },
    }
    const failures: string[] = []
    const evaluation = await evaluateSession(recording, {
      strategies: [broken],
      budgets,
      onFailure: (reason) => failures.push(reason),
    })
    close()
    expect(failures[0]).toBe('broken: nothing planned')
    const [table] = createTables([evaluation], listMethods([broken])).points
    expect(table?.rows[0]?.points.failed).toBe(3)
    expect(table?.rows[1]?.points.scored).toBe(3)
  })
})
