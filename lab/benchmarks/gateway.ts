import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../../test/free-port.suite.ts'
import type { Row } from './measure.ts'

const COMMAND = fileURLToPath(new URL('../../packages/precis/bin/precis.js', import.meta.url))
const PLAIN = fileURLToPath(new URL('plain-proxy.ts', import.meta.url))
const ROUNDS = 3000
const WARM_UP = 300
const TOKENS = 32_000
const CHARACTERS_PER_TOKEN = 4

/** The gateway in a process of its own, beside a reverse proxy that does nothing else. */
export async function measureGateway(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-gateway-'))
  const upstream = await startUpstream()
  const children: ChildProcess[] = []
  const start = async (words: readonly string[]) => {
    const { HTTPS_PROXY: _, HTTP_PROXY: __, ...environment } = process.env
    const child = spawn(process.execPath, words, {
      env: { ...environment, HOME: folder, XDG_DATA_HOME: folder },
    })
    children.push(child)
    const [line] = await once(child.stdout, 'data')
    return /http:\/\/[\d.]+:\d+/.exec(String(line))?.[0] ?? ''
  }
  try {
    const plain = await start(['--import', 'tsx', PLAIN, upstream.url])
    const port = String(await findFreePort())
    const precis = await start([
      COMMAND,
      'serve',
      '--port',
      port,
      '--upstream-anthropic',
      upstream.url,
    ])
    const body = createBody()
    const ask = {
      plain: createClient(plain, body),
      precis: createClient(precis, body),
      direct: createClient(upstream.url, body),
    }
    const whole = { plain: [], precis: [] } as Record<'plain' | 'precis', number[]>
    const first = { plain: [], precis: [], direct: [] } as Record<keyof typeof ask, number[]>
    // In turn, so that whatever else the machine does slows down all of them.
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (const name of ['plain', 'precis'] as const) {
        const { lastMs } = await ask[name](false)
        if (round >= 0) whole[name].push(lastMs)
      }
      for (const name of ['plain', 'precis', 'direct'] as const) {
        const { firstMs } = await ask[name](true)
        if (round >= 0) first[name].push(firstMs)
      }
    }
    return [
      over('a request of 32 000 tokens, median', whole.precis, whole.plain, 0.5, 1),
      over('a request of 32 000 tokens, 99th percentile', whole.precis, whole.plain, 0.99, 5),
      over('the first byte of a stream, median', first.precis, first.plain, 0.5, 1),
      over(
        'the first byte of a stream, median, over no proxy at all',
        first.precis,
        first.direct,
        0.5,
        2,
      ),
    ]
  } finally {
    for (const child of children) child.kill()
    upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function over(
  name: string,
  measured: readonly number[],
  base: readonly number[],
  share: number,
  limitMs: number,
): Row {
  const [here, there] = [quantile(measured, share), quantile(base, share)]
  const addedMs = here - there
  return {
    name: `${name}: ${here.toFixed(2)} ms against ${there.toFixed(2)}`,
    value: `+ ${addedMs.toFixed(2)} ms`,
    bar: `≤ + ${limitMs} ms`,
    passed: addedMs <= limitMs,
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function createBody(): string {
  const content = 'a line of code that says something; '.repeat(
    (TOKENS * CHARACTERS_PER_TOKEN) / 36,
  )
  return JSON.stringify({
    model: 'claude-opus-4-8',
    max_tokens: 100,
    messages: [{ role: 'user', content }],
  })
}

type Ask = (isStream: boolean) => Promise<{ readonly firstMs: number; readonly lastMs: number }>

/** Over one connection, as an agent has it. */
function createClient(url: string, body: string): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (isStream) =>
    new Promise((resolve, reject) => {
      const started = performance.now()
      let firstMs = 0
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-api-key': 'k',
      }
      const path = isStream ? '/v1/messages?stream' : '/v1/messages'
      const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (response) => {
        response.on('data', () => {
          firstMs ||= performance.now() - started
        })
        response.on('end', () => resolve({ firstMs, lastMs: performance.now() - started }))
      })
      sent.on('error', reject)
      sent.end(body)
    })
}

async function startUpstream() {
  const server = createServer((incoming, response) => {
    incoming.resume()
    incoming.on('end', () => {
      if (!incoming.url?.endsWith('stream')) {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"usage":{"input_tokens":32000,"output_tokens":9}}')
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: ping\ndata: {"type":"ping"}\n\n')
      setImmediate(() => response.end('event: message_stop\ndata: {"type":"message_stop"}\n\n'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, close }
}
