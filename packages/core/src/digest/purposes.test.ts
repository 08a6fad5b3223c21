import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import { digestOf, sectionOf, step } from './spans.suite.ts'

async function purposeOf(words: string, path = 'src/auto_commit.ts'): Promise<string | undefined> {
  const edit = { file_path: path, old_string: 'a', new_string: 'const commitLimit = readLimit()' }
  const text = await digestOf([
    person('Go.'),
    ...step('Edit', edit, 'ok', { words }),
    agent('Done.'),
    person('Next.'),
  ])
  return sectionOf(text, /changed/)
    .find((line) => line.startsWith('  '))
    ?.slice(2)
}

describe('what an edit was for', () => {
  test.each([
    'Fix auto_commit.ts:',
    'Update the docs:',
    "Now let me update auto_commit's imports:",
    'I need to add the `errors` import to auto_commit.ts.',
    'Check if `fmt` is still used in that file:',
    'Let me make the changes.',
    'Got it!',
    "You're absolutely right.",
    'Perfect! Great.',
    'All tests pass.',
    "I'll make all the independent edits in parallel.",
  ])('%j says nothing', async (words) => {
    expect(await purposeOf(words)).toBeUndefined()
  })

  test.each([
    [
      'Now let me add a limit of nine entries to each queue:',
      'Add a limit of nine entries to each queue.',
    ],
    ['The limit is off by one. Fix auto_commit.ts:', 'The limit is off by one.'],
    ['Got it! The limit is off by one.', 'The limit is off by one.'],
    ['Also, let me log what each queue drops:', 'Log what each queue drops.'],
    ['The cache needs a limit.', 'The cache needs a limit.'],
    [
      "I'll skip the tag because `musttag` no longer asks for it.",
      "I'll skip the tag because `musttag` no longer asks for it.",
    ],
    ['Read the limit from the settings.', 'Read the limit from the settings.'],
    ['修复缓存。', '修复缓存。'],
  ])('%j tells %j', async (words, purpose) => {
    expect(await purposeOf(words)).toBe(purpose)
  })
})
