import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeSession } from '../../sessions/describe-session.ts'
import { listSessionFiles } from '../../sessions/find-sessions.ts'
import { placeSession } from '../../sessions/place-session.ts'
import { pi } from './pi.ts'

let folder: string
let root: string
let environment: NodeJS.ProcessEnv

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-pi-'))
  root = join(folder, 'sessions')
  environment = { PI_CODING_AGENT_DIR: folder }
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

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
    mkdirSync(join(root, '--work-app--'), { recursive: true })
    writeFileSync(path, TEXT)
    writeFileSync(join(root, '--work-app--', 'notes.jsonl'), TEXT)
    expect(listSessionFiles([pi], environment).map(describeSession)).toMatchObject([
      {
        id: ID,
        path,
        workingDirectory: '/work/app',
        firstPrompt: 'find the bug',
        contextTokens: 1125,
      },
    ])
  })

  test('may have an id of the user', () => {
    mkdirSync(join(root, '--work-app--'), { recursive: true })
    const names = [
      '2026-11-21T18-27-40-224Z_release_1.5-notes.jsonl',
      'notes_2.jsonl',
      `2026-11-21T18-27-40-224Z_.jsonl`,
    ]
    for (const name of names) writeFileSync(join(root, '--work-app--', name), TEXT)
    expect(pi.list(environment).map(({ id }) => id)).toEqual(['release_1.5-notes'])
  })

  test('bill every answer that was counted', () => {
    const bytes = new TextEncoder().encode(TEXT)
    const source = {
      byteLength: bytes.length,
      read: (start: number, end: number) => bytes.subarray(start, end),
    }
    expect(pi.readRequests(source)).toMatchObject([
      { input: 10, cachedInput: 1000, cacheWrite: 100, output: 5 },
      { input: 20, cachedInput: 1100, cacheWrite: 0, output: 5 },
    ])
  })
})

describe('place of a new session of pi', () => {
  const time = new Date('2026-11-21T18:27:40.224Z')
  const request = () => ({
    agent: pi,
    sessionId: ID,
    time,
    originalPath: undefined,
    workingDirectory: '/work/my app',
  })

  test('is the folder that pi names after the directory', () => {
    expect(placeSession(request(), environment)).toEqual({
      path: join(root, '--work-my app--', `2026-11-21T18-27-40-224Z_${ID}.jsonl`),
      resumeCommand: `cd '/work/my app' && pi --session ${ID}`,
    })
  })

  test('never leaves the home of the agent, whatever the session says', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(fc.string(), (directory) => {
        const { path } = placeSession(
          { ...request(), workingDirectory: `/${directory}` },
          environment,
        )
        return (
          path.startsWith(join(root, '--')) && path.slice(root.length + 1).split('/').length === 2
        )
      }),
    )
  })
})
