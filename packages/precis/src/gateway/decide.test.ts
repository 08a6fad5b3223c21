import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore } from '@precis/core/following'
import { encodeOwnCompaction } from '@precis/core/formats'
import { describe, expect, test, vi } from 'vitest'
import { createCodexTrigger } from '../agents/compaction-requests.suite.ts'
import { DatabaseError } from '../files/errors.ts'
import { createActHost } from './act-host.ts'
import { ActThreads, LateError } from './act-threads.ts'
import { GatewayActs } from './acts.ts'
import { answerCompaction, recogniseCompaction } from './answer-compaction.ts'
import { readApiRequest } from './api-request.ts'
import { decide, type RestoreTask, restore } from './decide.ts'
import type { ActRequest, ActResult } from './gateway.ts'

const DECIDED = 'It was decided: port 7443.'

/** A request of Codex after a compaction that precis answered. */
function createRequest(more: readonly object[] = []): ActRequest {
  const input = [
    { type: 'compaction', id: 'cmp_1', encrypted_content: encodeOwnCompaction(DECIDED) },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
    ...more,
  ]
  return {
    api: 'openai-responses',
    purpose: 'generate',
    path: '/v1/responses',
    model: undefined,
    headers: { originator: 'codex_cli_rs', 'session-id': 's', 'thread-id': 's' },
    body: Buffer.from(JSON.stringify({ model: 'gpt-5-codex', stream: true, input })),
    owner: { id: 'a'.repeat(64), session: 's', agent: 'codex' },
    windowTokens: undefined,
  }
}

function expectRestored(result: ActResult): void {
  const text = result.type === 'replace' ? String(Buffer.from(result.body)) : result.type
  expect(text).toContain(DECIDED)
  expect(text).not.toContain('encrypted_content')
}

describe('what precis answered earlier is in the form for its provider', () => {
  test('if the database is none', async () => {
    const database = join(mkdtempSync(join(tmpdir(), 'precis-decide-')), 'archive.db')
    writeFileSync(database, 'this is no database at all. '.repeat(500))
    const settings = { database, archive: undefined, saves: false }
    for (const more of [[], [{ type: 'compaction_trigger' }]]) {
      const { result, notes } = await decide({ request: createRequest(more), settings })
      expectRestored(result)
      expect(notes.join()).not.toContain(DECIDED)
    }
  })

  test('if no thread does it, and the gateway can without holding up others', async () => {
    const notes: string[] = []
    const acts = new GatewayActs({
      port: 0,
      host: '127.0.0.1',
      upstreams: Object.create(null),
      database: undefined,
      archive: undefined,
      saves: false,
      note: (text) => notes.push(text),
    })
    await acts.close()
    const result = await acts.decide(createRequest())
    expectRestored(result)
    expect(result).toMatchObject({ reason: 'failed' })
    expect(notes).toEqual(['a request passed as it was: the gateway has ended'])
    const large = createRequest([{ type: 'message', role: 'user', content: 'a'.repeat(2 << 20) }])
    expect(await acts.decide(large)).toMatchObject({ type: 'pass', reason: 'failed' })
    expect(notes.at(-1)).toMatch(/^what precis answered earlier passed as it was: /)
    // A spare thread does it.
    const run = vi.spyOn(ActThreads.prototype, 'run').mockImplementation(async (name, task) => {
      if (name === 'restore') return restore(task as RestoreTask) as never
      throw new LateError('late')
    })
    const late = await acts.decide(large)
    run.mockRestore()
    expectRestored(late)
    expect(late).toMatchObject({ reason: 'too-late' })
  })
})

describe('a compaction is answered', { tags: 'slow' }, () => {
  const create = async (write: () => Promise<undefined>) => {
    const words = 'The tax is rounded half up in src/tax.ts. '.repeat(60)
    const said = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: words }],
    }
    const { headers } = createCodexTrigger()
    const request = { ...createRequest([said, { type: 'compaction_trigger' }]), headers }
    const body = readApiRequest(request.body, request) ?? expect.fail('no request')
    const found = recogniseCompaction(request, body.json) ?? expect.fail('no compaction')
    const notes: string[] = []
    const note = (text: string) => notes.push(text)
    const store = { ...createMemoryStore(), write }
    const host = createActHost({ archive: undefined, store, note })
    return { ...(await answerCompaction(request, body, found, host)), notes }
  }

  test('when another process has stopped writing', async () => {
    let count = 0
    const { type, notes } = await create(async () => {
      if (++count < 4) throw new DatabaseError('busy', 'another process is writing')
      return undefined
    })
    expect([type, count, notes]).toEqual(['answer', 4, []])
  })

  test('though it goes on writing, or the database is none', async () => {
    for (const code of ['busy', 'damaged'] as const) {
      const { type, notes } = await create(async () => {
        const now = performance.now()
        vi.spyOn(performance, 'now').mockReturnValueOnce(now + 60_000)
        throw new DatabaseError(code, 'it fails')
      })
      vi.restoreAllMocks()
      expect([type, notes]).toEqual([
        'answer',
        ['a summary will not be known when it comes back: it fails'],
      ])
    }
  })
})
