import { describe, expect, test } from 'vitest'
import { load, USAGE } from './mod.suite.ts'

const typed = () => ({
  trigger: 'manual',
  messages: [...Array(30).keys()].flatMap((index) => [
    { role: 'user', text: `Request ${index}.`, toolUses: [] },
    { role: 'assistant', text: 'The log is long. '.repeat(100), toolUses: [] },
  ]),
})

test('a turn does not run again if the window cannot be read', async () => {
  const usage = () => {
    throw new Error('no usage')
  }
  const { send, lines } = load({ usage }, { compactAtPercent: 60 })
  let turns = 0
  await send('turn.complete', {}, async () => ({ turn: ++turns }))
  expect(turns).toBe(1)
  expect(lines).toEqual(['The conversation was not compacted (Error: no usage).'])
})

describe('a conversation whose cache is about to expire', () => {
  const MINUTE_MS = 60_000
  const given = { typed, surfaces: ['terminal'], ask: () => 'Leave it as it is' }

  test('is compacted with a line before and after, and nobody is asked', async () => {
    const { send, lines, timers } = load(given, { compactIdlePercent: 50 })
    await send('turn.start', {})
    await send('turn.complete', {})
    expect(lines).toEqual([])
    timers[0]?.run()
    await expect.poll(() => lines).toHaveLength(1)
    expect(lines[0]).toContain('fills 70% of the window, so precis compacts it now')
    // The screen is drawn again before the line.
    await expect.poll(() => timers.length).toBe(2)
    timers[1]?.run()
    expect(lines.at(-1)).toMatch(
      /^Compacted before the provider's cache expired: .* no model asked/,
    )
  })

  test.each([
    [{ ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 0 }, 4],
    [{ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 }, 48],
    [{}, 4],
  ])('by a turn that wrote %j waits %i minutes', async (usage, minutes) => {
    const { send, timers } = load(given, { compactIdlePercent: 50 })
    await send('turn.complete', { usage })
    expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([minutes * MINUTE_MS])
  })

  test.each([
    [
      'the user types something',
      50,
      async (send: ReturnType<typeof load>['send']) => {
        await send('turn.start', {})
      },
    ],
    [
      'a compaction cannot make it smaller',
      70,
      async (send: ReturnType<typeof load>['send']) => {
        await send('turn.complete', {})
      },
    ],
  ])('stays as it is if %s', async (_, percent, happens) => {
    const { send, timers, lines } = load(given, { compactIdlePercent: percent })
    await send('turn.complete', {})
    await happens(send)
    for (const { run } of timers) run()
    await expect.poll(() => lines.length).toBe(percent === 50 ? 0 : 1)
  })

  test.each([
    ['below the share', {}, { compactIdlePercent: 80 }],
    ['of a sub-agent', { agentId: 'x' }, { compactIdlePercent: 50 }],
    ['without the option', {}, {}],
  ])('%s has no timer', async (_, event, options) => {
    const { send, timers } = load(given, options)
    await send('turn.complete', event)
    expect(timers).toEqual([])
  })
})

test('a share that was not reached again after it grew counts from the beginning', async () => {
  let percentage = 70
  const usage = () => ({ context: { breakdown: { ...USAGE.context.breakdown, percentage } } })
  const { send, lines } = load({ usage }, { compactAtPercent: 60 })
  await send('turn.complete', {})
  await send('turn.complete', {})
  expect(lines).toHaveLength(1)
  percentage = 81
  await send('turn.complete', {})
  expect(lines).toHaveLength(2)
})
