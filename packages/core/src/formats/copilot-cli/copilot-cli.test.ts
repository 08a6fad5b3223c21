import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import { type Conversation, readText } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { readOutput, shortenResult, testFormat } from '../shared/format.suite.ts'
import type { JsonObject } from '../shared/json.ts'
import { copilotCli } from './copilot-cli.ts'
import {
  answer,
  call,
  copySample,
  event,
  failure,
  hostWords,
  newSession,
  prompt,
  RICH,
  result,
  start,
  toLog,
} from './session.suite.ts'

testFormat(copilotCli, {
  copySample,
  hostWords,
  documents: {
    'a compacted session': toLog(RICH),
    'a session without calls': toLog([start(), prompt('hello there'), answer('hello')]),
  },
})

const shape = ({ messages }: Conversation) =>
  messages.map(
    ({ role, origin, parts }) => `${role} ${origin} ${parts.map(({ type }) => type).join('+')}`,
  )
const parse = (...events: readonly object[]) => copilotCli.parse(toLog(events as never))

describe('copilot-cli', () => {
  test('begins with the summary of the newest compaction, and leaves out sub-agents', () => {
    const conversation = parse(...RICH)
    expect(shape(conversation)).toEqual([
      'user synthetic text+opaque',
      'user user text+opaque',
      'assistant agent tool-call+tool-call',
      'tool environment tool-result+tool-result',
      'assistant agent text',
    ])
    const { model, workingDirectory, messages } = conversation
    expect([model, workingDirectory]).toEqual(['claude-sonnet-4.5', '/work/project'])
    expect(messages[0]?.parts[1]).toMatchObject({ text: expect.stringContaining('Find the bug.') })
    expect(messages[3]?.parts.map((part) => part.type === 'tool-result' && part.isError)).toEqual([
      true,
      false,
    ])
  })

  test('a rewind takes back what it lists, or all from an event on', () => {
    const [first, gone, kept] = [prompt('one'), prompt('two'), prompt('three')]
    const rewind = (data: object) => event('session.snapshot_rewind', data)
    const texts = (data: object) =>
      parse(start(), first, gone, kept, rewind(data)).messages.map(readText)
    expect(texts({ upToEventId: gone.id, eventIds: [gone.id] })).toEqual(['one', 'three'])
    expect(texts({ upToEventId: gone.id, eventsRemoved: 2 })).toEqual(['one'])
    expect(texts({ upToEventId: 'nothing' })).toEqual(['one', 'two', 'three'])
  })

  test('what another agent, a skill or autopilot sent is no word of the user', () => {
    const origins = parse(
      start(),
      prompt('typed'),
      prompt('of a skill', { source: 'skill-pdf' }),
      prompt('go on', { isAutopilotContinuation: true }),
      event('system.notification', { content: 'done', kind: { type: 'agent_idle' } }),
    ).messages.map(({ origin }) => origin)
    expect(origins).toEqual(['user', 'synthetic', 'synthetic', 'synthetic'])
  })

  test('a copy begins with its start, is one chain, and spells out the summary', () => {
    const before = parse(...RICH)
    const output = readOutput(
      copilotCli.serialize(
        { ...before, messages: [createSummaryMessage('so far'), ...before.messages.slice(1)] },
        newSession,
      ),
    )
    const lines = output
      .trim()
      .split('\n')
      .map((line): JsonObject => JSON.parse(line))
    expect(lines[0]).toMatchObject({
      type: 'session.start',
      data: { sessionId: newSession.sessionId },
    })
    expect(lines.map(({ parentId }) => parentId)).toEqual([
      null,
      ...lines.slice(0, -1).map(({ id }) => id),
    ])
    expect(lines[1]).toMatchObject({ type: 'user.message', data: { source: 'system' } })
    expect(copilotCli.parse(output).messages.map(readText)).toEqual([
      readText(createSummaryMessage('so far')),
      ...before.messages.slice(1).map(readText),
    ])
    const whole = copilotCli.serialize(
      { ...before, messages: before.messages.slice(0, -1) },
      newSession,
    )
    const [, summary] = readOutput(whole).split('\n')
    expect(JSON.parse(summary ?? '').data.transformedContent).toMatch(
      /Find the bug\.[\s\S]*<summary>\nall of it\n<\/summary>/,
    )
  })

  test('a result that changes keeps its call, and loses the copy for the screen', () => {
    const before = parse(start(), prompt('read'), answer('', call('c1')), result('c1', 'long'))
    const messages = before.messages.map(shortenResult)
    const output = readOutput(copilotCli.serialize({ ...before, messages }, newSession))
    expect(output).toContain('"result":{"content":"short"}')
    expect(output).not.toContain('shown: long')
  })

  test('the chunks of one request are one answer, and two answers in a row are two', () => {
    const chunk = (apiCallId: string, content: string) =>
      event('assistant.message', { apiCallId, content, toolRequests: [] })
    const { messages } = parse(
      start(),
      prompt('x'),
      chunk('a', '1'),
      chunk('a', '2'),
      chunk('b', '3'),
    )
    expect(messages.map(({ records }) => records)).toEqual([[1], [2, 3], [4]])
  })

  test('takes time with the results of an answer', { tags: 'slow' }, async () => {
    const make = (size: number) => {
      const ids = Array.from({ length: size }, (_, index) => `c${index}`)
      const calls = answer('', ...ids.map((id) => call(id)))
      return toLog([start(), prompt('read'), calls, ...ids.map((id) => result(id, 'x'))])
    }
    await expectLinearGrowth(make, (log) => copilotCli.parse(log), 2000)
  })

  test('takes time with its rewinds', { tags: 'slow' }, async () => {
    const make = (size: number) => {
      const prompts = Array.from({ length: size }, (_, index) => prompt(`${index}`))
      const data = { upToEventId: prompts[0]?.id }
      const rewinds = prompts.map(() => event('session.snapshot_rewind', data))
      return toLog([start(), ...prompts, ...rewinds])
    }
    await expectLinearGrowth(make, (log) => copilotCli.parse(log), 500)
  })

  test('a short prompt that changes stays between what the agent put around it', () => {
    const around = (text: string) => `<datetime>2026-01-01</datetime>\n\n${text}\n\n<more>1</more>`
    const { messages, ...before } = parse(start(), prompt('1', { transformedContent: around('1') }))
    const changed = messages.map((message) =>
      message.role === 'user'
        ? {
            ...message,
            parts: message.parts.map((part) =>
              part.type === 'text' ? { ...part, text: 'the first one' } : part,
            ),
          }
        : message,
    )
    const copy = readOutput(copilotCli.serialize({ ...before, messages: changed }, newSession))
    expect(copy).toContain(JSON.stringify(around('the first one')))
  })

  test('a failed call that changes is still a failed call', () => {
    const before = parse(start(), prompt('read'), answer('', call('c1')), failure('c1', 'no file'))
    const copy = copilotCli.serialize({ ...before, messages: before.messages.slice() }, newSession)
    expect(copilotCli.parse(readOutput(copy)).messages.at(-1)?.parts[0]).toMatchObject({
      isError: true,
      output: [{ text: 'no file' }],
    })
  })
})
