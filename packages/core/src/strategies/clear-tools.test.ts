import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { AssistantMessage, Conversation, Message, Part } from '../conversation/message.ts'
import { formats } from '../formats/formats.ts'
import { clearTools, createClearTools, truncateText } from './clear-tools.ts'
import {
  agent,
  answer,
  call,
  clear,
  conversationOf,
  image,
  lines,
  outputsOf,
  person,
  system,
  testClearing,
} from './clearing.suite.ts'
import { testStrategy, viewOf } from './strategy.suite.ts'

testStrategy(clearTools)
const ALL = { fraction: 1 }
const MODES = ['mask', 'truncate', 'remove'] as const
for (const mode of MODES) {
  testClearing(createClearTools({ mode, zone: ALL, reasoningZone: ALL }), `clear-tools by ${mode}`)
}

const OUTPUT = lines(100)
const mask = createClearTools({ zone: ALL })
const truncate = createClearTools({ mode: 'truncate', zone: ALL })
const remove = createClearTools({ mode: 'remove', zone: ALL })

/** `count` turns of a request, a call with its result, and an answer. */
function turns(count: number, output = OUTPUT, name = 'Bash'): Conversation {
  const messages = Array.from({ length: count }, (_, index): Message[] => [
    person(`request ${index}`),
    call(`${index}`, name, { command: `run ${index}` }, `I run ${index}.`),
    answer(`${index}`, output),
    agent(`answer ${index}`),
  ])
  return conversationOf(messages.flat())
}

const one = (output: string, name = 'Bash', input: unknown = { command: 'npm test' }) =>
  conversationOf([person('start'), call('a', name, input), answer('a', output), agent('done')])
const changedIds = (before: Conversation, after: Conversation) => {
  const old = outputsOf(before)
  return Object.entries(outputsOf(after)).flatMap(([id, output]) =>
    output === old[id] ? [] : [id],
  )
}
const sdkResult = (toolCallId: string) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'f',
  output: { type: 'text', value: OUTPUT },
})
const countParts = ({ messages }: Conversation, type: string) =>
  messages.reduce(
    (sum, { parts }) => sum + parts.filter((part: Part) => part.type === type).length,
    0,
  )

test('a signature stays with the parallel calls that need it', () => {
  const both = call('signed', 'Bash', { command: 'ls' })
  const [first] = both.parts
  const parallel = {
    ...both,
    parts: [
      { ...first, signatureLength: 80 },
      { type: 'tool-call', callId: 'other', name: 'Read', input: {}, signatureLength: 0 },
    ],
  } as AssistantMessage
  const base: Conversation = {
    ...conversationOf([
      person('start'),
      parallel,
      answer('signed', OUTPUT),
      answer('other', OUTPUT),
      agent('done'),
    ]),
    protocol: 'gemini-contents',
    model: 'gemini-3-pro-preview',
  }
  const removing = (only: readonly string[]) =>
    createClearTools({ mode: 'remove', zone: ALL, only })
  expect(clear(removing(['Bash']), base)).toBe(base)
  expect(countParts(clear(removing(['Read']), base), 'tool-call')).toBe(1)
  expect(countParts(clear(removing(['Bash', 'Read']), base), 'tool-call')).toBe(0)
  const over = { ...base, messages: [...base.messages, person('next'), agent('done')] }
  const after = clear(removing(['Bash']), over)
  expect(countParts(after, 'tool-call')).toBe(1)
  expect(checkInvariants(after)).toEqual([])
})

describe('the zone', () => {
  test.each([
    [0.5, 5],
    [0.75, 7],
    [1, 10],
    [0, 0],
  ])('a share of %f of ten turns is the %i oldest', (fraction, count) => {
    const base = turns(10)
    expect(changedIds(base, clear(createClearTools({ zone: { fraction } }), base))).toHaveLength(
      count,
    )
  })

  test('of one long turn a share is a share of its messages', () => {
    const steps = Array.from({ length: 10 }, (_, index) => [
      call(`${index}`, 'Bash', {}),
      answer(`${index}`, OUTPUT),
    ])
    const base = conversationOf([person('start'), ...steps.flat(), agent('done')])
    expect(changedIds(base, clear(createClearTools({ zone: { fraction: 0.5 } }), base))).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ])
  })

  test('calls before the first request belong to it', () => {
    const base = conversationOf([call('a', 'Bash', {}), answer('a', OUTPUT), ...turns(4).messages])
    expect(changedIds(base, clear(createClearTools({ zone: { fraction: 0.5 } }), base))).toContain(
      'a',
    )
  })

  test('behind the newest tokens of results ends where they begin', () => {
    const base = turns(10)
    const resultTokens = viewOf(turns(1)).countTokens(OUTPUT)
    const zone = { keepTokens: resultTokens * 3.5 }
    expect(changedIds(base, clear(createClearTools({ zone }), base))).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ])
  })

  test('by default gives way for a small target', () => {
    const base = turns(10)
    expect(changedIds(base, clear(clearTools, base))).toHaveLength(10)
    const target = Math.floor(viewOf(base).tokensBefore.at(-1)! * 0.6)
    const after = clear(clearTools, base, target)
    expect(viewOf(after).tokensBefore.at(-1)).toBeLessThanOrEqual(target)
    expect(changedIds(base, after)).toEqual(['0', '1', '2', '3', '4'])
  })

  test('of reasoning is its own', () => {
    const thoughtful = turns(4).messages.map(
      (message): Message => (message.role === 'assistant' ? think(message) : message),
    )
    const base = conversationOf(thoughtful, 'anthropic-messages')
    const after = clear(
      createClearTools({ mode: 'remove', zone: { fraction: 0 }, reasoningZone: { fraction: 0.5 } }),
      base,
    )
    expect(countParts(after, 'reasoning')).toBe(4)
    expect(countParts(after, 'tool-call')).toBe(4)
    const other = clear(
      createClearTools({ zone: { fraction: 0.5 }, reasoningZone: { fraction: 0 } }),
      base,
    )
    expect(countParts(other, 'reasoning')).toBe(8)
  })

  test('that is none is refused', () => {
    expect(() => createClearTools({ zone: { fraction: 2 } })).toThrow('zone.fraction is 2')
    expect(() => createClearTools({ reasoningZone: { keepTokens: -1 } })).toThrow(
      'reasoningZone.keepTokens is -1',
    )
  })
})

function think(message: AssistantMessage, signatureLength = 100): AssistantMessage {
  return {
    ...message,
    parts: [{ type: 'reasoning', text: 'thought '.repeat(50), signatureLength }, ...message.parts],
  }
}

describe('any mode', () => {
  test('takes the fattest first and stops when it fits', () => {
    const messages = ['a', 'b', 'c'].flatMap((id, index) => [
      call(id, 'Bash', { command: id }),
      answer(id, lines(index === 1 ? 400 : 60)),
    ])
    const base = conversationOf([person('start'), ...messages, agent('done')])
    const target = Math.floor(viewOf(base).tokensBefore.at(-1)! * 0.6)
    expect(changedIds(base, clear(mask, base, target))).toEqual(['b'])
  })

  test.each(MODES)('leaves protected tools alone: %s', (mode) => {
    const base = turns(4)
    expect(clear(createClearTools({ mode, zone: ALL, protect: ['bash'] }), base)).toBe(base)
  })

  test.each(MODES)('leaves results that the agent has not read: %s', (mode) => {
    const base = conversationOf([person('start'), call('a', 'Bash', {}), answer('a', OUTPUT)])
    expect(clear(createClearTools({ mode, zone: ALL }), base)).toBe(base)
  })
})

describe('mask', () => {
  test('keeps head and tail and says how many lines went', () => {
    expect(outputsOf(clear(mask, one(OUTPUT))).a?.split('\n')).toEqual([
      'line 0 of some output',
      'line 1 of some output',
      '[… 95 of 100 lines cleared …]',
      'line 97 of some output',
      'line 98 of some output',
      'line 99 of some output',
    ])
  })

  test('shows no secret in the lines that it keeps', () => {
    const output = `DB_PASSWORD=hunter2\n${lines(100)}\nTypeError: password: 'tr0ub4dor'\n${lines(9)}`
    const masked = outputsOf(clear(mask, one(output))).a!
    expect(masked).toContain('DB_PASSWORD=[redacted')
    expect(masked).not.toMatch(/hunter2|tr0ub4dor/)
  })

  test('keeps lines that report a failure, and the exit code', () => {
    const output = `Exit code 1\n${lines(50)}\nsrc/a.ts(3,1): error TS2322: no string\n${lines(50)}\nTypeError: x is not a function\n${lines(9)}`
    const masked = outputsOf(clear(mask, one(output))).a!
    expect(masked).toContain('Exit code 1')
    expect(masked).toContain('error TS2322')
    expect(masked).toContain('TypeError: x')
  })

  test('says the exit code that a host wrote around the output', () => {
    const framed = `Chunk ID: 1\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\n${OUTPUT}`
    expect(outputsOf(clear(mask, one(framed))).a).toMatch(/^exit code 2\nline 0 of/)
  })

  test('takes code that is read for no failure', () => {
    const code = `${lines(40)}\nError: this is a string in a file\n${lines(40)}`
    expect(outputsOf(clear(mask, one(code, 'Read', { file_path: 'a.ts' }))).a).not.toContain(
      'Error:',
    )
  })

  test('cuts one endless line in its middle', () => {
    const masked = outputsOf(clear(mask, one('x'.repeat(50_000)))).a!
    expect(masked.length).toBeLessThan(1_000)
    expect(masked).toContain('49200 of 50000 characters cleared')
  })

  test('leaves short results and all calls as they are', () => {
    const base = one('short')
    expect(clear(mask, base)).toBe(base)
    const long = conversationOf([
      person('s'),
      call('a', 'Write', { content: OUTPUT }),
      answer('a', OUTPUT),
      agent('d'),
    ])
    expect(clear(mask, long).messages[1]).toBe(long.messages[1])
  })

  test('puts a line in the place of an image', () => {
    const base = conversationOf([
      person('start'),
      call('a', 'shot', {}),
      answer('a', [image()]),
      agent('done'),
    ])
    expect(outputsOf(clear(mask, base)).a).toBe('[image image/png 800×600, 88 KB: cleared]')
  })
})

describe('truncate', () => {
  test.each([
    ['', ''],
    ['a\nb', 'a\nb'],
    ['a\nb\nc', 'a\nb…'],
    ['x'.repeat(120), 'x'.repeat(120)],
    ['x'.repeat(121), `${'x'.repeat(119)}…`],
    [`${'x'.repeat(130)}\nb\nc`, `${'x'.repeat(119)}…`],
    ['a\nb  \nc', 'a\nb…'],
    ['😀'.repeat(100), `${'😀'.repeat(59)}…`],
  ])('cuts %j to %j', (text, expected) => {
    expect(truncateText(text)).toBe(expected)
    expect(truncateText(expected)).toBe(expected)
  })

  test('keeps keys, nesting, lists, numbers, booleans and null of an input', () => {
    const long = 'x'.repeat(500)
    const cut = `${'x'.repeat(119)}…`
    const input = { a: long, b: [1, true, null, long], c: { [long]: { d: [long, 'short'] } } }
    const expected = { a: cut, b: [1, true, null, cut], c: { [long]: { d: [cut, 'short'] } } }
    const inputOf = (given: unknown) => {
      const [part] = clear(truncate, one(OUTPUT, 'tool', given)).messages[1]!.parts
      return part?.type === 'tool-call' ? part.input : undefined
    }
    expect(inputOf(input)).toEqual(expected)
    expect(inputOf(JSON.stringify(input))).toBe(JSON.stringify(expected))
    expect(inputOf(`free ${long}`)).toHaveLength(120)
    expect(inputOf(null)).toBeNull()
  })

  test('keeps a key of __proto__ a key', () => {
    const input = `{"__proto__":{"a":"${'x'.repeat(500)}"}}`
    const [part] = clear(truncate, one(OUTPUT, 'tool', JSON.parse(input))).messages[1]!.parts
    expect(JSON.stringify(part)).toContain('{"__proto__":{"a":"xxx')
  })

  test('takes inputs of any depth', () => {
    const deep = `${'['.repeat(50_000)}"${'x'.repeat(500)}"${']'.repeat(50_000)}`
    const [part] = clear(truncate, one(OUTPUT, 'tool', deep)).messages[1]!.parts
    expect(part?.type === 'tool-call' && String(part.input)).toContain(`${'x'.repeat(119)}…`)
  })

  test('cuts every text of a result, JSON string by string', () => {
    const json = JSON.stringify({ rows: [OUTPUT, 3] })
    const base = conversationOf([
      person('start'),
      call('a', 'tool', {}),
      answer('a', [{ type: 'text', text: OUTPUT }, { type: 'text', text: json }, image()]),
      agent('done'),
    ])
    const [first, second, third] = outputsOf(clear(truncate, base)).a!.split('|')
    expect(first).toBe('line 0 of some output\nline 1 of some output…')
    expect(JSON.parse(second!)).toEqual({ rows: [first, 3] })
    expect(third).toMatch(/^\[image /)
  })
})

describe('remove', () => {
  test('leaves no call and no result, and says what was called', () => {
    const after = clear(remove, turns(4))
    expect(countParts(after, 'tool-call') + countParts(after, 'tool-result')).toBe(0)
    expect(after.messages[1]!.parts).toEqual([
      { type: 'text', text: 'I run 0.' },
      { type: 'text', text: '[Bash run 0: removed]' },
    ])
  })

  test('takes a result along that lies across the border of the zone', () => {
    const base = conversationOf(
      [
        person('one'),
        call('a', 'Bash', { command: 'a' }),
        person('two'),
        answer('a', OUTPUT),
        agent('done'),
      ],
      'openai-responses',
    )
    const after = clear(createClearTools({ mode: 'remove', zone: { fraction: 0.5 } }), base)
    expect(countParts(after, 'tool-call') + countParts(after, 'tool-result')).toBe(0)
  })

  test('takes signed reasoning along when no call is left for it', () => {
    const signed = think(call('a', 'Bash', { command: 'x' }))
    const base = conversationOf(
      [person('start'), signed, answer('a', OUTPUT), agent('done')],
      'anthropic-messages',
    )
    expect(countParts(clear(remove, base), 'reasoning')).toBe(0)
  })

  test('keeps signed reasoning with a call that stays', () => {
    const both = think({
      ...call('a', 'Bash', {}),
      parts: [...call('a', 'Bash', {}).parts, ...call('b', 'keep', {}).parts],
    })
    const base = conversationOf(
      [person('s'), both, answer('a', OUTPUT), answer('b', OUTPUT), agent('d')],
      'anthropic-messages',
    )
    const after = clear(createClearTools({ mode: 'remove', zone: ALL, protect: ['keep'] }), base)
    expect(after.messages[1]!.parts.map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'tool-call',
    ])
  })

  test('names six calls of an answer and counts the rest', () => {
    const ids = Array.from({ length: 9 }, (_, index) => `${index}`)
    const first: AssistantMessage = {
      ...agent(''),
      parts: ids.flatMap((id) => call(id, 'ls', {}).parts),
    }
    const base = conversationOf([
      person('start'),
      first,
      ...ids.map((id) => answer(id, OUTPUT)),
      agent('done'),
    ])
    expect(clear(remove, base).messages[1]!.parts).toEqual([
      { type: 'text', text: '[ls; ls; ls; ls; ls; ls; 3 more calls: removed]' },
    ])
  })

  test('keeps answers apart for providers whose roles take turns', () => {
    const steps = ['a', 'b'].flatMap((id) => [
      call(id, 'Bash', { command: id }),
      answer(id, OUTPUT),
    ])
    const base = conversationOf(
      [person('start'), ...steps, agent('done'), person('next')],
      'gemini-contents',
    )
    expect(clear(remove, base).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
  })

  test('a system message behind the results stays behind the user', () => {
    const frozen: Message = { ...system('frozen'), isListed: true } as Message
    const base = conversationOf(
      [person('start'), call('a', 'Bash', {}), answer('a', OUTPUT), frozen, agent('done')],
      'anthropic-messages',
    )
    const after = clear(remove, base)
    expect(countParts(after, 'tool-call')).toBe(0)
    expect(checkInvariants(after)).toEqual([])
  })

  test('calls stay while another answer goes on behind their results, and before a compaction', () => {
    const base = formats['ai-sdk'].parse([
      { role: 'user', content: 'start' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 's', toolName: 'code', providerExecuted: true },
          { type: 'tool-call', toolCallId: 'a', toolName: 'Bash', input: {} },
        ],
      },
      { role: 'tool', content: [sdkResult('a')] },
      { role: 'assistant', content: [sdkResult('s')] },
    ])
    expect(clear(remove, base)).toBe(base)
    const compaction = { type: 'opaque', kind: 'compaction', text: '{}', compaction: {} } as const
    const compacted: Message = { ...agent(''), role: 'assistant', parts: [compaction] } as Message
    const gone = conversationOf(
      [...one(OUTPUT).messages, person('on'), compacted, person('end')],
      'anthropic-messages',
    )
    expect(clear(remove, gone)).toBe(gone)
  })
})
