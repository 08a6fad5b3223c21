import { describe, expect, test } from 'vitest'
import { apply } from '../../conversation/apply.ts'
import {
  type Conversation,
  type Message,
  readText,
  renderPart,
} from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { readOutput, testFormat } from '../shared/format.suite.ts'
import { opencode } from './opencode.ts'
import {
  assistant,
  copySample,
  exported,
  failed,
  host,
  hostWords,
  image,
  newSession,
  ran,
  readExport,
  SESSION_ID,
  text,
  thinking,
  tool,
  user,
} from './session.suite.ts'

const question = user(text('list the files, please'), image)
const answer = assistant(question, [
  thinking('which files?', 'sig-one'),
  text('Looking.'),
  ran('call_1', 'B'.repeat(5000)),
  failed('call_2', 'File not found'),
])
const done = assistant(question, [text('Two files.'), { type: 'from-the-future', keep: 1 }])
const next = user(text('read @a.ts'), host('Called the Read tool'), { type: 'agent', name: 'x' })
const last = assistant(next, [text('It is empty.')])
const RECORDS = [question, answer, done, next, last]

const old = user(text('an old question'))
const oldAnswer = assistant(old, [text('an old answer')])
const tail = user(text('a question of the tail'))
const tailAnswer = assistant(tail, [text('an answer of the tail')])
const compaction = (extra: object = {}) => user({ type: 'compaction', auto: true, ...extra })

testFormat(opencode, {
  copySample,
  hostWords,
  documents: {
    'an export': exported(RECORDS),
    'an export on one line': exported([question, done], {}, 0),
  },
})

const shape = ({ messages }: Conversation) =>
  messages.map(
    ({ role, origin, parts }) => `${role} ${origin} ${parts.map(({ type }) => type).join('+')}`,
  )
const texts = ({ messages }: Conversation) =>
  messages.map(({ parts }) => parts.map(renderPart).join('+'))
const parse = (...records: Parameters<typeof exported>) => opencode.parse(exported(...records))

describe('opencode, read', () => {
  test('knows the parts of an export', () => {
    const conversation = parse(RECORDS)
    expect(shape(conversation)).toEqual([
      'user user text+image',
      'assistant agent reasoning+text+tool-call+tool-call',
      'tool environment tool-result+tool-result',
      'assistant agent text',
      'user user text',
      'user synthetic text',
      'assistant agent text',
    ])
    const { protocol, model, workingDirectory, messages } = conversation
    expect([protocol, model, workingDirectory]).toEqual([
      'anthropic-messages',
      'claude-opus-4-6',
      '/work/project',
    ])
    expect(messages[1]?.parts[0]).toMatchObject({ signatureLength: 7 })
    expect(messages[2]?.parts.map((part) => part.type === 'tool-result' && part.isError)).toEqual([
      false,
      true,
    ])
    expect(messages.map(({ records }) => records)).toEqual([[0], [1], [1], [2], [3], [3], [4]])
  })

  test('reads the exit code that a command has outside of its output', () => {
    const steps = [
      ran('call_1', 'one'),
      ran('call_2', '2 failed', { metadata: { output: '2 failed', exit: 1 } }),
      ran('call_3', 'killed', { metadata: { output: 'killed', exit: null } }),
    ]
    const results = parse([question, assistant(question, steps)]).messages.flatMap(({ parts }) =>
      parts.filter((part) => part.type === 'tool-result'),
    )
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 1, undefined])
  })

  test('reads the steps of one record as an answer each', () => {
    const steps = [
      ran('call_1', 'one'),
      { type: 'step-finish' },
      { type: 'step-start' },
      text('and on'),
    ]
    expect(shape(parse([question, assistant(question, steps)]))).toEqual([
      'user user text+image',
      'assistant agent tool-call',
      'tool environment tool-result',
      'assistant agent text',
    ])
  })

  test('gives the words OpenCode sends for a result that was pruned, interrupted or cut short', () => {
    const calls = [
      ran('a', 'gone', { time: { start: 1, end: 2, compacted: 3 }, attachments: [image] }),
      tool('b', { status: 'running', input: {} }),
      failed('c', 'aborted', { metadata: { interrupted: true, output: 'half of it' } }),
    ]
    expect(texts(parse([question, assistant(question, calls)]))[2]).toBe(
      '[Old tool result content cleared]+[Tool execution was interrupted]+half of it',
    )
  })

  test('leaves out what is not sent: failed answers, files told in words, hidden text', () => {
    const error = { name: 'APIError', data: { message: 'x', isRetryable: false } }
    const hidden = user(
      { type: 'file', mime: 'text/plain', url: 'file:///a.ts' },
      { ...text('hidden'), ignored: true },
    )
    const stopped = assistant(question, [text('as far as')], {
      error: { name: 'MessageAbortedError', data: {} },
    })
    const conversation = parse([
      question,
      assistant(question, [text('no')], { error }),
      stopped,
      hidden,
    ])
    expect(texts(conversation).slice(1)).toEqual(['as far as'])
  })

  test('begins at the newest compaction, with its tail behind its summary', () => {
    const boundary = compaction()
    const summary = assistant(boundary, [text('a summary')], { summary: true })
    const rest = [boundary, summary, next, last]
    const after = ['read @a.ts', 'Called the Read tool', 'It is empty.']
    expect(texts(parse([old, oldAnswer, ...rest]))).toEqual([
      'What did we do so far?',
      'a summary',
      ...after,
    ])
    const kept = compaction({ tail_start_id: tail.info.id })
    const keptSummary = assistant(kept, [text('a summary')], { summary: true })
    expect(texts(parse([old, oldAnswer, tail, tailAnswer, kept, keptSummary, next, last]))).toEqual(
      [
        'What did we do so far?',
        'a summary',
        'a question of the tail',
        'an answer of the tail',
        ...after,
      ],
    )
    expect(shape(parse([old, kept, keptSummary])).slice(1)).toEqual([
      'user synthetic text',
      'assistant synthetic text',
    ])
  })

  test('takes a compaction without a summary for none', () => {
    const boundary = compaction()
    const broken = assistant(boundary, [text('half')], {
      summary: true,
      error: { name: 'UnknownError', data: {} },
    })
    expect(texts(parse([old, oldAnswer, boundary, broken]))).toContain('an old answer')
  })

  test('ends where the person took something back', () => {
    const reverted = (revert: object) => texts(parse(RECORDS, { revert }))
    expect(reverted({ messageID: next.info.id })).toHaveLength(4)
    expect(reverted({ messageID: next.info.id, partID: next.parts[1]?.id }).at(-1)).toBe(
      'read @a.ts',
    )
  })

  test.each([
    ['null', null],
    ['a number', 7],
    ['a list', [[]]],
    ['a part without a type', {}],
    ['a text that is none', { type: 'text', text: 5 }],
    ['a call without a state', { type: 'tool', callID: 'c', tool: 't' }],
    ['a call without a name', { type: 'tool', state: { status: 'completed' } }],
    ['a state that is none', tool('c', [])],
    ['attachments that are none', ran('c', 'x', { attachments: [null, 5, { url: {} }] })],
    [
      'a prototype',
      JSON.parse(
        '{"type":"tool","__proto__":{"callID":"c"},"state":{"__proto__":{"status":"error"}}}',
      ),
    ],
  ])('carries %s in the place of a part', (_, part: object) => {
    const odd = exported([
      { ...question, parts: [...question.parts, part] },
      { ...answer, parts: [part] },
      done,
    ] as never)
    const conversation = opencode.parse(odd)
    expect(opencode.serialize(conversation)).toBe(odd)
    const edited = edit(conversation, conversation.messages.length - 1, (message) =>
      message.role === 'assistant'
        ? { ...message, parts: [{ type: 'text', text: 'edited' }] }
        : message,
    )
    expect(texts(opencode.parse(opencode.serialize(edited, newSession))).at(-1)).toBe('edited')
  })

  test('refuses other documents with a list of messages', () => {
    expect(() => opencode.parse('{"messages":[{"role":"user","content":"x"}]}')).toThrow(
      /no session under "info"/,
    )
    expect(() =>
      opencode.parse('{"info":{"id":"x"},"messages":[{"info":{"role":"x"},"parts":[]}]}'),
    ).toThrow(/message 0/)
    expect(() => opencode.serialize({ ...parse(RECORDS), document: undefined })).toThrow(
      /read from no session/,
    )
  })
})

const edit = (
  conversation: Conversation,
  index: number,
  change: (message: Message) => Message,
): Conversation => ({
  ...conversation,
  messages: conversation.messages.map((message, at) => (at === index ? change(message) : message)),
})

function clearResults(message: Message): Message {
  if (message.role !== 'tool') return message
  const parts = message.parts.map((part) =>
    part.type === 'tool-result'
      ? { ...part, output: [{ type: 'text' as const, text: '[cleared]' }] }
      : part,
  )
  return { ...message, parts }
}

describe('opencode, written', () => {
  test('shortens an output together with the copy that the client shows', () => {
    const { messages } = readExport(opencode.serialize(edit(parse(RECORDS), 2, clearResults)))
    const [, , , first, second] = messages[1]?.parts ?? []
    expect(first?.state).toMatchObject({
      status: 'completed',
      output: '[cleared]',
      input: { number: 1.5 },
    })
    expect(JSON.stringify(first).length).toBeLessThan(700)
    expect(second?.state).toMatchObject({ status: 'error', error: '[cleared]' })
    expect(messages[1]?.parts.map(({ type }) => type)).toEqual(answer.parts.map(({ type }) => type))
  })

  test('leaves a diff as the client can draw it', () => {
    const diff = `--- a\n+++ b\n${'+x\n'.repeat(200)}`
    const edited = edit(
      parse([question, assistant(question, [ran('c', 'done', { metadata: { diff } })])]),
      2,
      clearResults,
    )
    expect(readExport(opencode.serialize(edited)).messages[1]?.parts[1]?.state).toMatchObject({
      metadata: { diff },
    })
  })

  test('writes the part of a call without its result when the result is gone', () => {
    const conversation = parse([question, assistant(question, [ran('c', 'done')])])
    const { messages } = readExport(
      opencode.serialize({ ...conversation, messages: conversation.messages.slice(0, 2) }),
    )
    expect(messages[1]?.parts[1]?.state).toMatchObject({
      status: 'pending',
      input: { command: 'ls' },
    })
  })

  test('a clone has every record under ids of its own, in the same order', () => {
    const kept = compaction({ tail_start_id: tail.info.id })
    const records = [
      old,
      tail,
      tailAnswer,
      kept,
      assistant(kept, [text('s')], { summary: true }),
      ...RECORDS,
    ]
    const before = parse(records)
    const output = opencode.serialize(before, newSession)
    const written = readExport(output)
    const after = opencode.parse(output)
    expect(texts(after)).toEqual(texts(before))
    const ids = written.messages.flatMap(({ info, parts }) => [
      info.id,
      ...parts.map(({ id }) => id),
    ])
    const known = new Set(
      records.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)]),
    )
    expect(ids.filter((id) => known.has(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    const messageIds = written.messages.map(({ info }) => info.id)
    expect([...messageIds].sort()).toEqual(messageIds)
    for (const { info, parts } of written.messages) {
      expect(parts.map(({ id }) => String(id)).sort()).toEqual(parts.map(({ id }) => id))
      for (const part of parts)
        expect(part).toMatchObject({ sessionID: newSession.sessionId, messageID: info.id })
      expect(info.sessionID).toBe(newSession.sessionId)
    }
    expect(JSON.stringify(written)).not.toContain(SESSION_ID)
    expect(written.info).toMatchObject({
      id: newSession.sessionId,
      title: newSession.title,
      cost: 0,
    })
    expect(written.messages[6]?.info.tokens).toMatchObject({ input: 170_000 })
  })

  test('a clone differs from its original in nothing but ids, times and title', () => {
    const odd = exported(RECORDS).replace('"number": 1.5', '"number": 1.50, "e": "\\u00e9"')
    const output = readOutput(opencode.serialize(opencode.parse(odd), newSession))
    expect(output).toContain('"number": 1.50, "e": "\\u00e9"')
    const before = odd.split('\n')
    const after = output.split('\n')
    expect(after).toHaveLength(before.length)
    const changed = after.filter((line, at) => line !== before[at])
    const keys = changed.map((line) => /^ *"(\w+)":/.exec(line)?.[1])
    expect(new Set(keys)).toEqual(
      new Set(['id', 'title', 'cost', 'created', 'updated', 'parentID', 'sessionID', 'messageID']),
    )
  })

  test('a compressed copy is one line of records: no compaction, no old usage, later and later', () => {
    const kept = compaction({ tail_start_id: tail.info.id })
    const summary = assistant(kept, [text('a summary')], { summary: true })
    const before = parse([old, oldAnswer, tail, tailAnswer, kept, summary, next, last])
    const edited = apply(before, [
      { type: 'replace', start: 1, end: 3, messages: [createSummaryMessage('before')] },
    ])
    const output = opencode.serialize(edited, newSession)
    expect(texts(opencode.parse(output))).toEqual(texts(edited))
    const { messages } = readExport(output)
    const times = messages.map(({ info }) => (info.time as { created: number }).created)
    expect([...times].sort((a, b) => a - b)).toEqual(times)
    expect(JSON.stringify(messages)).not.toMatch(/compaction|"summary":true|an old answer/)
    for (const { info } of messages) {
      if (info.role !== 'assistant') continue
      expect(info.tokens).toEqual({
        input: 0,
        output: 0,
        reasoning: 0,
        cache: { read: 0, write: 0 },
      })
      expect(
        messages.some((record) => record.info.id === info.parentID && record.info.role === 'user'),
      ).toBe(true)
    }
  })

  test('what precis wrote itself has all that an import asks for', () => {
    const answerOfOurs: Message = {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'tool-call', callId: 'n', name: 'bash', input: '{"command":"ls"}' }],
    }
    const result: Message = {
      role: 'tool',
      origin: 'environment',
      parts: [
        {
          type: 'tool-result',
          callId: 'n',
          output: [{ type: 'text', text: 'a.ts' }],
          isError: false,
        },
      ],
    }
    const before = parse(RECORDS)
    const messages = [
      createSummaryMessage('before'),
      answerOfOurs,
      result,
      ...before.messages.slice(3),
    ]
    const output = opencode.serialize({ ...before, messages }, newSession)
    const [first, second] = readExport(output).messages
    expect(first?.info).toMatchObject({
      role: 'user',
      agent: 'build',
      model: { providerID: 'fake', modelID: 'm1' },
    })
    expect(first?.parts).toMatchObject([{ type: 'text', synthetic: true }])
    expect(second?.info).toMatchObject({
      modelID: 'claude-opus-4-6',
      providerID: 'anthropic',
      parentID: first?.info.id,
    })
    expect(second?.parts[0]).toMatchObject({
      state: { status: 'completed', input: { command: 'ls' }, output: 'a.ts' },
    })
    expect(shape(opencode.parse(output)).slice(0, 3)).toEqual([
      'user synthetic text',
      'assistant agent tool-call',
      'tool environment tool-result',
    ])
  })

  test('an edit under the old id keeps what lies before a compaction, until the compaction is gone', () => {
    const boundary = compaction()
    const summary = assistant(boundary, [text('a summary')], { summary: true })
    const before = parse([old, oldAnswer, boundary, summary, next, last])
    expect(opencode.serialize(before)).toBe(
      exported([old, oldAnswer, boundary, summary, next, last]),
    )
    const kept = readExport(
      opencode.serialize({ ...before, messages: before.messages.slice(0, -1) }),
    )
    expect(kept.messages.map(({ info }) => info.id)).toEqual(
      [old, oldAnswer, boundary, summary, next].map((r) => r.info.id),
    )
    const gone = opencode.serialize({ ...before, messages: before.messages.slice(2) })
    expect(texts(opencode.parse(gone))).toEqual([
      'read @a.ts',
      'Called the Read tool',
      'It is empty.',
    ])
  })

  test('a clone of an old session has what a newer version asks for', () => {
    const [first, second] = [user(text('one')), assistant(question, [text('two')])].map(
      ({ info, parts }) => {
        const { agent: _agent, model: _model, summary: _summary, ...rest } = info
        return { info: { ...rest, id: info.id }, parts }
      },
    )
    const oldest = exported([first!, second!], { slug: undefined, summary: { diffs: [] } })
    const { info, messages } = readExport(opencode.serialize(opencode.parse(oldest), newSession))
    expect(info).toMatchObject({ slug: newSession.sessionId })
    expect(info).not.toHaveProperty('summary')
    const model = { providerID: 'anthropic', modelID: 'claude-opus-4-6' }
    expect(messages.map((record) => record.info)).toMatchObject([
      { agent: 'build', model },
      { agent: 'build' },
    ])
  })

  test('the words of a summary stay what nobody said', () => {
    const before = parse(RECORDS)
    const edited = {
      ...before,
      messages: [createSummaryMessage('so far'), ...before.messages.slice(4)],
    }
    const [first] = opencode.parse(opencode.serialize(edited, newSession)).messages
    expect([first?.origin, first && readText(first)]).toEqual([
      'synthetic',
      readText(createSummaryMessage('so far')),
    ])
  })
})
