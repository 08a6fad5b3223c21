/**
 * The command as a separate process, with real servers behind it. Tests check the bytes that these
 * servers got.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { BIN } from '../cli/command.suite.ts'
import { type Answered, ask, type Received } from './gateway.suite.ts'
import { upstreamNames } from './upstreams.ts'

export interface Peer {
  readonly url: string
  readonly received: readonly Received[]
  close(): void
}

export type PeerAnswer = (received: Received, response: ServerResponse) => unknown

/** An upstream that runs as long as a file of tests. */
export async function startPeer(
  answer: PeerAnswer = (_, response) => response.end('{}'),
): Promise<Peer> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', rawHeaders, headers } = request
    response.on('error', () => {})
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const one = { method, url, rawHeaders, headers, body }
    received.push(one)
    await answer(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null)
    throw new TypeError('Listening: there is no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export interface ServedOptions {
  /** Two gateways with one home share one key and one database. */
  readonly home: string
  readonly upstream: string
  readonly words?: readonly string[]
}

export interface ServedGateway {
  readonly url: string
  readonly process: ChildProcess
  /** All messages for people so far. */
  readNotes(): string
  /** Resolves when the process has ended. */
  end(signal?: NodeJS.Signals): Promise<void>
}

const ADDRESS = /precis serves on (http:\/\/\S+)\. /

/** All upstreams have one address. Resolves when the gateway accepts requests. */
export function startServed({ home, upstream, words = [] }: ServedOptions): Promise<ServedGateway> {
  return new Promise((resolve, reject) => {
    const upstreams = upstreamNames.flatMap((name) => [`--upstream-${name}`, upstream])
    const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', ...upstreams, ...words], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    let notes = ''
    const gone = new Promise<void>((left) => child.once('exit', () => left()))
    child.stderr.on('data', (chunk: Buffer) => {
      notes += chunk.toString()
    })
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [, url] = ADDRESS.exec(said) ?? []
      if (url === undefined) return
      const end = (signal: NodeJS.Signals = 'SIGKILL') => {
        child.kill(signal)
        return gone
      }
      resolve({ url, process: child, readNotes: () => notes, end })
    })
    child.once('error', reject)
    void gone.then(() => reject(new Error(`precis serve ended: ${notes}${said}`)))
  })
}

/** A request as an agent sends it. */
export interface SentRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export function send(
  gateway: Pick<ServedGateway, 'url'>,
  { path, headers, body }: SentRequest,
): Promise<Answered> {
  return ask(gateway.url + path, {
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
}

/** The value of one metric, by name and labels as in Prometheus. */
export async function readMetric(
  { url }: Pick<ServedGateway, 'url'>,
  line: string,
): Promise<number> {
  const { body } = await ask(`${url}/metrics`, { method: 'GET' })
  const found = body
    .toString()
    .split('\n')
    .find((text) => text.startsWith(`${line} `))
  return Number(found?.slice(line.length + 1) ?? 0)
}
