import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serve } from '../gateway/decide.ts'
import { openGateway, startUpstream, type TestGatewayOptions } from '../gateway/gateway.suite.ts'
import { createHome, runPrecis, VERSION } from './command.suite.ts'

const KEY = 'sk-ant-api03-a-key-that-is-nowhere-printed-0123456789'

interface Given {
  /** The status of the provider's answer. */
  readonly status?: number
  readonly date?: string
  readonly environment?: Record<string, string>
  readonly gateway?: TestGatewayOptions
  readonly words?: readonly string[]
}

/** Runs the doctor with a gateway of this process. Returns what the provider got too. */
async function examine({
  status = 200,
  date,
  environment = {},
  gateway: options,
  words = ['claude'],
}: Given = {}) {
  const upstream = await startUpstream((_, response) => {
    if (date !== undefined) response.setHeader('date', date)
    response.statusCode = status
    response.end('{"data":[]}')
  })
  const database = join(mkdtempSync(join(tmpdir(), 'doctor-')), 'archive.db')
  const settings = { database, archive: undefined, saves: false }
  const acts = {
    serve: (request: Parameters<typeof serve>[0]['request']) => serve({ request, settings }),
  }
  const gateway = await openGateway(upstream.url, { version: VERSION, database, acts, ...options })
  const told = { ANTHROPIC_BASE_URL: gateway.url, ANTHROPIC_API_KEY: KEY, ...environment }
  const home = createHome()
  const { code, stdout, stderr } = await runPrecis(home, ['doctor', ...words, '--json'], {
    environment: told,
  })
  const report = JSON.parse(stdout)
  const states = Object.fromEntries(
    report.agents
      .flatMap(({ hops }: { hops: { name: string; state: string }[] }) => hops)
      .map((hop: { name: string; state: string }) => [hop.name, hop.state]),
  )
  const print = async () =>
    (await runPrecis(home, ['doctor', ...words], { environment: told })).stdout
  return { code, stdout, stderr, report, states, upstream, gateway, print }
}

describe('precis doctor', () => {
  test('finds nothing wrong where every hop answers, and sends the key to the provider and nowhere else', async () => {
    const { code, stdout, states, report, upstream, gateway, print } = await examine()
    expect(states).toEqual({
      address: 'ok',
      gateway: 'ok',
      version: 'ok',
      threads: 'ok',
      state: 'ok',
      provider: 'ok',
      login: 'ok',
      clock: 'ok',
      recall: 'unknown',
    })
    expect([code, report.isWell, report.database.state]).toEqual([0, true, 'ok'])
    expect(
      upstream.received.map(({ method, url, headers }) => [method, url, headers['x-api-key']]),
    ).toEqual([['GET', '/v1/models?limit=1', KEY]])
    expect(stdout).not.toContain(KEY)
    const text = await print()
    expect(text).toContain(`precis listens at ${gateway.url}`)
    expect(text).not.toContain(KEY)
  })

  test.each([401, 403])(
    'a key that the provider refuses with %i is wrong, whatever else is well',
    async (status) => {
      const { code, states, print } = await examine({ status })
      expect([code, states.login, states.provider]).toEqual([1, 'problem', 'ok'])
      expect(await print()).toContain(`ANTHROPIC_API_KEY is refused with ${status}`)
    },
  )

  test('a login that cannot be seen is not tried, and is not wrong', async () => {
    const { code, states } = await examine({ status: 401, environment: { ANTHROPIC_API_KEY: '' } })
    expect([code, states.login, states.provider]).toEqual([0, 'unknown', 'ok'])
  })

  test('a provider that fails, or that cannot be reached, is wrong', async () => {
    expect(await examine({ status: 529 })).toMatchObject({
      code: 1,
      states: { provider: 'problem' },
    })
    const away = await examine({
      gateway: {
        upstreams: Object.fromEntries(
          UPSTREAMS.map((name) => [name, 'http://127.0.0.1:9']),
        ) as NonNullable<TestGatewayOptions['upstreams']>,
      },
    })
    expect(away).toMatchObject({ code: 1, states: { provider: 'problem' } })
    expect(await away.print()).toContain('cannot be reached')
  })

  test('a clock that differs is wrong', async () => {
    const { code, states, print } = await examine({
      date: new Date(Date.now() - 3_600_000).toUTCString(),
    })
    expect([code, states.clock]).toEqual([1, 'problem'])
    expect(await print()).toContain('set the clock')
  })

  test('threads that do nothing are wrong', async () => {
    const acts = { serve: async () => ({ status: 503, body: '{}' }) }
    expect(await examine({ gateway: { acts } })).toMatchObject({
      code: 1,
      states: { threads: 'problem' },
    })
  })

  test('a gateway of another version is wrong', async () => {
    expect(await examine({ gateway: { version: '0.0.1' } })).toMatchObject({
      code: 1,
      states: { version: 'problem' },
    })
  })

  test('a missing token is wrong, and one that is there is not printed', async () => {
    const token = 'a-token-of-sixteen-letters'
    const without = await examine({ gateway: { token } })
    expect(without).toMatchObject({
      code: 1,
      states: { threads: 'problem', state: 'problem', provider: 'problem' },
    })
    const url = `${without.gateway.url}/t/${token}`
    const { stdout, code } = await runPrecis(createHome(), ['doctor', 'claude', '--url', url], {
      environment: { ANTHROPIC_API_KEY: KEY },
    })
    expect([code, stdout.includes(token)]).toEqual([0, false])
  })

  test('nothing, or another program, at the address is wrong', async () => {
    const nobody = await examine({ environment: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } })
    expect(nobody).toMatchObject({ code: 1, states: { gateway: 'problem' } })
    expect(await nobody.print()).toContain('precis serve')
    const other = await startUpstream((_, response) => response.end('hello'))
    expect(await examine({ environment: { ANTHROPIC_BASE_URL: other.url } })).toMatchObject({
      code: 1,
      states: { gateway: 'problem' },
    })
    // Not even its models are requested with the key.
    expect(other.received.map(({ url }) => url)).toEqual(['/livez'])
  })

  test('an agent that nothing points at a gateway is asked about, and is wrong only where it is named', async () => {
    const home = createHome()
    mkdirSync(join(home, '.claude', 'projects'), { recursive: true })
    const port = 9
    mkdirSync(join(home, '.config', 'precis'), { recursive: true })
    writeFileSync(
      join(home, '.config', 'precis', 'config.json'),
      JSON.stringify({ gateway: { port } }),
    )
    const usual = await runPrecis(home, ['doctor'])
    expect([usual.code, usual.stdout]).toEqual([
      0,
      expect.stringContaining('nothing answers at http://127.0.0.1:9'),
    ])
    expect(usual.stdout).toMatch(/^ {22}claude plugin install precis@precis$/m)
    expect((await runPrecis(home, ['doctor', 'claude'])).code).toBe(1)
  })

  test('what two agents share, such as a gateway that is missing, is said once', async () => {
    const home = createHome()
    mkdirSync(join(home, '.claude', 'projects'), { recursive: true })
    mkdirSync(join(home, '.codex', 'sessions'), { recursive: true })
    const { stdout } = await runPrecis(home, ['doctor', '--url', 'http://127.0.0.1:9'])
    expect(stdout.match(/nothing answers/g)).toHaveLength(1)
    expect(stdout).toMatch(/^claude-code, codex\n.*nothing answers/)
    expect(stdout.match(/^codex$/gm)).toHaveLength(1)
    // The archive that the check has made has nothing in it.
    const archive = (await runPrecis(home, ['archive', 'verify'])).stdout
    expect(archive).toMatch(/empty, \S+ kB of 2\.0 GB used\n$/)
  })

  test('a database that takes nothing is wrong', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
    mkdirSync(join(folder, 'archive.db'))
    const { code, report } = await examine({
      words: ['claude', '--database', join(folder, 'archive.db')],
    })
    expect([code, report.database.state]).toEqual([1, 'problem'])
  })

  test('pi is not asked about: its requests are not of a kind that a gateway acts on', async () => {
    expect(await examine({ words: ['pi'] })).toMatchObject({
      code: 0,
      states: { address: 'unknown' },
    })
  })
})

const UPSTREAMS = [
  'anthropic',
  'openai',
  'chatgpt',
  'google',
  'google-internal',
  'bedrock',
  'vertex',
]
