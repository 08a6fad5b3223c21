import { describe, expect, test } from 'vitest'
import { findUserOrigin, isInjectedText } from './injected-text.ts'
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
    '[Earlier messages were removed.]',
    '[The conversation begins with a call; what led to it is not recorded.]',
    'This session is being continued from a previous conversation that ran out of context.',
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
  ])('%j may be the person’s', (text) => {
    expect(isInjectedText(text)).toBe(false)
  })

  test('a long text of openings takes linear time', () => {
    const started = performance.now()
    expect(isInjectedText('<system-reminder>'.repeat(300_000))).toBe(false)
    expect(isInjectedText(`${'<system-reminder></system-reminder>'.repeat(100_000)}x`)).toBe(false)
    expect(isInjectedText(`${' \n'.repeat(1_000_000)}x`)).toBe(false)
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

describe('findUserOrigin', () => {
  const text = (value: string) => ({ type: 'text' as const, text: value })
  const reminder = text('<system-reminder>a</system-reminder>')

  test('one typed text or one picture makes it the person’s word', () => {
    expect(findUserOrigin([reminder, text('hello')])).toBe('user')
    expect(findUserOrigin([reminder, { type: 'image', mediaType: 'image/png', bytes: 1 }])).toBe('user')
    expect(findUserOrigin([reminder, text(' ')])).toBe('synthetic')
  })
})
