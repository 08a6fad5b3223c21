/** Many conversations through two instances on one PostgreSQL. One of the instances is killed. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHome } from '../cli/command.suite.ts'
import { hasPostgres, startPostgres } from '../database/postgres.suite.ts'
import {
  type AgentModel,
  createClaudeModel,
  createOpencodeModel,
  createTurn,
  FIRST,
} from './agent-models.suite.ts'
import {
  type SentRequest,
  type ServedGateway,
  send,
  startPeer,
  startServed,
} from './served.suite.ts'

const WINDOW = 6_000
const CONVERSATIONS = 200
const BESIDE = 8

async function open(count: number, window: readonly string[] = ['--window', String(WINDOW)]) {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const address = await server.createDatabase()
  const upstream = await startPeer()
  onTestFinished(() => upstream.close())
  const start = async () => {
    // Separate homes, so that they share only the database.
    const words = ['--database', address, ...window]
    const served = await startServed({ home: createHome(), upstream: upstream.url, words })
    onTestFinished(() => served.end())
    return served
  }
  return {
    server,
    upstream,
    start,
    gateways: await Promise.all(Array.from({ length: count }, start)),
  }
}

/** Runs a few at the same time, in order. */
async function inTurn<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...items.entries()]
  const take = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next[1], next[0])
  }
  await Promise.all(Array.from({ length: BESIDE }, take))
}

/** The list of messages as it was sent, except its end. */
const cutList = (body: string) => body.slice(body.indexOf('"messages":['), body.lastIndexOf(']'))

function createCrowd(): readonly AgentModel[] {
  return Array.from({ length: CONVERSATIONS }, (_, index) => {
    const model = createClaudeModel({ session: `crowd-${index}` })
    for (let step = 0; step < 12; step++) model.add(createTurn(step))
    return model
  })
}

describe.skipIf(!hasPostgres)(
  'two instances on one PostgreSQL (needs PostgreSQL)',
  { tags: 'slow' },
  () => {
    test('one of which is killed: no conversation gets other bytes than before, and no request is lost', async () => {
      const { upstream, start, gateways } = await open(2)
      const [first, second] = gateways
      if (!first || !second) throw new Error('there are not two')
      const crowd = createCrowd()
      const sent = new Map<number, string>()
      /** Asks one of them, or the other if that one is gone, like a load balancer. */
      const ask = async (
        request: SentRequest,
        index: number,
        [near, far]: readonly [ServedGateway, ServedGateway],
      ) => {
        const mark = `crowd-${index}`
        const answer = await send(near, request).catch(() => send(far, request))
        expect(answer.status).toBe(200)
        const got = upstream.received.filter(
          ({ headers }) => headers['x-claude-code-session-id'] === mark,
        )
        return got.map(({ body }) => String(body))
      }
      await inTurn(crowd, async (model, index) => {
        const got = await ask(
          model.ask('Now this.'),
          index,
          index % 2 === 0 ? [first, second] : [second, first],
        )
        expect(got.at(-1)).toContain(FIRST)
        sent.set(index, got.at(-1) ?? '')
      })
      expect(new Set(sent.values()).size).toBe(1)
      const other: number[] = []
      let asked = 0
      await inTurn(crowd, async (model, index) => {
        if (++asked === CONVERSATIONS / 4) first.process.kill('SIGKILL')
        const request = model.askOn({ ...createTurn(12), words: 'Now this.' })
        const got = await ask(request, index, index % 2 === 0 ? [second, second] : [first, second])
        const isSame = got
          .slice(1)
          .every((body) => cutList(body).startsWith(cutList(sent.get(index) ?? 'nothing')))
        if (!isSame || got.length < 2) other.push(index)
      })
      expect(other).toEqual([])
      const again = await start()
      await inTurn(crowd, async (model, index) => {
        const got = await ask(model.ask('Now this.'), index, [again, second])
        if (got.at(-1) !== sent.get(index)) other.push(index)
      })
      expect(other).toEqual([])
    })

    test('answer in turn: one knows what the other wrote, and what it was told', async () => {
      const { upstream, gateways } = await open(2, [])
      for (const model of [
        createClaudeModel({ session: 'in-turn' }),
        createOpencodeModel({ session: 'in-turn' }, 'openai-chat'),
      ]) {
        for (const round of [0, 1, 2]) {
          for (const step of [0, 1, 2]) {
            const gateway = gateways[round % 2]
            const turn = createTurn(3 * round + step)
            if (gateway) await send(gateway, model.askOn(turn))
            model.add(turn)
          }
          const before = upstream.received.length
          const request = model.listCompactions()[0]?.('')
          const gateway = gateways[round % 2]
          if (!request || !gateway) throw new Error('nothing is asked')
          const answer = await send(gateway, request)
          expect(answer.headers['x-precis-act']).toBe('answer')
          expect(upstream.received).toHaveLength(before)
          model.goOn(await model.read(answer))
        }
        const text = String(model.ask('What now?').body)
        expect(text.split(FIRST)).toHaveLength(2)
        for (let step = 0; step < 9; step++)
          expect(text).toContain(`src/tax${step}.ts rounds half up`)
      }
    })

    test('that is stopped: requests are shortened without it, and it is told', async () => {
      const { server, upstream, gateways } = await open(1)
      const [gateway] = gateways
      if (!gateway) throw new Error('there is none')
      const [model] = createCrowd()
      const request = model?.ask('Now this.')
      if (!request) throw new Error('nothing is asked')
      expect((await send(gateway, request)).headers['x-precis-act']).toBe('guard')
      await server.stop()
      const answer = await send(gateway, {
        ...request,
        headers: { ...request.headers, 'x-api-key': 'another' },
      })
      expect(answer.status).toBe(200)
      expect(answer.headers['x-precis-act']).toBe('guard')
      expect(upstream.received.at(-1)?.body.length).toBeLessThan(request.body.length)
      await expect.poll(() => gateway.readNotes()).toMatch(/ECONNREFUSED|not kept|terminat/)
      expect(gateway.readNotes()).not.toContain(server.password)
    })
  },
)
