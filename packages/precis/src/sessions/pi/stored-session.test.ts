import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentHome } from '../agent-home.ts'
import { describeSession } from '../describe-session.ts'
import { listSessionFiles } from '../find-sessions.ts'
import { placeSession } from '../place-session.ts'
import { readUsage } from '../read-usage.ts'

let root: string
let home: AgentHome

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'precis-pi-'))
  home = { agent: 'pi', name: 'pi', sessionsDirectory: root }
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const ID = '01a1ff5d-323b-779b-b5fc-aab3cc5681df'

function answer(usage: object): object {
  const message = { role: 'assistant', content: [], model: 'claude-opus-4-5', usage }
  return { type: 'message', message }
}

const LINES = [
  { type: 'session', version: 3, id: ID, cwd: '/work/app' },
  { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'find the bug' }] } },
  answer({ input: 10, cacheRead: 1000, cacheWrite: 100, output: 5 }),
  answer({ input: 20, cacheRead: 1100, cacheWrite: 0, output: 5 }),
  answer({ input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }),
]
const TEXT = LINES.map((line) => JSON.stringify(line)).join('\n')

describe('sessions of pi', () => {
  test('are listed with their directory, first prompt and the size of their context', () => {
    const path = join(root, '--work-app--', `2026-11-21T18-27-40-224Z_${ID}.jsonl`)
    mkdirSync(join(root, '--work-app--'))
    writeFileSync(path, TEXT)
    writeFileSync(join(root, '--work-app--', 'notes.jsonl'), TEXT)
    expect(listSessionFiles([home]).map(describeSession)).toMatchObject([
      { id: ID, path, workingDirectory: '/work/app', firstPrompt: 'find the bug', contextTokens: 1125 },
    ])
  })

  test('bill every answer that was counted', () => {
    const bytes = new TextEncoder().encode(TEXT)
    const source = { byteLength: bytes.length, read: (start: number, end: number) => bytes.subarray(start, end) }
    expect(readUsage(source, 'pi')).toMatchObject({
      requests: 2,
      inputTokens: 30,
      cachedInputTokens: 2100,
      cacheWriteTokens: 100,
      outputTokens: 10,
    })
  })
})

describe('place of a new session of pi', () => {
  const time = new Date('2026-11-21T18:27:40.224Z')
  const request = () => ({ home, sessionId: ID, time, originalPath: undefined, workingDirectory: '/work/my app' })

  test('is the folder that pi names after the directory', () => {
    expect(placeSession(request())).toEqual({
      path: join(root, '--work-my app--', `2026-11-21T18-27-40-224Z_${ID}.jsonl`),
      resumeCommand: `cd '/work/my app' && pi --session ${ID}`,
    })
  })

  test('never leaves the home of the agent, whatever the session says', () => {
    fc.assert(
      fc.property(fc.string(), (directory) => {
        const { path } = placeSession({ ...request(), workingDirectory: `/${directory}` })
        return path.startsWith(join(root, '--')) && path.slice(root.length + 1).split('/').length === 2
      }),
    )
  })
})
