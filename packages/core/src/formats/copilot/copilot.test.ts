import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import { runs } from '../../../../../test/property-runs.ts'
import { checkInvariants } from '../../conversation/invariants/index.ts'
import { type Conversation, type Message, renderPart } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { toModelMessages } from '../ai-sdk/model-messages.ts'
import { readOutput, testFormat, withMessages } from '../shared/format.suite.ts'
import { FormatError } from '../shared/format.ts'
import { copilot } from './copilot.ts'
import {
  type BuiltObject,
  copySample,
  FACTS,
  hostWords,
  LOG,
  markdown,
  newSession,
  output,
  request,
  round,
  SESSION_ID,
  toBody,
  toLog,
  tool,
} from './session.suite.ts'

const TURNS = [
  request('r1', 'first', {
    response: [markdown('looking'), tool('c1'), markdown('found')],
    rounds: [round('t1', 'looking', ['c1']), round('t2', 'found')],
    results: { c1: output('output') },
  }),
  request('r2', 'thanks', {
    response: [markdown('Gladly.'), { kind: 'undoStop', id: 'u' }, markdown(' Bye.')],
  }),
]

testFormat(copilot, {
  copySample,
  hostWords,
  documents: {
    'one object': toBody(TURNS),
    'a log': toLog(LOG.map((entry) => withoutMarker(entry))),
  },
})

/** What follows a change loses its marker. A separate test below checks that. */
function withoutMarker(entry: BuiltObject): BuiltObject {
  const text = JSON.stringify(entry)
    .replace(',"statefulMarker":"m1"', '')
    .replace('"promptTokens":1000,"outputTokens":20,', '')
  return JSON.parse(text)
}

const log = copilot.parse(toLog(LOG))
const shape = ({ messages }: Conversation) =>
  messages.map(({ role, origin, parts }) => [role, origin, parts.map(({ type }) => type).join()])
const parse = (requests: readonly object[]) => copilot.parse(toBody(requests))
const write = (conversation: Conversation, messages: readonly Message[], isNew = false) =>
  readOutput(
    copilot.serialize(withMessages(conversation, messages), isNew ? newSession : undefined),
  )
const texts = ({ messages }: Conversation) =>
  messages.map(({ parts }) => parts.map(renderPart).join('|'))

interface BuiltSession extends BuiltObject {
  readonly requests: readonly (BuiltObject & {
    readonly response: readonly BuiltObject[]
    readonly result: {
      readonly metadata: BuiltObject & { readonly toolCallRounds: readonly BuiltObject[] }
    }
  })[]
}

function readBody(text: string): BuiltSession {
  return JSON.parse(text)
}

describe('reading', () => {
  test('a log tells what is left after pushes, sets, cuts and deletions', () => {
    expect(shape(log)).toEqual([
      ['user', 'user', 'text'],
      ['assistant', 'agent', 'text,tool-call'],
      ['tool', 'environment', 'tool-result'],
      ['assistant', 'agent', 'text'],
      ['user', 'user', 'text'],
      ['assistant', 'agent', 'tool-call,tool-call'],
      ['tool', 'environment', 'tool-result,tool-result'],
      ['assistant', 'agent', 'text'],
    ])
    expect(log.model).toBe('claude-sonnet-4.5')
    expect(checkInvariants(log)).toEqual([])
    expect(texts(log)[6]).toBe('second\noutput|third')
  })

  test('an answer without rounds is what the screen shows of it', () => {
    expect(texts(parse(TURNS)).slice(-2)).toEqual(['thanks', 'Gladly. Bye.'])
  })

  test.each([
    ['hidden', { isHidden: true }],
    ['gone back behind', { shouldBeRemovedOnSend: { requestId: 'request_r1' } }],
    ['never answered', { response: undefined, result: undefined }],
  ])('a request that is %s is not sent again', (_, fields) => {
    expect(texts(parse([request('r1', 'gone', { fields }), request('r2', 'hello')]))).toEqual([
      'hello',
    ])
  })

  test('a call without a result is not sent, nor is a round that has no other', () => {
    const rounds = [round('t1', 'one', ['c1', 'c2']), round('t2', 'two', ['c3'])]
    const { messages } = parse([request('r1', 'go', { rounds, results: { c1: output('x') } })])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  test('results behind the limit of calls are found in the next request', () => {
    const first = request('r1', 'go', {
      rounds: [round('t1', '', ['c1'])],
      metadata: { maxToolCallsExceeded: true },
    })
    const second = request('r2', 'Continue', {
      rounds: [round('t2', 'done')],
      results: { c1: output('late') },
    })
    expect(texts(parse([first, second]))).toEqual([
      'go',
      'read_file {"filePath": "/work/c1.ts"}',
      'late',
      'Continue',
      'done',
    ])
  })

  test('a summary stands for all before it, also when a later request tells it', () => {
    const requests = [
      request('r1', 'old'),
      request('r2', 'go', {
        rounds: [round('t1', '', ['c1']), round('t2', 'behind')],
        results: { c1: output('x') },
      }),
      request('r3', 'more', {
        metadata: { summary: { toolCallRoundId: 't1', text: 'the story so far' } },
      }),
    ]
    expect(texts(parse(requests))).toEqual(['the story so far', 'behind', 'more'])
    expect(parse(requests).messages[0]?.origin).toBe('synthetic')
  })

  test('what was rendered around the question counts with it', () => {
    const renderedUserMessage = [
      { type: 1, text: '<context>\nToday\n</context>\n<userRequest>\ngo\n</userRequest>' },
    ]
    const [asked] = parse([request('r1', 'go', { metadata: { renderedUserMessage } })]).messages
    expect(asked?.parts.map(({ type }) => type)).toEqual(['text', 'opaque'])
    expect(asked?.origin).toBe('user')
  })

  test.each([
    ['a newer version', toBody(TURNS, { version: 4 }), /version 4/],
    ['a log that begins in the middle', toLog(LOG.slice(1)), /begins with one/],
  ])('refuses %s', (_, text, reason) => {
    expect(() => copilot.parse(text)).toThrow(FormatError)
    expect(() => copilot.parse(text)).toThrow(reason)
  })

  test.each([
    { kind: 1, k: ['requests', 0, '__proto__', 'polluted'], v: true },
    { kind: 1, k: ['__proto__', 'polluted'], v: true },
    { kind: 2, k: ['requests'], v: [], i: -1 },
    { kind: 1, k: ['requests', 1e9], v: {} },
    { kind: 1, k: ['requests', 0, 'response', 1e9], v: {} },
    { kind: 2, k: ['nowhere', 'at', 'all'], v: [1] },
    { kind: 1, k: ['requests', 0, { toString: 1 }], v: 1 },
    { kind: 7, k: [] },
    { kind: 1 },
  ])('a line that leads nowhere changes nothing: %j', (line) => {
    expect(texts(copilot.parse(toLog([...LOG, line])))).toEqual(texts(log))
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('many lines take time in proportion to their number', { tags: 'slow' }, async () => {
    const push = (at: number) => ({
      kind: 2,
      k: ['requests', 1, 'response'],
      v: [markdown(`${at}`)],
    })
    await expectLinearGrowth(
      (length) => toLog([...LOG, ...Array.from({ length }, (_, at) => push(at))]),
      (text) => expect(copilot.parse(text).messages).toHaveLength(8),
      1_000,
    )
  })

  test('goes on with any model', () => {
    expect(toModelMessages(log, 'anthropic-messages').map(({ role }) => role)).toContain('tool')
  })
})

describe('writing', () => {
  const [asked, looked, came, done, again, both, results, fine] = log.messages
  if (!asked || !looked || !came || !done || !again || !both || !results || !fine)
    throw new Error('a message is missing')
  const shorten = (message: Message, text: string): Message => {
    if (message.role !== 'tool') throw new Error('no results')
    const parts = message.parts.map((part) =>
      part.type === 'tool-result' ? { ...part, output: [{ type: 'text' as const, text }] } : part,
    )
    return { ...message, parts }
  }

  test('a shorter result changes the line that holds it, and its copies on the screen', () => {
    const messages = log.messages.with(2, shorten(came, 'short'))
    const text = write(log, messages)
    expect(text.split('\n').slice(1, 4)).toEqual(toLog(LOG).split('\n').slice(1, 4))
    expect(texts(copilot.parse(text))).toEqual(texts(withMessages(log, messages)))
    expect(text).not.toContain('resultDetails')
    expect(text).not.toContain('"first"')
  })

  test('a member that later lines changed is changed in the last of them, and gone from the others', () => {
    const messages = log.messages.with(6, shorten(results, 'short'))
    const lines = write(log, messages).split('\n')
    const before = toLog(LOG).split('\n')
    expect(lines.flatMap((line, at) => (line === before[at] ? [] : [at]))).toEqual([5, 7])
    expect(JSON.parse(lines[5] ?? '')).toEqual({ kind: 2, k: ['requests', 1, 'result'] })
    expect(JSON.parse(lines[7] ?? '')).toMatchObject({ kind: 1, k: ['requests', 1, 'result'] })
    expect(texts(copilot.parse(lines.join('\n')))).toEqual(texts(withMessages(log, messages)))
  })

  test('behind a change no marker of the provider is left, before it they stay', () => {
    expect(
      write(
        log,
        log.messages.with(0, { ...asked, parts: [{ type: 'text', text: 'look' }] } as Message),
      ),
    ).not.toContain('statefulMarker')
    expect(write(log, log.messages.with(6, shorten(results, 'short')))).toContain(
      '"statefulMarker":"m1"',
    )
  })

  test('removed calls go with their results, their rounds and what the screen shows of them', () => {
    const text = write(log, [asked, done, again, fine])
    expect(text).not.toMatch(/c1|c2|c3|toolCallResults|codeBlocks/)
    expect(texts(copilot.parse(text))).toEqual([
      'look at a.ts',
      'Done.',
      'and now b.ts',
      'Both are fine.',
    ])
  })

  test('a summary in the place of the oldest requests is sent as a question', () => {
    const summary = createSummaryMessage('all of it')
    const text = write(log, [summary, again, both, results, fine], true)
    const read = copilot.parse(text)
    expect(text.trim().split('\n')).toHaveLength(1)
    expect(texts(read).slice(1)).toEqual(texts(log).slice(4))
    expect(read.messages[0]).toMatchObject({ role: 'user', origin: 'synthetic' })
  })

  test('a summary in the middle of a request takes its place', () => {
    const summary: Message = {
      role: 'user',
      origin: 'synthetic',
      parts: [{ type: 'text', text: 'so far' }],
    }
    const { requests } = readBody(write(parse(TURNS), [summary, ...parse(TURNS).messages.slice(3)]))
    expect(requests.map(({ requestId }) => requestId)).toEqual(['request_r1', 'request_r2'])
    const again = parse(requests)
    expect(texts(again)).toEqual(['so far', 'found', 'thanks', 'Gladly. Bye.'])
  })

  test('a summary of the extension becomes a question when the session is edited', () => {
    const rounds = [round('t1', 'old', [], { summary: 'the story' }), round('t2', 'behind')]
    const session = parse([
      request('r0', 'older'),
      request('r1', 'go', { rounds }),
      request('r2', 'more'),
    ])
    const edited = session.messages.slice(0, 2)
    const text = write(session, edited)
    expect(text).not.toContain('older')
    expect(text).not.toContain('"summary"')
    expect(copilot.parse(text).messages.map(({ role, origin }) => [role, origin])).toEqual([
      ['user', 'synthetic'],
      ['assistant', 'agent'],
    ])
    expect(texts(copilot.parse(text))[0]).toContain('the story')
  })

  test('a question changes with the rendered copy of it', () => {
    const renderedUserMessage = [
      { type: 1, text: '<context>Today</context><userRequest>go</userRequest>' },
    ]
    const session = parse([request('r1', 'go', { metadata: { renderedUserMessage } })])
    const [question] = session.messages
    if (question?.role !== 'user') throw new Error('no question')
    const parts = question.parts.map((part) =>
      part.type === 'text' ? { ...part, text: 'stop' } : part,
    )
    const [changed] = readBody(write(session, [{ ...question, parts }])).requests
    expect(changed?.message).toMatchObject({
      text: 'stop',
      parts: [{ text: 'stop', kind: 'text' }],
    })
    expect(changed?.result.metadata.renderedUserMessage).toEqual([
      { type: 1, text: '<context>Today</context><userRequest>stop</userRequest>' },
    ])
  })

  test('requests that are not sent stay, in a new session they go', () => {
    const session = parse([
      TURNS[0] ?? {},
      request('gone', 'taken back', { fields: { isHidden: true } }),
      TURNS[1] ?? {},
    ])
    const edited = session.messages.toSpliced(1, 2)
    expect(readBody(write(session, edited)).requests.map(({ requestId }) => requestId)).toEqual([
      'request_r1',
      'request_gone',
      'request_r2',
    ])
    expect(write(session, edited, true)).not.toContain('taken back')
  })

  test('whatever is removed, the rest is read back in its order', { tags: 'property' }, () => {
    const rounds = [round('t5', 'one', ['c5']), round('t6', 'two')]
    const requests = [...TURNS, request('r3', 'more', { rounds, results: { c5: output('x') } })]
    for (const session of [
      log,
      parse(requests),
      copilot.parse(toLog([{ kind: 0, v: { ...FACTS, requests } }])),
    ]) {
      const kept = fc.array(fc.boolean(), { minLength: 8, maxLength: session.messages.length })
      fc.assert(
        fc.property(kept, fc.boolean(), (keeps, isNew) => {
          const calls = ({ parts }: Message) => parts.some(({ type }) => type === 'tool-call')
          const messages = session.messages.filter(
            (message, at) => keeps[message.role === 'tool' ? at - 1 : at],
          )
          const read = copilot.parse(write(session, messages, isNew))
          expect(texts(read)).toEqual(texts(withMessages(session, messages)))
          expect(read.messages.filter(calls)).toHaveLength(messages.filter(calls).length)
        }),
        { numRuns: runs(200) },
      )
    }
  })

  test('refuses a system message', () => {
    const system: Message = {
      role: 'system',
      origin: 'environment',
      parts: [{ type: 'text', text: 'x' }],
    }
    expect(() => write(log, [system])).toThrow(FormatError)
  })
})

describe('a new session', () => {
  test('that nobody edited is the same under another id', () => {
    for (const text of [
      toLog(LOG),
      toBody(TURNS, { lastMessageDate: 1, isImported: true, pendingRequests: [] }),
    ]) {
      const session = copilot.parse(text)
      const clone = readOutput(copilot.serialize(session, newSession))
      expect(texts(copilot.parse(clone))).toEqual(texts(session))
      expect(clone).toContain(`"sessionId":"${newSession.sessionId}"`)
      expect(clone).toContain('"customTitle":"a new name"')
      expect(clone).not.toMatch(/pendingRequests|Looking at files/)
    }
  })

  test('that was edited shares no id by which the extension would find the old one', () => {
    const text = write(log, log.messages.slice(4), true)
    const { v }: { v: BuiltSession } = JSON.parse(text)
    expect(text).not.toContain(SESSION_ID)
    expect(v).toMatchObject({
      ...FACTS,
      sessionId: newSession.sessionId,
      creationDate: 1780819750000,
    })
    expect(v.requests.map(({ requestId }) => requestId)).not.toContain('request_r2')
    expect(v.requests[0]?.result.metadata.responseId).not.toBe('r2')
  })
})
