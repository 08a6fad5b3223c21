import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { startUpstream } from '../gateway/gateway.suite.ts'
import { type Gateway, startGateway } from '../gateway/server.ts'
import { defaultUpstreams } from '../gateway/upstreams.ts'
import {
  createHome,
  runPrecis,
  type StartOptions,
  startPrecis,
  VERSION,
  writeFixture,
} from './command.suite.ts'

/**
 * A stand-in for the agent: prints its input, asks its provider, and does what its first word
 * requests.
 */
const STAND_IN = `#!${process.execPath}
const { readFileSync, renameSync, writeFileSync } = require('node:fs')
const { ANTHROPIC_BASE_URL: url, REPORT: path, HOME: home } = process.env
const report = (more) => {
  writeFileSync(path + '.new', JSON.stringify({ words, url, home, vendor: process.env._CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL, ...more }))
  renameSync(path + '.new', path)
}
const words = process.argv.slice(2)
const [, file] = /^--mcp-config=(.*)$/.exec(words[0])
const body = '{ "model":"m", "messages":[] }'
fetch(url + '/v1/messages', { method: 'POST', body, headers: { 'x-api-key': 'k', 'content-type': 'application/json' } }).then(async (response) => {
  report({ file, servers: JSON.parse(readFileSync(file, 'utf8')), answer: await response.text() })
  if (words[1] === 'wait') {
    process.on('SIGTERM', () => process.exit(3))
    setInterval(() => {}, 1000)
  } else if (words[1] === 'die') process.kill(process.pid, 'SIGKILL')
  else process.exit(7)
})
`

function createAgentHome() {
  const home = createHome()
  const program = writeFixture(join(home, 'bin/claude'), STAND_IN)
  chmodSync(program, 0o755)
  writeFixture(join(home, '.claude/settings.json'), '{ "model": "x" } // mine')
  writeFixture(join(home, '.claude.json'), '{"numStartups":3}')
  const report = join(home, 'report.json')
  const environment = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, REPORT: report }
  return { home, report, environment }
}

const start = (
  { home, environment }: ReturnType<typeof createAgentHome>,
  words: readonly string[],
  options: StartOptions = {},
) =>
  startPrecis(home, ['wrap', ...words], {
    ...options,
    environment: { ...environment, ...options.environment },
  })

const listFolders = (home: string) => {
  const folder = join(home, '.local/share/precis/running')
  return existsSync(folder) ? readdirSync(folder) : []
}

const hasReported = ({ report }: ReturnType<typeof createAgentHome>) =>
  vi.waitUntil(() => existsSync(report), { timeout: 60_000 })

/** Every file of the agent. */
const hashAgent = (home: string) =>
  ['.claude.json', '.claude/settings.json', ...readdirSync(join(home, '.claude'))].map((name) => {
    const path = join(home, name)
    return [name, existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex')]
  })

describe('precis wrap', () => {
  test('starts the agent with its requests going through, and leaves nothing behind', async () => {
    const upstream = await startUpstream((_, response) => response.end('{"said":"hello"}'))
    const world = createAgentHome()
    const before = hashAgent(world.home)
    // The gateway sends requests to the address that the user had set in the agent before.
    const { code, stderr } = await start(world, ['claude', '--', '-p', 'hello --port 1'], {
      environment: { ANTHROPIC_BASE_URL: upstream.url },
    })
    expect(stderr).toMatch(/^precis: the page of this session: http:\/\/127\.0\.0\.1:\d+\/\S*\s*$/)
    expect(code).toBe(7)
    const report = JSON.parse(readFileSync(world.report, 'utf8'))
    expect(report).toMatchObject({ home: world.home, answer: '{"said":"hello"}' })
    expect(report.words.slice(1)).toEqual(['-p', 'hello --port 1'])
    expect(report.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(report.url).not.toBe(upstream.url)
    expect(report.vendor).toBeUndefined()
    expect(report.servers.mcpServers.precis.args.at(-1)).toBe('mcp')
    expect(upstream.received.map(({ url, body }) => [url, body.toString()])).toEqual([
      ['/v1/messages', '{ "model":"m", "messages":[] }'],
    ])
    expect(existsSync(report.file)).toBe(false)
    expect(listFolders(world.home)).toEqual([])
    expect(hashAgent(world.home)).toEqual(before)
  })

  test('uses the gateway that runs on the port', { tags: 'slow' }, async () => {
    const upstream = await startUpstream()
    const world = createAgentHome()
    const gateway = await startGatewayHere(world.home, upstream.url)
    const port = new URL(gateway.url).port
    const { code } = await start(world, ['claude-code', '--port', port])
    expect(code).toBe(7)
    expect(JSON.parse(readFileSync(world.report, 'utf8')).url).toBe(gateway.url)
    expect(upstream.received).toHaveLength(1)
    await gateway.close()
  })

  test('says how an agent is installed that is not there', { tags: 'slow' }, async () => {
    const home = createHome()
    const { code, stderr } = await startPrecis(home, ['wrap', 'codex'], {
      environment: { PATH: join(home, 'bin') },
    })
    expect(code).toBe(1)
    expect(stderr).toContain(
      'Starting Codex as "codex": there is no program of this name. "npm install -g @openai/codex"',
    )
    expect(listFolders(home)).toEqual([])
  })

  test.each([
    [['pi'], 'pi needs no wrap: precis install pi'],
    [['emacs'], 'claude-code, codex'],
    [['claude', '--resume'], "unknown option '--resume'"],
    [['claude', '--upstream-anthropic', 'ftp://a'], 'The upstream "anthropic" is no address'],
  ])('refuses %j', async (words, problem) => {
    const { code, stderr } = await runPrecis(createHome(), ['wrap', ...words])
    expect(code).toBe(2)
    expect(stderr).toContain(problem)
  })

  test('gives signals to the agent, and its end is the end', { tags: 'slow' }, async () => {
    const upstream = await startUpstream()
    const world = createAgentHome()
    const words = ['claude', '--upstream-anthropic', upstream.url, '--', 'wait']
    const { code } = await start(world, words, {
      onStart: (child) => void hasReported(world).then(() => child.kill('SIGTERM')),
    })
    expect(code).toBe(3)
    expect(listFolders(world.home)).toEqual([])
    const died = await start(world, ['claude', '--upstream-anthropic', upstream.url, '--', 'die'])
    expect(died.code).toBe(137)
  })

  test('removes the folder of a run that was killed', { tags: 'slow' }, async () => {
    const upstream = await startUpstream()
    const world = createAgentHome()
    const words = ['claude', '--upstream-anthropic', upstream.url, '--', 'wait']
    await start(world, words, {
      onStart: (child) =>
        void hasReported(world).then(() => {
          const agent = readChild(child.pid)
          child.kill('SIGKILL')
          process.kill(agent, 'SIGKILL')
        }),
    })
    expect(listFolders(world.home)).toHaveLength(1)
    const foreign = join(world.home, '.local/share/precis/running/mine')
    mkdirSync(foreign)
    writeFileSync(join(foreign, 'process.json'), '{"process":1,"startedAt":"0","host":"x"}')
    await start(world, ['claude', '--upstream-anthropic', upstream.url])
    expect(listFolders(world.home)).toEqual(['mine'])
  })
})

function startGatewayHere(home: string, anthropic: string): Promise<Gateway> {
  return startGateway({
    version: VERSION,
    port: 0,
    host: '127.0.0.1',
    upstreams: { ...defaultUpstreams, anthropic },
    database: join(home, 'archive.db'),
    archive: undefined,
    saves: false,
    note: () => {},
  })
}

/** The only child of a process. */
function readChild(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}
