import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '@precis/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agents } from '../agents/index.ts'
import { asObject } from '../files/lines.ts'
import { createSummarizer } from './create-summarizer.ts'
import { parseSummarizerName } from './summarizer-name.ts'
import { goodAnswer, goodSummary, span } from './summary.suite.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'precis-agent-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const ANSWER = JSON.stringify({
  type: 'result',
  is_error: false,
  result: goodAnswer,
  usage: { input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 30 },
})
const REFUSAL = JSON.stringify({ type: 'result', is_error: true, result: 'Please run /login' })
const SAYS = (text: string) => `process.stdout.write(${JSON.stringify(text)})`
const STARTS_CHILD = `
const child = require('node:child_process').spawn('sleep', ['600'])
require('node:fs').writeFileSync(process.env.SEEN, String(child.pid))
setInterval(() => {}, 1000)`
/** It is in another group, and holds the output open. */
const LEAVES_CHILD = `
const left = require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'inherit' })
left.unref()
require('node:fs').writeFileSync(process.env.SEEN, String(left.pid))
`

/** A program that stands in for `claude`: it notes how it was started, and does as the test says. */
async function summarize(body: string, change: object = {}, settings: object = {}) {
  const program = join(root, 'claude')
  const seen = join(root, 'seen.json')
  writeFileSync(
    program,
    `#!${process.execPath}
const { readFileSync, readdirSync, writeFileSync } = require('node:fs')
const prompt = readFileSync(0, 'utf8')
const { argv, env } = process
const folder = process.cwd()
writeFileSync(env.SEEN, JSON.stringify({ prompt, argv, folder, files: readdirSync('.'), env }))
${body}`,
  )
  chmodSync(program, 0o755)
  const environment = { PATH: `${root}:/usr/bin:/bin`, HOME: root, SEEN: seen }
  const name = 'agent/claude'
  const host = { environment, answersFolder: join(root, 'answers') }
  const summarizer = await createSummarizer({ name, ...settings }, host)
  const summary = await summarizer.summarize({
    span: span as Message[],
    kept: [],
    targetTokens: 80,
    brief: 'middle',
    countTokens: (text) => Math.ceil(text.length / 4),
    ...change,
  })
  return { ...summary, problem: summary.problems?.join('\n') ?? '', seen: readSeen() }
}

const readSeen = (): string =>
  existsSync(join(root, 'seen.json')) ? readFileSync(join(root, 'seen.json'), 'utf8') : ''

describe('the agent of the user', () => {
  test('writes the summary, and what it cost is known', async () => {
    const { text, summarizer, usage, problem } = await summarize(SAYS(ANSWER))
    expect({ text, summarizer, problem }).toEqual({
      text: goodSummary,
      summarizer: 'agent/claude',
      problem: '',
    })
    const counts = { calls: 1, inputTokens: 120, outputTokens: 30 }
    expect(usage).toEqual({ ...counts, models: [{ model: 'agent/claude', ...counts }] })
  })

  test('leaves no listener for each run', async () => {
    await summarize(SAYS(ANSWER))
    const count = process.listenerCount('exit')
    rmSync(join(root, 'answers'), { recursive: true })
    await summarize(SAYS(ANSWER))
    expect(process.listenerCount('exit')).toBe(count)
  })

  test('runs in an empty folder that ends with it, and gets the prompt on standard input alone', async () => {
    const { seen } = await summarize(SAYS(ANSWER))
    const { prompt, argv, folder, files, env } = asObject(JSON.parse(seen)) ?? {}
    expect(files).toEqual([])
    expect(existsSync(String(folder))).toBe(false)
    expect(prompt).toContain('waitBetweenAttempts')
    expect(prompt).toMatch(/^You write records/)
    expect(JSON.stringify(argv)).not.toContain('waitBetweenAttempts')
    expect(asObject(env)?.PRECIS_SUMMARIZING).toBe('1')
  })

  test.each([
    ['is not logged in', SAYS(REFUSAL), /^agent\/claude: Please run \/login$/],
    [
      'prints no JSON',
      `${SAYS('Segmentation fault\u001b[2J')}; process.exit(1)`,
      /Segmentation fault/,
    ],
    ['prints nothing', '', /Claude Code printed no answer/],
    ['repeats what it is asked', 'process.stderr.write(prompt)', /Claude Code printed no answer/],
    [
      'repeats what it is asked after its error',
      `process.stderr.write('Out of credit\\n' + prompt)`,
      /^agent\/claude: Out of credit$/,
    ],
    [
      'prints without end',
      `for (;;) require('node:fs').writeSync(1, 'x'.repeat(1 << 20))`,
      /more than/,
    ],
  ])('that %s is one line, and the digest stands in', async (_, body, said) => {
    const { summarizer, problem } = await summarize(body)
    expect(summarizer).toBe('digest')
    expect(problem).toMatch(said)
    for (const control of ['\n', '\u001b']) expect(problem).not.toContain(control)
  })

  test('that is not installed is told with what installs it', async () => {
    const host = { environment: { PATH: root }, answersFolder: join(root, 'answers') }
    const summarizer = await createSummarizer({ name: 'agent/codex' }, host)
    const { problems, summarizer: by } = await summarizer.summarize({
      span: span as Message[],
      kept: [],
      targetTokens: 80,
      brief: 'middle',
      countTokens: (text) => text.length,
    })
    expect(by).toBe('digest')
    expect(problems).toEqual([
      'agent/codex: there is no program "codex". "npm install -g @openai/codex" installs it',
    ])
  })

  test('that is too slow is ended with all that it started', { tags: 'slow' }, async () => {
    const { summarizer, problem, seen } = await summarize(STARTS_CHILD, {}, { timeoutMs: 1500 })
    expect(summarizer).toBe('digest')
    expect(problem).toBe('agent/claude: no answer within 1.5 s')
    await expectGone(Number(seen))
  })

  test('is read to its end though it leaves a process behind, and no longer than it may take', {
    tags: 'slow',
  }, async () => {
    const whole = await summarize(`${LEAVES_CHILD}${SAYS(ANSWER)}`)
    process.kill(Number(whole.seen))
    expect(whole).toMatchObject({ summarizer: 'agent/claude', text: goodSummary })
    rmSync(join(root, 'answers'), { recursive: true })
    const late = await summarize(
      `${LEAVES_CHILD}setInterval(() => {}, 1000)`,
      {},
      { timeoutMs: 4000 },
    )
    process.kill(Number(late.seen))
    expect(late.problem).toBe('agent/claude: no answer within 4 s')
  })

  test('ends with an abort', async () => {
    const abort = new AbortController()
    const running = summarize(STARTS_CHILD, { signal: abort.signal })
    const outcome = expect(running).rejects.toThrow('enough')
    await expect.poll(readSeen).toMatch(/^\d+$/)
    abort.abort(new Error('enough'))
    await outcome
    await expectGone(Number(readSeen()))
  })

  test('that writes a summary cannot ask for one', async () => {
    const environment = { PATH: root, PRECIS_SUMMARIZING: '1' }
    await expect(createSummarizer({ name: 'agent/claude' }, { environment })).rejects.toThrow(
      /Claude Code was started to write a summary/,
    )
  })
})

async function expectGone(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(0)
  const isThere = () => {
    try {
      return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
    } catch {
      return false
    }
  }
  await expect.poll(isThere).toBe(false)
}

test.each([
  ['agent/claude', 'claude-code', undefined],
  ['agent/claude-code', 'claude-code', undefined],
  ['agent/gemini/gemini-2.5-pro', 'gemini-cli', 'gemini-2.5-pro'],
  ['agent/opencode/anthropic/claude-haiku-4-5', 'opencode', 'anthropic/claude-haiku-4-5'],
])('%s is %s with the model %s', (name, agent, model) => {
  expect(parseSummarizerName(name)).toMatchObject({ type: 'agent', agent: { name: agent }, model })
})

test.each(['agent', 'agent/', 'agent/copilot', 'agent/claude/', 'agent/claude/-x', 'agent/../sh'])(
  '%j names nothing',
  (name) => expect(() => parseSummarizerName(name)).toThrow(/Unknown summarizer/),
)

describe.each(agents.flatMap((agent) => (agent.headless ? [agent.headless] : [])))(
  '$program without a screen',
  (headless) => {
    const request = { folder: '/empty/0123', environment: { HOME: '/nowhere' }, model: undefined }

    test('is told the model that the user named, and none otherwise', () => {
      const words = (model?: string) => headless.plan({ ...request, model }).arguments.join(' ')
      expect(words('my-model')).toContain('my-model')
      expect(words()).not.toContain('model=')
    })

    test.each(['', '{', '[]', 'null', '{"type":"result"}\n{"a":1', '\0'.repeat(100), 'Error: no'])(
      'takes %j for no answer',
      (output) => expect(headless.readAnswer(output)?.type).not.toBe('text'),
    )
  },
)
