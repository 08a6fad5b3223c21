/** What the gateway never changes, who owns what, and what happens if something breaks. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CLAUDE_END, createClaudeInstruction } from '../agents/compaction-requests.suite.ts'
import { createHome, runPrecis } from '../cli/command.suite.ts'
import { openSqlite } from '../database/sqlite.ts'
import {
  type AgentModel,
  createClaudeModel,
  createCodexModel,
  createGeminiModel,
  createOpencodeModel,
  createTurn,
  FIRST,
} from './agent-models.suite.ts'
import { ask } from './gateway.suite.ts'
import {
  type Peer,
  readMetric,
  type SentRequest,
  type ServedGateway,
  send,
  startPeer,
  startServed,
} from './served.suite.ts'

let home: string
let upstream: Peer
let gateway: ServedGateway
beforeAll(async () => {
  home = createHome()
  upstream = await startPeer()
  gateway = await startServed({ home, upstream: upstream.url })
})
afterAll(async () => {
  await gateway.end()
  upstream.close()
})

/** Expects that it passed unchanged. */
async function expectPassed(request: SentRequest, served = gateway): Promise<void> {
  const before = upstream.received.length
  const answer = await send(served, request)
  expect(answer.headers['x-precis-act']).toBeUndefined()
  expect(upstream.received.slice(before).map(({ body }) => body)).toEqual([
    Buffer.from(request.body),
  ])
}

function addTurns(model: AgentModel, count = 4): AgentModel {
  for (let step = 0; step < count; step++) model.add(createTurn(step))
  return model
}

function askOnce(model: AgentModel, earlier = ''): SentRequest {
  const request = model.listCompactions().at(earlier === '' ? 0 : 1)?.(earlier)
  if (!request) throw new Error('it asks for nothing')
  return request
}

test('a request with a role that precis does not know is passed as it is, and counted', {
  tags: 'slow',
}, async () => {
  const list = (answers: string) => [
    { role: 'user', content: 'Look.', parts: [{ text: 'Look.' }] },
    { role: 'critic', content: 'Use port 8443.', parts: [{ text: 'Use port 8443.' }] },
    { role: answers, content: 'Done.', parts: [{ text: 'Done.' }] },
  ]
  const messages = list('assistant').map(({ role, content }) => ({ role, content }))
  const contents = list('model').map(({ role, parts }) => ({ role, parts }))
  const requests: readonly (readonly [path: string, body: object])[] = [
    ['/v1/messages', { model: 'claude-opus-4-8', max_tokens: 1, messages }],
    ['/v1/chat/completions', { model: 'gpt-5', messages }],
    ['/v1beta/models/gemini-2.5-pro:generateContent', { contents }],
  ]
  for (const [path, body] of requests) {
    const headers = { 'x-api-key': path, authorization: `Bearer ${path}`, 'x-goog-api-key': path }
    await expectPassed({ path, headers, body: Buffer.from(JSON.stringify(body)) })
  }
  const countFailed = () => readMetric(gateway, 'precis_passed_total{reason="failed"}')
  await expect.poll(countFailed).toBeGreaterThanOrEqual(requests.length)
})

const countHalf = () => readMetric(gateway, 'precis_passed_total{reason="unknown"}')

const INSTRUCTION = createClaudeInstruction()
const changed = (request: SentRequest, change: (text: string) => string): SentRequest => ({
  ...request,
  body: Buffer.from(change(String(request.body))),
})

describe('words that agents compact with are passed as they are', () => {
  const create = () => addTurns(createClaudeModel({ session: 'quoting' }))
  const quoted = JSON.stringify(INSTRUCTION).slice(1, -1)

  test('where a tool has read them', { tags: 'slow' }, async () => {
    const model = create()
    await expectPassed(model.askOn({ ...createTurn(5), output: INSTRUCTION }))
    await expectPassed(model.askOn({ ...createTurn(5), output: `1\t${INSTRUCTION}\n2\t` }))
  })

  test('where the user has pasted them, before and behind other words', async () => {
    for (const words of [`${INSTRUCTION} is what it sends`, `it sends: ${INSTRUCTION}`])
      await expectPassed(create().ask(words))
  })

  test('where the user has sent them as they are, which has a mark for the cache', async () => {
    const mark = '","cache_control":{"type":"ephemeral"}}'
    const request = changed(create().ask(INSTRUCTION), (text) =>
      text.replace(`${quoted}"}`, `${quoted}${mark}`),
    )
    expect(String(request.body)).toContain(mark)
    await expectPassed(request)
  })

  test('where they are in a message before the last one', async () => {
    const model = create()
    model.add({ ...createTurn(5), words: INSTRUCTION })
    await expectPassed(model.ask('Go on.'))
  })

  test('where a part of them is unknown, and that is counted', async () => {
    const request = askOnce(create())
    await expectPassed(
      changed(request, (text) => text.replace('Your task is to', 'Your wish is to')),
    )
    await expectPassed(
      changed(request, (text) => text.replace(JSON.stringify(CLAUDE_END).slice(1, -1), '')),
    )
    await expectPassed({ ...request, headers: { 'x-api-key': 'key-a' } })
    await expect.poll(countHalf).toBeGreaterThanOrEqual(2)
  })

  test.each([
    ['Claude Code', createClaudeModel({ session: 'half' }), 'Your task is to', 'Your wish is to'],
    [
      'Codex',
      createCodexModel({ session: 'half' }, 'trigger'),
      'compaction_trigger',
      'summary_trigger',
    ],
    [
      'Codex',
      createCodexModel({ session: 'half-prompt' }, 'prompt'),
      'CONTEXT CHECKPOINT',
      'CONTEXT SAVEPOINT',
    ],
    [
      'Codex',
      createCodexModel({ session: 'half-tools' }, 'prompt'),
      '"tools":[]',
      '"tools":[{"type":"web_search"}]',
    ],
    [
      'Gemini CLI',
      createGeminiModel({ credential: 'half' }),
      'Generate a new <state',
      'Make a new <state',
    ],
    [
      'OpenCode',
      createOpencodeModel({ session: 'half' }, 'openai-chat'),
      'Create a new anchored',
      'Make a new anchored',
    ],
  ])(
    'and counted and named where one of %s is not as it is known',
    async (title, model, from, to) => {
      const before = await countHalf()
      const request = changed(askOnce(addTurns(model)), (text) => text.replace(from, to))
      await expectPassed(request)
      await expect.poll(countHalf).toBe(before + 1)
      const { body } = await ask(`${gateway.url}/sessions.json`, {
        method: 'GET',
        headers: request.headers,
      })
      expect(String(body)).toContain(`${title} asks so for its own compaction`)
    },
  )

  test('and are no half of a compaction in what a tool has read, or in an earlier message', async () => {
    const before = await countHalf()
    const model = create()
    await expectPassed(model.askOn({ ...createTurn(5), output: INSTRUCTION }))
    model.add({ ...createTurn(6), words: INSTRUCTION })
    await expectPassed(model.ask('Go on.'))
    await expectPassed(
      changed(askOnce(create()), (text) => text.replace('Your task is to', 'Your wish is to')),
    )
    await expect.poll(countHalf).toBe(before + 1)
  })

  test('where a snapshot is to be bettered that precis did not write word for word', {
    tags: 'slow',
  }, async () => {
    const model = addTurns(createGeminiModel({ credential: 'owner-a' }))
    await expectPassed(askOnce(model, '<state_snapshot>\nof a model\n</state_snapshot>'))
    const given = await model.read(await send(gateway, askOnce(model)))
    expect((await send(gateway, askOnce(model, given))).headers['x-precis-act']).toBe('answer')
    await expectPassed(askOnce(model, given.replace('codegen v7', 'codegen v8')))
  })
})

test('a summary that somebody changed is words like any others: nothing in it was said by the user', async () => {
  const model = addTurns(createClaudeModel({ session: 'forged' }))
  model.goOn(await model.read(await send(gateway, askOnce(model))))
  model.add(createTurn(4))
  const request = askOnce(model)
  expect(await model.read(await send(gateway, request))).toContain(`> [1] ${FIRST}`)
  const forged = changed(request, (text) => text.replace('codegen v7', 'codegen v8'))
  expect(await model.read(await send(gateway, forged))).not.toMatch(/^> \[1\] Never touch/m)
})

describe('two owners of one session with one history', () => {
  test('have originals of their own', async () => {
    for (const credential of ['owner-a', 'owner-b']) {
      const model = createClaudeModel({ session: 'kept-apart', credential })
      addTurns(model, 3)
      model.add({ ...createTurn(3), output: `only of ${credential}\n${'more\n'.repeat(200)}` })
      await send(gateway, askOnce(model))
    }
    const { stdout } = await runPrecis(home, ['archive', '--json'])
    const names = [...new Set(stdout.match(/kept-apart\.[0-9a-f]{12}/g))]
    expect(names).toHaveLength(2)
    const found = await Promise.all(
      names.map((name) => runPrecis(home, ['recall', name, 'only of owner'])),
    )
    const owners = found.map(({ stdout: text }) => text.match(/only of owner-[ab]/g))
    expect(new Set(owners.flat())).toEqual(new Set(['only of owner-a', 'only of owner-b']))
    expect(owners.flat()).toHaveLength(2)
  })

  test('have windows and shortened histories of their own', { tags: 'slow' }, async () => {
    const second = await startPeer(({ body, headers }, response) => {
      if (headers['x-api-key'] === 'owner-a' && body.length > 36_000) {
        response.writeHead(400, { 'content-type': 'application/json' })
        return response.end(
          '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 12000 tokens > 9000 maximum"}}',
        )
      }
      return response.end('{}')
    })
    const served = await startServed({ home, upstream: second.url })
    onTestFinished(async () => {
      await served.end()
      second.close()
    })
    const of = (credential: string) =>
      addTurns(createClaudeModel({ session: 'windows', credential }), 24).ask('Now this.')
    expect((await send(served, of('owner-a'))).headers['x-precis-act']).toBe('guard')
    expect(second.received).toHaveLength(2)
    await send(served, of('owner-b'))
    expect(second.received.at(-1)?.body).toEqual(of('owner-b').body)
  })
})

describe('what breaks does not stop a request, and is told', () => {
  async function serve(words: readonly string[], home = createHome()): Promise<ServedGateway> {
    const served = await startServed({ home, upstream: upstream.url, words })
    onTestFinished(() => served.end())
    return served
  }
  const large = () => addTurns(createClaudeModel({ session: 'broken' }), 24).ask('Now this.')

  test('a database that is none', { tags: 'slow' }, async () => {
    const path = join(createHome(), 'archive.db')
    writeFileSync(path, 'this is no database at all. '.repeat(500))
    const served = await serve(['--database', path, '--window', '8000'])
    expect((await send(served, large())).headers['x-precis-act']).toBe('guard')
    const compaction = askOnce(addTurns(createClaudeModel({ session: 'broken' })))
    expect((await send(served, compaction)).headers['x-precis-act']).toBe('answer')
    await expect.poll(() => served.readNotes()).toMatch(/will not be known.*\n/)
    expect(served.readNotes()).not.toContain(FIRST)
  })

  test('conversations in a database that are damaged: they begin anew', {
    tags: 'slow',
  }, async () => {
    const ownHome = createHome()
    const path = join(ownHome, 'archive.db')
    const words = ['--database', path, '--window', '8000']
    const served = await serve(words, ownHome)
    expect((await send(served, large())).headers['x-precis-act']).toBe('guard')
    await served.end()
    const database = openSqlite(path, {})
    database.exec("UPDATE conversation SET value = CAST(x'ff' AS TEXT)")
    database.close()
    const again = await serve(words, ownHome)
    const readAct = async () => (await send(again, large())).headers['x-precis-act']
    await expect.poll(readAct, { timeout: 20_000 }).toBe('guard')
    await expect.poll(() => again.readNotes()).toContain('begins anew')
  })

  test('usage that is no count', { tags: 'slow' }, async () => {
    const vague = await startPeer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"id":"m","usage":{"input_tokens":1e400,"output_tokens":-1e400}}')
    })
    const served = await startServed({ home: createHome(), upstream: vague.url })
    onTestFinished(async () => {
      await served.end()
      vague.close()
    })
    const answer = await send(served, large())
    expect(answer.status).toBe(200)
    const readMetrics = async () =>
      String((await ask(`${served.url}/metrics`, { method: 'GET' })).body)
    await expect.poll(readMetrics).toMatch(/^precis_requests_total\{.*\} 1$/m)
    expect(served.readNotes()).not.toContain('should not happen')
  })

  test('a database where nothing can be written', { tags: 'slow' }, async () => {
    const path = join(createHome(), 'file')
    writeFileSync(path, '')
    const served = await serve(['--database', join(path, 'archive.db'), '--window', '8000'])
    expect((await send(served, large())).headers['x-precis-act']).toBe('guard')
    await expect.poll(() => served.readNotes()).toMatch(/was not kept.*\n/)
  })

  test('a database that another process holds: the act goes on without it, and nothing else waits', {
    tags: 'slow',
  }, async () => {
    const path = join(createHome(), 'archive.db')
    const served = await serve(['--database', path, '--window', '8000'])
    expect((await send(served, large())).headers['x-precis-act']).toBe('guard')
    const held = openSqlite(path, {})
    held.exec('BEGIN EXCLUSIVE')
    let isOver = false
    const acted = send(
      served,
      addTurns(createClaudeModel({ session: 'other' }), 26).ask('Now this.'),
    )
    const done = acted.finally(() => {
      isOver = true
    })
    let answered = 0
    while (!isOver) {
      expect((await ask(`${served.url}/livez`, { method: 'GET' })).status).toBe(200)
      answered++
    }
    expect((await done).headers['x-precis-act']).toBe('guard')
    held.exec('COMMIT')
    held.close()
    // If the serving thread also waited, there would be only a few.
    expect(answered).toBeGreaterThan(10)
    await expect.poll(() => served.readNotes()).toContain('was not kept')
  })
})
