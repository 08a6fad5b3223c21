import { describe, expect, test, vi } from 'vitest'
import { checkInvariants } from '../conversation/invariants/index.ts'
import { formats } from '../formats/index.ts'
import { clearTools, middleOut } from '../strategies/index.ts'
import type { SummaryRequest } from '../summarizers/summarizer.ts'
import {
  assistant,
  type ChatMessage,
  call,
  createGate,
  empty,
  exchange,
  fill,
  hung,
  listen,
  lying,
  open,
  TARGET,
  THRESHOLD,
  throwing,
  toolResult,
  until,
  user,
  WINDOW,
  working,
} from './context.suite.ts'
import type { ArchivedChange } from './context.ts'
import { createContext } from './create-context.ts'
import { createSettings } from './settings.ts'

const violations = (messages: readonly object[]) =>
  checkInvariants(formats['openai-chat'].parse({ messages }))

describe('the threshold', () => {
  test('is 0.8 of the window and never above what the reserve leaves', () => {
    expect(open().state.thresholdTokens).toBe(THRESHOLD)
    expect(open({ reserveTokens: 2_000 }).state).toMatchObject({
      thresholdTokens: 2_000,
      reserveTokens: 2_000,
    })
    expect(open({ threshold: 0.5 }).state.thresholdTokens).toBe(2_000)
  })

  test.each([
    ['most-context', 16_000, 12_800, 6_400],
    ['most-context', 200_000, 160_000, 80_000],
    ['balanced', 16_000, 12_800, 6_400],
    ['balanced', 200_000, 100_160, 50_080],
    ['balanced', 1_000_000, 388_160, 194_080],
    ['least', 16_000, 12_800, 3_200],
    ['least', 200_000, 78_400, 19_600],
    ['least', 1_000_000, 238_400, 59_600],
  ] as const)(
    'with %s, a window of %i has it at %i, and aims at %i',
    (spend, windowTokens, ...sizes) => {
      const own = { model: 'gpt-5', windowTokens, reserveTokens: windowTokens * 0.2 }
      const { thresholdTokens, targetTokens } = createSettings('gpt-5', { ...own, spend })
      expect([thresholdTokens, targetTokens]).toEqual(sizes)
      const usual = createSettings('gpt-5', own)
      if (spend === 'balanced') expect(usual.thresholdTokens).toBe(thresholdTokens)
    },
  )

  test('given by the host wins over what it is to cost', () => {
    const { state } = createContext({ model: 'gpt-5', spend: 'least', threshold: 0.7 })
    expect(state.thresholdTokens).toBe(280_000)
  })

  test.each([
    [200_000, 0.5, 106_667, 80_000],
    [1_000_000, 0.5, 533_334, 400_000],
    [1_000_000, 0.1, 388_160, 80_000],
  ])(
    'in a window of %i follows a given target of %f: %i and %i',
    (windowTokens, target, ...sizes) => {
      const own = { windowTokens, target, reserveTokens: windowTokens * 0.2 }
      const { state } = createContext({ model: 'gpt-5', ...own })
      const { targetTokens } = createSettings('gpt-5', { model: 'gpt-5', ...own })
      expect([state.thresholdTokens, targetTokens]).toEqual(sizes)
    },
  )

  test('takes the target with it, so that a lower one does not bring more compressions of less each', () => {
    const countRoom = (threshold?: number) => {
      const settings = createSettings('gpt-5', { model: 'gpt-5', windowTokens: 100_000, threshold })
      return settings.targetTokens / settings.thresholdTokens
    }
    expect(countRoom()).toBeCloseTo(0.5, 3)
    for (const threshold of [0.1, 0.3, 0.5, 0.7, 0.95, 1])
      expect(countRoom(threshold)).toBeCloseTo(0.5, 3)
  })

  test.each([
    [{ target: 0.9 }, 0.75],
    [{ target: 0.5, threshold: 0.5 }, 0.46],
    [{ target: 0.8, threshold: 0.2, reserveTokens: 0 }, 0.15],
  ])('%j is refused: compressions would follow each other closely', (options, most) => {
    expect(() => open(options)).toThrow(`Give a target of at most ${most}, or none`)
    expect(() => open({ ...options, target: most })).not.toThrow()
  })

  test.each([
    [1, 'under-threshold', false],
    [0, 'over-threshold', true],
    [-1, 'over-window', true],
  ])('%i tokens away from it the advice is %s', (distance, reason, due) => {
    const context = open()
    context.append(user('hello'))
    context.recordUsage({ inputTokens: THRESHOLD - distance, outputTokens: 0 })
    expect(context.advise().reason).toBe(reason)
    expect(context.state.needsCompression).toBe(due)
  })

  test.each([
    { threshold: 0 },
    { threshold: 1.5 },
    { target: -1 },
    { windowTokens: 0 },
    { windowTokens: Number.NaN },
    { reserveTokens: WINDOW },
    { prepareAhead: 80 },
  ])('cannot be %j', (options) => {
    expect(() => open(options)).toThrow(RangeError)
  })

  test('counts system prompt and tool schemas', async () => {
    const tools = [
      { name: 'read', description: 'reads a file '.repeat(100), input_schema: { type: 'object' } },
    ]
    const context = createContext({
      model: 'claude-sonnet-4-5',
      system: 'Be careful. '.repeat(100),
      tools,
    })
    expect(context.state.fixedTokens).toBeGreaterThan(500)
    expect(context.state.tokens).toBe(context.state.fixedTokens)
    expect((await context.prepare()).tokens).toBe(context.state.tokens)
  })
})

describe('the size of the next request', () => {
  test('is what was reported, answer included, and what came since', async () => {
    const context = open()
    context.append(user('look'))
    await context.prepare()
    context.append(call('a'))
    context.recordUsage({ inputTokens: 1_000, outputTokens: 50 })
    expect(context.state.tokens).toBe(1_050)
    context.append(toolResult('a', 'line\n'.repeat(100)))
    expect(context.state.tokens).toBeGreaterThan(1_150)
    expect(context.state.tokens).toBeLessThan(1_300)
  })

  test('is the same whether the answer is appended before or after its usage', async () => {
    const sizes = [true, false].map(async (isFirst) => {
      const context = open()
      context.append(user('look'))
      await context.prepare()
      if (isFirst) context.append(assistant('I looked.'))
      context.recordUsage({ inputTokens: 1_000, outputTokens: 50 })
      if (!isFirst) context.append(assistant('I looked.'))
      return context.state.tokens
    })
    expect(await Promise.all(sizes)).toEqual([1_050, 1_050])
  })

  test('is counted where a server reports no more than what was not in its cache', async () => {
    const context = fill(open(), 2_000)
    const { tokens } = context.state
    await context.prepare()
    context.recordUsage({ inputTokens: 20, outputTokens: 5 })
    expect(context.state.tokens).toBe(tokens)
  })

  test('is counted anew after a compression, and a late report of the request before it changes nothing', async () => {
    const context = fill(open(), 2_500)
    await context.prepare()
    await context.compress()
    const { tokens, needsCompression } = context.state
    expect(needsCompression).toBe(false)
    context.recordUsage({ inputTokens: 3_500, outputTokens: 10 })
    expect(context.state.tokens).toBe(tokens)
  })

  test('has in it what the provider counts and nobody told the context of', async () => {
    const context = fill(open(), 2_600)
    const { tokens } = context.state
    await context.prepare()
    context.recordUsage({ inputTokens: tokens + 700, outputTokens: 0 })
    const { compression } = await context.prepare()
    expect(compression?.outcome.type).toBe('compressed')
    expect(context.state.tokens).toBeLessThanOrEqual(TARGET)
    expect(compression?.report?.after.tokens).toBeLessThanOrEqual(TARGET - 700)
  })
})

describe('a request', () => {
  test('of a restored history over the limit is compressed before it is first sent', async () => {
    const full = fill(open(), WINDOW * 3)
    const context = open({ messages: full.messages })
    expect(context.state.needsCompression).toBe(true)
    const { fits, tokens, messages, compression } = await context.prepare()
    expect({ fits, outcome: compression?.outcome.type }).toEqual({
      fits: true,
      outcome: 'compressed',
    })
    expect(tokens).toBeLessThanOrEqual(TARGET)
    expect(violations(messages)).toEqual([])
  })

  test('inside a loop of tools is compressed before it is sent, and the pending call stays', async () => {
    const context = open()
    context.append(user('Look at every file.'))
    for (let round = 0; round < 60; round++) {
      const { messages, fits } = await context.prepare()
      expect(fits).toBe(true)
      expect(violations(messages)).toEqual([])
      context.append(call(`c${round}`), toolResult(`c${round}`, 'a line of the file\n'.repeat(20)))
    }
    expect(context.state.revision).toBeGreaterThan(1)
    expect(context.messages.some(({ content }) => content === 'Look at every file.')).toBe(true)
  })

  test('stays as it is when the context goes on', async () => {
    const context = fill(open(), 3_000)
    const { messages } = await context.prepare()
    const copy = [...messages]
    fill(context, THRESHOLD)
    await context.prepare()
    expect(messages).toEqual(copy)
  })

  test('nothing can be put into the messages of a context but by append', () => {
    const context = open()
    context.append(...exchange())
    const { length } = context.messages
    expect(() => Array.prototype.push.call(context.messages, user('not told'))).toThrow(TypeError)
    expect(context.messages).toHaveLength(length)
  })

  test('what is put into a prepared request is in no other one', async () => {
    const context = open()
    context.append(...exchange())
    const { messages } = await context.prepare()
    Array.prototype.push.call(messages, user('not told'))
    expectSame((await context.prepare()).messages, context.messages)
    expect(context.messages).toHaveLength(messages.length - 1)
  })

  test('gives the same list while nothing changes, and another after every change', () => {
    const context = open()
    context.append(...exchange())
    const { messages } = context
    expect(context.messages).toBe(messages)
    context.append(user('more'))
    expect(context.messages).not.toBe(messages)
    expect(context.messages.slice(0, -1)).toEqual(messages)
  })

  test('that cannot fit comes back as it is, with what is too large', async () => {
    const system = 'You are careful. '.repeat(3_000)
    const context = createContext({
      model: 'claude-sonnet-4-5',
      windowTokens: WINDOW,
      system,
      messages: [user('hello')],
    })
    const told: string[] = []
    context.on('compression-failed', ({ compression }) => told.push(compression.outcome.type))
    const { fits, refusal, messages } = await context.prepare()
    expect(fits).toBe(false)
    expect(refusal).toMatchObject({ isOverhead: true, item: 'the system prompt' })
    expect(messages).toEqual([user('hello')])
    const { length } = told
    await context.prepare()
    expect(told).toHaveLength(length)
  })

  test('with a fixed part above the target says so once, is sent while it fits, and does not loop', async () => {
    const tools = [
      { name: 'read', description: 'reads a file '.repeat(800), input_schema: { type: 'object' } },
    ]
    const context = createContext<object>({
      model: 'claude-sonnet-4-5',
      windowTokens: WINDOW,
      tools,
    })
    expect(context.state.fixedTokens).toBeGreaterThan(TARGET)
    const told: string[] = []
    context.on('compression-planned', ({ trigger }) => told.push(trigger))
    for (let round = 0; context.state.tokens < THRESHOLD; round++)
      context.append(user(`Request ${round} ${'x y z '.repeat(20)}`))
    for (let round = 0; round < 5; round++) {
      context.append(user(`and ${round}`))
      expect((await context.prepare()).fits).toBe(true)
    }
    expect(told.length).toBeLessThanOrEqual(2)
  })

  test('is rejected only when aborted', async () => {
    const controller = new AbortController()
    controller.abort(new Error('stop'))
    await expect(open().prepare({ signal: controller.signal })).rejects.toThrow('stop')
  })
})

describe('a summarizer that is not to be relied on', () => {
  test.each([
    ['throws', throwing],
    ['gives nothing', empty],
    ['gives more than it was given', lying],
  ])(
    'and %s loses no message: the request is sent as it is while it fits',
    async (_, summarizer) => {
      const context = open({ summarizer, strategy: middleOut })
      const told = listen(context)
      fill(context, THRESHOLD)
      context.append(user('my request'))
      const { messages, fits, compression } = await context.prepare()
      expect(fits).toBe(true)
      expectSame(messages, context.messages)
      expect(messages.at(-1)).toEqual(user('my request'))
      expect(compression?.outcome.type).toBe('summary-failed')
      expect(told).toEqual(['planned threshold', 'failed threshold summary-failed'])
      expect(context.state).toMatchObject({ needsCompression: true, failures: 1, revision: 0 })
    },
  )

  test.each([
    ['throws', throwing],
    ['gives nothing', empty],
    ['gives more than it was given', lying],
  ])('and %s is done without where the request would not fit', async (_, summarizer) => {
    const context = open({ summarizer, strategy: middleOut })
    const told = listen(context)
    fill(context, WINDOW + 200)
    const { fits, compression } = await context.prepare()
    expect(fits).toBe(true)
    expect(compression?.report?.summarizer).toBe('digest')
    expect(told.at(-1)).toBe('applied threshold compressed')
  })

  test('is not asked again for the same history', async () => {
    let asked = 0
    const summarizer = {
      name: 'counting',
      summarize: async () => ({ text: `${asked++ < 0}`.slice(9) }),
    }
    const context = fill(open({ summarizer, strategy: middleOut }), THRESHOLD)
    await context.prepare()
    const before = asked
    expect(before).toBeGreaterThan(0)
    expect((await context.prepare()).decision.reason).toBe('ineffective')
    expect(asked).toBe(before)
  })

  test('that nothing can be taken from is tried again with more than a little of it, not with each message', {
    tags: 'slow',
  }, async () => {
    const context = open({ strategy: clearTools, threshold: 0.01, windowTokens: 1_000_000 })
    let tries = 0
    context.on('compression-planned', () => tries++)
    for (let request = 0; request < 400; request++) {
      context.append(
        user('the price of each supplier is in the table of the year '.repeat(30)),
        assistant('yes'),
      )
      await context.prepare()
    }
    expect(context.state.tokens).toBeGreaterThan(100_000)
    // From 10,000 on by a twentieth each time, not by 500 tokens.
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(80)
  })

  test('is given a rest of a minute after three failures, and a success ends the count', async () => {
    let now = 0
    let isBroken = true
    const summarizer = {
      name: 'moody',
      summarize: async () => ({ text: isBroken ? '' : 'The parser is fine.' }),
    }
    const context = fill(
      open({ summarizer, strategy: middleOut, clock: { now: () => now } }),
      THRESHOLD,
    )
    for (let failure = 1; failure <= 3; failure++) {
      context.append(user('and now?'))
      await context.prepare()
      expect(context.state).toMatchObject({ failures: failure, isPaused: failure === 3 })
    }
    now = 59_999
    expect(context.state.isPaused).toBe(true)
    now = 60_000
    expect(context.state.isPaused).toBe(false)
    isBroken = false
    context.append(user('and now?'))
    expect((await context.prepare()).compression?.report?.summarizer).toBe('moody')
    expect(context.state.failures).toBe(0)
  })

  test('rests for a minute of the real time where no clock is given', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const context = fill(
      open({ clock: undefined, summarizer: throwing, strategy: middleOut }),
      THRESHOLD,
    )
    for (let failure = 0; failure < 3; failure++) {
      context.append(user('and now?'))
      await context.prepare()
    }
    expect(context.state.isPaused).toBe(true)
    vi.setSystemTime(Date.now() + 60_000)
    expect(context.state.isPaused).toBe(false)
    vi.useRealTimers()
  })

  test('and never answers is left when the person gives up', async () => {
    const context = open({ summarizer: hung })
    const told = listen(context)
    fill(context, THRESHOLD)
    const before = context.messages
    const controller = new AbortController()
    const preparing = context.prepare({ signal: controller.signal })
    await until(() => told.length > 0)
    controller.abort(new Error('stop'))
    await expect(preparing).rejects.toThrow('stop')
    await until(() => !context.state.isCompressing)
    expect(told).toEqual(['planned threshold', 'skipped threshold aborted'])
    expect(context.messages).toBe(before)
    expect(context.state.failures).toBe(0)
  })
})

describe('what is appended while a compression runs', () => {
  test('stays behind its result, in order', async () => {
    const gate = createGate()
    const context = fill(open({ summarizer: gate.summarizer, strategy: middleOut }), THRESHOLD)
    const preparing = context.prepare()
    await gate.asked()
    const late = Array.from({ length: 5_000 }, (_, index) => user(`late ${index}`))
    for (const message of late) context.append(message)
    gate.release()
    await preparing
    expect(context.messages.slice(-late.length)).toEqual(late)
    expect(context.messages.at(-1)).toBe(late.at(-1))
    expect(violations(context.messages)).toEqual([])
  })

  test('may be the results that its last call waits for', async () => {
    const gate = createGate()
    const context = fill(open({ summarizer: gate.summarizer, strategy: middleOut }), 3_000)
    context.append(user('read both'), call('a', 'b'))
    const compressing = context.compress()
    await gate.asked()
    context.append(toolResult('a'), toolResult('b'))
    gate.release()
    expect((await compressing).outcome.type).toBe('compressed')
    expect(context.messages.slice(-4)).toEqual([
      user('read both'),
      call('a', 'b'),
      toolResult('a'),
      toolResult('b'),
    ])
    expect(violations(context.messages)).toEqual([])
  })
})

describe('a call that waits while the person goes on', () => {
  const item = (type: string, callId: string) => ({ type, call_id: callId })
  const begin = (summarizer = working) => {
    const context = createContext<object>({
      model: 'gpt-5',
      format: 'openai-responses',
      windowTokens: WINDOW,
      summarizer,
      strategy: middleOut,
    })
    while (context.state.tokens < 2_500) context.append(...exchange())
    context.append(user('read both'))
    for (const id of ['a', 'b'])
      context.append({ ...item('function_call', id), name: 'read', arguments: '{}' })
    context.append(
      { ...item('function_call_output', 'a'), output: 'content of a' },
      user('and hurry'),
    )
    return context
  }
  const late = { ...item('function_call_output', 'b'), output: 'content of b' }
  const answers = (messages: readonly object[]) =>
    messages.filter(
      (native) => JSON.stringify(native).includes('"call_id":"b"') && 'output' in native,
    )

  test('is closed by a note, and the note goes when the result comes', async () => {
    const context = begin()
    const before = context.messages
    await context.compress()
    expect(answers(context.messages)).toHaveLength(1)
    context.append(user('still there?'), late, user('yes?'))
    expect(answers(context.messages)).toEqual([late])
    expect(context.undo()).toBe(true)
    expect(context.messages).toEqual([...before, user('still there?'), late, user('yes?')])
  })

  test('keeps its note when its id is used again', async () => {
    const context = begin()
    await context.compress()
    const [note] = answers(context.messages)
    context.append({ ...item('function_call', 'b'), name: 'read', arguments: '{}' })
    context.append(late)
    expect(answers(context.messages)).toEqual([note, late])
  })

  test('has no note when the result comes while the compression runs', async () => {
    const gate = createGate()
    const context = begin(gate.summarizer)
    const compressing = context.compress()
    await gate.asked()
    context.append(late)
    gate.release()
    expect((await compressing).outcome.type).toBe('compressed')
    expect(answers(context.messages)).toEqual([late])
  })
})

test.each([
  ['a system prompt with a hole', { system: Array(2) }],
  ['a system prompt of numbers', { system: [5] }],
  ['a content of numbers', { messages: [{ role: 'user', content: [Number.NaN] }] }],
])('%s is refused by name', (_what, options) => {
  expect(() => createContext<string>({ model: 'claude-opus-4-8', ...options })).toThrow(
    /(?:system|content) is a list/,
  )
})

test('an event counts before and after as its report does, whatever a provider reported', async () => {
  const context = open()
  for (const round of [1, 2, 3, 4, 5, 6]) {
    context.append(user(`request ${round} ${'about the parser '.repeat(40)}`))
    context.append({ role: 'assistant', content: `answer ${round} ${'on the parser '.repeat(60)}` })
  }
  await context.prepare()
  context.recordUsage({ inputTokens: context.state.tokens * 1.3, outputTokens: 5 })
  const { outcome, report, tokensBefore, tokensAfter } = await context.compress()
  expect(outcome.type).toBe('compressed')
  expect([tokensBefore, tokensAfter]).toEqual([report?.before.tokens, report?.after.tokens])
})

describe('nothing to do', () => {
  test('leaves history, counters and numbers untouched, and is told all the same', async () => {
    const context = open({ summarizer: throwing })
    const told = listen(context)
    context.append(user('hello'))
    const { messages, state } = context
    expect(await context.compress()).toMatchObject({
      outcome: { type: 'unchanged' },
      tokensBefore: state.tokens,
    })
    expect(context.messages).toBe(messages)
    expect(context.state).toEqual(state)
    expect(told).toEqual(['planned manual', 'skipped manual unchanged'])
  })
})

describe('a session that is resumed', () => {
  test('goes on compressing where it was, with one summary and the head it had', async () => {
    let context = open()
    for (let generation = 0; generation < 4; generation++) {
      fill(context, THRESHOLD)
      await context.prepare()
      const { messages } = context
      context = open({ messages: JSON.parse(JSON.stringify(messages)) })
      expect(context.messages[0]).toEqual(messages[0])
      expect(
        context.messages.filter(({ content }) => content?.startsWith('<conversation-summary')),
      ).toHaveLength(1)
    }
  })
})

describe('several at once', () => {
  test('requests join one compression, and one that gives up does not take it from the other', async () => {
    const gate = createGate()
    const context = open({ summarizer: gate.summarizer, strategy: middleOut })
    const told = listen(context)
    fill(context, THRESHOLD)
    const controller = new AbortController()
    const first = context.prepare({ signal: controller.signal })
    const second = context.prepare()
    await gate.asked()
    controller.abort(new Error('stop'))
    await expect(first).rejects.toThrow('stop')
    gate.release()
    expect((await second).compression?.outcome.type).toBe('compressed')
    expect(gate.requests).toHaveLength(1)
    expect(told).toEqual(['planned threshold', 'applied threshold compressed'])
  })

  test('a request after one that was given up begins anew', async () => {
    const context = fill(open({ summarizer: hung }), THRESHOLD)
    const controller = new AbortController()
    const first = context.prepare({ signal: controller.signal })
    await until(() => context.state.isCompressing)
    const secondController = new AbortController()
    controller.abort(new Error('stop'))
    const second = context.prepare({ signal: secondController.signal })
    await expect(first).rejects.toThrow('stop')
    await until(() => context.state.isCompressing)
    secondController.abort(new Error('stop too'))
    await expect(second).rejects.toThrow('stop too')
  })

  test('a demand that waits for another compression can be given up', async () => {
    const gate = createGate()
    const context = fill(open({ summarizer: gate.summarizer, strategy: middleOut }), THRESHOLD)
    const preparing = context.prepare()
    await gate.asked()
    const controller = new AbortController()
    const compressing = context.compress({ signal: controller.signal })
    controller.abort()
    expect((await compressing).outcome.type).toBe('aborted')
    gate.release()
    await preparing
    expect(context.state).toMatchObject({ undoable: 1, isCompressing: false })
  })
})

describe('compress', () => {
  test('halves what is below the target', async () => {
    const context = fill(open(), 1_400)
    const { tokens } = context.state
    const { outcome, tokensAfter } = await context.compress()
    expect(outcome.type).toBe('compressed')
    expect(tokensAfter).toBeLessThanOrEqual(tokens / 2)
  })

  test('does not make the next request compress again', async () => {
    const context = fill(open(), WINDOW)
    await context.compress()
    context.append(...exchange())
    expect((await context.prepare()).compression).toBeUndefined()
  })

  test('hands its words, those of the options and those of the hook to the summarizer', async () => {
    const gate = createGate()
    const context = open({
      summarizer: gate.summarizer,
      strategy: middleOut,
      instructions: 'Keep names.',
      hooks: { beforeCompression: () => ({ instructions: 'Keep errors.' }) },
    })
    fill(context, 2_500)
    const compressing = context.compress({ instructions: 'Keep the migration plan.' })
    await gate.asked()
    gate.release()
    await compressing
    expect(gate.requests[0]?.instructions).toBe(
      'Keep names.\nKeep the migration plan.\nKeep errors.',
    )
  })

  test('tells its steps, and a listener that throws does not end it', async () => {
    const context = fill(open(), 2_500)
    const steps: string[] = []
    const onProgress = (step: string) => {
      steps.push(step)
      throw new Error('broken display')
    }
    expect((await context.compress({ onProgress })).outcome.type).toBe('compressed')
    expect(steps).toEqual(expect.arrayContaining(['measure', 'plan', 'summarize', 'check']))
  })

  test('keeps what was pinned, word for word, now and later', async () => {
    const context = open()
    context.pin('Never touch src/legacy.ts.')
    for (let generation = 0; generation < 3; generation++) {
      fill(context, 2_500)
      await context.compress()
      expect(JSON.stringify(context.messages)).toContain('Never touch src/legacy.ts.')
    }
  })
})

describe('unpin', () => {
  const PORT = 'The staging port is 8443.'
  const say = (context: ReturnType<typeof open>) => JSON.stringify(context.messages)
  const goOn = async (context: ReturnType<typeof open>) => {
    fill(context, 2_500)
    expect((await context.compress()).outcome.type).toBe('compressed')
  }

  test('ends a pin, from the next compression on and after an undo too', async () => {
    const context = open({ pins: [PORT] })
    context.pin('Never touch src/legacy.ts.')
    await goOn(context)
    expect(context.unpin(` ${PORT} `)).toBe(true)
    expect(context.listPins()).toEqual(['Never touch src/legacy.ts.'])
    expect(context.state.pins).toEqual(['Never touch src/legacy.ts.'])
    expect(context.unpin(PORT)).toBe(false)
    await goOn(context)
    expect(say(context)).not.toContain(PORT)
    expect(say(context)).toContain('Never touch src/legacy.ts.')
    expect(context.undo()).toBe(true)
    expect(context.listPins()).toEqual(['Never touch src/legacy.ts.'])
    await goOn(context)
    expect(say(context)).not.toContain(PORT)
  })

  test('ends one that only a summary carries, at once or by the options of a context', async () => {
    const first = open({ pins: [PORT] })
    await goOn(first)
    const messages = [...first.messages]
    const second = open({ messages })
    expect(second.state.pins).toEqual([])
    expect(second.listPins()).toEqual([PORT])
    expect(second.unpin(PORT)).toBe(true)
    const third = open({ messages, unpins: [PORT] })
    for (const context of [second, third]) {
      expect(context.listPins()).toEqual([])
      await goOn(context)
      expect(say(context)).not.toContain(PORT)
    }
    second.pin(PORT)
    await goOn(second)
    expect(say(second)).toContain(PORT)
  })

  test('is seen by a compression for another model', async () => {
    const context = open({ pins: [PORT] })
    await goOn(context)
    context.unpin(PORT)
    fill(context, 2_500)
    const { outcome } = await context.switchModel('gpt-5-mini', { windowTokens: 2_400 })
    expect(outcome.type).toBe('switched')
    expect(say(context)).not.toContain(PORT)
  })

  test('of a text that is no pin changes nothing', () => {
    const context = open({ pins: [PORT] })
    expect(context.unpin('The staging port')).toBe(false)
    expect(context.listPins()).toEqual([PORT])
  })
})

describe('compress on a small history', () => {
  test('clips and drops nothing to get there', async () => {
    const context = open()
    const request = user(`Please do all of this: ${'and then look at the parser '.repeat(150)}`)
    context.append(request)
    expect((await context.compress()).outcome.type).toBe('unchanged')
    expect(context.messages).toEqual([request])
  })

  test('to a budget that is given does what it takes', async () => {
    const context = open()
    context.append(user(`Please do all of this: ${'and then look at the parser '.repeat(150)}`))
    expect((await context.compress({ budgetTokens: 300 })).outcome.type).toBe('compressed')
    expect(context.state.tokens).toBeLessThanOrEqual(300)
  })

  test('still says when it was the summarizer that failed', async () => {
    const context = fill(open({ summarizer: throwing, strategy: middleOut }), 1_400)
    const { outcome, report } = await context.compress()
    expect(outcome.type).toBe('summary-failed')
    expect(report?.problems).toEqual(['overloaded'])
  })
})

describe('hooks and listeners', () => {
  test('a veto leaves the history, and says why', async () => {
    const context = open({ hooks: { beforeCompression: () => ({ veto: 'not now' }) } })
    const told = listen(context)
    fill(context, WINDOW + 100)
    const { compression, fits, refusal } = await context.prepare()
    expect(compression?.outcome).toEqual({ type: 'vetoed', reason: 'not now' })
    expect(fits).toBe(false)
    expect(refusal).toBeDefined()
    expect(told).toEqual(['planned threshold', 'skipped threshold vetoed'])
  })

  test('a hook that throws is a failed compression', async () => {
    const beforeCompression = () => {
      throw new Error('broken hook')
    }
    const context = fill(open({ hooks: { beforeCompression } }), THRESHOLD)
    const before = context.messages
    const { compression } = await context.prepare()
    expect(compression?.outcome).toMatchObject({ type: 'failed', error: new Error('broken hook') })
    expect(context.messages).toBe(before)
    expect(context.state.isCompressing).toBe(false)
  })

  test('a compression that cannot be archived is not paid for at each request', async () => {
    let asked = 0
    const summarizer = {
      ...working,
      summarize: (request: SummaryRequest) => {
        asked++
        return working.summarize(request)
      },
    }
    const archive = {
      store: () => {
        throw new Error('the disk is full')
      },
    }
    const context = fill(open({ summarizer, strategy: middleOut, archive }), THRESHOLD)
    for (let request = 0; request < 5; request++) await context.prepare()
    expect(asked).toBe(1)
    fill(context, WINDOW)
    await context.prepare()
    expect(asked).toBe(2)
  })

  test('a listener that throws, now or later, reaches nobody', async () => {
    const context = open()
    const heard: string[] = []
    context.on('compression-applied', () => {
      throw new Error('broken')
    })
    context.on('compression-applied', async () => {
      throw new Error('broken later')
    })
    const end = context.on('compression-applied', () => heard.push('applied'))
    fill(context, 2_500)
    await context.compress()
    end()
    fill(context, 2_500)
    await context.compress()
    expect(heard).toEqual(['applied'])
  })

  test('a listener may undo at once', async () => {
    const context = open()
    const answers: boolean[] = []
    context.on('compression-started', () => answers.push(context.undo()))
    fill(context, 2_500)
    await context.compress()
    expect(answers).toEqual([false])
    expect(context.undo()).toBe(true)
  })
})

describe('the archive', () => {
  test('is told of every message that is removed, with its native form, before it is gone', async () => {
    const changes: ArchivedChange[] = []
    let seen = 0
    const context = open({
      archive: {
        store: async (change) => {
          seen = context.messages.length
          changes.push(change)
        },
      },
    })
    fill(context, 2_500)
    const before = context.messages
    await context.compress()
    const after = new Set<object>(context.messages)
    expect(seen).toBe(before.length)
    expect(changes[0]?.natives).toEqual(before.filter((native) => !after.has(native)))
    expect(changes[0]?.removed).toHaveLength(changes[0]?.natives.length ?? 0)
  })

  test('that rejects means that nothing is applied', async () => {
    const archive = {
      store: async () => {
        throw new Error('disk full')
      },
    }
    const context = open({ archive })
    const told = listen(context)
    fill(context, 2_500)
    const before = context.messages
    expect((await context.compress()).outcome).toMatchObject({
      type: 'failed',
      error: new Error('disk full'),
    })
    expect(context.messages).toBe(before)
    expect(told).toEqual(['planned manual', 'failed manual failed'])
  })
})

describe('undo', () => {
  test('gives back the very same objects, and what came since stays behind', async () => {
    const context = open()
    const generations: (readonly ChatMessage[])[] = []
    for (let generation = 0; generation < 3; generation++) {
      fill(context, 2_500)
      generations.push(context.messages)
      await context.compress()
    }
    const late = user('late')
    context.append(late)
    const last = generations.pop() ?? []
    expect(context.undo()).toBe(true)
    expectSame(context.messages, [...last, late])
    const middle = generations.pop() ?? []
    expect(context.undo()).toBe(true)
    expectSame(context.messages.slice(0, middle.length), middle)
    expect(context.messages.at(-1)).toBe(late)
    expect(context.undo()).toBe(true)
    expect(context.undo()).toBe(false)
  })

  test('reaches back over the newest twenty', { tags: 'slow' }, async () => {
    const context = open()
    for (let generation = 0; generation < 25; generation++) {
      fill(context, 2_000)
      await context.compress()
    }
    expect(context.state.undoable).toBe(20)
  })
})

describe('after an abort', () => {
  const waits = ['hook', 'summarizer', 'archive'] as const
  const begins = ['compress', 'prepare', 'switchModel'] as const
  const cases = waits.flatMap((wait) => begins.map((begin) => [begin, wait] as const))

  test.each(cases)(
    'of %s before the %s settles, undo and a switch work at once',
    async (begin, wait) => {
      let waiting: (typeof waits)[number] | undefined
      const never = new Promise<never>(() => undefined)
      const context = open({
        strategy: middleOut,
        summarizer: {
          name: 'some',
          summarize: (request) => (waiting === 'summarizer' ? hung : working).summarize(request),
        },
        archive: { store: async () => (waiting === 'archive' ? await never : undefined) },
        hooks: { beforeCompression: () => (waiting === 'hook' ? never : undefined) },
      })
      fill(context, 2_500)
      expect((await context.compress()).outcome.type).toBe('compressed')
      fill(context, THRESHOLD + 100)
      waiting = wait
      const controller = new AbortController()
      const { signal } = controller
      const doing: Promise<unknown> = {
        compress: () => context.compress({ signal }),
        prepare: () => context.prepare({ signal }).catch(() => undefined),
        switchModel: () => context.switchModel('gpt-4o', { windowTokens: 3_000, signal }),
      }[begin]()
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(context.state.isCompressing).toBe(true)
      controller.abort()
      expect(context.undo()).toBe(true)
      waiting = undefined
      expect((await context.switchModel('gpt-4o', { windowTokens: 20_000 })).outcome.type).toBe(
        'switched',
      )
      const { messages } = context
      await doing
      expect(context.messages).toBe(messages)
    },
  )
})

describe('send', () => {
  const overflow = () =>
    Object.assign(
      new Error(
        "This model's maximum context length is 3000 tokens. However, your messages resulted in 3100 tokens.",
      ),
      {
        status: 400,
        code: 'context_length_exceeded',
      },
    )

  test('compresses to under what the provider takes, and sends once more', async () => {
    const context = open()
    const told = listen(context)
    fill(context, 2_500)
    const sizes: number[] = []
    const answer = await context.send(async ({ tokens }) => {
      sizes.push(tokens)
      if (sizes.length === 1) throw overflow()
      return 'done'
    })
    expect(answer).toBe('done')
    expect(sizes[1]).toBeLessThan(sizes[0] ?? 0)
    expect(told).toEqual(['planned overflow', 'applied overflow compressed'])
    expect(context.state.windowTokens).toBe(3_000)
  })

  test('rejects with what the provider says the second time', async () => {
    const context = fill(open(), 2_500)
    let sent = 0
    const sending = context.send(async () => {
      throw Object.assign(overflow(), { round: ++sent })
    })
    await expect(sending).rejects.toMatchObject({ round: 2 })
    expect(sent).toBe(2)
  })

  test('rejects with any other error at once', async () => {
    const context = fill(open(), 2_500)
    const sending = context.send(async () => {
      throw new Error('401 Unauthorized')
    })
    await expect(sending).rejects.toThrow('401')
    expect(context.state.revision).toBe(0)
  })

  test('shortens the history once for all requests that were refused side by side', async () => {
    const shorten = async (requests: number) => {
      const context = fill(open({ windowTokens: 100_000 }), 6_000)
      const send = async ({ tokens }: { readonly tokens: number }) => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        if (tokens > 5_500) throw new Error('prompt is too long')
      }
      await Promise.all(Array.from({ length: requests }, () => context.send(send)))
      return [context.state.revision, context.state.tokens, context.state.windowTokens]
    }
    expect(await shorten(5)).toEqual(await shorten(1))
  })

  test('shortens what another change left too long', async () => {
    const context = fill(open({ windowTokens: 100_000 }), 6_000)
    await context.compress({ budgetTokens: 3_000 })
    const sizes: number[] = []
    await context.send(async ({ tokens }) => {
      sizes.push(tokens)
      if (sizes.length > 1) return
      context.undo()
      throw new Error('prompt is too long')
    })
    expect(sizes[1]).toBeLessThan(sizes[0] ?? 0)
  })

  test('learns of an overflow without any number', async () => {
    const context = fill(open({ windowTokens: 100_000 }), 6_000)
    let sent = 0
    await context.send(async () => {
      if (++sent === 1) throw new Error('prompt is too long')
    })
    expect(context.state.tokens).toBeLessThan(6_000)
    expect(context.state.windowTokens).toBeLessThan(7_000)
  })
})

describe('a compression computed ahead', () => {
  test('takes no model time when it is due, and what came since stays', async () => {
    const gate = createGate()
    const context = open({ summarizer: gate.summarizer, strategy: middleOut, prepareAhead: 0.5 })
    const told = listen(context)
    fill(context, 2_300)
    await context.prepare()
    await gate.asked()
    gate.release()
    await until(() => context.state.isPrepared)
    fill(context, THRESHOLD)
    const late = context.messages.at(-1)
    const { compression } = await context.prepare()
    expect(compression?.outcome.type).toBe('compressed')
    expect(gate.requests).toHaveLength(1)
    expect(context.messages.at(-1)).toBe(late)
    expect(context.state).toMatchObject({ isPrepared: false, needsCompression: false })
    expect(told).toEqual(['planned threshold ahead', 'applied threshold compressed ahead'])
  })

  test('is waited for when it is due before it is done', async () => {
    const gate = createGate()
    const context = fill(
      open({ summarizer: gate.summarizer, strategy: middleOut, prepareAhead: 0.5 }),
      2_300,
    )
    await context.prepare()
    await gate.asked()
    fill(context, THRESHOLD)
    const preparing = context.prepare()
    gate.release()
    expect((await preparing).compression?.outcome.type).toBe('compressed')
    expect(gate.requests).toHaveLength(1)
  })

  test('is of no use when too much came since', async () => {
    const context = open({ summarizer: working, prepareAhead: 0.5 })
    const told = listen(context)
    fill(context, 2_300)
    await context.prepare()
    await until(() => context.state.isPrepared)
    fill(context, 2 * WINDOW)
    expect((await context.prepare()).fits).toBe(true)
    expect(told.slice(1)).toEqual([
      'skipped threshold discarded ahead',
      'planned threshold',
      'applied threshold compressed',
    ])
  })

  test('is not begun unless asked for', async () => {
    const context = open({ summarizer: working })
    const told = listen(context)
    fill(context, 3_000)
    await context.prepare()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(told).toEqual([])
  })
})

describe('a compression that is due and would cost more than it saves', () => {
  test('is put off while the history fits and the cache holds it, and is told', async () => {
    let now = 0
    const context = open({ windowTokens: 100_000, reserveTokens: 1_000, clock: { now: () => now } })
    const told = listen(context)
    context.append(user('hello'))
    await context.prepare()
    context.append(assistant('hi'))
    context.recordUsage({ inputTokens: 85_000, outputTokens: 10, cachedInputTokens: 80_000 })
    expect((await context.prepare()).decision.reason).toBe('below-break-even')
    expect(told).toEqual(['deferred below-break-even'])
    expect(context.state.needsCompression).toBe(true)
    now = 3_600_000
    expect(context.advise()).toMatchObject({ action: 'compress', isCacheWarm: false })
  })

  test('is made all the same where the host set the threshold', async () => {
    const context = open({ windowTokens: 100_000, reserveTokens: 1_000, threshold: 0.8 })
    context.append(user('hello'))
    await context.prepare()
    context.recordUsage({ inputTokens: 85_000, outputTokens: 10, cachedInputTokens: 80_000 })
    expect(context.advise()).toMatchObject({ action: 'compress', reason: 'over-threshold' })
  })
})

describe('a message larger than the window', () => {
  test('is clipped where no summary can make room for it, and the request before it stays', async () => {
    const context = open()
    const request = user('Never touch src/legacy.ts. Read the whole log.')
    context.append(request, call('a'), toolResult('a', 'a line of the log\n'.repeat(4_000)))
    const { fits, messages } = await context.prepare()
    expect(fits).toBe(true)
    expect(messages[0]).toBe(request)
    expect(violations(messages)).toEqual([])
  })
})

describe('limits beside tokens', () => {
  test('images over the limit are cleared before the request is sent', async () => {
    const url = `data:image/png;base64,${'A'.repeat(400)}`
    const context = createContext<object>({
      model: 'gpt-5',
      format: 'openai-chat',
      budgetImages: 2,
    })
    for (let index = 0; index < 4; index++) {
      const content = [
        { type: 'text', text: `see ${index}` },
        { type: 'image_url', image_url: { url } },
      ]
      context.append({ role: 'user', content }, { role: 'assistant', content: 'seen' })
    }
    const { messages, fits } = await context.prepare()
    expect(fits).toBe(true)
    expect(JSON.stringify(messages).split('image_url":{').length - 1).toBe(2)
  })

  const shoot = (index: number) => [
    {
      role: 'user',
      content: [
        { type: 'text', text: `see ${index}` },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(400)}` } },
      ],
    },
    { role: 'assistant', content: 'seen' },
  ]
  const countImages = (messages: readonly object[]) =>
    JSON.stringify(messages).split('image_url":{').length - 1

  test('those of the provider are kept without being asked for, and the next images change nothing', async () => {
    const context = createContext<object>({ model: 'claude-opus-4-5', format: 'openai-chat' })
    for (let index = 0; index < 107; index++) context.append(...shoot(index))
    const { messages, fits, compression } = await context.prepare()
    expect(fits).toBe(true)
    expect(compression?.report?.rungs.map(({ name }) => name)).toEqual(['clear-images'])
    expect(countImages(messages)).toBe(80)
    for (let index = 0; index < 20; index++) {
      context.append(...shoot(index))
      expect((await context.prepare()).compression).toBeUndefined()
    }
  })

  test('a refusal for too many images is answered once, with fewer, and no word is lost', async () => {
    const context = createContext<object>({ model: 'my-own-model', format: 'openai-chat' })
    for (let index = 0; index < 9; index++) context.append(...shoot(index))
    const asked: number[] = []
    const send = async ({ messages }: { readonly messages: readonly object[] }) => {
      asked.push(countImages(messages))
      if (countImages(messages) > 5)
        throw new Error('At most 5 image(s) may be provided in one request.')
      return messages
    }
    const sent = await context.send(send)
    expect(asked).toEqual([9, 4])
    for (let index = 0; index < 9; index++) expect(JSON.stringify(sent)).toContain(`see ${index}`)
    context.append(...shoot(9), ...shoot(10))
    await context.send(send)
    expect(asked.at(-1)).toBe(4)
  })

  test('bytes over the limit are compressed away', async () => {
    const context = open({ windowTokens: 1_000_000, budgetBytes: 20_000 })
    while (JSON.stringify(context.messages).length < 30_000) context.append(...exchange())
    expect((await context.prepare()).fits).toBe(true)
    expect(JSON.stringify(context.messages).length).toBeLessThan(25_000)
  })
})

function expectSame(found: readonly object[], expected: readonly object[]): void {
  expect(found).toHaveLength(expected.length)
  expect(found.every((native, index) => native === expected[index])).toBe(true)
}
