import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renderText } from './histories.ts'
import { compare, type Row } from './measure.ts'

const command = fileURLToPath(new URL('../../packages/precis/bin/precis.js', import.meta.url))
const MEGABYTE = 1_000_000
const MOST_SECONDS = 60

/**
 * The built command with large files, one at a time: what keeping the original costs, and the most
 * memory that it takes.
 */
export async function measureLargeSessions(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-bench-'))
  try {
    return [
      measureKeeping(folder),
      ...measureMost(
        writeSession(folder, 1000 * MEGABYTE, { compactedAfter: 500 }),
        '1 GB that its agent compacted',
        512,
      ),
      ...measureMost(
        writeSession(folder, 301 * MEGABYTE, { resultBytes: 300 * MEGABYTE }),
        'a line of 300 MB',
        1000,
      ),
      ...measureMost(
        writeRequest(folder, 300 * MEGABYTE),
        'a request with one message of 300 MB',
        1000,
      ),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Processor time, as other processes must not spoil the ratio; what other threads do counts too.
 */
function measureKeeping(folder: string): Row {
  const file = writeSession(folder, 100 * MEGABYTE)
  const bare = compress(file, '--no-archive').seconds
  const kept = compress(file).seconds
  const name = `compressing 100 MB that never repeat and keeping the original: over compressing alone (${bare.toFixed(0)} s)`
  return compare(name, kept / bare, 1.5)
}

/** Work that is refused has to be refused soon. */
function measureMost(file: string, what: string, mostMegabytes: number): Row[] {
  const { seconds, megabytes, exitCode } = compress(file)
  const limit = (name: string, value: number, most: number, unit: string): Row => ({
    name: `${what}, ${exitCode === 0 ? 'compressed and kept' : 'refused'}: ${name}`,
    value: `${value.toFixed(0)} ${unit}`,
    bar: `≤ ${most} ${unit}`,
    passed: value <= most,
  })
  const memory = limit('resident memory', megabytes, mostMegabytes, 'MB')
  return exitCode === 0 ? [memory] : [memory, limit('processor time', seconds, MOST_SECONDS, 's')]
}

interface Run {
  readonly seconds: number
  readonly megabytes: number
  readonly exitCode: number | null
}

// The system's own numbers about the process, as the last line that it writes.
const REPORT = `data:text/javascript,${encodeURIComponent(`process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  console.error(userCPUTime + systemCPUTime, maxRSS)
})`)}`

/** In a home of its own, so that the archive has nothing of it yet. */
function compress(file: string, ...flags: readonly string[]): Run {
  const home = mkdtempSync(`${file}-home-`)
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--import', REPORT, command, 'compress', file, '--out', join(home, 'result.jsonl'), ...flags],
    {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: home,
        XDG_DATA_HOME: home,
        XDG_CONFIG_HOME: home,
        XDG_CACHE_HOME: home,
      },
    },
  )
  rmSync(home, { recursive: true })
  const [microseconds = 0, kilobytes = 0] =
    stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? []
  if (!(kilobytes > 0)) throw new Error(`Compressing a large session: ${stderr}`)
  return { seconds: microseconds / 1e6, megabytes: (kilobytes * 1024) / MEGABYTE, exitCode: status }
}

interface SessionShape {
  /** Of the result of a call. */
  readonly resultBytes?: number
  /** How many records come before each compaction of the agent; it never compacts by default. */
  readonly compactedAfter?: number
}

const TURN_RECORDS = 20
const SHORT_TEXT = 300
// In the place of a text, which may be larger than what is written at once.
const TEXT = 'TEXT'

/** A session of Claude Code in which no text comes twice: rounds of a call and its result. */
function writeSession(
  folder: string,
  bytes: number,
  { resultBytes = 6_000, compactedAfter }: SessionShape = {},
): string {
  return writeFile(folder, (write) => {
    for (let index = 0, written = 0; written < bytes; index++) {
      const isCompaction = compactedAfter !== undefined && index > 0 && index % compactedAfter === 0
      const isResult = index % 2 === 0 && index % TURN_RECORDS > 0
      const [before = '', after] = renderRecord(index, isCompaction).split(TEXT)
      written += write(before)
      if (after !== undefined)
        written += writeText(write, index, isResult ? resultBytes : SHORT_TEXT)
      written += write(`${after ?? ''}\n`)
    }
  })
}

function writeRequest(folder: string, bytes: number): string {
  return writeFile(folder, (write) => {
    write('{"model":"gpt-5","messages":[{"role":"user","content":"')
    writeText(write, 0, bytes)
    write('"},{"role":"assistant","content":"Done."},{"role":"user","content":"Go on."}]}')
  })
}

type Write = (text: string) => number

function writeFile(folder: string, fill: (write: Write) => void): string {
  const path = join(folder, 'session.jsonl')
  const descriptor = openSync(path, 'w')
  fill((text) => writeSync(descriptor, text))
  closeSync(descriptor)
  return path
}

/** As the inside of a string in JSON, a megabyte at a time. */
function writeText(write: Write, seed: number, bytes: number): number {
  let written = 0
  for (let piece = 0; written < bytes; piece++) {
    const text = renderText(seed + piece * MEGABYTE, Math.min(bytes - written, MEGABYTE))
    written += write(JSON.stringify(text).slice(1, -1))
  }
  return written
}

function renderRecord(index: number, isCompaction: boolean): string {
  const position = index % TURN_RECORDS
  const id = `toolu_${index - 1 + (position % 2)}`
  const frame = {
    parentUuid: index === 0 || isCompaction ? null : renderUuid(index - 1),
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/gateway',
    sessionId: '3f2a9c1e-5b7d-4e86-9a40-c2d81f06b735',
    version: '2.1.178',
    uuid: renderUuid(index),
    timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
  }
  if (isCompaction)
    return JSON.stringify({ ...frame, type: 'system', subtype: 'compact_boundary', content: TEXT })
  if (position % 2 === 1) {
    const call = {
      type: 'tool_use',
      id,
      name: 'Read',
      input: { file_path: `/home/dev/gateway/src/part-${index}.ts` },
    }
    const content = [position === TURN_RECORDS - 1 ? { type: 'text', text: TEXT } : call]
    const message = {
      model: 'claude-opus-4-8',
      id: `msg_${index}`,
      type: 'message',
      role: 'assistant',
      content,
    }
    return JSON.stringify({ ...frame, type: 'assistant', message })
  }
  const content =
    position === 0
      ? TEXT
      : [{ tool_use_id: id, type: 'tool_result', content: TEXT, is_error: false }]
  return JSON.stringify({ ...frame, type: 'user', message: { role: 'user', content } })
}

function renderUuid(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
}
