import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BIN, createHome, runPrecis } from '../cli/command.suite.ts'
import {
  type AgentModel,
  createClaudeModel,
  createCodexModel,
  createGeminiModel,
  createOpencodeModel,
  createTurn,
  createWords,
  FIRST,
  type Turn,
} from './agent-models.suite.ts'
import { type Peer, type ServedGateway, send, startPeer, startServed } from './served.suite.ts'

const home = createHome()
let upstream: Peer
let gateway: ServedGateway
beforeAll(async () => {
  upstream = await startPeer()
  gateway = await startServed({ home, upstream: upstream.url })
})
afterAll(async () => {
  await gateway.end()
  upstream.close()
})

/** A turn of the user. Returns what the upstream got of it. */
async function work(model: AgentModel, step: number): Promise<string> {
  const turn = createTurn(step)
  await send(gateway, model.ask(turn.words))
  await send(gateway, model.askOn(turn))
  model.add(turn)
  return String(upstream.received.at(-1)?.body)
}

/** None of it reaches an upstream. */
async function compact(model: AgentModel, words?: string): Promise<string> {
  const before = upstream.received.length
  let text = ''
  for (const create of model.listCompactions(words)) {
    const answer = await send(gateway, create(text))
    expect(answer.status, String(answer.body)).toBe(200)
    expect(answer.headers['x-precis-act']).toBe('answer')
    text = await model.read(answer)
  }
  expect(upstream.received).toHaveLength(before)
  model.goOn(text)
  return text
}

/**
 * Runs this many short turns before each compaction. After each one, the next request contains
 * everything that was said.
 */
async function compactInARow(model: AgentModel, rounds: readonly number[]): Promise<void> {
  let step = 0
  for (const turns of rounds) {
    const before = step
    for (const end = step + turns; step < end; step++) {
      const turn = createShortTurn(step)
      // Some agents build their request to compact from the last request.
      if (step === end - 1) await send(gateway, model.askOn(turn))
      model.add(turn)
    }
    await compact(model)
    await send(gateway, model.ask(createWords(step)))
    const text = String(upstream.received.at(-1)?.body)
    expectOnce(text, step)
    for (let newest = Math.max(before, step - 3); newest < step; newest++) {
      expect(text).toContain(`src/tax${newest}.ts rounds half up`)
    }
  }
}

const createShortTurn = (step: number): Turn => ({
  ...createTurn(step),
  output: `${step} tests passed`,
})

/** Expects all words of the user up to this step and its own, each once, and one summary. */
function expectOnce(text: string, last: number): void {
  for (let step = 0; step <= last; step++)
    expect(count(text, createWords(step)), createWords(step)).toBe(1)
  expect(count(text, '<conversation-summary')).toBe(1)
}

const count = (text: string, part: string) => text.split(part).length - 1

type Create = (session: string) => AgentModel
const models: readonly (readonly [string, Create])[] = [
  ['Claude Code', (session) => createClaudeModel({ session })],
  [
    'Claude Code that keeps its newest messages',
    (session) => createClaudeModel({ session, kept: 2 }),
  ],
  [
    'Claude Code that reminds its model',
    (session) => createClaudeModel({ session, reminds: true }),
  ],
  ['Codex, by a trigger', (session) => createCodexModel({ session }, 'trigger')],
  ['Codex, by an address', (session) => createCodexModel({ session }, 'address')],
  ['Codex, by its prompt', (session) => createCodexModel({ session }, 'prompt')],
  ['Gemini CLI', (session) => createGeminiModel({ credential: session })],
  ['OpenCode, Chat Completions', (session) => createOpencodeModel({ session }, 'openai-chat')],
  [
    'OpenCode, Anthropic Messages',
    (session) => createOpencodeModel({ session }, 'anthropic-messages'),
  ],
]

describe.each(models)('%s', (name, create) => {
  const id = name.replaceAll(/\W/g, '')

  test('is answered three times in a row, over a restart, with all words of the user and none of them twice', {
    tags: 'slow',
  }, async () => {
    const model = create(id)
    for (const round of [0, 1, 2]) {
      for (const turn of [0, 1, 2]) await work(model, 3 * round + turn)
      await compact(model)
      if (round > 0 || name !== 'Codex, by a trigger') continue
      await gateway.end('SIGKILL')
      gateway = await startServed({ home, upstream: upstream.url })
    }
    const text = await work(model, 9)
    const summary = text.slice(
      text.indexOf('<conversation-summary'),
      text.indexOf('</conversation-summary>'),
    )
    expectOnce(text, 9)
    for (let step = 0; step < 9; step++) {
      expect(summary).toContain(`src/tax${step}.ts rounds half up`)
      expect(summary).toContain(`src/tax${step}.test.ts`)
    }
    expect(summary.includes(FIRST)).toBe(!name.startsWith('Codex'))
  })

  test('gets all there is when it asks soon after a compaction, and again soon after that', {
    tags: 'slow',
  }, async () => {
    await compactInARow(create(`${id}3`), [1, 1, 3])
  })

  test.each([1, 3, 20])(
    'gets all there is of ten compactions with %i short turns between',
    { tags: 'slow' },
    async (turns) => {
      await compactInARow(
        create(`${id}${turns}in10`),
        Array.from({ length: 10 }, () => turns),
      )
    },
  )

  test('gets the same answer when it asks once more, and the history itself is never changed', {
    tags: 'slow',
  }, async () => {
    const model = create(`${id}2`)
    for (const step of [0, 1]) await work(model, step)
    const [ask] = model.listCompactions()
    const request = ask?.('')
    if (!request) throw new Error('it asks for nothing')
    const [first, second] = [await send(gateway, request), await send(gateway, request)]
    expect(await model.read(second)).toBe(await model.read(first))
    const turn = model.ask('Go on.')
    await send(gateway, turn)
    expect(upstream.received.at(-1)?.body).toEqual(turn.body)
  })
})

describe('an answer', () => {
  test('heeds the words of the user after the command, and does not repeat the prompt of the agent', async () => {
    const model = createClaudeModel({ session: 'instructed' })
    for (const step of [0, 1, 2]) await work(model, step)
    const text = await compact(model, 'keep the name of every test')
    expect(text).toContain(FIRST)
    expect(text).not.toContain('CRITICAL')
  })

  test('says how what was removed is found, and it is found: by that reference, by the session, by the tool', {
    tags: 'slow',
  }, async () => {
    const model = createClaudeModel({ session: 'recalled', offersRecall: true })
    for (const step of [0, 1, 2, 3]) await work(model, step)
    const text = await compact(model)
    const [, reference = 'none'] =
      /under reference ([0-9a-f]+): .* call mcp__precis__recall /.exec(text) ?? []
    const removed = 'at line 2 of the stack'
    for (const name of [reference, 'recalled']) {
      const { stdout, stderr, code } = await runPrecis(home, ['recall', name, removed])
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(removed)
    }
    const client = new Client({ name: 'test', version: '1.0.0' })
    const env = { PATH: process.env.PATH ?? '', HOME: home }
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env, cwd: home }),
    )
    const { content } = await client.callTool({
      name: 'recall',
      arguments: { reference, span: 11 },
    })
    await client.close()
    expect(JSON.stringify(content)).toContain(removed)
  })

  test.each(['trigger', 'prompt'] as const)(
    'says so to Codex too, whose tools are members of a namespace, by its %s',
    async (way) => {
      const model = createCodexModel({ session: `recalled-${way}`, offersRecall: true }, way)
      for (const step of [0, 1]) await work(model, step)
      await compact(model)
      expect(await work(model, 2)).toMatch(
        /under reference [0-9a-f]+: .* call mcp__precis\.recall /,
      )
    },
  )

  test('stays the same bytes in every later request of Codex, also where the user says the same once more', async () => {
    const model = createCodexModel({ session: 'same-bytes' }, 'trigger')
    for (const step of [0, 1]) await work(model, step)
    await compact(model)
    const first = await work(model, 2)
    const read = (text: string) =>
      text.slice(text.indexOf('<conversation-summary'), text.indexOf('</conversation-summary>'))
    model.add(createTurn(1))
    expect(read(await work(model, 0))).toBe(read(first))
  })

  test('is not given where only the provider can read what was before', async () => {
    const model = createCodexModel({ session: 'sealed' }, 'trigger')
    for (const step of [0, 1]) await work(model, step)
    model.goOn(JSON.stringify({ type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAABk' }))
    await work(model, 2)
    const [ask] = model.listCompactions()
    const request = ask?.('')
    if (!request) throw new Error('it asks for nothing')
    const answer = await send(gateway, request)
    expect(answer.headers['x-precis-act']).toBeUndefined()
    expect(upstream.received.at(-1)?.body).toEqual(request.body)
  })

  test('is given to no session of OpenCode whose last words went another way', async () => {
    const model = createOpencodeModel({ session: 'aside' }, 'openai-chat')
    for (const step of [0, 1]) await work(model, step)
    model.add(createTurn(2))
    const [ask] = model.listCompactions()
    const request = ask?.('')
    if (!request) throw new Error('it asks for nothing')
    const answer = await send(gateway, request)
    expect(answer.headers['x-precis-act']).toBeUndefined()
    expect(upstream.received.at(-1)?.body).toEqual(request.body)
  })

  test.each(['openai-chat', 'anthropic-messages'] as const)(
    'has nothing of the turns that OpenCode keeps beside it, in %s',
    async (api) => {
      const model = createOpencodeModel({ session: `kept-${api}` }, api)
      for (const step of [0, 1]) await work(model, step)
      const [ask] = model.listCompactions()
      await work(model, 2)
      const request = ask?.('')
      if (!request) throw new Error('it asks for nothing')
      const text = await model.read(await send(gateway, request))
      for (const step of [0, 1]) expect(text).toContain(createTurn(step).words)
      expect(text).toContain(createTurn(1).said)
      expect(text).not.toContain(createTurn(2).words)
    },
  )

  test('has what OpenCode asked for, not the title of its session', async () => {
    const model = createOpencodeModel({ session: 'titled' }, 'openai-chat')
    for (const step of [0, 1]) await work(model, step)
    const { path, headers } = model.ask('x')
    const messages = [{ role: 'user', content: 'Generate a title with "tools": none.' }]
    await send(gateway, {
      path,
      headers,
      body: Buffer.from(JSON.stringify({ model: 'm1', stream: true, messages })),
    })
    expect(await compact(model)).toContain(FIRST)
  })
})
