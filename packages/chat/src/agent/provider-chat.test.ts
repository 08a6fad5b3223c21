import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createColors } from 'picocolors'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FakeModel } from '../../../../test/fake-upstream/fake-model.ts'
import {
  type FakeUpstream,
  type FakeUpstreamOptions,
  startFakeUpstream,
} from '../../../../test/fake-upstream/start-fake-upstream.ts'
import {
  ask,
  type ChatFolders,
  createFolders,
  ofType,
  readAnswer,
  type TestOptions,
} from '../chat.suite.ts'
import type { ChatAgent, ChatEvent } from '../contract/chat-agent.ts'
import { createTestPalette } from '../ports.suite.ts'
import { renderCompressionLine } from '../rendering/compression-report.ts'

const KEY = 'sk-test-0123456789abcdef'

let folders: ChatFolders
let upstream: FakeUpstream
let waits: number[]

beforeEach(() => {
  folders = createFolders()
  waits = []
})
afterEach(async () => {
  await upstream.close()
  folders.remove()
})

async function open(
  model: string,
  script: FakeModel,
  options: TestOptions & { upstream?: FakeUpstreamOptions } = {},
): Promise<ChatAgent> {
  upstream = await startFakeUpstream(script, options.upstream)
  const environment = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: upstream.url,
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: upstream.url,
    GOOGLE_GENERATIVE_AI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: upstream.url,
    OPENROUTER_API_KEY: KEY,
    OPENROUTER_BASE_URL: `${upstream.url}/v1`,
    OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
  }
  const wait = async (delayMs: number) => {
    waits.push(delayMs)
  }
  return folders.open({
    isDemo: false,
    model,
    host: { environment, chatsFolder: folders.chats, wait },
    ...options,
  })
}

const readShips: FakeModel = (_, number) =>
  number === 1
    ? { text: 'I look.', toolCalls: [{ name: 'read_file', input: { path: 'src/ships.ts' } }] }
    : { text: 'The ships are Aurora and Belle.' }

const MODELS = [
  'anthropic/claude-sonnet-4-6',
  'openai/gpt-5.4',
  'google/gemini-3.5-flash',
  'openrouter/anthropic/claude-sonnet-4.6',
  'openai-compatible/some-model',
]

describe.each(MODELS)('with %s', (model) => {
  test('streams, runs the tool, gives it the result and says what that cost', async () => {
    const agent = await open(model, readShips)
    const events = await ask(agent, 'which ships?')
    expect(ofType(events, 'error')).toEqual([])
    expect(ofType(events, 'tool-call')).toMatchObject([
      { name: 'read_file', input: { path: 'src/ships.ts' } },
    ])
    expect(readAnswer(events)).toBe('I look.The ships are Aurora and Belle.')
    expect(upstream.requests).toHaveLength(2)
    expect(upstream.requests[1]?.raw).toContain('Belle')
    const usages = ofType(events, 'usage')
    expect(usages).toHaveLength(2)
    for (const { usage } of usages) expect(usage?.inputTokens).toBeGreaterThan(100)
    if (model !== 'openai-compatible/some-model') expect(agent.spent.dollars).toBeGreaterThan(0)
    expect(agent.context.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    await agent.close()
  })

  test('keeps what was said until an abort, and goes on from there', async () => {
    const agent = await open(model, (_, number) =>
      number === 1
        ? { text: 'one two three four five six seven eight nine ten', pauseMs: 40 }
        : { text: 'Fine.' },
    )
    const stop = new AbortController()
    const events = []
    for await (const event of agent.send('count', { signal: stop.signal })) {
      events.push(event)
      if (event.type === 'text') stop.abort()
    }
    expect(events.at(-1)).toEqual({ type: 'done', isInterrupted: true })
    const said = readAnswer(events)
    expect(said).not.toBe('')
    expect(agent.context.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: said }] },
    ])
    expect(ofType(events, 'error')).toEqual([])
    expect(readAnswer(await ask(agent, 'go on'))).toBe('Fine.')
    await agent.close()
  })

  test('a key that is refused is told without the key, and the message can be sent again', async () => {
    const agent = await open(model, (_, number) =>
      number === 1
        ? {
            status: 401,
            error: { message: `Incorrect API key provided: ${KEY}`, type: 'authentication_error' },
          }
        : { text: 'Here I am.' },
    )
    const [error] = ofType(await ask(agent, 'hello'), 'error')
    expect(error?.message).toContain('401')
    expect(error?.message).not.toContain(KEY)
    expect(error?.hint).toMatch(/Check .+_API_KEY/)
    expect(agent.context.messages).toHaveLength(1)
    // The same words again are the same message.
    expect(readAnswer(await ask(agent, 'hello'))).toBe('Here I am.')
    expect(agent.context.messages).toHaveLength(2)
    await agent.close()
    expect(readFileSync(agent.historyFile ?? '', 'utf8')).not.toContain(KEY)
  })

  test('a provider that is busy is asked again after a pause', async () => {
    const agent = await open(model, (_, number) =>
      number < 3 ? { status: 503, error: { message: 'overloaded' } } : { text: 'Now.' },
    )
    const events = await ask(agent, 'hello')
    expect(readAnswer(events)).toBe('Now.')
    expect(ofType(events, 'retry')).toHaveLength(2)
    expect(waits).toHaveLength(2)
    await agent.close()
  })

  test('a provider that stays busy is an error with the message kept', async () => {
    const agent = await open(model, () => ({ status: 503, error: { message: 'overloaded' } }))
    const events = await ask(agent, 'hello')
    expect(ofType(events, 'error')).toMatchObject([
      { hint: expect.stringContaining('Your message is kept') },
    ])
    expect(ofType(await ask(agent, ''), 'error')).toHaveLength(1)
    expect(events.at(-1)).toEqual({ type: 'done', isInterrupted: false })
    expect(agent.context.messages).toHaveLength(1)
    await agent.close()
  })

  test('a provider that limits is asked ten times, however long it asks to wait, and each pause is told', async () => {
    const hour = {
      status: 429,
      error: { message: 'slow down' },
      headers: { 'retry-after': '3600' },
    }
    const agent = await open(model, (_, number) => (number < 10 ? hour : { text: 'At last.' }))
    const events = await ask(agent, 'hello')
    expect(readAnswer(events)).toBe('At last.')
    const retries = ofType(events, 'retry')
    expect(retries.map(({ attempt, attempts }) => [attempt, attempts])).toEqual(
      Array.from({ length: 9 }, (_, index) => [index + 2, 10]),
    )
    for (const { delayMs, message } of retries) {
      expect(delayMs).toBeGreaterThanOrEqual(3_600_000)
      expect(delayMs).toBeLessThanOrEqual(3_602_000)
      expect(message).toContain('slow down')
    }
    expect(waits).toEqual(retries.map(({ delayMs }) => delayMs))
    await agent.close()
  })

  test('an answer whose stream ends before it is finished is asked for again', async () => {
    const agent = await open(model, (_, number) =>
      number === 1
        ? {
            text: 'A long answer whose second half never comes, and nobody says so.',
            connection: 'end',
          }
        : { text: 'A whole answer.' },
    )
    const events = await ask(agent, 'hello')
    expect(ofType(events, 'retry')).toHaveLength(1)
    expect(agent.context.messages.at(-1)).toMatchObject({
      content: [{ type: 'text', text: 'A whole answer.' }],
    })
    await agent.close()
  })

  test('a request that the provider finds too long is compressed and sent once more', async () => {
    const agent = await open(model, () => ({ text: 'Understood.' }), {
      upstream: { windowTokens: 12_000 },
    })
    const events = []
    for (let turn = 0; turn < 4; turn++) {
      events.push(
        ...(await ask(agent, `number ${turn}: ${'the crane unloads a ship. '.repeat(500)}`)),
      )
    }
    expect(ofType(events, 'error')).toEqual([])
    expect(ofType(events, 'compression')[0]).toMatchObject({ compression: { trigger: 'overflow' } })
    expect(readAnswer(events)).toBe('Understood.'.repeat(4))
    expect(waits).toEqual([])
    expect(upstream.requests.filter(({ isOverflow }) => isOverflow)).toHaveLength(1)
    await agent.close()
  })
})

describe('tool calls', () => {
  test('an abort while a tool runs answers every open call', async () => {
    const agent = await open('anthropic/claude-sonnet-4-6', (_, number) =>
      number === 1
        ? {
            toolCalls: [
              { name: 'search', input: { text: 'crane' } },
              { name: 'read_file', input: { path: 'README.md' } },
            ],
          }
        : { text: 'Then not.' },
    )
    const stop = new AbortController()
    const events: ChatEvent[] = []
    for await (const event of agent.send('look', { signal: stop.signal })) {
      events.push(event)
      if (ofType(events, 'tool-call').length === 2) stop.abort()
    }
    expect(ofType(events, 'tool-result')).toMatchObject([
      { isError: true, output: expect.stringContaining('Interrupted') },
      { isError: true, output: expect.stringContaining('Interrupted') },
    ])
    expect(upstream.requests).toHaveLength(1)
    expect(readAnswer(await ask(agent, 'what now?'))).toBe('Then not.')
    await agent.close()
  })

  test('an unknown tool and an input of the wrong shape are told to the model', async () => {
    const agent = await open('openai/gpt-5.4', (_, number) =>
      number === 1
        ? {
            toolCalls: [
              { name: 'teleport', input: {} },
              { name: 'read_file', input: { file: 'README.md' } },
            ],
          }
        : { text: 'Sorry.' },
    )
    const results = ofType(await ask(agent, 'go'), 'tool-result')
    expect(results.map(({ isError }) => isError)).toEqual([true, true])
    expect(results[0]?.output).toMatch(/teleport/)
    expect(results[1]?.output).toMatch(/The input of read_file is wrong/)
    await agent.close()
  })

  test('half a character where an output is cut does not reach the provider', async () => {
    const { length } = 'A line: '
    writeFileSync(join(folders.project, 'face.txt'), `A line: ${'x'.repeat(1999 - length)}😀😀\n`)
    const agent = await open('anthropic/claude-sonnet-4-6', (_, number) =>
      number === 1
        ? { toolCalls: [{ name: 'read_file', input: { path: 'face.txt' } }] }
        : { text: 'Done.' },
    )
    const [result] = ofType(await ask(agent, 'read it'), 'tool-result')
    expect(result?.output).toMatch(/x\ufffd… \[2003 characters\]$/)
    expect(upstream.requests[1]?.raw).not.toContain('\\ud83d')
    await agent.close()
  })

  test('a blank text in front of a call does not go back to the provider, which refuses it', async () => {
    const agent = await open('anthropic/claude-sonnet-4-6', (_, number) =>
      number === 1
        ? { text: '\n\n', toolCalls: [{ name: 'read_file', input: { path: 'src/ships.ts' } }] }
        : { text: 'Done.' },
    )
    expect(ofType(await ask(agent, 'which ships?'), 'error')).toEqual([])
    const { messages } = JSON.parse(upstream.requests[1]?.raw ?? '')
    expect(messages[1]).toMatchObject({ role: 'assistant', content: [{ type: 'tool_use' }] })
    await agent.close()
  })

  test('a key in a file that is read reaches neither the model nor the history', async () => {
    const agent = await open('anthropic/claude-sonnet-4-6', (_, number) =>
      number === 1
        ? { toolCalls: [{ name: 'read_file', input: { path: 'notes.txt' } }] }
        : { text: 'Done.' },
    )
    writeFileSync(join(folders.project, 'notes.txt'), `the key is ${KEY}\n`)
    const [result] = ofType(await ask(agent, 'read it'), 'tool-result')
    expect(result?.output).toBe('1\tthe key is [key]')
    await agent.close()
    expect(readFileSync(agent.historyFile ?? '', 'utf8')).not.toContain(KEY)
    expect(upstream.requests.map(({ raw }) => raw).join()).not.toContain(KEY)
  })
})

describe('a long piece of work', () => {
  test('takes 60 tool calls in a window of 16 000 tokens with the first words of the person intact', {
    tags: 'slow',
  }, async () => {
    const order = 'Count the ships, and never touch config/limits.json.'
    const agent = await open(
      'anthropic/claude-sonnet-4-6',
      (_, number) =>
        number <= 60
          ? {
              text: `Step ${number}.`,
              toolCalls: [{ name: 'read_file', input: { path: 'README.md', lines: 30 } }],
            }
          : { text: 'Done.' },
      { windowTokens: 16_000, upstream: { windowTokens: 16_000 } },
    )
    const events = await ask(agent, order)
    expect(ofType(events, 'error')).toEqual([])
    expect(readAnswer(events)).toMatch(/Done\.$/)
    expect(ofType(events, 'tool-result')).toHaveLength(60)
    expect(ofType(events, 'compression').length).toBeGreaterThan(1)
    for (const { raw, isOverflow } of upstream.requests)
      if (!isOverflow) expect(raw).toContain(order)
    await agent.close()
  })
})

describe('requests', () => {
  test('Anthropic is told to cache the system prompt and everything up to the newest message', async () => {
    const agent = await open('anthropic/claude-sonnet-4-6', readShips)
    await ask(agent, 'which ships?')
    const { system, messages } = JSON.parse(upstream.requests[1]?.raw ?? '')
    expect(system.at(-1).cache_control).toEqual({ type: 'ephemeral' })
    expect(messages.at(-1).content.at(-1).cache_control).toEqual({ type: 'ephemeral' })
    expect(agent.context.messages.every((message) => message.providerOptions === undefined)).toBe(
      true,
    )
    await agent.close()
  })

  test('an endless pause is one that a timer takes, and ends at once when it is cancelled', async () => {
    const headers = { 'retry-after': '99999999999' }
    const agent = await open('anthropic/claude-sonnet-4-6', () => ({
      status: 429,
      error: { message: 'no' },
      headers,
    }))
    const controller = new AbortController()
    const events = []
    for await (const event of agent.send('hello', { signal: controller.signal })) {
      events.push(event)
      if (event.type === 'retry') {
        expect(event.delayMs).toBe(2 ** 31 - 1)
        controller.abort()
      }
    }
    expect(events.at(-1)).toEqual({ type: 'done', isInterrupted: true })
    expect(agent.context.messages).toHaveLength(1)
    await agent.close()
  })

  test('OpenAI is asked to store nothing', async () => {
    const agent = await open('openai/gpt-5.4', readShips)
    await ask(agent, 'which ships?')
    expect(upstream.requests.map(({ raw }) => JSON.parse(raw).store)).toEqual([false, false])
    await agent.close()
  })

  test('an answer that breaks off is asked for again, and only the whole one is kept', async () => {
    const agent = await open('anthropic/claude-sonnet-4-6', (_, number) =>
      number === 1
        ? { text: 'A long answer that breaks off.', connection: 'break' }
        : { text: 'A whole answer.' },
    )
    const events = await ask(agent, 'hello')
    expect(ofType(events, 'retry')).toHaveLength(1)
    expect(agent.context.messages.at(-1)).toMatchObject({
      content: [{ type: 'text', text: 'A whole answer.' }],
    })
    await agent.close()
  })

  test('the longest answer that a model may give is taken to its end', {
    tags: 'slow',
  }, async () => {
    // The SDK leaves comments out, which take the place of as many bytes of small pieces.
    const comment = `: ${'x'.repeat(1 << 20)}\n\n`
    const agent = await open('anthropic/claude-sonnet-4-6', () => ({
      text: 'Whole.',
      comments: Array.from({ length: 20 }, () => comment),
    }))
    expect(readAnswer(await ask(agent, 'hello'))).toBe('Whole.')
    expect(upstream.requests).toHaveLength(1)
    await agent.close()
  })

  test('a second message while the first is answered is refused, not mixed in', async () => {
    const agent = await open('anthropic/claude-sonnet-4-6', () => ({
      text: 'a b c d',
      pauseMs: 30,
    }))
    const [first, second] = await Promise.all([ask(agent, 'one'), ask(agent, 'two')])
    expect(readAnswer(first)).toBe('a b c d')
    expect(ofType(second, 'error')).toHaveLength(1)
    expect(agent.context.messages).toHaveLength(2)
    await agent.close()
  })

  test('whoever leaves the loop ends the answer', async () => {
    const agent = await open('anthropic/claude-sonnet-4-6', () => ({
      text: 'a b c d e f g h i j',
      pauseMs: 60,
    }))
    for await (const event of agent.send('one', { signal: new AbortController().signal })) {
      if (event.type === 'text') break
    }
    expect(agent.context.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    await expect.poll(() => upstream.openRequests).toBe(0)
    await agent.close()
  })

  test('a summary is made by the summarizer that was asked for, and the chat has paid for it', async () => {
    const agent = await open(
      'anthropic/claude-sonnet-4-6',
      ({ raw }) => ({ text: `I know ${raw.length} characters.` }),
      {
        summarizer: 'openai/gpt-5-mini',
      },
    )
    const events = []
    for (let turn = 0; turn < 5; turn++)
      events.push(
        ...(await ask(agent, `Ship ${turn} is unloaded. ${'The crane is slow. '.repeat(200)}`)),
      )
    const asked = ofType(events, 'usage')
    const askedDollars = asked.reduce((sum, { dollars = Number.NaN }) => sum + dollars, 0)
    expect(agent.spent).toMatchObject({ requests: asked.length, dollars: askedDollars })
    await agent.context.compress()
    const summaries = upstream.requests.filter(({ protocol }) => protocol === 'openai-responses')
    expect(summaries.length).toBeGreaterThan(0)
    expect(agent.spent.requests).toBe(asked.length + summaries.length)
    expect(agent.spent.dollars).toBeGreaterThan(askedDollars)
    const { rows } = agent.spent
    expect(rows.map(({ purpose, model }) => `${purpose} ${model}`)).toEqual([
      'answer anthropic/claude-sonnet-4-6',
      'summary openai/gpt-5-mini',
    ])
    expect(rows[0]?.dollars).toBe(askedDollars)
    await agent.close()
  })

  test('a summarizer that fails is told with its cause, and one that is left alone too', {
    tags: 'slow',
  }, async () => {
    const agent = await open(
      'anthropic/claude-sonnet-4-6',
      ({ raw }) =>
        raw.includes('gpt-5-mini')
          ? { status: 401, error: { message: 'no such key' } }
          : { text: 'Yes.' },
      { summarizer: 'openai/gpt-5-mini', strategy: 'tail-summary', windowTokens: 9000 },
    )
    const events = []
    for (let turn = 0; turn < 36; turn++)
      events.push(
        ...(await ask(agent, `Ship ${turn} is unloaded. ${'The crane is slow. '.repeat(200)}`)),
      )
    const palette = createTestPalette(createColors(false))
    const said = ofType(events, 'compression').map(({ compression, pausedSummarizer }) =>
      renderCompressionLine(compression, 300, palette, pausedSummarizer).join(' '),
    )
    expect(said.length).toBeGreaterThan(3)
    expect(said[0]).toMatch(
      /digest replaced it, because openai\/gpt-5-mini: the provider answered 401: no such key/,
    )
    expect(said.at(-1)).toMatch(
      /digest replaced it, because openai\/gpt-5-mini failed several times/,
    )
    await agent.close()
  })

  test('closing in the middle of an answer ends it and keeps what was said', async () => {
    const agent = await open('anthropic/claude-sonnet-4-6', () => ({
      text: 'a b c d e f g h i j',
      pauseMs: 2000,
    }))
    const events = ask(agent, 'one')
    await new Promise((resolve) => setTimeout(resolve, 200))
    await agent.close()
    expect((await events).at(-1)).toEqual({ type: 'done', isInterrupted: true })
    await expect.poll(() => upstream.openRequests).toBe(0)
  })
})
