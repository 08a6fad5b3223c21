import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
import {
  createClaudeSession,
  createHome,
  runJson,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = 'dddddddd-1111-4222-8333-444444444444'
const BANDS = ['--band', '0-50:heavy', '--band', '50-100:standard']
const TEXTS = 12

let home: string
let provider: FakeUpstream | undefined

beforeEach(() => {
  home = createHome()
  let count = 0
  const long = () =>
    `In answer ${count++} I looked at every line of the cart for the tax. `.repeat(20)
  const text = createClaudeSession({ sessionId: ID, turns: TEXTS }).replaceAll(
    'Done: ',
    () => `${long()}Done: `,
  )
  writeFixture(join(home, '.claude/projects/-work-shop', `${ID}.jsonl`), text)
})

afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const good = (text = 'The tax of the cart was looked at.'): FakeAnswer => ({
  text: `<summary>\n${text}\n</summary>`,
})

async function clone(reply: FakeModel, words: readonly string[] = []) {
  provider ??= await startFakeUpstream(reply)
  const summarizer = ['--summarizer', 'openai-compatible/fake', '--base-url', `${provider.url}/v1`]
  return await runPrecis(home, ['clone', ID, ...BANDS, ...summarizer, ...words])
}

const listSessions = () =>
  readdirSync(join(home, '.claude/projects/-work-shop')).filter((name) => !name.startsWith(ID))

describe('compress with a model', () => {
  test.each([
    [
      'text',
      [],
      'stdout',
      'summarizer: digest replaced it, because openai-compatible/fake: the provider answered 401',
    ],
    [
      'JSON',
      ['--json'],
      'stderr',
      'precis: digest replaced it, because openai-compatible/fake: the provider answered 401',
    ],
  ] as const)(
    'that refuses its key says as %s that digest stands in, and why',
    async (_, words, stream, said) => {
      provider = await startFakeUpstream(() => ({ status: 401, error: { message: 'wrong key' } }))
      const summarizer = [
        '--summarizer',
        'openai-compatible/fake',
        '--base-url',
        `${provider.url}/v1`,
      ]
      const result = await runPrecis(home, [
        'compress',
        ID,
        '--strategy',
        'tail-summary',
        '--budget',
        '20%',
        ...summarizer,
        ...words,
      ])
      expect(result.code).toBe(0)
      expect(result[stream]).toContain(said)
    },
  )

  test('previews what the model writes, and writes nothing', async () => {
    provider = await startFakeUpstream(() =>
      good('The tax of the cart was looked at, first of all in cart1.ts.'),
    )
    const summarizer = [
      '--summarizer',
      'openai-compatible/fake',
      '--base-url',
      `${provider.url}/v1`,
    ]
    const words = [
      'compress',
      ID,
      '--strategy',
      'tail-summary',
      '--budget',
      '20%',
      '--preview',
      ...summarizer,
    ]
    const { stdout, stderr } = await runPrecis(home, words)
    expect(stdout).toContain('The tax of the cart was looked at, first of all in cart1.ts.')
    expect(stderr).toMatch(/model: 1 call, .*Nothing written/s)
    expect(listSessions()).toEqual([])
  })

  test('says what it names that is nowhere in the session: in its report, as JSON and in diff', {
    tags: 'slow',
  }, async () => {
    provider = await startFakeUpstream(() =>
      good('The tax of the cart was looked at, also in src/nowhere.ts.'),
    )
    const summarizer = [
      '--summarizer',
      'openai-compatible/fake',
      '--base-url',
      `${provider.url}/v1`,
    ]
    const words = ['compress', ID, '--strategy', 'tail-summary', '--budget', '20%', ...summarizer]
    const said =
      'names: of 1 that the model wrote 1 stands nowhere in the conversation, as marks in its text say:'
    expect((await runPrecis(home, words)).stdout).toContain(`${said} src/nowhere.ts`)
    const json = await runJson(home, [...words])
    expect(json.names).toEqual({ checked: 1, marked: ['src/nowhere.ts'], unmarked: [] })
    expect(readFileSync(json.output, 'utf8')).toContain('src/nowhere.ts [not in the conversation]')
    const explained = await runPrecis(home, ['diff', json.output])
    expect(explained.stdout).toMatch(
      /names: +of 1 that the model wrote 1 stands nowhere[^\n]*src\/nowhere\.ts/,
    )
  })

  test('has the prompts of the configured model when a flag names another, and refuses a folder that is not there', async () => {
    provider = await startFakeUpstream(() => good())
    const promptsFolder = join(home, 'prompts')
    writeFixture(join(promptsFolder, 'middle.md'), 'SAY IT IN RHYMES')
    writeFixture(join(promptsFolder, 'tail.md'), 'SAY IT IN RHYMES')
    const path = join(home, '.config/precis/config.json')
    writeFixture(
      path,
      JSON.stringify({ summarizer: { name: 'anthropic/claude-haiku-4-5', promptsFolder } }),
    )
    const words = [
      'compress',
      ID,
      '--strategy',
      'tail-summary',
      '--summarizer',
      'openai-compatible/fake',
      '--base-url',
      `${provider.url}/v1`,
    ]
    expect((await runPrecis(home, words)).code).toBe(0)
    expect(provider.requests[0]?.raw).toContain('SAY IT IN RHYMES')
    writeFixture(
      path,
      JSON.stringify({
        summarizer: { name: 'openai-compatible/fake', promptsFolder: './nowhere' },
      }),
    )
    for (const command of [words, ['compress', '--all', '--yes', ...words.slice(2)]]) {
      const { code, stderr } = await runPrecis(home, command)
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('nowhere": no such file or folder'),
      })
    }
  })
})

describe('clone with a model', () => {
  test('asks once for each text, and puts the answer in its place', async () => {
    const { code, stdout } = await clone(() => good(), ['--json'])
    expect(code).toBe(0)
    const report = JSON.parse(stdout)
    expect(provider?.requests).toHaveLength(TEXTS)
    expect(report).toMatchObject({ summarizer: 'openai-compatible/fake', usage: { calls: TEXTS } })
    expect(report.rewrites).toEqual({ asked: TEXTS, done: TEXTS, failed: 0, unchanged: 0 })
    expect(
      readFileSync(report.output, 'utf8').match(/The tax of the cart was looked at\./g),
    ).toHaveLength(TEXTS)
  })

  test('when every call fails writes nothing, saves nothing and says why', async () => {
    const { code, stdout, stderr } = await clone(() => ({
      status: 401,
      error: { message: 'wrong key' },
    }))
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain(`all ${TEXTS} texts failed, nothing was saved and nothing was written`)
    expect(stderr).toContain('wrong key')
    expect(listSessions()).toEqual([])
  })

  test('texts whose call fails stay, and the clone says how many and why', async () => {
    const isLucky = ({ raw }: FakeRequest) => /In answer \d*[02468] /.test(raw)
    const reply = (request: FakeRequest) =>
      isLucky(request) ? good() : { status: 400, error: { message: 'no thanks' } }
    const { code, stdout } = await clone(reply)
    expect(code).toBe(0)
    expect(stdout).toContain('6 of 12 texts rewritten in fewer words, 6 failed')
    expect(stdout).toContain('6 texts stayed unchanged:')
    expect(stdout).toContain('no thanks')
    const clones = listSessions().filter((name) => name.endsWith('.jsonl'))
    const text = readFileSync(join(home, '.claude/projects/-work-shop', clones[0] ?? ''), 'utf8')
    expect(text.match(/In answer (?:1|3|5|7|9|11) .{100,}Done: /g)).toHaveLength(6)
  })

  test('asks nobody in a dry run, and none where there is no band', async () => {
    const { code } = await clone(() => good(), ['--dry-run'])
    expect(code).toBe(0)
    expect(provider?.requests).toEqual([])
    const words = ['clone', ID, '--tools', 'mask:50', '--summarizer', 'anthropic/claude-opus-4-8']
    expect((await runPrecis(home, words)).code).toBe(0)
  })

  test('takes its summarizer from the configuration too', async () => {
    provider = await startFakeUpstream(() => good())
    const summarizer = { name: 'openai-compatible/configured', baseUrl: `${provider.url}/v1` }
    writeFixture(join(home, '.config', 'precis', 'config.json'), JSON.stringify({ summarizer }))
    expect((await runJson(home, ['clone', ID, ...BANDS])).summarizer).toBe(
      'openai-compatible/configured',
    )
  })

  test('an unknown summarizer is wrong usage, also in a dry run', async () => {
    const words = ['clone', ID, ...BANDS, '--summarizer', 'nobody/knows', '--dry-run']
    expect((await runPrecis(home, words)).code).toBe(2)
  })

  test('interrupted, writes nothing and ends with 130; the next run pays only for what is missing', {
    tags: 'slow',
  }, async () => {
    let isSlow = true
    provider = await startFakeUpstream((_, number) =>
      isSlow && number > 6 ? { connection: 'hang' } : good(),
    )
    const summarizer = [
      '--summarizer',
      'openai-compatible/fake',
      '--base-url',
      `${provider.url}/v1`,
    ]
    const interrupted = await startPrecis(home, ['clone', ID, ...BANDS, ...summarizer], {
      environment: { XDG_CACHE_HOME: join(home, 'cache') },
      onStart: (child) => {
        const timer = setInterval(() => {
          if (countAnswers() < 6 || (provider?.requests.length ?? 0) < TEXTS) return
          clearInterval(timer)
          child.kill('SIGINT')
        }, 10)
      },
    })
    expect(interrupted).toMatchObject({ code: 130, stdout: '', stderr: 'precis: interrupted.\n' })
    expect(listSessions()).toEqual([])
    isSlow = false
    const askedBefore = provider.requests.length
    const again = async () => {
      const words = ['clone', ID, ...BANDS, ...summarizer, '--json']
      return JSON.parse(
        (await runPrecis(home, words, { environment: { XDG_CACHE_HOME: join(home, 'cache') } }))
          .stdout,
      )
    }
    expect((await again()).rewrites).toEqual({ asked: TEXTS, done: TEXTS, failed: 0, unchanged: 0 })
    expect(provider.requests.length - askedBefore).toBe(TEXTS - 6)
    expect((await again()).usage.calls).toBe(0)
    expect(provider.requests.length - askedBefore).toBe(TEXTS - 6)
  })

  function countAnswers(): number {
    const folder = join(home, 'cache', 'precis', 'answers')
    return existsSync(folder)
      ? readdirSync(folder).filter((name) => !name.endsWith('.tmp')).length
      : 0
  }
})
