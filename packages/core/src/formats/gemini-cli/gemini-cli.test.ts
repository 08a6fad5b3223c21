import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import { checkInvariants } from '../../conversation/invariants/index.ts'
import {
  type Conversation,
  type Message,
  readText,
  renderPart,
} from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { toModelMessages } from '../ai-sdk/model-messages.ts'
import { readOutput, shortenResult, testFormat, withMessages } from '../shared/format.suite.ts'
import { FormatError } from '../shared/format.ts'
import { geminiCli } from './gemini-cli.ts'
import {
  answer,
  type BuiltRecord,
  call,
  copySample,
  HEADER,
  hostWords,
  newSession,
  RICH,
  response,
  SESSION_ID,
  text,
  toBody,
  toLog,
  user,
} from './session.suite.ts'

const TURN = [
  user('u1', [text('first')]),
  answer('g1', 'looking', { toolCalls: [call('c1', [response('c1', 'output')])] }),
  answer('g2', 'found'),
  user('u2', 'second, as a string'),
]

testFormat(geminiCli, {
  copySample,
  hostWords,
  documents: {
    'a log': toLog([HEADER, ...TURN]),
    // Each message on a separate line, so that the lines can be compared.
    'one object': `{"sessionId":"${SESSION_ID}","projectHash":"x","messages":[${TURN.map((record) => JSON.stringify(record)).join(',\n')}]}\n`,
  },
})

const rich = geminiCli.parse(toLog(RICH))
const shape = ({ messages }: Conversation) =>
  messages.map(({ role, origin, parts }) => [role, origin, parts.map(({ type }) => type).join()])
const parse = (records: readonly BuiltRecord[]) => geminiCli.parse(toLog([HEADER, ...records]))

describe('reading', () => {
  test('knows what is live after a resume, a rewind and a message written twice', () => {
    expect(shape(rich)).toEqual([
      ['user', 'user', 'text'],
      ['assistant', 'agent', 'text,tool-call'],
      ['tool', 'environment', 'tool-result'],
      ['assistant', 'agent', 'text,tool-call,tool-call'],
      ['tool', 'environment', 'tool-result,tool-result'],
      ['assistant', 'agent', 'text'],
    ])
    expect(rich.model).toBe('gemini-2.5-pro')
    expect(checkInvariants(rich)).toEqual([])
  })

  test('takes time with its rewinds', { tags: 'slow' }, async () => {
    const make = (size: number) => {
      const ids = Array.from({ length: size }, (_, index) => `u${index}`)
      const rewinds = ids
        .slice(1)
        .reverse()
        .map((id) => ({ $rewindTo: id }))
      return toLog([HEADER, ...ids.map((id) => user(id, 'x')), ...rewinds])
    }
    await expectLinearGrowth(make, (log) => geminiCli.parse(log), 1000)
  })

  test('reads each result once, with its own call, media with it', () => {
    const results = rich.messages.flatMap(({ parts }) =>
      parts.filter((part) => part.type === 'tool-result'),
    )
    expect(results.map(({ callId }) => callId)).toEqual(['c1', 'c3', 'c4'])
    expect(results.map((part) => renderPart(part).trim().slice(-9))).toEqual([
      'ut output',
      'third',
      'mage/png]',
    ])
    expect(results[2]?.output.map(({ type }) => type)).toEqual(['text', 'image'])
  })

  test('takes a result from a message of its own when the call has none', () => {
    const { messages } = parse([
      answer('g1', [{ functionCall: { id: 'c1', name: 'read_file', args: {} } }]),
      user('r1', [response('c1', 'output'), text('and a word')]),
    ])
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
  })

  test.each([
    '/help',
    '? what',
    '<session_context>x</session_context>',
    '<hook_context>x</hook_context>',
    '  ',
  ])('leaves out %j, which is not sent again', (content) => {
    expect(
      parse([user('u1', content), user('u2', [text(content)]), user('u3', 'hello')]).messages,
    ).toHaveLength(1)
  })

  test('a picture without a word is the word of the person, a snapshot of Gemini CLI is not', () => {
    const picture = [{ inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } }]
    const { messages } = parse([
      user('u1', picture),
      user('u2', [text('<state_snapshot>\nall\n</state_snapshot>')]),
    ])
    expect(messages.map(({ origin }) => origin)).toEqual(['user', 'synthetic'])
  })

  test('answers with nothing in between are one, and go back into a record each', () => {
    const again = parse([
      user('u1', 'hi'),
      answer('g1', 'one'),
      answer('g2', 'two'),
      answer('g3', 'three'),
    ])
    expect(again.messages.map(readText)).toEqual(['hi', 'one\ntwo\nthree'])
    const [asked, said] = again.messages
    if (!asked || said?.role !== 'assistant') throw new Error('an answer is missing')
    const lines = write(again, [asked, { ...said, parts: said.parts.toSpliced(1, 1) }])
    expect(lines.map(({ content }) => content)).toEqual([undefined, 'hi', 'one', 'three'])
  })

  test('a result that is text, and one of a failed call', () => {
    const { messages } = parse([
      answer('g1', '', {
        toolCalls: [
          call('c1', 'plain'),
          { ...call('c2', 'bad'), status: 'error' },
          call('c3', undefined),
        ],
      }),
    ])
    expect(messages[1]?.parts).toMatchObject([
      { callId: 'c1', isError: false, output: [{ text: 'plain' }] },
      { callId: 'c2', isError: true },
    ])
  })

  test.each([
    ['a sub-agent', [{ ...HEADER, kind: 'subagent' }, ...TURN], /sub-agent/],
    ['a log without a session', TURN, /id of a session/],
  ])('refuses %s', (_, records, reason) => {
    const read = () => geminiCli.parse(toLog(records))
    expect(read).toThrow(FormatError)
    expect(read).toThrow(reason)
  })

  test('goes on with any model', () => {
    const messages = toModelMessages(rich, 'anthropic-messages')
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
  })
})

function write(
  conversation: Conversation,
  messages: readonly Message[],
  isNew = true,
): BuiltRecord[] {
  const output = readOutput(
    geminiCli.serialize(withMessages(conversation, messages), isNew ? newSession : undefined),
  )
  return output
    .trimEnd()
    .split('\n')
    .map((line): BuiltRecord => JSON.parse(line))
}

describe('writing a log', () => {
  test('a new session has one header, and each result once', () => {
    const lines = write(rich, rich.messages.slice(1))
    expect(lines.map(({ sessionId, id }) => sessionId ?? id)).toEqual([
      newSession.sessionId,
      's0',
      'g1',
      'i1',
      'g2',
      'u4',
      undefined,
      'g3',
    ])
    expect(lines[0]).toEqual({
      ...HEADER,
      sessionId: newSession.sessionId,
      startTime: newSession.timestamp,
      lastUpdated: newSession.timestamp,
      directories: ['/work/other'],
      summary: newSession.title,
    })
    expect(JSON.stringify(lines)).not.toContain('of another call')
    expect(lines.some((line) => 'tokens' in line)).toBe(false)
  })

  test('a result that became shorter loses its copies; the one beside it keeps its bytes', () => {
    const messages = rich.messages.map(shortenResult)
    const calls = write(rich, messages).flatMap(({ toolCalls }) => toolCalls ?? [])
    expect(calls).toMatchObject([
      { id: 'c1', result: [response('c1', 'short')] },
      { id: 'c3', result: [response('c3', 'short')] },
      call('c4', [
        response('c4', 'fourth'),
        { inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } },
      ]),
    ])
    expect(JSON.stringify(calls)).not.toContain('display of c3')
    expect(JSON.stringify(calls)).not.toContain('output output')
  })

  test('a picture in a result survives when its text becomes shorter', () => {
    const messages = rich.messages.map((message): Message => {
      if (message.role !== 'tool') return message
      const parts = message.parts.map((part) =>
        part.type === 'tool-result'
          ? {
              ...part,
              output: part.output.map((item) =>
                item.type === 'text' ? { ...item, text: 'cut' } : item,
              ),
            }
          : part,
      )
      return { ...message, parts }
    })
    expect(JSON.stringify(write(rich, messages))).toContain(
      '{"inlineData":{"mimeType":"image/png","data":"aGVsbG8="}}',
    )
  })

  test('a call that goes takes its result along, and its place in the content of a resumed session', () => {
    const messages = rich.messages.flatMap((message): Message[] => {
      if (message.role === 'tool')
        return message.records?.[0] === rich.messages[2]?.records?.[0] ? [] : [message]
      if (message.role !== 'assistant' || message !== rich.messages[1]) return [message]
      return [{ ...message, parts: message.parts.filter(({ type }) => type !== 'tool-call') }]
    })
    const answer = write(rich, messages).find(({ id }) => id === 'g1')
    expect(answer).toMatchObject({
      content: [{ text: 'hm', thought: true }, text('Looking.')],
      toolCalls: [],
    })
  })

  test('a changed call changes in both places', () => {
    const messages = rich.messages.map((message): Message => {
      if (message.role !== 'assistant') return message
      const parts = message.parts.map((part) =>
        part.type === 'tool-call' ? { ...part, input: { cut: true } } : part,
      )
      return { ...message, parts }
    })
    const first = write(rich, messages).find(({ id }) => id === 'g1')
    expect(first).toMatchObject({
      content: [{}, {}, { functionCall: { id: 'c1', args: { cut: true } } }],
      toolCalls: [{ id: 'c1', args: { cut: true } }],
    })
  })

  test('new answers take the results behind them', () => {
    const messages: Message[] = [
      ...rich.messages,
      createSummaryMessage('go on'),
      {
        role: 'assistant',
        origin: 'agent',
        parts: [{ type: 'tool-call', callId: 'n1', name: 'ls', input: '{"a":1}' }],
      },
      {
        role: 'tool',
        origin: 'environment',
        parts: [
          {
            type: 'tool-result',
            callId: 'n1',
            output: [{ type: 'text', text: 'A' }],
            isError: true,
          },
        ],
      },
    ]
    expect(geminiCli.parse(toLog(write(rich, messages))).messages.slice(-2)).toMatchObject([
      { role: 'assistant', parts: [{ callId: 'n1', input: { a: 1 } }] },
      {
        role: 'tool',
        parts: [{ callId: 'n1', name: 'ls', isError: true, output: [{ text: 'A' }] }],
      },
    ])
  })

  test('under its own id everything stays that is not sent, but no second copy of a result', () => {
    const lines = write(rich, rich.messages.slice(1), false)
    expect(lines).toContainEqual({ $future: 1 })
    expect(lines.map(({ id, type }) => id ?? type).filter(Boolean)).toEqual([
      's0',
      'g1',
      'i1',
      'g2',
      'u4',
      'g3',
    ])
    expect(shape(geminiCli.parse(toLog(lines)))).toEqual(
      shape(withMessages(rich, rich.messages.slice(1))),
    )
  })

  test('a clone of an unedited session keeps every line under the new id', () => {
    const output = readOutput(geminiCli.serialize(rich, newSession))
    expect(output).not.toContain(SESSION_ID)
    expect(output.split('\n').slice(4, -2)).toEqual(
      RICH.slice(4).map((line) => JSON.stringify(line)),
    )
    expect(shape(geminiCli.parse(output))).toEqual(shape(rich))
  })

  test('a line that was cut off is carried, and read over', () => {
    const cut = toLog(RICH) + JSON.stringify(user('u9', 'never')).slice(0, -9)
    expect(geminiCli.serialize(geminiCli.parse(cut))).toBe(cut)
    expect(shape(geminiCli.parse(cut))).toEqual(shape(rich))
  })

  test('a system message is refused', () => {
    const system: Message = {
      role: 'system',
      origin: 'environment',
      parts: [{ type: 'text', text: 'x' }],
    }
    expect(() => write(rich, [system, ...rich.messages])).toThrow(FormatError)
  })
})

describe('writing one object', () => {
  const notice = { id: 'i1', type: 'info', content: 'Update available' }
  const body = geminiCli.parse(toBody([notice, ...TURN], { x_future: 1 }))

  test('keeps its layout, and every message that nobody touched', () => {
    const output = readOutput(
      geminiCli.serialize(withMessages(body, body.messages.slice(0, -1)), newSession),
    )
    const names = {
      sessionId: newSession.sessionId,
      startTime: newSession.timestamp,
      lastUpdated: newSession.timestamp,
    }
    const records = [notice, ...TURN.slice(0, -1)].map((record) => ({
      ...record,
      tokens: undefined,
    }))
    expect(output).toBe(
      toBody(records, { ...names, x_future: 1 }).replace(
        /\}$/,
        `,"summary":"${newSession.title}"}`,
      ),
    )
  })

  test('keeps notices under its own id', () => {
    const output = readOutput(geminiCli.serialize(withMessages(body, body.messages.slice(1))))
    expect(output).toBe(toBody([notice, ...TURN.slice(1)], { x_future: 1 }))
  })

  test('a clone changes its names only', () => {
    const output = readOutput(geminiCli.serialize(body, newSession))
    expect(JSON.parse(output)).toEqual({
      ...JSON.parse(toBody([notice, ...TURN], { x_future: 1 })),
      sessionId: newSession.sessionId,
      startTime: newSession.timestamp,
      lastUpdated: newSession.timestamp,
      summary: newSession.title,
    })
  })
})
