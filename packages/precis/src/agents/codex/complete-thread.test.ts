import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readText } from '@precis/core/conversation'
import { formats } from '@precis/core/formats'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SessionError } from '../../files/errors.ts'
import { createMemorySource } from '../../files/read-document.ts'
import { codex } from './codex.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'precis-codex-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const threads = { a: id('a'), b: id('b'), c: id('c') }

function id(letter: string): string {
  return `01a214c3-08f1-70f2-8671-${letter.repeat(12)}`
}

const meta = (thread: string, base?: object) => ({
  ordinal: base ? 9 : 0,
  type: 'session_meta',
  payload: {
    id: thread,
    cwd: '/work',
    cli_version: '0.169.0',
    ...(base && { history_base: base }),
  },
})
const say = (text: string) => ({
  ordinal: 1,
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})
const toLines = (...lines: readonly object[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')

function place(thread: string, text: string, folder = 'sessions/2026/11/25'): void {
  mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, folder, `rollout-2026-11-25T22-10-55-${thread}.jsonl`), text)
}

const complete = (text: string) =>
  codex.completeSession?.(createMemorySource(Buffer.from(text)), { CODEX_HOME: home })
function readWords(text: string): string[] | undefined {
  const source = complete(text)
  return source && formats.codex.parse(source).messages.map(readText)
}

describe('a fork of Codex', () => {
  const base = toLines(meta(threads.a), say('one'), say('two'))
  const fork = (thread: string, end: number, ...words: readonly string[]) =>
    toLines(meta(thread, { thread_id: threads.a, end_byte_offset: end }), ...words.map(say))

  test('is read with what was before it, and not with what the other thread went on to say', () => {
    place(threads.a, base + toLines(say('later')))
    expect(readWords(fork(threads.b, base.length, 'three'))).toEqual(['one', 'two', 'three'])
    expect(readWords(base)).toBeUndefined()
  })

  test('names no other thread any more once it is whole', () => {
    place(threads.a, base, 'archived_sessions')
    const source = complete(fork(threads.b, base.length, 'three'))
    const text = Buffer.from(source?.read(0, source.byteLength) ?? []).toString()
    expect(text).not.toContain('history_base')
    expect(JSON.parse(text.split('\n')[0] ?? '')).toEqual({ ...meta(threads.b), ordinal: 0 })
  })

  test('may be of a fork, but not of itself', () => {
    const second = fork(threads.b, base.length, 'three', 'four')
    place(threads.a, base)
    place(threads.b, second)
    const cut = second.length - toLines(say('four')).length
    const third = toLines(
      meta(threads.c, { thread_id: threads.b, end_byte_offset: cut }),
      say('five'),
    )
    expect(readWords(third)).toEqual(['one', 'two', 'three', 'five'])
    place(threads.a, fork(threads.a, 1_000_000, 'round'))
    expect(() => complete(third)).toThrow(SessionError)
    expect(() => complete(third)).toThrow(`${threads.a}, which goes on from itself`)
  })

  test('has lost what its compaction lost of what was before it', async () => {
    place(threads.a, base)
    const compacted = { type: 'compacted', payload: { message: '', replacement_history: [] } }
    const text = fork(threads.b, base.length, 'three') + toLines(compacted)
    place(threads.b, text)
    const path = join(home, `sessions/2026/11/25/rollout-2026-11-25T22-10-55-${threads.b}.jsonl`)
    const host = {
      environment: { CODEX_HOME: home },
      keepSession: async () => undefined,
      keepDocument: async () => undefined,
      findRecall: async () => undefined,
      isAnswered: async () => false,
    }
    const input = { hook_event_name: 'PostCompact', transcript_path: path }
    expect(await codex.installation?.answerHook?.(input, host)).toMatchObject({
      systemMessage: expect.stringContaining('lost 3 of your 3 messages'),
    })
  })

  test('without the other thread is refused by its name', () => {
    expect(() => complete(fork(threads.b, 10, 'three'))).toThrow(SessionError)
    expect(() => complete(fork(threads.b, 10, 'three'))).toThrow(threads.a)
  })
})
