import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createHome,
  createUuid,
  runCommand,
  writeFixture,
} from '../../../packages/precis/src/cli/command.suite.ts'
import { measureSession } from '../../../packages/precis/src/replay/recorded-session.ts'
import {
  createRecordedSession,
  type MadeStep,
} from '../../../packages/precis/src/replay/session.suite.ts'
import { createSavingProgram } from './saving.ts'
import { summarizeStudies } from './saving-report.ts'
import { type SessionStudy, studySession } from './study.ts'

/** Thirty requests of 2000 words, with a pause before some. */
const study = async (pausesBefore: readonly number[], model?: string) => {
  const made = Array.from(
    { length: 30 },
    (_, index): MadeStep => ({
      words: 2000,
      secondsLater: pausesBefore.includes(index) ? 400 : 10,
    }),
  )
  const session = measureSession(createRecordedSession(made, model))
  return await studySession(session, { cacheLifetimeSeconds: 300, withHindsight: true })
}

describe('a study of what saving is worth', { tags: 'slow' }, () => {
  test('has nothing dearer in hindsight than what was done without', async () => {
    const found = await study([20])
    if (!found) throw new Error('the model has prices')
    const { usual, save, cheapest, careful } = found.ways
    expect(found).toMatchObject({ requests: 30, pauses: 1, isPossibleWithout: true })
    expect(usual).toMatchObject({ ratio: 1, compressions: 0 })
    expect(save.ratio).toBeLessThan(0.9)
    expect(cheapest?.ratio).toBeLessThan(save.ratio)
    expect(careful?.ratio).toBeLessThanOrEqual(save.ratio)
    expect(careful?.missing).toBeLessThanOrEqual(0.02 * (careful?.needed ?? 0))
  })

  test('saves in hindsight where no pause tells when', async () => {
    const found = await study([])
    expect(found?.ways.save.ratio).toBe(1)
    expect(found?.ways.cheapest?.ratio).toBeLessThan(0.9)
  })

  test('is not made without prices', async () => {
    expect(await study([], 'a-model-nobody-knows')).toBeUndefined()
  })
})

describe('the summary', () => {
  const way = (ratio: number, missing: number) => ({
    ratio,
    readAgain: 0,
    compressions: 1,
    needed: 50,
    missing,
    removedTokens: 1000,
    readAgainTokens: 10,
  })
  const one = (ratio: number, half: 1 | 2, isPossibleWithout = true): SessionStudy => ({
    session: 'one',
    model: 'claude-opus-4-8',
    requests: 10,
    pauses: 0,
    isPossibleWithout,
    half,
    ways: { usual: way(1, 0), save: way(ratio, 1) },
  })

  test('counts what got dearer, and keeps apart what did not fit', () => {
    const rows = summarizeStudies([one(0.5, 1), one(0.7, 1), one(1.04, 2), one(0.2, 2, false)])
    const find = (group: string) => rows.find((row) => row.group === group && row.way === 'save')
    expect(find('doing nothing was possible')).toMatchObject({
      sessions: 3,
      medianRatio: 0.7,
      maximumRatio: 1.04,
      above: 1,
      medianLost: 0.02,
      readAgainShare: 0.01,
    })
    expect(find('of them the first half')).toMatchObject({
      sessions: 2,
      medianRatio: 0.6,
      above: 0,
    })
    expect(find('doing nothing was not possible')).toMatchObject({ sessions: 1, medianRatio: 0.2 })
  })
})

describe('the command', () => {
  const home = createHome()
  const session = writeFixture(
    join(home, 'session.jsonl'),
    createClaudeSession({ sessionId: createUuid(1), turns: 30, linesPerRead: 60 }),
  )

  test('prints a line for each session and the figures of each group', async () => {
    const { code, stdout } = await runCommand(
      home,
      [session, '--no-hindsight'],
      createSavingProgram,
    )
    expect(code).toBe(0)
    expect(stdout).toContain('session.jsonl')
    expect(stdout).toContain('doing nothing was possible')
  })

  test('prints one object', { tags: 'slow' }, async () => {
    const { code, stdout } = await runCommand(
      home,
      [session, '--no-hindsight', '--json'],
      createSavingProgram,
    )
    expect(code).toBe(0)
    const { sessions, summary, leftOut } = JSON.parse(stdout)
    expect(sessions).toHaveLength(1)
    expect(sessions[0].ways.cheapest).toBeUndefined()
    expect(summary[0]).toMatchObject({
      group: 'doing nothing was possible',
      way: 'usual',
      sessions: 1,
    })
    expect(leftOut).toEqual([])
  })
})
