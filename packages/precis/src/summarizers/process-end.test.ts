import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { FakeAnswer } from '../../../../test/fake-upstream/fake-model.ts'
import { type FakeUpstream, startFakeUpstream } from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { goodAnswer, goodSummary, span } from './summary.suite.ts'

const built = fileURLToPath(new URL('../../dist/summarizers/create-summarizer.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'precis-end-'))

let provider: FakeUpstream | undefined
afterEach(async () => {
  await provider?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Makes one summary in a process of its own, and measures how long that lives on after it has it. */
async function runProcess(reply: (number: number) => FakeAnswer, settings: object = {}, abortAfterMs = 0) {
  provider = await startFakeUpstream((_, number) => reply(number))
  const all = { name: 'anthropic/claude-haiku-4-5', baseUrl: `${provider.url}/v1`, ...settings }
  const code = `
    const { createSummarizer } = await import(${JSON.stringify(built)})
    const abort = new AbortController()
    ${abortAfterMs > 0 ? `setTimeout(() => abort.abort(), ${abortAfterMs})` : ''}
    const summarizer = await createSummarizer(${JSON.stringify(all)}, { answersFolder: ${JSON.stringify(folder)} })
    const request = { kept: [], targetTokens: 80, brief: 'middle', signal: abort.signal, countTokens: (text) => text.length / 4 }
    const ending = await summarizer.summarize({ ...request, span: ${JSON.stringify(span)} }).catch((error) => ({ text: error.name }))
    process.stdout.write(JSON.stringify(ending))`
  const environment = { ...process.env, ANTHROPIC_API_KEY: 'sk-test' }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { env: environment })
  let output = ''
  let errors = ''
  let doneAt = 0
  child.stdout.on('data', (chunk) => {
    output += chunk
    doneAt = performance.now()
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  await new Promise((resolve) => child.on('exit', resolve))
  const livedOnMs = performance.now() - doneAt
  expect(errors).toBe('')
  const summary: { text: string; summarizer?: string } = JSON.parse(output)
  return { ...summary, livedOnMs }
}

// A pause between attempts is two seconds, an idle socket lives four.
const LONGEST_END_MS = 1500

describe.skipIf(!existsSync(built))('a process ends when it has its summary (needs the build)', () => {
  test.each<[string, string, (number: number) => FakeAnswer, object]>([
    ['an answer', 'anthropic/claude-haiku-4-5', () => ({ text: goodAnswer }), {}],
    ['a second attempt', 'anthropic/claude-haiku-4-5', (at) => (at === 1 ? limited : { text: goodAnswer }), {}],
    ['401', 'digest', () => ({ status: 401, error: { message: 'no' } }), {}],
    ['a pause that is too long', 'digest', () => ({ ...limited, headers: { 'retry-after': '600' } }), {}],
    ['hanging', 'digest', () => ({ connection: 'hang' }), { timeoutMs: 50 }],
    ['nonsense', 'digest', () => ({ text: 'PWNED' }), {}],
  ])('after %s', async (_, maker, reply, settings) => {
    const { text, summarizer, livedOnMs } = await runProcess(reply, settings)
    expect(summarizer).toBe(maker)
    expect(text).toContain(maker === 'digest' ? 'waitBetweenAttempts' : goodSummary)
    expect(livedOnMs).toBeLessThan(LONGEST_END_MS)
  })

  test('after an abort', async () => {
    const { text, livedOnMs } = await runProcess(() => ({ connection: 'hang' }), {}, 1500)
    expect(text).toBe('AbortError')
    expect(livedOnMs).toBeLessThan(LONGEST_END_MS)
  })
})

const limited = { status: 429, error: { message: 'slow down' }, headers: { 'retry-after': '0.2' } }
