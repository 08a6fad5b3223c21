import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../../../test/free-port.suite.ts'
import { type CommandResult, createHome, runPrecis, startPrecis } from './command.suite.ts'

/** A server that answers everything with the requested path. */
async function startUpstream(): Promise<string> {
  const server = createServer(
    (request, response) => void response.end(`got ${request.url}`),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

interface Running {
  readonly url: string
  readonly child: ChildProcess
  readonly ended: Promise<CommandResult>
}

/** Uses a free port, whose number the server prints. */
async function startServing(
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<Running> {
  const port = await findFreePort()
  let child: ChildProcess | undefined
  const ended = startPrecis(createHome(), ['serve', '--port', String(port), ...words], {
    environment,
    keepsInputOpen: true,
    onStart: (started) => {
      child = started
    },
  })
  if (!child?.stdout) throw new TypeError('Starting precis: it has no output.')
  const running = child
  onTestFinished(() => void running.kill('SIGKILL'))
  await Promise.race([once(child.stdout, 'data'), ended])
  return { url: `http://127.0.0.1:${port}`, child, ended }
}

describe('precis serve', () => {
  test('passes requests on to the upstream that is named, says how agents find it, and ends when it is told to', async () => {
    const upstream = await startUpstream()
    const { url, child, ended } = await startServing(['--upstream-anthropic', `${upstream}/base`])
    const answer = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{}' })
    expect(await answer.text()).toBe('got /base/v1/messages')
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    expect(code).toBe(0)
    expect(stdout).toContain(`ANTHROPIC_BASE_URL=${url}\n`)
    expect(stderr).toContain('finishing')
  })

  test('says which program has the port already', { tags: 'slow' }, async () => {
    const { url, child, ended } = await startServing([])
    const { port } = new URL(url)
    const { code, stderr } = await startPrecis(createHome(), ['serve', '--port', port])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/precis \d+\.\d+\.\d+ serves there already/),
    ])
    expect(stderr).not.toContain('cannot act')
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    const other = await startUpstream()
    const taken = await runPrecis(createHome(), ['serve', '--port', new URL(other).port])
    expect([taken.code, taken.stderr]).toEqual([
      1,
      expect.stringContaining('another program has this port'),
    ])
  })

  test('is not reached from elsewhere without a token', { tags: 'slow' }, async () => {
    const { code, stderr } = await runPrecis(createHome(), ['serve', '--host', '0.0.0.0'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('Give --token or PRECIS_TOKEN')])
    const token = 'a-token-of-24-characters'
    const { url, child, ended } = await startServing(['--host', '0.0.0.0'], { PRECIS_TOKEN: token })
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    expect((await fetch(`${url}/t/${token}/metrics`)).status).toBe(200)
    child.kill('SIGTERM')
    const { stdout } = await ended
    expect(stdout).not.toContain(token)
    expect(stdout).toContain(`Its page: ${url}/t/$PRECIS_TOKEN/\n`)
  })

  test('takes its settings from the configuration, and flags before them', async () => {
    const { code, stderr } = await runPrecis(createHome(), [
      'serve',
      '--upstream-openai',
      'https://user:secret@host',
    ])
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('The upstream "openai" has a user or a password'),
    ])
    expect(stderr).not.toContain('secret')
  })
})
