import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { findFreePort } from '../../../../test/free-port.suite.ts'
import { startUpstream } from '../gateway/gateway.suite.ts'
import { BIN, createHome, startNode } from './command.suite.ts'

const STREAMS = 100
/** `PRECIS_SOAK_SECONDS=300` for five minutes. */
const SECONDS = Number(process.env.PRECIS_SOAK_SECONDS ?? 60)
const EVENTS_PER_STREAM = 60
const BETWEEN_EVENTS_MS = 50
const BLOCKED_MS = 50
/**
 * Work of ours that blocks does so for each of the thousands of requests, or on a timer. What
 * blocks once in a while is a full garbage collection on a busy machine.
 */
const MOST_BLOCKS_PER_MINUTE = 3
const MOST_GROWTH = 24 << 20

/**
 * On SIGUSR2, prints a line with the memory, and how often its own work blocked the event loop for
 * above `BLOCKED_MS`. Time of other processes does not count.
 */
const WATCH = `
const { appendFileSync } = require('node:fs')
require('node:v8').setFlagsFromString('--expose-gc')
const gc = require('node:vm').runInNewContext('gc')
const EVERY_MS = 5
let blocks = [], last = performance.now(), cpu = process.cpuUsage()
setInterval(() => {
  const now = performance.now(), { user, system } = process.cpuUsage(cpu)
  const blockedMs = Math.min(now - last - EVERY_MS, (user + system) / 1000)
  if (blockedMs > ${BLOCKED_MS}) blocks.push(blockedMs)
  last = now
  cpu = process.cpuUsage()
}, EVERY_MS).unref()
process.on('SIGUSR2', () => {
  const blocked = blocks
  gc()
  const { heapUsed, external } = process.memoryUsage()
  appendFileSync(process.env.WATCHED, JSON.stringify({ blocked, bytes: heapUsed + external }) + '\\n')
  last = performance.now()
  cpu = process.cpuUsage()
  blocks = []
})
`

interface Sample {
  /** In milliseconds each. */
  readonly blocked: readonly number[]
  readonly bytes: number
}

interface Watched {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  /** Takes one more sample. */
  sample(): Promise<Sample>
}

function watch(words: readonly string[]): Watched {
  const home = createHome()
  const file = join(home, 'watched.jsonl')
  writeFileSync(file, '')
  writeFileSync(join(home, 'watch.cjs'), WATCH)
  let started: ChildProcess | undefined
  const ended = startNode(home, ['--require', join(home, 'watch.cjs'), ...words], {
    keepsInputOpen: true,
    environment: { WATCHED: file, XDG_DATA_HOME: home },
    onStart: (child) => {
      started = child
    },
  })
  if (!started) throw new TypeError('Starting the gateway: there is no process.')
  const child = started
  let count = 0
  const read = () => readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return {
    child,
    ended,
    async sample() {
      child.kill('SIGUSR2')
      count++
      await expect.poll(() => read().length).toBe(count)
      const sample: Sample = JSON.parse(read().at(-1) ?? '')
      return sample
    },
  }
}

describe('a hundred streams at a time', () => {
  test('for a minute: no error, no byte lost, no more memory, and no wait for anybody', {
    tags: ['slow'],
    timeout: (SECONDS + 120) * 1000,
  }, async () => {
    const upstream = await startUpstream((_, response) => sendStream(response))
    const port = String(await findFreePort())
    const gateway = watch([BIN, 'serve', '--port', port, '--upstream-anthropic', upstream.url])
    try {
      if (gateway.child.stdout)
        await Promise.race([once(gateway.child.stdout, 'data'), gateway.ended])
      const url = `http://127.0.0.1:${port}/v1/messages`
      const run = async (seconds: number) => {
        const until = performance.now() + seconds * 1000
        const lane = async (index: number) => {
          // They begin one after another: a hundred that begin at once wait for one another.
          await setTimeout((index * EVENTS_PER_STREAM * BETWEEN_EVENTS_MS) / STREAMS)
          while (performance.now() < until) expect(await readStream(url)).toBe(EXPECTED)
        }
        await Promise.all(Array.from({ length: STREAMS }, (_, index) => lane(index)))
      }
      // Runs until all code was used and all pools are full.
      await run(SECONDS / 6)
      const before = await gateway.sample()
      await run(SECONDS)
      const after = await gateway.sample()
      expect(after.bytes - before.bytes).toBeLessThan(MOST_GROWTH)
      expect(
        after.blocked.length,
        `blocked for ${after.blocked.join(', ')} ms`,
      ).toBeLessThanOrEqual((MOST_BLOCKS_PER_MINUTE * SECONDS) / 60)
    } finally {
      gateway.child.kill('SIGKILL')
      await gateway.ended
    }
  })
})

const EVENTS = Array.from({ length: EVENTS_PER_STREAM }, (_, index) => {
  const delta = { type: 'text_delta', text: `word ${index} `.repeat(8) }
  return `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta })}\n\n`
})
const EXPECTED = createHash('sha256').update(EVENTS.join('')).digest('hex')

async function sendStream(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of EVENTS) {
    response.write(event)
    await setTimeout(BETWEEN_EVENTS_MS)
  }
  response.end()
}

/** Returns its hash. Rejects if it is cut short. */
function readStream(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha256')
    const request = httpRequest(
      url,
      { method: 'POST', headers: { 'x-api-key': 'k' } },
      (response) => {
        response.on('data', (chunk: Buffer) => hash.update(chunk))
        response.on('error', reject)
        response.on('end', () => resolve(hash.digest('hex')))
      },
    )
    request.on('error', reject)
    request.end(
      JSON.stringify({
        model: 'claude-opus-4-8',
        stream: true,
        messages: [{ role: 'user', content: 'x'.repeat(20_000) }],
      }),
    )
  })
}
