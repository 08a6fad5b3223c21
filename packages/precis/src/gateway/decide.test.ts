import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeOwnCompaction } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { GatewayActs } from './acts.ts'
import { decide } from './decide.ts'
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

  test('if no thread does it', async () => {
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
  })
})
