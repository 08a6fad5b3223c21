/** What the provider billed, as the agent wrote it down. */
import { type BilledTokens, findModel, type Model, priceTokens } from '@precis/core'
import type { ByteSource } from '@precis/core/formats'
import type { Agent } from './agent-home.ts'
import type { BilledRequest } from './billed-request.ts'
import { readChatRequests } from './gemini-cli/stored-chat.ts'
import { asCount, asObject, asText, type JsonObject, parseObject, readLines } from './lines.ts'
import { readExportRequests } from './opencode/read-export.ts'
import { readPiRequest } from './pi/stored-session.ts'

export type { BilledRequest } from './billed-request.ts'

/** Sums over all requests that the session records; a prompt token is counted in exactly one of the three inputs. */
export interface RecordedUsage {
  readonly requests: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  /** US dollars at list prices; undefined when the price of a model is unknown. */
  readonly cost: number | undefined
}

/** Undefined when nothing is recorded. */
export function readUsage(source: ByteSource, agent: Agent): RecordedUsage | undefined {
  const requests = readRequests(source, agent)
  return requests.length === 0 ? undefined : sumRequests(requests)
}

/** One for each request, in order. */
export function readRequests(source: ByteSource, agent: Agent): BilledRequest[] {
  switch (agent) {
    case 'opencode':
      return readExportRequests(source)
    case 'codex':
      return readCodexRequests(source)
    case 'gemini-cli':
      return readChatRequests(source)
    case 'copilot':
      // It bills requests by model, not tokens.
      return []
    case 'pi':
      return readPiRequests(source)
    case 'claude-code':
      return readClaudeRequests(source)
  }
}

function readPiRequests(source: ByteSource): BilledRequest[] {
  const requests: BilledRequest[] = []
  for (const line of readLines(source)) {
    const entry = line.includes('"usage"') ? parseObject(line) : undefined
    const request = entry && readPiRequest(entry)
    if (request) requests.push(request)
  }
  return requests
}

/** Several entries are one request when they have one message id; the last of them has the final numbers. */
function readClaudeRequests(source: ByteSource): BilledRequest[] {
  const requests = new Map<string, BilledRequest>()
  for (const line of readLines(source)) {
    if (!line.includes('"usage"')) continue
    const message = asObject(parseObject(line)?.message)
    const usage = asObject(message?.usage)
    const id = asText(message?.id)
    const model = asText(message?.model)
    if (!usage || !id || !model || model === '<synthetic>') continue
    const cacheWrite = asCount(usage.cache_creation_input_tokens)
    const cacheWriteLong = asCount(asObject(usage.cache_creation)?.ephemeral_1h_input_tokens)
    requests.set(id, {
      model,
      input: asCount(usage.input_tokens),
      cachedInput: asCount(usage.cache_read_input_tokens),
      cacheWrite: Math.max(cacheWrite - cacheWriteLong, 0),
      cacheWriteLong,
      output: asCount(usage.output_tokens),
    })
  }
  return [...requests.values()]
}

function readCodexRequests(source: ByteSource): BilledRequest[] {
  const requests: BilledRequest[] = []
  let model = ''
  let lastTotal = 0
  for (const line of readLines(source)) {
    if (!line.includes('"token_count"') && !line.includes('"turn_context"')) continue
    const entry = parseObject(line)
    const payload = asObject(entry?.payload)
    if (entry?.type === 'turn_context') model = asText(payload?.model) ?? model
    if (payload?.type !== 'token_count') continue
    const info = asObject(payload.info)
    const total = asCount(asObject(info?.total_token_usage)?.total_tokens)
    const usage = asObject(info?.last_token_usage)
    // The same numbers are written again when only the rate limits change.
    if (!usage || total === lastTotal) continue
    lastTotal = total
    requests.push(createCodexRequest(model, usage))
  }
  return requests
}

function createCodexRequest(model: string, usage: JsonObject): BilledRequest {
  const cachedInput = asCount(usage.cached_input_tokens)
  const input = Math.max(asCount(usage.input_tokens) - cachedInput, 0)
  return { model, input, cachedInput, cacheWrite: 0, cacheWriteLong: 0, output: asCount(usage.output_tokens) }
}

function sumRequests(requests: readonly BilledRequest[]): RecordedUsage {
  const models = new Map<string, Model>()
  let cost: number | undefined = 0
  const sums = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }
  for (const request of requests) {
    const model = models.get(request.model) ?? findModel(request.model)
    models.set(request.model, model)
    sums.inputTokens += request.input
    sums.cachedInputTokens += request.cachedInput
    sums.cacheWriteTokens += request.cacheWrite + request.cacheWriteLong
    sums.outputTokens += request.output
    const price = priceRequest(request, model)
    cost = cost === undefined || price === undefined ? undefined : cost + price
  }
  return { requests: requests.length, ...sums, cost }
}

/** US dollars at list prices; undefined where the catalogue has none. */
function priceRequest(request: BilledTokens, model: Model): number | undefined {
  const prices = model.pricesPerMillionTokens
  return prices && priceTokens(request, prices)
}
