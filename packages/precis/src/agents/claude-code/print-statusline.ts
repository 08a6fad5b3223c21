/**
 * What `precis statusline` prints. It is a separate bundle that loads almost nothing, because
 * Claude Code starts it again for every update and discards it if it is slow.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { isatty } from 'node:tty'
import { findModel } from '@precis/core'
import type { Prices } from '@precis/core/models'

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

/**
 * The fields that precis uses of what Claude Code passes to a status line
 * (code.claude.com/docs/en/statusline). Any of them may be absent or null.
 */
export interface StatusLine {
  readonly model?: { readonly id?: unknown } | null
  readonly context_window?: {
    readonly context_window_size?: unknown
    readonly used_percentage?: unknown
    readonly current_usage?: StatusUsage | null
  } | null
}

interface StatusUsage {
  readonly input_tokens?: unknown
  readonly cache_creation_input_tokens?: unknown
  readonly cache_read_input_tokens?: unknown
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: unknown
    readonly ephemeral_1h_input_tokens?: unknown
  } | null
}

/** What the end of the session's file shows. */
export interface SessionEnd {
  readonly usage: StatusUsage
  /** The time of the answer to that request, in milliseconds since 1970. */
  readonly timeMs: number
  /** Whether the last cache write was for the longer lifetime. */
  readonly isLong: boolean
}

interface StatusOptions {
  readonly end: SessionEnd | undefined
  readonly columns: number
  readonly hasColors: boolean
  readonly nowMs: number
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const LIFETIME_MS = 5 * MINUTE_MS
const LONG_LIFETIME_MS = 60 * MINUTE_MS
const SEPARATOR = ' │ '

/** As many of its parts as fit. Empty if nothing is known. */
export function renderStatusLine(
  status: StatusLine,
  { end, columns, hasColors, nowMs }: StatusOptions,
): string {
  const paint = (code: number, text: string) =>
    hasColors ? `\u001b[${code}m${text}\u001b[0m` : text
  const parts: string[] = []
  let room = columns
  for (const part of listParts(status, end, nowMs)) {
    const length = part.text.length + (parts.length > 0 ? SEPARATOR.length : 0)
    if (length > room) break
    room -= length
    parts.push(part.color === undefined ? part.text : paint(part.color, part.text))
  }
  return parts.join(paint(DIM, SEPARATOR))
}

const DIM = 2
const RED = 31
const GREEN = 32
const YELLOW = 33

interface StatusPart {
  /** Contains only characters that are one column wide. */
  readonly text: string
  readonly color?: number
}

/** Most important first. */
function* listParts(
  status: StatusLine,
  end: SessionEnd | undefined,
  nowMs: number,
): Generator<StatusPart> {
  const { context_window: window, model } = status
  const usage = window?.current_usage
  const tokens = usage ? countPrompt(usage) : 0
  const size = asNumber(window?.context_window_size)
  const share = size && tokens > 0 ? tokens / size : (asNumber(window?.used_percentage) ?? 0) / 100
  if (share > 0) yield renderGauge(share)
  const leftMs =
    end && isCached(end.usage)
      ? end.timeMs + (end.isLong ? LONG_LIFETIME_MS : LIFETIME_MS) - nowMs
      : 0
  if (end)
    yield leftMs > 0
      ? { text: `cache warm · ${renderTime(leftMs)} left`, color: GREEN }
      : { text: 'cache cold', color: DIM }
  const prices =
    typeof model?.id === 'string' ? findModel(model.id).pricesPerMillionTokens : undefined
  if (tokens > 0 && prices && end)
    yield { text: renderCosts(tokens, prices, { leftMs, isLong: end.isLong }) }
}

const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

const countPrompt = ({
  input_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
}: StatusUsage): number =>
  [input_tokens, cache_creation_input_tokens, cache_read_input_tokens].reduce<number>(
    (sum, one) => sum + (asNumber(one) ?? 0),
    0,
  )

const isCached = ({
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
}: StatusUsage): boolean => (asNumber(written) ?? 0) + (asNumber(read) ?? 0) > 0

const GAUGE_CELLS = 10
const HALF = 0.5
const NEARLY_FULL = 0.8

function renderGauge(share: number): StatusPart {
  const filled = Math.min(Math.round(share * GAUGE_CELLS), GAUGE_CELLS)
  const color = share < HALF ? GREEN : share < NEARLY_FULL ? YELLOW : RED
  return {
    text: `${'█'.repeat(filled)}${'░'.repeat(GAUGE_CELLS - filled)} ${Math.round(share * 100)} %`,
    color,
  }
}

function renderTime(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

// The size of twelve summaries that Claude Code recorded in sessions of 110,000 tokens is 2,348 to
// 4,065 tokens.
const SUMMARY_TOKENS = 3000
const MILLION = 1_000_000

/**
 * The request that compacts reads the whole context: from the cache while it lives, later by
 * writing it to the cache again.
 */
function renderCosts(
  tokens: number,
  prices: Prices,
  { leftMs, isLong }: { leftMs: number; isLong: boolean },
): string {
  const { cachedInput, cacheWrite, cacheWriteLong = cacheWrite, output, longContext } = prices
  const isOver = longContext !== undefined && tokens > longContext.fromTokens
  const price = (input: number) =>
    (tokens * input * (isOver ? longContext.inputFactor : 1) +
      SUMMARY_TOKENS * output * (isOver ? longContext.outputFactor : 1)) /
    MILLION
  const cold = renderPrice(price(isLong ? cacheWriteLong : cacheWrite))
  if (leftMs <= 0) return `compact now ${cold}`
  return `compact now ${renderPrice(price(cachedInput))}, in ${Math.ceil(leftMs / MINUTE_MS)} min ${cold}`
}

const renderPrice = (dollars: number): string => `$${dollars.toFixed(2)}`
