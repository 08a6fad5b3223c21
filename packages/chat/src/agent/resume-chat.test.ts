import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkInvariants } from '@precis/core/conversation/invariants'
import { formats } from '@precis/core/formats'
import { createColors } from 'picocolors'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { ask, type ChatFolders, createFolders, ofType, readAnswer } from '../chat.suite.ts'
import { createTestPalette } from '../ports.suite.ts'
import { renderLeftOut } from '../screen/show-beginning.ts'

let folders: ChatFolders
let upstream: FakeUpstream
beforeEach(async () => {
  folders = createFolders()
  upstream = await startFakeUpstream(() => ({ text: 'I go on.' }))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await upstream.close()
  folders.remove()
})

const open = (resume: string, model?: string) => {
  const { url } = upstream
  const environment = {
    ANTHROPIC_API_KEY: 'sk-test-anthropic',
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: 'sk-test-openai',
    OPENAI_BASE_URL: url,
    GOOGLE_GENERATIVE_AI_API_KEY: 'test-google',
    GOOGLE_GEMINI_BASE_URL: url,
    OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
  }
  const host = { environment, chatsFolder: folders.chats }
  return folders.open({ isDemo: false, resume, host, ...(model !== undefined && { model }) })
}

const ID = '3f2a6c1e-0000-4000-8000-000000000001'

/** A session of Claude Code whose last call has no result. */
function writeClaudeSession(): string {
  const home = join(folders.root, 'claude')
  const path = join(home, 'projects/-app', `${ID}.jsonl`)
  const entries = [
    { type: 'user', message: { role: 'user', content: 'Never touch limits.json. Read a.ts.' } },
    {
      type: 'assistant',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-4-8',
        content: [
          { type: 'thinking', thinking: 'Read it.', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/app/a.ts' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    },
  ]
  const lines = entries.map((entry, index) =>
    JSON.stringify({
      parentUuid: index === 0 ? null : `${index}`.padStart(36, '0'),
      isSidechain: false,
      cwd: '/app',
      sessionId: ID,
      version: '2.1.0',
      uuid: `${index + 1}`.padStart(36, '0'),
      timestamp: '2026-11-01T00:00:00.000Z',
      ...entry,
    }),
  )
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, `${lines.join('\n')}\n`)
  vi.stubEnv('CLAUDE_CONFIG_DIR', home)
  vi.stubEnv('CODEX_HOME', join(folders.root, 'codex'))
  return path
}

describe('a session of Claude Code', () => {
  test.each([
    ['its path', (path: string) => path],
    ['its id', () => ID],
    ['the beginning of its id', () => '3f2a'],
  ])('is found by %s and goes on in its own model', async (_, name) => {
    const path = writeClaudeSession()
    const before = readFileSync(path)
    const agent = await open(name(path))
    expect(agent.model).toBe('anthropic/claude-opus-4-8')
    expect(agent.resumed).toMatchObject({ from: 'claude-code', id: ID })
    const events = await ask(agent, 'go on')
    expect(ofType(events, 'error')).toEqual([])
    expect(readAnswer(events)).toBe('I go on.')
    expect(upstream.requests.at(-1)?.raw).toContain('Never touch limits.json')
    await agent.close()
    expect(readFileSync(path)).toEqual(before)
  })

  test('is a chat of its own from then on', async () => {
    const first = await open(writeClaudeSession(), 'openai/gpt-5.4')
    await ask(first, 'go on')
    await first.close()
    const again = await open(first.historyFile ?? '')
    expect(again.model).toBe('openai/gpt-5.4')
    expect(again.context.messages).toEqual(first.context.messages)
    expect(
      JSON.parse(readFileSync(first.historyFile ?? '', 'utf8').split('\n')[0] ?? ''),
    ).toMatchObject({
      from: { format: 'claude-code', session: ID },
    })
    await again.close()
  })
})

const DATA = fileURLToPath(new URL('../../../../../shared/data', import.meta.url))

test('says what of a session is not in the chat, also of one that is no file of lines', () => {
  const palette = createTestPalette(createColors(false))
  const damage = { lines: 1, lineNumbers: [7], cutOffBytes: 5, records: 2 }
  expect(renderLeftOut(damage, palette)).toBe(
    ', 5 bytes of an unfinished write left out, damaged line 7 left out, 2 damaged records left out',
  )
  expect(renderLeftOut({ lines: 0, lineNumbers: [], cutOffBytes: 0 }, palette)).toBe('')
})

/** The largest and the smallest ones. */
function listSessions(agent: string): string[] {
  try {
    const paths = readdirSync(join(DATA, agent)).map((name) => join(DATA, agent, name))
    const sorted = paths
      .filter((path) => path.endsWith('.jsonl'))
      .sort((a, b) => statSync(b).size - statSync(a).size)
    return [...sorted.slice(0, 1), ...sorted.slice(-2)]
  } catch {
    return []
  }
}

const recorded = ['claude-code', 'codex'].flatMap((agent) => listSessions(agent))
const MODELS = [
  'anthropic/claude-sonnet-4-6',
  'openai/gpt-5.4',
  'google/gemini-3.5-flash',
  'openai-compatible/some-model',
]

describe.skipIf(recorded.length === 0)(
  'recorded sessions (skipped without ../shared/data)',
  { tags: 'slow' },
  () => {
    test.each(recorded)('%s goes on in any model, and the file stays as it was', async (path) => {
      const before = readFileSync(path)
      for (const model of MODELS) {
        const agent = await open(path, model)
        const events = await ask(agent, 'go on')
        expect(ofType(events, 'error')).toEqual([])
        expect(readAnswer(events)).toBe('I go on.')
        expect(
          checkInvariants(formats['ai-sdk'].parse({ messages: agent.context.messages })),
        ).toEqual([])
        await agent.close()
      }
      expect(readFileSync(path).equals(before)).toBe(true)
    })
  },
)
