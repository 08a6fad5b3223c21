import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useScratchHome } from '../scratch-home.suite.ts'
import { cline } from './cline.ts'

const home = useScratchHome()

test('a new session has the model, the folder and every other fact of its original', () => {
  const list = (id: string) => {
    const folder = join(home.path, '.cline', 'data', 'sessions', id)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${id}.messages.json`), '{"version":1,"messages":[]}')
    return { path: join(folder, `${id}.messages.json`), facts: join(folder, `${id}.json`) }
  }
  const original = list('1784094124598_rruoq')
  const lasting = {
    provider: 'anthropic',
    model: 'claude-opus-4-5',
    cwd: '/srv/shop',
    workspace_root: '/srv',
    enable_spawn: false,
    other: 1,
  }
  const before = JSON.stringify({ ...lasting, pid: 1, status: 'running', ended_at: null })
  writeFileSync(original.facts, before)
  const made = list('1784094124599_abcde')
  const timestamp = '2026-11-26T12:00:00.000Z'
  const newSession = { sessionId: '1784094124599_abcde', title: 'Fix the tax', timestamp }
  expect(cline.register?.(made.path, newSession, {}, original.path)).toBeUndefined()
  expect(JSON.parse(readFileSync(made.facts, 'utf8'))).toMatchObject({
    ...lasting,
    session_id: '1784094124599_abcde',
    pid: process.pid,
    status: 'completed',
    ended_at: timestamp,
    messages_path: made.path,
  })
  expect(readFileSync(original.facts, 'utf8')).toBe(before)
})
