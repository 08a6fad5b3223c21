import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, startPostgres, type TestServer } from '../database/postgres.suite.ts'
import { ask, openGateway, startUpstream } from './gateway.suite.ts'

const KEY = {
  'x-api-key': 'one-key',
  'x-claude-code-session-id': '8f14e45f-ceea-467f-9a77-3c2d1e0b5a11',
}
const TURNS = 20

describe.skipIf(!hasPostgres)('two gateways on one PostgreSQL (initdb)', { tags: 'slow' }, () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  test('have one account of a session that sends to both at once, one page, and one deletion', async () => {
    const usage = { input_tokens: 100, output_tokens: 10 }
    const upstream = await startUpstream((_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ model: 'claude-sonnet-4-5', usage }))
    })
    const database = await server.createDatabase()
    const left = await openGateway(upstream.url, { database })
    const right = await openGateway(upstream.url, { database })
    const turn = (url: string) =>
      ask(`${url}/v1/messages`, { headers: KEY, body: '{"model":"claude-sonnet-4-5"}' })
    await Promise.all(Array.from({ length: TURNS }, () => [turn(left.url), turn(right.url)]).flat())
    const read = async (url: string) => {
      const { body } = await ask(`${url}/sessions.json`, { method: 'GET', headers: KEY })
      return JSON.parse(body.toString())
    }
    // One instance cannot see what the other has not stored yet.
    await expect.poll(async () => (await read(left.url)).requests).toBe(2 * TURNS)
    const { page, tokens, sessions } = await read(right.url)
    expect([tokens.uncached, tokens.output, sessions.length]).toEqual([200 * TURNS, 20 * TURNS, 1])

    const shown = (await ask(`${left.url}${page}`, { method: 'GET' })).body.toString()
    const token = /name="token" value="([0-9a-f]{64})"/.exec(shown)?.[1] ?? ''
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const deleted = await ask(`${right.url}${page}`, { headers, body: `token=${token}` })
    expect(deleted.status).toBe(303)
    expect((await read(left.url)).sessions).toEqual([])
  })
})
