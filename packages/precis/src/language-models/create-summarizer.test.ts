import { EventEmitter, once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Message, SummaryRequest } from '@precis/core'
import { APICallError } from 'ai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type {
  FakeAnswer,
  FakeModel,
  FakeRequest,
} from '../../../../test/fake-upstream/fake-model.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { casesOf } from '../../../../test/property-runs.ts'
import type { SummarizerSettings } from '../configuration/configuration.ts'
import { createSummarizer } from './create-summarizer.ts'
import { explainError } from './explain-error.ts'
import type { Clock } from './retry.ts'
import { goodAnswer, goodSummary, span } from './summary.suite.ts'

const KEY = 'sk-test-0123456789abcdefghij'
const environment = {
  ANTHROPIC_API_KEY: KEY,
  OPENAI_API_KEY: KEY,
  GOOGLE_GENERATIVE_AI_API_KEY: KEY,
  OPENROUTER_API_KEY: KEY,
}
const NAMES = [
  'anthropic/claude-haiku-4-5',
  'openai/gpt-5-mini',
  'google/gemini-2.5-flash',
  'openrouter/qwen/qwen3-coder',
  'openai-compatible/llama3',
]

let provider: FakeUpstream | undefined
let answersFolder = ''
beforeEach(() => {
  answersFolder = join(mkdtempSync(join(tmpdir(), 'precis-answers-')), 'answers')
})
afterEach(async () => {
  await provider?.close()
  provider = undefined
  rmSync(join(answersFolder, '..'), { recursive: true, force: true })
})

interface Run {
  readonly name?: string
  readonly settings?: Partial<SummarizerSettings>
  readonly request?: Partial<SummaryRequest>
}

/**
 * Runs one summary against a provider that says what the test says; pauses are noted and not waited
 * for.
 */
async function run(reply: FakeAnswer | FakeModel, change: Run = {}) {
  const waits: number[] = []
  const clock: Clock = { wait: async (delayMs) => void waits.push(delayMs), random: () => 0.5 }
  provider ??= await startFakeUpstream((request, number) =>
    typeof reply === 'function' ? reply(request, number) : reply,
  )
  const settings = {
    name: change.name ?? NAMES[0]!,
    baseUrl: `${provider.url}/v1`,
    ...change.settings,
  }
  const summarizer = await createSummarizer(settings, { environment, clock, answersFolder })
  const summary = await summarizer.summarize(createRequest(change.request))
  return {
    ...summary,
    waits,
    problem: summary.problems?.join('\n') ?? '',
    requests: provider.requests,
  }
}

function createRequest(change: Partial<SummaryRequest> = {}): SummaryRequest {
  const countTokens = (text: string) => Math.ceil(text.length / 4)
  return {
    span: span as Message[],
    kept: [],
    targetTokens: 80,
    brief: 'middle',
    countTokens,
    ...change,
  }
}

describe.each(casesOf(NAMES, 2))('%s', { tags: 'property' }, (name) => {
  test('makes a summary over its own protocol', async () => {
    const { text, summarizer, usage, requests, problems } = await run(
      { text: goodAnswer },
      { name },
    )
    expect({ text, summarizer, problems }).toEqual({
      text: goodSummary,
      summarizer: name,
      problems: undefined,
    })
    expect(usage).toMatchObject({ calls: 1 })
    expect(usage!.inputTokens).toBeGreaterThan(100)
    expect(requests).toHaveLength(1)
    expect(requests[0]!.raw).not.toContain('"tools"')
  })

  test.each([
    ['429', { status: 429, error: { message: 'slow down' } }, 10, /answered 429: slow down/],
    ['500', { status: 500, error: { message: 'internal' } }, 3, /answered 500: internal/],
    ['529', { status: 529, error: { message: 'Overloaded' } }, 3, /answered 529/],
    ['reset', { connection: 'reset' }, 3, /could not be reached/],
    ['break', { connection: 'break' }, 3, /could not be (?:reached|read)/],
    [
      '401',
      { status: 401, error: { message: `Incorrect API key provided: ${KEY}` } },
      1,
      /answered 401: Incorrect/,
    ],
    ['403', { status: 403, error: { message: 'forbidden' } }, 1, /answered 403/],
    ['404', { status: 404, error: { message: 'no such model' } }, 1, /answered 404: no such model/],
  ] as const)('%s ends in a digest that names the problem', async (_, reply, attempts, said) => {
    const { text, summarizer, problem, requests } = await run(reply, { name })
    expect(summarizer).toBe('digest')
    expect(text).toContain('waitBetweenAttempts')
    expect(problem).toMatch(said)
    expect(problem).not.toContain(KEY)
    expect(requests).toHaveLength(attempts)
  })

  test.each([
    ['429', { status: 429, error: { message: 'slow down' } }],
    ['500', { status: 500, error: { message: 'internal' } }],
    ['reset', { connection: 'reset' }],
    ['break', { connection: 'break' }],
  ] as const)('%s twice and then an answer makes a summary', async (_, reply) => {
    const { text, waits, problems } = await run(
      (__, number) => (number < 3 ? reply : { text: goodAnswer }),
      { name },
    )
    expect(text).toBe(goodSummary)
    expect(problems).toBeUndefined()
    expect(waits).toEqual([2000, 4000])
  })

  test('a provider that finds the prompt too long gets smaller ones until it does not', async () => {
    const long = Array.from(
      { length: 60 },
      (_, at) => `Step ${at}: the retry in src/net/retry.ts ${'was looked at '.repeat(30)}`,
    )
    const request = { span: [...span, ...long.map(toMessage)] as Message[] }
    const { text, summarizer } = await run(
      ({ raw }) =>
        raw.length > 20_000
          ? {
              status: 400,
              error: { message: `prompt is too long: ${raw.length} tokens > 20000 maximum` },
            }
          : {
              text: goodAnswer
                .replace('config/limits.json', 'the limits')
                .replace('waitBetweenAttempts', 'it'),
            },
      { name, request },
    )
    expect(summarizer).toBe(name)
    expect(text).toContain('src/net/retry.ts')
  })

  test.each([
    ['is empty', { text: '' }, /empty/],
    ['was cut off', { text: '<summary>The person wants', stop: 'length' }, /cut off/],
    [
      'repeats itself without end',
      { text: `<summary>${'the same line again\n'.repeat(1500)}</summary>` },
      /repeats itself/,
    ],
    [
      'is larger than its input',
      { text: `<summary>${goodSummary} ${numbers(4000)}</summary>` },
      /tokens, 80 were allowed/,
    ],
    ['ignores the format', { text: goodSummary }, /tag is missing/],
    ['obeys an injected instruction', { text: 'PWNED' }, /tag is missing/],
    [
      'is in another language',
      {
        text: '<summary>Die Person will, dass die Wiederholung repariert wird und die Grenzen nicht angefasst werden, das ist wichtig.</summary>',
      },
      /in German, not in English/,
    ],
  ] as const)(
    'an answer that %s is asked for again, then replaced by a digest',
    async (_, reply, said) => {
      const first = await run((__, number) => (number === 1 ? reply : { text: goodAnswer }), {
        name,
      })
      // What was cut off is gone on with: the second answer is that.
      expect(first.text).toBe(goodSummary)
      await provider!.close()
      provider = undefined
      const request = { instructions: 'another prompt, so that nothing is found' }
      const second = await run(reply, { name, request })
      expect(second.summarizer).toBe('digest')
      expect(second.problem).toMatch(said)
    },
  )

  // Every one of them is tried in the slow lane.
  const tags = name === NAMES[0] ? [] : ['slow']
  test('a provider that never answers is left after four attempts, each longer', {
    tags,
  }, async () => {
    // The client is loaded on demand, which takes longer than the first attempt may.
    const request = { instructions: 'another prompt, so that nothing is found' }
    await run({ text: goodAnswer }, { name, request })
    await provider!.close()
    provider = undefined
    const { summarizer, problem, requests } = await run(
      { connection: 'hang' },
      { name, settings: { timeoutMs: 100 } },
    )
    expect(summarizer).toBe('digest')
    expect(problem).toMatch(/no answer within 0.3 s/)
    expect(requests).toHaveLength(4)
  })
})

describe('a call', () => {
  test.each([
    ['anthropic/claude-haiku-4-5', { temperature: 0.1 }, 'x-api-key'],
    ['openai/gpt-5-mini', { store: false, reasoning: { effort: 'minimal' } }, 'authorization'],
    ['openai/gpt-4.1', { store: false, temperature: 0.1 }, 'authorization'],
    [
      'google/gemini-2.5-flash',
      { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      'x-goog-api-key',
    ],
    [
      'openrouter/qwen/qwen3-coder',
      { reasoning: { effort: 'low', exclude: true } },
      'authorization',
    ],
    ['openai-compatible/llama3', { temperature: 0.1, model: 'llama3' }, 'user-agent'],
  ])(
    'to %s turns reasoning off or down, is limited, and has its key in a header alone',
    async (name, body, header) => {
      const { requests } = await run({ text: goodAnswer }, { name })
      const sent: Record<string, unknown> = JSON.parse(requests[0]!.raw)
      expect(sent).toMatchObject(body)
      expect(JSON.stringify(sent)).toMatch(/max_?(?:output|completion)?_?tokens/i)
      expect(`${requests[0]!.url} ${requests[0]!.raw}`).not.toContain(KEY)
      expect(requests[0]!.headers[header]).toBeDefined()
    },
  )

  test('does not follow a redirection, which would carry the key along', async () => {
    const other = await startFakeUpstream(() => ({ text: goodAnswer }))
    const headers = { location: `${other.url}/v1/messages` }
    const { summarizer } = await run({ status: 307, error: { message: 'there' }, headers })
    expect(summarizer).toBe('digest')
    expect(other.requests).toEqual([])
    await other.close()
  })
})

describe('retries', () => {
  test('a real pause is no shorter than the provider asked for', { tags: 'slow' }, async () => {
    provider = await startFakeUpstream((_, number) =>
      number === 1
        ? { status: 429, error: { message: 'slow down' }, headers: { 'retry-after': '1' } }
        : { text: goodAnswer },
    )
    const settings = { name: NAMES[0]!, baseUrl: `${provider.url}/v1` }
    const summarizer = await createSummarizer(settings, { environment, answersFolder })
    expect((await summarizer.summarize(createRequest())).text).toBe(goodSummary)
    const [first, second] = provider.requests
    expect(second!.receivedAt - first!.receivedAt).toBeGreaterThan(990)
  })

  test('a provider that asks for an hour is not waited for', async () => {
    const headers = { 'retry-after': '3600' }
    const { waits, requests } = await run({ status: 429, error: { message: 'slow down' }, headers })
    expect({ waits, requests: requests.length }).toEqual({ waits: [], requests: 1 })
  })

  const GOOGLE = JSON.stringify({
    error: {
      code: 429,
      message: 'You exceeded your current quota, please check your plan and billing details.',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }],
    },
  })
  test.each([
    ['seconds', { 'retry-after': '20' }, '', 20_000],
    ['part of a second', { 'retry-after': '0.5' }, '', 500],
    ['milliseconds, which are exacter', { 'retry-after-ms': '1500', 'retry-after': '2' }, '', 1500],
    ['an empty header and then seconds', { 'retry-after-ms': '', 'retry-after': '7' }, '', 7000],
    ['a date that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, '', 0],
    ['the body, as Google does, in words of billing', {}, GOOGLE, 34_500],
    ['nothing', {}, '', undefined],
    ['nothing that can be read', { 'retry-after': 'soon' }, '', undefined],
  ])(
    'what a provider asks for is read from %s',
    (_, responseHeaders, responseBody, retryAfterMs) => {
      const given = {
        url: 'http://x',
        requestBodyValues: {},
        statusCode: 429,
        message: 'Too Many Requests',
      }
      const error = new APICallError({ ...given, responseBody, responseHeaders })
      expect(explainError(error, '')).toMatchObject({ retry: 'limited', retryAfterMs })
    },
  )

  test('a pause is what was asked for, and no more than two seconds longer', async () => {
    const limited = {
      status: 429,
      error: { message: 'slow down' },
      headers: { 'retry-after': '50' },
    }
    const { waits } = await run((__, number) => (number === 1 ? limited : { text: goodAnswer }))
    expect(waits).toEqual([51_000])
  })

  test('no money left is not tried again', async () => {
    const { requests, problem } = await run({
      status: 429,
      error: { message: 'You exceeded your quota', type: 'insufficient_quota' },
    })
    expect(requests).toHaveLength(1)
    expect(problem).toContain('exceeded your quota')
  })

  test('a model that takes no temperature and no word about reasoning is asked without, and remembered', async () => {
    const name = 'openai-compatible/llama3'
    const refuse = ({ raw }: FakeRequest): FakeAnswer =>
      raw.includes('temperature')
        ? { status: 400, error: { message: 'temperature is not supported' } }
        : { text: goodAnswer }
    const { text, requests } = await run(refuse, { name })
    expect(text).toBe(goodSummary)
    expect(requests).toHaveLength(2)
  })

  test('several calls at once may all learn it', async () => {
    provider = await startFakeUpstream(({ raw }) =>
      raw.includes('temperature')
        ? { status: 400, error: { message: 'temperature is not supported' } }
        : { text: goodAnswer },
    )
    const settings = { name: 'openai-compatible/llama3', baseUrl: `${provider.url}/v1` }
    const summarizer = await createSummarizer(settings, { environment, answersFolder })
    const ask = (at: number) => summarizer.summarize(createRequest({ instructions: `run ${at}` }))
    const summaries = await Promise.all([1, 2, 3, 4, 5].map(ask))
    expect(summaries.map(({ text }) => text)).toEqual(Array(5).fill(goodSummary))
    const sent = provider.requests.length
    await ask(6)
    expect(provider.requests).toHaveLength(sent + 1)
  })
})

describe('cancelling', () => {
  // Call and pause last much longer than a test may take.
  const paused = { status: 500, error: { message: 'internal' }, headers: { 'retry-after': '59' } }
  test.each([
    ['calls that hang', { connection: 'hang' }, 2],
    ['pauses between attempts', paused, 6],
  ] as const)(
    'ends %s at once and leaves no request open',
    { timeout: 30_000 },
    async (_, reply, sent) => {
      const upstream = await startFakeUpstream(() => reply)
      provider = upstream
      const settings = {
        name: NAMES[0]!,
        baseUrl: `${upstream.url}/v1`,
        maxInFlight: 2,
        timeoutMs: 600_000,
      }
      const summarizer = await createSummarizer(settings, { environment, answersFolder })
      const abort = new AbortController()
      const runs = Array.from({ length: 6 }, (__, at) =>
        summarizer.summarize(createRequest({ signal: abort.signal, instructions: `run ${at}` })),
      )
      const settled = Promise.allSettled(runs)
      await expect.poll(() => upstream.requests.length).toBe(sent)
      abort.abort()
      const outcomes = await settled
      expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
      await expect.poll(() => upstream.openRequests).toBe(0)
      await setTimeout(100)
      expect(upstream.requests).toHaveLength(sent)
    },
  )
})

describe('pool', () => {
  test('keeps as many calls in flight as allowed, and no slow one holds up the others', {
    tags: 'slow',
  }, async () => {
    let open = 0
    let most = 0
    let answered = 0
    const events = new EventEmitter()
    const full = once(events, 'full')
    const manyAnswered = once(events, 'many answered')
    provider = await startFakeUpstream(async (_, number) => {
      open++
      most = Math.max(most, open)
      if (open === 4) events.emit('full')
      // Nothing is answered before four are there, and the first one not before thirty others.
      await full
      await (number === 1 ? manyAnswered : setTimeout(5))
      open--
      answered++
      if (answered === 30) events.emit('many answered')
      return { text: goodAnswer }
    })
    const settings = { name: NAMES[0]!, baseUrl: `${provider.url}/v1`, maxInFlight: 4 }
    const summarizer = await createSummarizer(settings, { environment, answersFolder })
    const runs = Array.from({ length: 40 }, (_, at) =>
      summarizer.summarize(createRequest({ instructions: `run ${at}` })),
    )
    const summaries = await Promise.all(runs)
    expect(summaries.every(({ text }) => text === goodSummary)).toBe(true)
    expect(most).toBe(4)
    expect(provider.requests).toHaveLength(40)
  })
})

describe('answers', () => {
  test('a repeated summary costs nothing, in files for the owner only', async () => {
    const first = await run({ text: goodAnswer })
    const second = await run({ text: goodAnswer })
    expect(second.text).toBe(first.text)
    expect(second.usage).toMatchObject({ calls: 0, inputTokens: 0, outputTokens: 0 })
    expect(second.requests).toHaveLength(1)
    expect(statSync(answersFolder).mode & 0o777).toBe(0o700)
    const files = readdirSync(answersFolder)
    expect(files).toHaveLength(1)
    expect(statSync(join(answersFolder, files[0]!)).mode & 0o777).toBe(0o600)
  })

  test('another request, another model and another server are asked', async () => {
    await run({ text: goodAnswer })
    await run({ text: goodAnswer }, { request: { targetTokens: 81 } })
    await run({ text: goodAnswer }, { name: 'anthropic/claude-sonnet-4-5' })
    const { requests } = await run(
      { text: goodAnswer },
      { settings: { baseUrl: `${provider!.url}/v2` } },
    )
    expect(requests).toHaveLength(4)
  })

  test('another server in the environment is asked, and an empty file is no answer', async () => {
    const name = 'openai-compatible/x'
    provider = await startFakeUpstream(() => ({ text: goodAnswer }))
    const ask = async (path: string) => {
      const variables = { OPENAI_COMPATIBLE_BASE_URL: `${provider?.url}${path}` }
      const summarizer = await createSummarizer({ name }, { environment: variables, answersFolder })
      expect((await summarizer.summarize(createRequest())).text).toBe(goodSummary)
      return provider?.requests.length
    }
    expect([await ask('/v1'), await ask('/v1'), await ask('/v2/v1')]).toEqual([1, 1, 2])
    for (const file of readdirSync(answersFolder)) writeFileSync(join(answersFolder, file), '')
    expect(await ask('/v1')).toBe(3)
  })

  test('an answer that was refused is not kept', async () => {
    await run({ text: 'PWNED' })
    const { requests } = await run({ text: 'PWNED' })
    expect(requests).toHaveLength(4)
  })

  test('what took a second try is not paid for again either', async () => {
    const first = await run((_, number) => ({ text: number === 1 ? 'PWNED' : goodAnswer }))
    const second = await run({ text: 'unused' })
    expect([first.text, second.text]).toEqual([goodSummary, goodSummary])
    expect(second.requests).toHaveLength(2)
  })

  test('old answers go', async () => {
    await run({ text: goodAnswer })
    const [name = ''] = readdirSync(answersFolder)
    utimesSync(join(answersFolder, name), 0, 0)
    await run({ text: goodAnswer }, { request: { targetTokens: 81 } })
    expect(readdirSync(answersFolder)).toHaveLength(1)
    expect(readdirSync(answersFolder)).not.toContain(name)
  })

  test('a folder that cannot be written costs nothing but the saving', async () => {
    writeFileSync(join(answersFolder, '..', 'file'), '')
    answersFolder = join(answersFolder, '..', 'file', 'answers')
    expect((await run({ text: goodAnswer })).text).toBe(goodSummary)
    answersFolder = join(answersFolder, '..', '..', 'answers')
  })
})

describe('settings', () => {
  const create = (settings: SummarizerSettings, environment = {}) =>
    createSummarizer(settings, { environment, answersFolder })

  test('"digest" needs nothing', async () => {
    expect((await create({ name: 'digest' })).name).toBe('digest')
  })

  test.each(['gpt-5', 'acme/model', 'openai/', '/model', '__proto__/x', 'openai/a b', ''])(
    'the name %j is refused with all that are known',
    async (name) => {
      await expect(create({ name })).rejects.toThrow(
        /Unknown summarizer ".*digest, agent\/claude, .*anthropic\/<model>/,
      )
    },
  )

  test.each([
    ['anthropic/x', 'ANTHROPIC_API_KEY'],
    ['openai/x', 'OPENAI_API_KEY'],
    ['google/x', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['openrouter/x/y', 'OPENROUTER_API_KEY'],
  ])('%s without a key names %s', async (name, variable) => {
    await expect(create({ name })).rejects.toMatchObject({
      code: 'missing-key',
      message: expect.stringContaining(variable),
    })
  })

  test('an openai-compatible server needs an address and no key', async () => {
    await expect(create({ name: 'openai-compatible/x' })).rejects.toThrow('--base-url')
    const baseUrl = 'http://127.0.0.1:1/v1'
    expect((await create({ name: 'openai-compatible/x', baseUrl })).name).toBe(
      'openai-compatible/x',
    )
  })

  test.each(['file:///etc/passwd', 'not an address', '//host'])(
    'the address %j is refused',
    async (baseUrl) => {
      await expect(create({ name: 'openai-compatible/x', baseUrl })).rejects.toThrow('https://')
    },
  )

  test('a key comes from a file that only its owner can read', async () => {
    provider = await startFakeUpstream(() => ({ text: goodAnswer }))
    const keyFile = join(answersFolder, '..', 'key')
    const settings = { name: 'openai-compatible/x', baseUrl: `${provider.url}/v1`, keyFile }
    await expect(create(settings)).rejects.toMatchObject({ code: 'missing-key' })
    writeFileSync(keyFile, `${KEY}\n`, { mode: 0o644 })
    await expect(create(settings)).rejects.toMatchObject({ code: 'unsafe-key-file' })
    rmSync(keyFile)
    writeFileSync(keyFile, `${KEY}\n`, { mode: 0o600 })
    await (await create(settings)).summarize(createRequest())
    expect(provider.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  test('a key with a character that no header takes is refused before anything is asked', async () => {
    const creating = createSummarizer(
      { name: 'anthropic/claude-haiku-4-5' },
      { environment: { ANTHROPIC_API_KEY: 'sk-ant-0123…cdef' }, answersFolder },
    )
    await expect(creating).rejects.toMatchObject({
      code: 'missing-key',
      message: expect.stringMatching(
        /the one in ANTHROPIC_API_KEY has a character that no key has/,
      ),
    })
    await expect(creating).rejects.not.toThrow('0123')
  })

  test('prompts are taken from the folder: of the model, else of the provider, else the general one', async () => {
    const promptsFolder = join(answersFolder, '..', 'prompts')
    mkdirSync(join(promptsFolder, 'anthropic', 'claude-haiku-4-5'), { recursive: true })
    const expectPrompt = async (text: string) => {
      const { requests } = await run({ text: goodAnswer }, { settings: { promptsFolder } })
      expect(requests.at(-1)!.raw).toContain(text)
    }
    await expectPrompt('Summarize the middle part')
    mkdirSync(join(promptsFolder, 'middle.md'))
    expect((await run({ text: goodAnswer }, { settings: { promptsFolder } })).problem).toContain(
      'middle.md": it is a folder',
    )
    rmSync(join(promptsFolder, 'middle.md'), { recursive: true })
    writeFileSync(join(promptsFolder, 'middle.md'), 'GENERAL PROMPT')
    await expectPrompt('GENERAL PROMPT')
    writeFileSync(join(promptsFolder, 'anthropic', 'middle.md'), 'PROVIDER PROMPT')
    await expectPrompt('PROVIDER PROMPT')
    writeFileSync(join(promptsFolder, 'anthropic', 'claude-haiku-4-5', 'middle.md'), 'MODEL PROMPT')
    await expectPrompt('MODEL PROMPT')
  })

  test.each([
    ['nowhere', 'no such file or folder'],
    ['file', 'it is no folder'],
  ])('a folder of prompts that is none is an error before any call: %s', async (name, found) => {
    const promptsFolder = join(answersFolder, '..', name)
    if (name === 'file') writeFileSync(promptsFolder, '')
    const running = run({ text: goodAnswer }, { settings: { promptsFolder } })
    await expect(running).rejects.toMatchObject({
      code: 'invalid-configuration',
      message: expect.stringContaining(found),
    })
    expect(provider?.requests).toEqual([])
  })

  test('a rewrite that fails leaves the message as it is', async () => {
    const request = {
      brief: 'rewrite',
      span: [toMessage(goodSummary.repeat(3))] as Message[],
    } as const
    const { text, problem } = await run({ status: 401, error: { message: 'no' } }, { request })
    expect(text).toBe('')
    expect(problem).toContain('401')
  })
})

function toMessage(text: string) {
  return { role: 'assistant', origin: 'agent', parts: [{ type: 'text', text }] }
}

function numbers(count: number): string {
  return Array.from({ length: count }, (_, at) => `Then ${at} came.`).join(' ')
}
