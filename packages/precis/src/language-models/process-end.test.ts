import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { FakeAnswer } from '../../../../test/fake-upstream/fake-model.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { sourceLoader } from '../../../../test/source-loader.ts'
import { goodAnswer, goodSummary, span } from './summary.suite.ts'

const source = new URL('./create-summarizer.ts', import.meta.url).href
const folder = mkdtempSync(join(tmpdir(), 'precis-end-'))

let provider: FakeUpstream | undefined
let child: ChildProcess | undefined
afterEach(async () => {
  child?.kill('SIGKILL')
  await provider?.close()
  rmSync(folder, { recursive: true, force: true })
})

/**
 * Makes one summary in a process of its own, and waits for the end of that. It gives up when it
 * gets the signal.
 */
async function runProcess(reply: (number: number) => FakeAnswer, settings: object = {}) {
  provider = await startFakeUpstream((_, number) => reply(number))
  const all = {
    name: 'anthropic/claude-haiku-4-5',
    baseUrl: `${provider.url}/v1`,
    timeoutMs: TOO_LONG_MS,
    ...settings,
  }
  const code = `
    const { createSummarizer } = await import(${JSON.stringify(source)})
    const abort = new AbortController()
    process.once('${ABORT}', () => abort.abort())
    const summarizer = await createSummarizer(${JSON.stringify(all)}, { answersFolder: ${JSON.stringify(folder)} })
    const request = { kept: [], targetTokens: 80, brief: 'middle', signal: abort.signal, countTokens: (text) => text.length / 4 }
    const ending = await summarizer.summarize({ ...request, span: ${JSON.stringify(span)} }).catch((error) => ({ text: error.name }))
    process.stdout.write(JSON.stringify(ending))`
  const environment = { ...process.env, ANTHROPIC_API_KEY: 'sk-test' }
  const words = [...sourceLoader, '--input-type=module', '--eval', code]
  const started = spawn(process.execPath, words, { env: environment })
  child = started
  let output = ''
  let errors = ''
  started.stdout.on('data', (chunk) => {
    output += chunk
  })
  started.stderr.on('data', (chunk) => {
    errors += chunk
  })
  await new Promise((resolve) => started.on('close', resolve))
  expect(errors).toBe('')
  const summary: { text: string; summarizer?: string } = JSON.parse(output)
  return summary
}

const ABORT = 'SIGUSR2'
// Longer than the test may take: the time-out of a call. An idle connection lives as long, and one
// that hangs for ever.
const TOO_LONG_MS = 600_000

describe('a process ends when it has its summary', { tags: 'slow', timeout: 60_000 }, () => {
  test.each<[string, string, (number: number) => FakeAnswer, object]>([
    ['an answer', 'anthropic/claude-haiku-4-5', () => ({ text: goodAnswer }), {}],
    [
      'a second attempt',
      'anthropic/claude-haiku-4-5',
      (at) => (at === 1 ? limited : { text: goodAnswer }),
      {},
    ],
    ['401', 'digest', () => ({ status: 401, error: { message: 'no' } }), {}],
    [
      'a pause that is too long',
      'digest',
      () => ({ ...limited, headers: { 'retry-after': '600' } }),
      {},
    ],
    ['hanging', 'digest', () => ({ connection: 'hang' }), { timeoutMs: 50 }],
    ['nonsense', 'digest', () => ({ text: 'PWNED' }), {}],
  ])('after %s', async (_, maker, reply, settings) => {
    const { text, summarizer } = await runProcess(reply, settings)
    expect(summarizer).toBe(maker)
    expect(text).toContain(maker === 'digest' ? 'waitBetweenAttempts' : goodSummary)
  })

  test('after an abort', async () => {
    const { text } = await runProcess(() => {
      child?.kill(ABORT)
      return { connection: 'hang' }
    })
    expect(text).toBe('AbortError')
  })
})

const limited = { status: 429, error: { message: 'slow down' }, headers: { 'retry-after': '0.2' } }
