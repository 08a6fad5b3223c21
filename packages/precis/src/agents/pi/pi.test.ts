import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testHost, WINDOW_TOKENS } from '../../../../core/src/hosts/host.suite.ts'
import type { JsonObject } from '../../files/lines.ts'
import { describeSession } from '../../sessions/describe-session.ts'
import { listSessionFiles } from '../../sessions/find-sessions.ts'
import { placeSession } from '../../sessions/place-session.ts'
import { COMMAND } from '../scratch-home.suite.ts'
import { createPiDocument, readRemoved } from './compaction.ts'
import { loadPi } from './pi.suite.ts'
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

  test('are found in the home of the user, as pi reads its variable', () => {
    const home = pi.findHome({ PI_CODING_AGENT_DIR: '~/pi' })
    expect(home).toBe(join(homedir(), 'pi/sessions'))
    const places = { environment: { PI_CODING_AGENT_DIR: '~/pi' }, command: COMMAND }
    const [extension] = pi.installation?.listEntries(places) ?? []
    expect(extension?.path).toBe(join(homedir(), 'pi/extensions/precis.ts'))
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

  test('are kept before a compaction although their last line is torn', async () => {
    const path = join(folder, 'session.jsonl')
    writeFileSync(path, `${TEXT}\n{"type":"mess`)
    const entries = ['0', '1'].map((id) => ({ ...LINES[1], id }))
    const input = { header: LINES[0], entries, firstKeptEntryId: '1', sessionFile: path }
    const host = {
      environment: {},
      keepSession: async () => undefined,
      keepDocument: async () => ({ hash: '', reference: 'abc' }),
      findRecall: async () => undefined,
      isAnswered: async () => false,
    }
    expect(await pi.installation?.answerHook?.(input, host)).toEqual({ reference: 'abc' })
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

describe('compactions inside the process of pi', () => {
  const header = { type: 'session', version: 3, id: ID, cwd: '/work/app' }
  const model = { id: 'claude-opus-4-5', contextWindow: WINDOW_TOKENS }
  const told: string[] = []
  const load = (branch: readonly JsonObject[] = [], given: object = header) => {
    const context = {
      cwd: '/work/app',
      model,
      ui: { notify: (text: string) => void told.push(text) },
      sessionManager: {
        getSessionFile: () => undefined,
        getSessionId: () => ID,
        getHeader: () => given,
        getBranch: () => branch,
      },
    }
    return { ...loadPi(undefined), context }
  }
  let last = 0
  const entry = (fields: object): JsonObject => ({
    id: `e${++last}`,
    timestamp: '2026-11-21T18:27:40.224Z',
    ...fields,
  })
  const message = (fields: object) =>
    entry({ type: 'message', message: { ...fields, timestamp: 0 } })
  const answer = (...content: object[]) =>
    message({ role: 'assistant', content, api: 'anthropic-messages', stopReason: 'stop' })
  const user = (text: string) => message({ role: 'user', content: text })
  const say = (text: string) => answer({ type: 'text', text })
  const isRequest = (row: JsonObject) => JSON.stringify(row).includes('"role":"user"')

  /** As pi does: it keeps from a request on, and appends the summary. */
  async function compact(
    rows: readonly JsonObject[],
    given?: object,
  ): Promise<JsonObject[] | undefined> {
    const { compact: listener, context } = load(rows, given)
    const firstKeptEntryId = String(rows.findLast(isRequest)?.id)
    const preparation = { firstKeptEntryId, tokensBefore: 1 }
    const answered = await listener({ preparation, branchEntries: rows }, context)
    return answered && [...rows, entry({ type: 'compaction', ...answered.compaction })]
  }

  testHost<JsonObject>({
    user,
    answer: say,
    call: (id) => answer({ type: 'toolCall', id, name: 'bash', arguments: { command: 'ls' } }),
    result: (id, text) =>
      message({ role: 'toolResult', toolCallId: id, content: [{ type: 'text', text }] }),
    compact,
    read: (rows) => {
      const document = createPiDocument({ header, entries: rows, firstKeptEntryId: undefined })
      if (!document) throw new Error('pi would send nothing.')
      return document.conversation
    },
    compactWithFault: (rows) => compact(rows, { ...header, version: 99 }),
  })

  const work = [...Array(20).keys()].flatMap((index) => [
    user(`Request ${index}: keep port ${4000 + index}.`),
    say('The log is long. '.repeat(100)),
  ])

  test('without the command, the tool finds what was removed in the session of pi', async () => {
    const rows = (await compact(work)) ?? []
    expect(rows.at(-1)?.summary).toContain('call recall with')
    expect(readRemoved(header, rows)).toHaveLength(38)
    const { tool, context } = load(rows)
    const found = await tool.execute('1', { query: '4003' }, undefined, undefined, context)
    expect(found.content[0]?.text).toContain('Request 3: keep port 4003.')
  })

  test('a branch that the user leaves is summarized if the user wants that', async () => {
    const { leaveBranch, context } = load()
    const preparation = { entriesToSummarize: work, userWantsSummary: true }
    const left = await leaveBranch({ preparation }, context)
    expect(left?.summary.summary).toContain('Request 7: keep port 4007.')
    expect(left?.summary.summary).not.toContain('<recall>')
    expect(
      await leaveBranch({ preparation: { ...preparation, userWantsSummary: false } }, context),
    ).toBeUndefined()
    const branch = entry({ type: 'branch_summary', ...left?.summary })
    const rows = (await compact([branch, ...work, user('Go on.')])) ?? []
    const summary = String(rows.at(-1)?.summary)
    expect(summary).toContain('Request 7: keep port 4007.')
    expect(summary.match(/<conversation-summary/g)).toHaveLength(1)
  })

  test('a failure is told in one line, and pi summarizes', async () => {
    vi.useFakeTimers()
    told.length = 0
    expect(await compact(work, { ...header, version: 99 })).toBeUndefined()
    vi.runAllTimers()
    vi.useRealTimers()
    expect(told).toEqual([expect.stringMatching(/^precis: .*, so pi summarizes the conversation/)])
  })
})
