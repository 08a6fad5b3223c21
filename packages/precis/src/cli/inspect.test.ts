import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = 'aaaaaaaa-1111-4222-8333-444444444444'

let home: string
let session: string

beforeEach(() => {
  home = createHome()
  session = writeFixture(join(home, 'session.jsonl'), createClaudeSession({ sessionId: ID }))
})

describe('inspect', () => {
  test('gives the fields of its contract as JSON, and parts that add up', async () => {
    const report = await runJson(home, ['inspect', session])
    expect(report).toMatchObject({
      format: 'claude-code',
      agent: 'claude-code',
      sessionId: ID,
      messages: 72,
      turns: 12,
    })
    const { total, ...kinds } = report.tokens
    expect(Object.keys(kinds).sort()).toEqual([
      'assistant',
      'reasoning',
      'system',
      'toolCalls',
      'toolResults',
      'user',
    ])
    expect(Object.values<number>(kinds).reduce((a, b) => a + b, 0)).toBe(total)
    expect(report.byTool.map(({ tool }: { tool: string }) => tool)).toEqual(['Read', 'Edit'])
    expect(report.byFile).toHaveLength(3)
    expect(report.largest.length).toBeGreaterThan(0)
    expect(report.largest[0]).toMatchObject({
      role: 'tool',
      type: 'tool-result',
      tokens: expect.any(Number),
    })
    expect(report.staleReads.count).toBe(12)
    expect(report.usage).toMatchObject({
      requests: 36,
      inputTokens: 360,
      cachedInputTokens: 36_000,
      outputTokens: 1800,
      elsewhereTokens: 0,
      isOutputCounted: false,
    })
    expect(report.usage.cost).toBeGreaterThan(0)
  })

  test('names a session as its agent does, as lists and show', async () => {
    const title = JSON.stringify({ type: 'ai-title', aiTitle: 'Taxes of carts', sessionId: ID })
    appendFileSync(session, `${title}\n`)
    const page = join(home, 'page.html')
    expect((await runPrecis(home, ['inspect', session])).stdout).toContain('“Taxes of carts”')
    expect((await runPrecis(home, ['show', session])).stdout).toMatch(/^# Taxes of carts\n/)
    await runPrecis(home, ['inspect', session, '--html', page])
    expect(readFileSync(page, 'utf8')).toContain('<bdi>Taxes of carts</bdi>')
  })

  test('reads a Codex session', async () => {
    const rollout = writeFixture(join(home, 'rollout.jsonl'), createCodexSession({ sessionId: ID }))
    const report = await runJson(home, ['inspect', rollout])
    expect(report).toMatchObject({
      format: 'codex',
      agent: 'codex',
      sessionId: ID,
      turns: 12,
      model: 'gpt-5',
    })
    expect(report.byTool[0]).toMatchObject({ tool: 'exec_command', calls: 12 })
    expect(report.usage.requests).toBe(12)
  })

  test('prints tables no wider than the terminal', async () => {
    const { stdout } = await runPrecis(home, ['inspect', session], {
      environment: { COLUMNS: '80' },
    })
    expect(stdout).toContain('By tool')
    expect(stdout).toContain('src/cart0.ts')
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test('colors by the conventions only', async () => {
    const plain = await runPrecis(home, ['inspect', session])
    const forced = await runPrecis(home, ['inspect', session], {
      environment: { FORCE_COLOR: '1' },
    })
    const refused = await runPrecis(home, ['inspect', session], {
      environment: { FORCE_COLOR: '1', NO_COLOR: '1' },
    })
    expect(plain.stdout).not.toContain('\u001b[')
    expect(forced.stdout).toContain('\u001b[1m')
    expect(refused.stdout).toBe(plain.stdout)
    expect(plain.stderr).toBe('')
  })

  test('writes a page with the numbers of its JSON, readable by its owner alone', async () => {
    const { code, stdout, stderr } = await runPrecis(home, [
      'inspect',
      session,
      '--json',
      '--html',
      'page.html',
    ])
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('wrote "page.html"')
    const { tokens, usage } = JSON.parse(stdout)
    const html = readFileSync(join(home, 'page.html'), 'utf8')
    expect(html).toContain(`<strong>${tokens.total.toLocaleString('en-US')}</strong>`)
    expect(html).toContain(`<strong>$${usage.cost.toFixed(2)}</strong>`)
    expect(html).toContain('Fix the tax in cart.ts')
    expect(statSync(join(home, 'page.html')).mode & 0o777).toBe(0o600)
  })

  test('prints the path of the page and nothing else', async () => {
    const { stdout, stderr } = await runPrecis(home, ['inspect', session, '--html', 'page.html'])
    expect({ stdout, stderr }).toEqual({ stdout: 'page.html\n', stderr: '' })
  })

  test('writes no page into a folder that is not there, below a file, or over the session', async () => {
    const nowhere = await runPrecis(home, ['inspect', session, '--html', 'no/page.html'])
    expect(nowhere.code).toBe(2)
    expect(nowhere.stderr).toContain('there is no such folder')
    const below = await runPrecis(home, ['inspect', session, '--html', `${session}/page.html`])
    expect(below.stderr).toContain('part of the path is a file')
    const before = readFileSync(session, 'utf8')
    const over = await runPrecis(home, ['inspect', session, '--html', session])
    expect(over.code).toBe(2)
    expect(readFileSync(session, 'utf8')).toBe(before)
  })
})
