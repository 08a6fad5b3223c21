import { describe, expect, test } from 'vitest'
import { readText } from '../../conversation/message.ts'
import { readOutput, testFormat } from '../shared/format.suite.ts'
import { createNewSession } from '../shared/new-session.suite.ts'
import { cline } from './cline.ts'
import { copySample, hostWords, RICH, session } from './session.suite.ts'

testFormat(cline, {
  copySample,
  hostWords,
  documents: {
    'a session': session(RICH),
    'a session in tabs': session(RICH).replaceAll('  ', '\t'),
  },
})

describe('cline', () => {
  test('what the user typed is read without the element around it, which an edit keeps', () => {
    const before = cline.parse(session(RICH))
    const [first, ...others] = before.messages
    expect(first && [first.origin, readText(first)]).toEqual(['user', 'Find the bug.'])
    expect(before).toMatchObject({ model: 'claude-sonnet-4-6', provider: 'anthropic' })
    const edited = { ...first!, parts: [{ ...first!.parts[0]!, type: 'text', text: 'Other.' }] }
    const output = readOutput(
      cline.serialize({ ...before, messages: [edited as typeof first & object, ...others] }),
    )
    expect(output).toContain('<user_input mode=\\"act\\">Other.</user_input>')
  })

  test('an empty result has a content and the name of its tool', () => {
    const before = cline.parse(session(RICH))
    const messages = before.messages.map((message) =>
      message.role === 'tool'
        ? {
            ...message,
            parts: message.parts.map((part) => ({ ...part, output: [], native: undefined })),
          }
        : message,
    )
    const { messages: written } = JSON.parse(readOutput(cline.serialize({ ...before, messages })))
    expect(written[2].content).toEqual([
      { type: 'tool_result', tool_use_id: 'c1', name: 'run_commands', content: '' },
    ])
  })

  test('a clone has another id, and a changed copy counts nothing of the old history', () => {
    const before = cline.parse(session(RICH))
    const newSession = createNewSession(cline)
    const clone = JSON.parse(readOutput(cline.serialize(before, newSession)))
    expect(clone).toEqual({ ...JSON.parse(session(RICH)), sessionId: newSession.sessionId })
    const copy = readOutput(
      cline.serialize({ ...before, messages: before.messages.slice(3) }, newSession),
    )
    expect(copy).not.toContain('metrics')
    expect(cline.parse(copy).messages.map(readText)).toEqual(before.messages.slice(3).map(readText))
  })
})
