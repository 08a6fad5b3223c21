import { describe, expect, test } from 'vitest'
import { findDecisions, isAnnouncement, isDecision } from './decisions.ts'

describe('isDecision', () => {
  test.each([
    'The root cause is a missing import.',
    'We decided to keep SQLite.',
    '- **Storage:** use one file instead of three',
    'I flattened the result because a nested count would not start with `wait`.',
    'The safest approach is to filter when copying.',
    'I’ll keep the old name instead of breaking callers.',
    'Tokens should never be logged.',
    'You are right, we use the old name instead of a new one.',
    'Deshalb bleibt der Name.',
    '因此保留旧名称。',
  ])('%s', (sentence) => {
    expect(isDecision(sentence)).toBe(true)
  })

  test.each([
    'Now I need to update `setup.go` because it changed.',
    'Let me check why it fails.',
    'You’re absolutely right - a bad theme should never end the app!',
    'Three comments all say the same: use a check instead of a string.',
    'I’m re-running the review rather than relying on the last pass.',
    'Good. Now let me run the tests to verify the fix.',
    'Jetzt muss ich die Ursache suchen.',
    '让我看看原因。',
    'But when it is true, the problem is the comment.',
    'If it were rejected, that means a failure.',
    'Should we use one file instead of three?',
    'The problem is this:',
    'Line 96 gets 0 instead of 1000.',
    'All tests pass.',
    'It fails.',
    'Both should now look alike since we use RGB instead of the palette.',
    'I think the issue is that the flag is not set.',
    'The issue is likely a stale cache.',
    'The import bug is fixed.',
    'That is why the docs say so.',
    'This means that only the delta is stored.',
    '- a new field to track the decision',
    'I see that it always creates a commit because it adds metadata.',
    '- it should not be much slower unless the repository is small',
    '- The scripts already use `grep` instead of `source`',
    '- updated the test that asserted "a tag should not appear"',
  ])('not: %s', (sentence) => {
    expect(isDecision(sentence)).toBe(false)
  })
})

test('code, tables, headings and data decide nothing', () => {
  const said = 'We decided to keep SQLite.'
  expect(
    findDecisions(
      `# ${said}\n**${said.slice(0, -1)}**\n| ${said} |\n\`\`\`\n${said}\n\`\`\`\n{"body": "${said}"}\n    ${said}`,
    ),
  ).toEqual([])
  expect(findDecisions(`It is small. ${said}\n- ${said}`)).toEqual([said, `- ${said}`])
})

test('what is announced with its reason is more than an announcement', () => {
  expect(isAnnouncement('Let me look at it.')).toBe(true)
  expect(isAnnouncement('I will use a list because order counts.')).toBe(false)
})

test('any number of sentences is read', { tags: 'slow' }, () => {
  expect(findDecisions('We decided to keep SQLite. '.repeat(130_000))).toHaveLength(130_000)
})
