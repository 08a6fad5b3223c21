import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createClaudeSession, createHome, runPrecis, writeFixture } from './command.suite.ts'

let home: string

beforeEach(() => {
  home = createHome()
})

const COMMANDS = ['compress', 'inspect', 'check']

describe('bad input', () => {
  test.each([
    ['a file that is not there', 'none.jsonl', undefined, 'no such file'],
    ['a folder', '.', undefined, 'it is a folder'],
    ['an empty file', 'empty.jsonl', '', 'empty'],
    ['a binary file', 'noise.jsonl', randomBytes(50_000), 'no UTF-8 text'],
    ['a document of no known format', 'other.json', '{"hello":"world"}', 'found a JSON object with "hello"'],
    ['text', 'notes.txt', 'Dear diary,\nnothing happened today.\n', 'found no JSON'],
  ])('is refused with 4 by every command: %s', async (_, name, content, words) => {
    if (content !== undefined) writeFixture(join(home, name), content)
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await runPrecis(home, [command, name, '--json'])
      expect(code).toBe(4)
      expect(stderr).toContain(words)
      expect(stderr).not.toContain('should not happen')
      const { error } = JSON.parse(stdout)
      expect(stderr.startsWith(`precis: ${error.message.slice(0, 20)}`)).toBe(true)
    }
  })

  test('is refused with 4 when it is one line of 200 MB, in less memory than that', async () => {
    const path = join(home, 'line.jsonl')
    const file = openSync(path, 'w')
    writeSync(file, '{"type":"user","text":"')
    const piece = 'a'.repeat(1 << 20)
    for (let megabyte = 0; megabyte < 200; megabyte++) writeSync(file, piece)
    writeSync(file, '"}\n')
    closeSync(file)
    const { code, stderr } = await runPrecis(home, ['inspect', path], {
      environment: { NODE_OPTIONS: '--max-old-space-size=150' },
    })
    expect(code).toBe(4)
    expect(stderr.split('\n')).toHaveLength(2)
  })

  test('that nobody may read is refused with 4', async () => {
    const { code, stderr } = await runPrecis(home, ['inspect', '/proc/1/mem'])
    expect(code).toBe(4)
    expect(stderr).toMatch(/permission denied|the device failed/)
  })

  test('that is cut off in its last line is read, and said on standard error', async () => {
    const text = createClaudeSession({ sessionId: 'cccccccc-1111-4222-8333-444444444444' })
    const cut = writeFixture(join(home, 'cut.jsonl'), text.slice(0, -60))
    const { code, stderr } = await runPrecis(home, ['inspect', cut, '--json'])
    expect(code).toBe(0)
    expect(stderr).toContain('is cut off')
    const same = join(home, 'same.jsonl')
    await runPrecis(home, ['compress', cut, '--budget', '900k', '--out', same])
    expect(readFileSync(same).equals(readFileSync(cut))).toBe(true)
  })

  test('never steers the terminal: what a message or a file name contains is printed without control characters', async () => {
    const firstPrompt = '\u001b]0;owned\u0007\u001b[31mred\u009b2J \u202eevil\u2066 two\nlines\rover'
    const text = createClaudeSession({
      sessionId: 'dddddddd-1111-4222-8333-444444444444',
      firstPrompt,
      workingDirectory: '/w\u001b[5m',
    })
    writeFixture(join(home, '.claude', 'projects', '-w', 'dddddddd-1111-4222-8333-444444444444.jsonl'), text)
    const runs = [
      ['inspect', 'dddddddd'],
      ['sessions'],
      ['sessions', '--json'],
      ['inspect', 'dddddddd', '--json'],
      ['compress', 'dddddddd', '-v'],
      ['inspect', 'no\u001b[31m'],
    ]
    for (const words of runs) {
      const { stdout, stderr } = await runPrecis(home, words)
      const unsafe = `${stdout}${stderr}`.replaceAll('\n', '').match(/[\p{Cc}\p{Bidi_Control}]/gu)
      expect({ words, unsafe }).toEqual({ words, unsafe: null })
    }
  })
})
