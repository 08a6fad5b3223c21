/**
 * The requests of a session of Claude Code, and what it was billed for them. Since 2.1.332 it also
 * records each request of the session itself. At every exit it records a sum over everything that
 * it ever sent:
 *
 *   api-request-shape   system prompt and tools
 *   api-request         model, beta headers, which of these shapes
 *   cost-state          the sum, with sub-agents and compactions; `startTime` stays in a fork
 */
import type { Part } from '@precis/core'
import type { ByteSource } from '@precis/core/formats'
import {
  asCount,
  asObject,
  asText,
  holdsText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../files/lines.ts'
import { type BilledRequest, type BilledSum, readAnswerParts, sumTokens } from '../shared/billed.ts'
import { readTime } from '../shared/session-lines.ts'

const LONG_WINDOW_TOKENS = 1_000_000
const LONG_WINDOW_BETA = 'context-1m-'
const REQUEST = '"type":"api-request",'
const SHAPE = '"type":"api-request-shape",'
const SUM = '"type":"cost-state",'

/**
 * Since 2.1.332, an answer names the requested model, such as `claude-sonnet-4-5[1m]`, and a record
 * of the request has its beta headers. If both are missing, or the long window was not requested,
 * the window follows from the model.
 */
export function readWindowTokens(source: ByteSource): number | undefined {
  let newest: Buffer | undefined
  for (const line of readLines(source)) {
    if (line.includes('"requestedModel"') || line.includes(REQUEST)) newest = line
  }
  const { requestedModel, params } = (newest && parseObject(newest)) ?? {}
  const betas: unknown = asObject(params)?.betas
  const isLong =
    asText(requestedModel)?.endsWith('[1m]') ??
    (Array.isArray(betas) && betas.some((beta) => asText(beta)?.startsWith(LONG_WINDOW_BETA)))
  return isLong ? LONG_WINDOW_TOKENS : undefined
}

/** Several entries of one message and request are one. The last of them has the final numbers. */
export function readRequests(source: ByteSource): BilledRequest[] {
  const requests = new Map<string, readonly BilledRequest[]>()
  const answers = new Map<string, Part[]>()
  let record = -1
  for (const line of readLines(source)) {
    record++
    const read = readRequest(line, record)
    if (!read) continue
    const { key, request, apart } = read
    const answer = answers.get(key) ?? []
    answer.push(...request.answer)
    answers.set(key, answer)
    requests.set(key, [...apart, { ...request, answer }])
  }
  return [...requests.values()].flat()
}

/**
 * Undefined for an answer without tokens. Claude Code and precis remove the numbers from an answer
 * that is carried into a shorter history.
 */
function readRequest(line: Buffer, record: number) {
  const entry = line.includes('"usage"') ? parseObject(line) : undefined
  const message = asObject(entry?.message)
  const usage = asObject(message?.usage)
  const name = asText(message?.id)
  const requestId = asText(entry?.requestId)
  const model = asText(message?.model)
  if (!usage || !name || !model || model === '<synthetic>') return undefined
  const known = { model, record, timeMs: readTime(entry?.timestamp) }
  // Some servers restart the numbers of their answers on every start.
  const id = `${name} ${requestId ?? asText(entry?.timestamp) ?? ''}`
  const answer = readAnswerParts(message?.content)
  const request = { ...known, id, answer, ...readTokens(usage) }
  const apart = readApart(usage).map((one, index) => ({ ...known, id: `${id} ${index}`, ...one }))
  const key = `${name} ${requestId ?? ''}`
  return sumTokens(request) > 0 ? { key, request, apart } : undefined
}

function readTokens(usage: JsonObject) {
  const cacheWrite = asCount(usage.cache_creation_input_tokens)
  const cacheWriteLong = asCount(asObject(usage.cache_creation)?.ephemeral_1h_input_tokens)
  return {
    input: asCount(usage.input_tokens),
    cachedInput: asCount(usage.cache_read_input_tokens),
    cacheWrite: Math.max(cacheWrite - cacheWriteLong, 0),
    cacheWriteLong,
    output: asCount(usage.output_tokens),
  }
}

/**
 * What the other numbers of an answer do not contain, although it is billed: a compaction on the
 * server, and an advisor, which names its own model
 * (platform.claude.com/docs/en/build-with-claude/compaction-threshold, read in November 2026).
 */
function readApart({ iterations }: JsonObject) {
  return (Array.isArray(iterations) ? iterations : []).flatMap((iteration: unknown) => {
    const usage = asObject(iteration)
    if (!usage || !APART.has(asText(usage.type) ?? '')) return []
    const model = asText(usage.model)
    return [{ ...(model !== undefined && { model }), ...readTokens(usage) }]
  })
}

const APART: ReadonlySet<string> = new Set(['compaction', 'advisor_message'])

/**
 * The first sum is zero, unless requests of another session are before its own. Then it continues
 * from the sum of that session.
 */
export function readSums(source: ByteSource): BilledSum[] {
  if (!holdsText(source, [SUM])) return []
  const sums: BilledSum[] = []
  let isNew: boolean | undefined
  let record = -1
  for (const line of readLines(source)) {
    record++
    if (line.includes(REQUEST)) isNew ??= true
    else if (isNew === undefined && readRequest(line, record)) isNew = false
    const entry = line.includes(SUM) ? parseObject(line) : undefined
    if (entry?.type !== 'cost-state') continue
    const { startTime } = entry
    const account = typeof startTime === 'string' ? startTime : `${asCount(startTime)}`
    if (sums.length === 0 && isNew) sums.push({ account, record: -1, models: [] })
    const models = Object.entries(asObject(entry.modelUsage) ?? {}).map(readModelUsage)
    sums.push({ account, record, models })
  }
  return sums
}

function readModelUsage([model, value]: [string, unknown]): BilledSum['models'][number] {
  const usage = asObject(value)
  const cacheWriteLong = asCount(usage?.cacheCreationEphemeral1hInputTokens)
  return {
    model,
    input: asCount(usage?.inputTokens),
    cachedInput: asCount(usage?.cacheReadInputTokens),
    cacheWrite: Math.max(asCount(usage?.cacheCreationInputTokens) - cacheWriteLong, 0),
    cacheWriteLong,
    output: asCount(usage?.outputTokens),
  }
}

/** From the latest request of the session itself. Ignores sub-agents. */
export function readFixed(source: ByteSource): readonly string[] | undefined {
  let newest: Buffer | undefined
  for (const line of readLines(source))
    if (line.includes(REQUEST) && !line.includes('"agentId"')) newest = line
  const hash = asText(newest && parseObject(newest)?.shapeHash)
  if (hash === undefined) return undefined
  for (const line of readLines(source)) {
    if (!line.includes(SHAPE) || !line.includes(hash)) continue
    const { system, tools } = asObject(parseObject(line)?.shape) ?? {}
    return [system, tools].flat().map((part) => asText(asObject(part)?.text) ?? toText(part))
  }
  return undefined
}

const toText = (value: unknown = ''): string =>
  typeof value === 'string' ? value : JSON.stringify(value)
