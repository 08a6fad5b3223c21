import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { codex } from '../agents/codex/codex.ts'
import { readSessionFacts } from './session-facts.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'precis-facts-'))
  vi.stubEnv('CODEX_HOME', home)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

const [THREAD, FORK] = ['a', 'b'].map(
  (letter) => `01a214c3-08f1-70f2-8671-${letter.repeat(12)}`,
) as [string, string]

const toLines = (...lines: readonly object[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const meta = (id: string, base?: object) => ({
  type: 'session_meta',
  payload: { id, cwd: '/work', cli_version: '0.169.0', ...(base && { history_base: base }) },
})
const say = (text: string) => ({
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
})
const compacted = { type: 'compacted', payload: { message: '', replacement_history: [] } }

function place(id: string, text: string) {
  const folder = join(home, 'sessions/2026/11/25')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `rollout-2026-11-25T22-10-55-${id}.jsonl`)
  writeFileSync(path, text)
  const { size: bytes, mtime: modified } = statSync(path)
  return { agent: codex, id, shortId: id, path, bytes, modified }
}

test('the compactions of a fork of Codex are its own, and took what was before the fork too', async () => {
  const base = toLines(meta(THREAD), say('one'), compacted, say('two'), say('three'))
  const thread = place(THREAD, base)
  const named = { thread_id: THREAD, end_byte_offset: base.length }
  const fork = (...more: readonly object[]) =>
    place(FORK, toLines(meta(FORK, named), say('four'), ...more))
  const countMissing = async (file: ReturnType<typeof place>) =>
    (await readSessionFacts(file, false)).compactions.map(({ lost }) => lost?.words.missing)
  expect(await countMissing(thread)).toEqual([1])
  expect(await countMissing(fork())).toEqual([])
  expect(await countMissing(fork(compacted))).toEqual([3])
  rmSync(thread.path)
  expect(await countMissing(fork(compacted))).toEqual([1])
})
