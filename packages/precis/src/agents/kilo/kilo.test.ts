import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findAgent } from '../../sessions/find-sessions.ts'
import { opencode } from '../opencode/opencode.ts'
import { kilo } from './kilo.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'precis-kilo-'))
  process.env.XDG_DATA_HOME = root
})

afterEach(() => {
  delete process.env.XDG_DATA_HOME
  rmSync(root, { recursive: true, force: true })
})

describe('Kilo CLI', () => {
  test('has a session of its format only if the session is in its home', () => {
    const findName = (path: string) => findAgent('opencode', path, [opencode, kilo])?.name
    expect(findName(join(root, 'kilo', 'kilo.db#ses_abc'))).toBe('kilo')
    expect(findName(join(root, 'opencode', 'opencode.db#ses_abc'))).toBe('opencode')
    expect(findName(join(root, 'elsewhere.json'))).toBe('opencode')
  })

  test('continues a copy with its own program, in its own home', () => {
    const sessionId = kilo.ids.create('0b7f3d6e-1111-4222-8333-444444444444')
    const path = kilo.place?.({
      sessionId,
      time: new Date(0),
      originalPath: undefined,
      directory: '/work',
      environment: process.env,
    })
    expect(path).toBe(join(root, 'kilo', 'precis', `${sessionId}.json`))
    expect(kilo.resume({ sessionId, path: path ?? '', directory: '/work' })).toContain(
      `kilo import ${path} && kilo --session ${sessionId}`,
    )
  })

  test('reads its settings, those of OpenCode in its folder, and no others', () => {
    const folder = join(root, 'project', '.kilo')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'kilo.json'),
      '{"model":"mine/m1","provider":{"mine":{"npm":"x","models":{"m1":{}}}}}',
    )
    const find = (agent: typeof kilo) =>
      agent.findNextModel?.({ provider: 'anthropic', model: 'x' }, join(root, 'project'), {
        XDG_DATA_HOME: root,
        XDG_CONFIG_HOME: root,
        XDG_STATE_HOME: root,
        XDG_CACHE_HOME: root,
      })
    expect(find(kilo)?.model).toBe('mine/m1')
    expect(find(opencode)?.model).toBeUndefined()
  })
})
