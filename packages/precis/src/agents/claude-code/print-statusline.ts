/**
 * What `precis statusline` prints. It is a separate bundle that loads almost nothing, because
 * Claude Code starts it again for every update and discards it if it is slow.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { isatty } from 'node:tty'
import { renderStatusLine, type SessionEnd, type StatusLine } from './render-statusline.ts'

// In an active session, the latest usage is within the last few lines.
const END_BYTES = 1 << 18

/** Never fails. Leaves out anything unknown. */
export async function printStatusLine(): Promise<void> {
  try {
    const status = parseObject(isatty(0) ? '' : await readInput())
    if (!status) return
    const { transcript_path: path } = status
    const line = renderStatusLine(status as StatusLine, {
      end: typeof path === 'string' ? readSessionEnd(path) : undefined,
      columns: Number(process.env.COLUMNS) || Number.POSITIVE_INFINITY,
      hasColors: !process.env.NO_COLOR,
      nowMs: Date.now(),
    })
    if (line !== '') process.stdout.write(`${line}\n`)
  } catch {
    // An empty line is better than an error message in the user's terminal.
  }
}

async function readInput(): Promise<string> {
  try {
    return readFileSync(0, 'utf8')
  } catch {
    // The input is a pipe that does not block.
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks).toString()
  }
}

/** The latest usage of the session's own requests, and the lifetime of its last cache write. */
function readSessionEnd(path: string): SessionEnd | undefined {
  let end: SessionEnd | undefined
  for (const line of readLastLines(path).reverse()) {
    if (!line.includes('"usage"')) continue
    const { timestamp, isSidechain, message } = parseObject(line) ?? {}
    const { usage } = (message ?? {}) as { usage?: SessionEnd['usage'] }
    const timeMs = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
    if (!usage || isSidechain === true || Number.isNaN(timeMs)) continue
    end ??= { timeMs, usage, isLong: false }
    const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } =
      usage.cache_creation ?? {}
    if (Number(long) > 0) return { ...end, isLong: true }
    if (Number(short) > 0) return end
  }
  return end
}

function readLastLines(path: string): string[] {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const { size } = fstatSync(file)
    const buffer = Buffer.alloc(Math.min(size, END_BYTES))
    const bytes = readSync(file, buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString('utf8', 0, bytes).split('\n')
  } catch {
    return []
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
