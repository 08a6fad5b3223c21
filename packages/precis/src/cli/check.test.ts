import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createHome,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = 'aaaaaaaa-1111-4222-8333-444444444444'

let home: string
let valid: string
let broken: string

beforeEach(() => {
  home = createHome()
  const text = createClaudeSession({ sessionId: ID })
  valid = writeFixture(join(home, 'valid.jsonl'), text)
  // The result of the third read answers a call that does not exist.
  broken = writeFixture(
    join(home, 'broken.jsonl'),
    text.replace('"tool_use_id":"toolu_r2"', '"tool_use_id":"toolu_lost"'),
  )
})

describe('check', () => {
  test('finds nothing in a valid session', async () => {
    expect(await runJson(home, ['check', valid])).toEqual({ valid: true, violations: [] })
  })

  test('reads a session of 3 MB from a file as it does from standard input', {
    tags: 'slow',
  }, async () => {
    const text = createClaudeSession({ sessionId: ID, turns: 200, linesPerRead: 200 })
    const large = writeFixture(join(home, 'large.jsonl'), text)
    const fromFile = await runPrecis(home, ['check', large])
    const fromInput = await runPrecis(home, ['check', '-'], { stdin: text })
    expect(fromFile.stdout).toContain('valid: 1,200 messages')
    expect(fromInput).toEqual(fromFile)
  })

  test('ends with 1 and names rule, message and finding of what is broken', async () => {
    const { code, stdout } = await runPrecis(home, ['check', broken, '--json'])
    expect(code).toBe(1)
    const { valid: isValid, violations } = JSON.parse(stdout)
    expect(isValid).toBe(false)
    expect(JSON.stringify(violations)).toContain('toolu_lost')
    expect(Object.keys(violations[0])).toEqual(['rule', 'message', 'detail'])
  })

  test('names what a request has too much of beside tokens, and takes it out', async () => {
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
    const content = [
      { type: 'text', text: 'Compare all of these.' },
      ...Array.from({ length: 101 }, () => ({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data },
      })),
    ]
    const messages = [{ role: 'user', content }]
    const request = writeFixture(
      join(home, 'request.json'),
      JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, messages }),
    )
    const { code, stdout } = await runPrecis(home, ['check', request, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).violations).toEqual([
      {
        rule: 'too-many-images',
        message: 0,
        detail: '101 images and 0 pages of documents, 100 are allowed together',
      },
    ])
    const mended = await runPrecis(home, ['check', request, '--repair', '--out', '-'])
    expect(mended.code).toBe(0)
    expect(mended.stdout.split(data).length - 1).toBe(100)
    expect(mended.stdout).toContain('Compare all of these.')
  })

  test('reads a list of plain texts, which every API takes, as the format that is named', async () => {
    const stdin = JSON.stringify([{ role: 'assistant', content: 'hello' }])
    expect((await runPrecis(home, ['check', '-'], { stdin })).stdout).toContain('openai-chat')
    const { code, stdout } = await runPrecis(
      home,
      ['check', '-', '--format', 'anthropic-messages'],
      { stdin },
    )
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('first-message-role'),
    })
    expect(
      (await runPrecis(home, ['check', '-', '--format', 'gemini-contents'], { stdin })).code,
    ).toBe(4)
  })

  test('writes a repaired copy that is valid', async () => {
    const out = join(home, 'repaired.jsonl')
    const before = readFileSync(broken)
    const { code, stderr } = await runPrecis(home, ['check', broken, '--repair', '--out', out])
    expect(code).toBe(0)
    expect(stderr).toContain('Repaired all of it')
    expect(readFileSync(broken).equals(before)).toBe(true)
    expect((await runPrecis(home, ['check', out])).code).toBe(0)
  })

  test('needs a place for the repaired copy, and a reason for a place', async () => {
    expect((await runPrecis(home, ['check', broken, '--repair'])).code).toBe(2)
    expect((await runPrecis(home, ['check', broken, '--out', 'x.jsonl'])).code).toBe(2)
    expect((await runPrecis(home, ['check', broken, '--repair', '--out', broken])).code).toBe(2)
  })
})
