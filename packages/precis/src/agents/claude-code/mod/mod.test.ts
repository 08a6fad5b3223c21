import { createSummaryMessage, readText } from '@precis/core/conversation'
import { describe, expect, test } from 'vitest'
import { type Given, load, SESSION } from './mod.suite.ts'
import { storeReceipt } from './receipt.ts'

const ORIGINAL = '00000000-0000-4000-8000-000000000002'
const MEBIBYTE = 1 << 20

const line = (entry: object) =>
  JSON.stringify({
    sessionId: SESSION,
    version: '2.1.332',
    isSidechain: false,
    timestamp: '2026-01-01T00:00:00.000Z',
    ...entry,
  })
const user = (uuid: string, parentUuid: string | null, content: unknown) =>
  line({ type: 'user', uuid, parentUuid, message: { role: 'user', content } })
const call = (id: string, parentUuid: string) => [
  line({
    type: 'assistant',
    uuid: `call-${id}`,
    parentUuid,
    message: {
      id: `m-${id}`,
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Bash', input: { command: `cat ${id}` } }],
    },
  }),
  user(`result-${id}`, `call-${id}`, [
    { type: 'tool_result', tool_use_id: id, content: `The output of ${id}.` },
  ]),
]
const boundary = (uuid: string, logicalParentUuid: string) =>
  line({ type: 'system', subtype: 'compact_boundary', uuid, parentUuid: null, logicalParentUuid })
const summary = (uuid: string, parentUuid: string, reference: string) => {
  const recall = `It is kept under reference ${reference}: search it.`
  const message = createSummaryMessage('Work.', '', recall)
  return user(uuid, parentUuid, readText(message))
}
const toFile = (...lines: string[]) => `${lines.join('\n')}\n`

const rows = Array.from({ length: 30 }, (_, index) => [
  { role: 'user', text: `Request ${index}: never rename m${index}.`, toolUses: [] },
  { role: 'assistant', text: `Module m${index} is done.\n`.repeat(20), toolUses: [] },
]).flat()
const compact = { trigger: 'auto', messages: rows }
const byAgent = { messages: [{ role: 'user', text: 'the agent itself', toolUses: [] }] }
const append = {
  message: { role: 'user', content: [{ type: 'text', text: 'the agent itself' }] },
}

describe('what was removed', () => {
  test('contains every call and every output, each once', async () => {
    const kept = call('second', 's1')
    const { recall } = load({
      files: {
        [SESSION]: toFile(
          user('u1', null, 'Go.'),
          ...call('first', 'u1'),
          ...call('second', 'result-first'),
          boundary('b1', 'result-second'),
          user('s1', 'b1', 'The earlier part.'),
          ...kept,
          boundary('b2', 'result-second'),
          user('s2', 'b2', 'The earlier part.'),
        ),
      },
    })
    for (const id of ['first', 'second']) {
      const found = await recall(`output ${id}`)
      expect(found.split(`The output of ${id}.`)).toHaveLength(2)
    }
  })

  test.each([
    ['found', 'fork', false],
    ['not found', 'elsewhere', true],
  ])('where a session was forked is %s in its file', async (_, at, isMissing) => {
    const { recall } = load({
      files: {
        [SESSION]: toFile(
          boundary('fork', 'u1'),
          summary('s1', 'fork', ORIGINAL),
          user('u2', 's1', 'Of the fork.'),
          boundary('b3', 'u2'),
          user('s3', 'b3', 'The earlier part.'),
        ),
        [ORIGINAL]: toFile(
          user('u1', null, 'Never touch the falcon.'),
          boundary(at, 'u1'),
          summary('s1', at, ORIGINAL),
          user('u9', 's1', 'The original has a walrus.'),
          boundary('b9', 'u9'),
          user('s9', 'b9', 'The earlier part.'),
        ),
      },
    })
    expect(await recall('walrus')).not.toContain('The original has a walrus.')
    const found = await recall('falcon')
    expect(found.includes('Never touch the falcon.')).toBe(!isMissing)
    expect(found.includes(`${ORIGINAL} is not searched`)).toBe(isMissing)
  })
})

test('the sessions of a conversation are read up to 64 MB in all', async () => {
  const { run, read } = load({
    files: {
      [SESSION]: toFile('{}', boundary('fork', 'u1'), summary('s1', 'fork', ORIGINAL)),
      [ORIGINAL]: toFile('{}', user('u1', null, 'Go.'), boundary('fork', 'u1')),
    },
    skipped: 40 * MEBIBYTE,
  })
  expect(await run('')).toContain('1 compaction')
  expect(read.bytes).toBeLessThanOrEqual(64 * MEBIBYTE)
})

test.each([
  ['in', toFile('{}', user('u1', null, 'Go.'), boundary('b1', 'u1'), user('s1', 'b1', 'All.'))],
  ['before', toFile('{}', user('u1', null, 'Go.'))],
])('a compaction %s the first part of a file that is cut is not undone', async (_, text) => {
  const { run } = load({ files: { [SESSION]: text }, skipped: 64 * MEBIBYTE })
  expect(await run('undo')).toContain('not within the newest 64 MB')
})

describe('a receipt', () => {
  test('that cannot be kept changes nothing of the compaction', async () => {
    const { send, lines } = load({
      store: () => {
        throw new Error('the store is full')
      },
    })
    const answer = await send('session.compact', compact, async () => byAgent)
    expect(answer.messages[0]?.text).toContain('<conversation-summary by="precis"')
    expect(lines.join('\n')).toContain('not kept (Error: the store is full)')
  })

  const receipt = { line: 'l', changedWords: ['w'], gone: ['g'], summary: 's' }

  test('of one session does not replace that of another at the same time', async () => {
    const { $, stored } = load({})
    const other = { ...$, session: { ...$.session, id: async () => ORIGINAL } }
    await Promise.all([storeReceipt($, receipt), storeReceipt(other, receipt)])
    expect([...stored.keys()]).toEqual([`receipt ${SESSION}`, `receipt ${ORIGINAL}`])
  })

  test('is bounded, and those of the latest twenty sessions are kept', async () => {
    const { $, become, stored } = load({})
    for (let index = 0; index < 22; index++) {
      become(`session ${index}`)
      await storeReceipt($, { ...receipt, summary: 'long '.repeat(100_000) })
    }
    expect(stored.size).toBe(20)
    expect(stored.has('receipt session 0')).toBe(false)
    expect(JSON.stringify([...stored.values()]).length).toBeLessThan(4 * MEBIBYTE)
  })

  test('takes the place of older ones if all together are too large', async () => {
    const isFull = () => {
      if (stored.size >= 10) throw new Error('full')
    }
    const { $, become, stored, lines } = load({ store: isFull })
    for (let index = 0; index < 12; index++) {
      become(`session ${index}`)
      await storeReceipt($, receipt)
    }
    expect(stored.has('receipt session 11')).toBe(true)
    expect(lines).toEqual([])
  })
})

describe('with the model of the agent', () => {
  test.each([{ agentId: 'x', trigger: 'auto' }, { trigger: 'precompute' }])(
    'another compaction (%j) takes nothing from what is put back',
    async (other) => {
      const { send } = load({}, { mode: 'verify' })
      await send('session.compact', compact, async () => byAgent)
      await send('session.compact', { ...compact, ...other }, async () => byAgent)
      const { message } = await send('session.append', append, async (event: object) => event)
      expect(message.content).toHaveLength(2)
    },
  )

  const verifyInTerminal = async (given: Given = {}) => {
    const agent = load({ ...given, surfaces: ['terminal'] }, { mode: 'verify' })
    await agent.send('session.compact', compact, async (event) => {
      await agent.send('classic.PostCompact', event)
      return byAgent
    })
    // Of the line, each has another one.
    for (const { run } of agent.timers) await run()
    const receipt = JSON.stringify([...agent.stored.values()])
    return { ...agent, receipt, told: agent.lines.filter((text) => text.includes('ummary')) }
  }

  test('what its summary lost follows, where a terminal stores it without an event', async () => {
    const { appended, told, receipt, send } = await verifyInTerminal()
    expect(appended).toHaveLength(1)
    expect(JSON.stringify(appended)).toContain('Request 3: never rename m3.')
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('put back')
    expect(receipt).toContain('put back')
    expect(await send('session.append', append, async (event: object) => event)).toBe(append)
  })

  test('what its summary lost is not put back where the agent refuses it', async () => {
    const { told, receipt } = await verifyInTerminal({
      append: () => {
        throw new Error('refused')
      },
    })
    const line = 'What the summary lost was not put back (Error: refused).'
    expect(told).toEqual([expect.stringContaining(line)])
    expect(receipt).toContain(line)
  })

  test('what its summary lost follows in the next process, if the agent was killed before', async () => {
    const typed = user('u1', null, 'Go.')
    const files = { [SESSION]: toFile(typed) }
    const { send, appended } = load({ files, surfaces: ['terminal'] }, { mode: 'verify' })
    await send('session.compact', compact, async () => byAgent)
    await send('session.start', {})
    expect(appended).toEqual([])
    // The agent stored its summary.
    files[SESSION] = toFile(typed, boundary('b1', 'u1'), user('s1', 'b1', 'The agent itself.'))
    await send('session.start', {})
    await send('session.start', {})
    expect(appended).toHaveLength(1)
    expect(JSON.stringify(appended)).toContain('Request 3: never rename m3.')
  })

  test('a receipt keeps what was lost until the agent has stored its summary with it', async () => {
    const { send, stored } = load({}, { mode: 'verify' })
    await send('session.compact', compact, async () => byAgent)
    const read = () => JSON.stringify([...stored.values()])
    await send('session.append', append, async (event: object) => {
      expect(read()).toContain('unrestored')
      return event
    })
    expect(read()).not.toContain('unrestored')
  })

  test('a session starts once, even if its receipt cannot be read', async () => {
    const { $, send, lines } = load({})
    Object.assign($.store, { get: async () => Promise.reject(new Error('the store is locked')) })
    let starts = 0
    await send('session.start', {}, async () => {
      starts++
      return {}
    })
    expect(starts).toBe(1)
    expect(lines.join()).toContain('was not put back (Error: the store is locked)')
  })

  test('a summary that cannot be verified is not asked for again', async () => {
    const { send, lines } = load({}, { mode: 'verify' })
    let asked = 0
    const answer = { messages: [{ role: 'user', text: 5 }] }
    const own = async () => {
      asked++
      return answer
    }
    expect(await send('session.compact', compact, own)).toBe(answer)
    expect(asked).toBe(1)
    expect(lines.join('\n')).toContain('not verified')
  })
})

test('a compaction is told once, after the hooks of the settings', async () => {
  const { send, lines } = load({})
  const told = () => lines.filter((text) => text.includes('no model asked'))
  await send('session.compact', compact)
  await send('classic.PostCompact', {}, async () => {
    expect(told()).toEqual([])
    return {}
  })
  await send('classic.PostCompact', {})
  expect(told()).toHaveLength(1)
})

test('an archive that fails without a word is told', async () => {
  const { send, lines } = load({ run: () => ({ exitCode: 1, stdout: '', stderr: '\n' }) })
  await send('session.compact', compact)
  expect(lines.join('\n')).toContain('Archive: it did not keep this session (exit 1).')
})
