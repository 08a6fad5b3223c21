import { describe, expect, test } from 'vitest'
import { agent, injected, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { digestOf, sectionOf, step } from './spans.suite.ts'

const work = (round: number): Message[] => [
  person(`Request ${round}: never touch table_${round}.`),
  ...step(
    'Edit',
    { file_path: `src/part${round}.ts`, old_string: 'a', new_string: `export const part${round}Value = ${round}` },
    'ok',
    {
      words: `Part ${round} was missing.`,
    },
  ),
  ...step('Bash', { command: `npm run check-${round}` }, ''),
  agent(`Round ${round} is finished because check${round}Passed.`),
]

describe('digest of a digest', () => {
  test('merges the earlier one section by section', async () => {
    const first = await digestOf(work(1))
    const later = work(2)
    const second = await digestOf([createSummaryMessage(first), ...later], {
      turns: new Map(later.map((one) => [one, 2])),
    })
    expect(sectionOf(second, /conversation/)).toEqual([
      '[1]',
      '- Round 1 is finished because check1Passed.',
      '[2]',
      '- Round 2 is finished because check2Passed.',
    ])
    expect(sectionOf(second, /changed/)).toEqual([
      '- src/part2.ts (edited)',
      '  Part 2 was missing.',
      '\texport const part2Value = 2',
      '- src/part1.ts (edited)',
      '  Part 1 was missing.',
      '\texport const part1Value = 1',
    ])
    expect(sectionOf(second, /Commands/)).toEqual(['- npm run check-1 → ok', '- npm run check-2 → ok'])
    expect(second.match(/^## /gm)).toHaveLength(new Set(second.match(/^## .*$/gm)).size)
  })

  test('a digest of nothing but a digest says the same', async () => {
    const first = await digestOf(work(1))
    const second = await digestOf([createSummaryMessage(first)])
    for (const heading of [/conversation/, /changed/, /Commands/])
      expect(sectionOf(second, heading)).toEqual(sectionOf(first, heading))
  })

  test('how a command ended is carried on, and only that', async () => {
    const first = await digestOf([
      person('Go.'),
      ...step('Bash', { command: 'git branch --show-current' }, 'feature/cache'),
      ...step('Bash', { command: 'npm run serve' }, 'Command running in background with ID: b1. Output is elsewhere.'),
      ...step('run_shell_command', { command: 'npm run build' }, ''),
      ...step('Bash', { command: 'npm run check' }, ''),
    ])
    const expected = [
      '- git branch --show-current → "feature/cache"',
      '- npm run serve → still running',
      '- npm run build',
      '- npm run check → ok',
    ]
    expect(sectionOf(first, /Commands/)).toEqual(expected)
    expect(sectionOf(await digestOf([createSummaryMessage(first)]), /Commands/)).toEqual(expected)
  })

  test('an error of the earlier digest goes when its command succeeds', async () => {
    const run = (output: string, isError: boolean) => step('Bash', { command: 'npm test' }, output, { isError })
    const first = await digestOf([person('Go.'), ...run('Exit code 1\nError: boom happened', true)])
    expect(sectionOf(first, /Not resolved/)).toEqual(['- npm test', '\tError: boom happened'])
    expect(sectionOf(await digestOf([createSummaryMessage(first)]), /Not resolved/)).toEqual(
      sectionOf(first, /Not resolved/),
    )
    expect(sectionOf(await digestOf([createSummaryMessage(first), ...run('fine', false)]), /Not resolved/)).toEqual([])
  })

  test('the summary of another summarizer is carried on line by line, its framing is not', async () => {
    const native = [
      'This session is being continued from a previous conversation that ran out of context.',
      'The conversation is summarized below:',
      '1. Primary Request:',
      '   - The user wants `parseInput` to be strict and must not lose comments.',
      '2. Pending Tasks:',
      '   - Port `renderOutput` to streams.',
      'Please continue the conversation from where we left it off without asking the user any further questions.',
    ].join('\n')
    const text = await digestOf([injected(native), person('Go on with the port.')])
    expect(text).toContain('- The user wants `parseInput` to be strict and must not lose comments.')
    expect(text).toContain('- Port `renderOutput` to streams.')
    expect(text).not.toContain('Please continue')
    expect(text).not.toContain('being continued')
  })
})
