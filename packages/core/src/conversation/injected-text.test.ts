import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { findUserOrigin, isInjectedText, readOwnText } from './injected-text.ts'
import { readText } from './message.ts'
import { createSummaryMessage } from './summary-message.ts'

describe('isInjectedText', () => {
  test.each([
    '<system-reminder>\nbe careful\n</system-reminder>',
    '\n<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\n',
    '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
    '<local-command-stdout>ok</local-command-stdout>',
    '<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>',
    '[Request interrupted by user for tool use]',
    '<task-notification>done</task-notification>\nFull transcript available at: /tmp/a.output',
    '[Earlier messages were removed.]',
    '[The conversation begins with a call; what led to it is not recorded.]',
    'This session is being continued from a previous conversation that ran out of context.',
    'Context summary:\n\nThe parser is done.\n\n## Files\nRead:\n- none',
    readText(createSummaryMessage('what was')),
  ])('%s is nobody’s word', (text) => {
    expect(isInjectedText(text)).toBe(true)
  })

  test.each([
    '',
    '  ',
    'please look',
    '<system-reminder>a</system-reminder> please look',
    'why does it say <system-reminder>a</system-reminder>',
    '<system-reminder>never closed',
    '<system-reminders>a</system-reminders>',
    '<div>my page</div>',
    'I saw "[Request interrupted by user]" on the screen',
    'Context summary:\n\nThe parser is done. Now fix the lexer.',
  ])('%j may be the person’s', (text) => {
    expect(isInjectedText(text)).toBe(false)
  })

  test.each([
    ['openings', '<system-reminder>'],
    ['reminders', '<system-reminder></system-reminder>'],
    ['blanks', ' \n'],
  ])('a long text of %s takes linear time', { tags: 'slow' }, async (_, piece) => {
    await expectLinearGrowth(
      (count) => `${piece.repeat(count)}x`,
      (text) => expect(isInjectedText(text)).toBe(false),
      10_000,
    )
  })
})

describe('readOwnText', () => {
  test('a text of arguments that never end takes linear time', { tags: 'slow' }, async () => {
    await expectLinearGrowth(
      (count) => '<command-args>'.repeat(count),
      (text) => expect(readOwnText(text)).toBe(text),
      1_000,
    )
  })

  test.each([
    ['please look', 'please look'],
    ['<system-reminder>a</system-reminder> please look', 'please look'],
    ['look\n<environment_details>a</environment_details>\nhere', 'look\n\nhere'],
    ['<system-reminder>never closed, look', '<system-reminder>never closed, look'],
    ['<div>my page</div>', '<div>my page</div>'],
    ['[Request interrupted by user]', ''],
    [
      '<task-notification>done</task-notification>\nRead the output file to retrieve the result: /tmp/a',
      '',
    ],
    ['<task-notification>done</task-notification>\nNow read it.', 'Now read it.'],
    [
      'Full transcript available at: /tmp/a\nNow read it.',
      'Full transcript available at: /tmp/a\nNow read it.',
    ],
    [
      '<task-notification>done</task-notification>\nFull transcript available at: /tmp/a\nNow read it.',
      'Now read it.',
    ],
    [
      'The user sent a new message while you were working:\nstop\n\nThis is how Claude Code surfaces messages the user sends mid-turn — within it.',
      'stop',
    ],
    [
      'The user sent a new message while you were working:\nstop',
      'The user sent a new message while you were working:\nstop',
    ],
    ['<command-name>/fix</command-name><command-args> the cache </command-args>', '/fix the cache'],
    ['<command-name>/clear</command-name><command-args></command-args>', ''],
  ])('%j: %j', (text, own) => {
    expect(readOwnText(text)).toBe(own)
  })

  // Searching for the end of each opening again would take minutes.
  test('a long text of openings that are never closed is read through', {
    tags: 'slow',
    timeout: 30_000,
  }, () => {
    const text = '<system-reminder><bash-input>'.repeat(300_000)
    expect(readOwnText(text)).toBe(text)
  })
})

describe('findUserOrigin', () => {
  const text = (value: string) => ({ type: 'text' as const, text: value })
  const reminder = text('<system-reminder>a</system-reminder>')

  test('one typed text or one picture makes it the person’s word', () => {
    expect(findUserOrigin([reminder, text('hello')])).toBe('user')
    expect(findUserOrigin([reminder, { type: 'image', mediaType: 'image/png', bytes: 1 }])).toBe(
      'user',
    )
    expect(findUserOrigin([reminder, text(' ')])).toBe('synthetic')
  })
})
