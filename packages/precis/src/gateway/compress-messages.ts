/**
 * `POST /v1/compress`: shortens messages of another gateway until they fit. The contract is
 * headroom's, as LiteLLM, Kong and Portkey call it (github.com/BerriAI/litellm,
 * guardrail_hooks/headroom). A caller whose request fails refuses its own client. Therefore every
 * readable request gets an answer, with unchanged messages if nothing can be done.
 *
 *   messages ─► follower ─► same bytes in every later turn ─► archive ─► hash=… in the summary
 */
import { hash } from 'node:crypto'
import { type Conversation, findModel } from '@precis/core'
import {
  createSummaryMessage,
  readLedgerText,
  readSummary,
  readText,
} from '@precis/core/conversation'
import { checkInvariants } from '@precis/core/conversation/invariants'
import { detectFormat, formats } from '@precis/core/formats'
import { loadTokenCounter } from '@precis/core/tokens'
import { keepDocument } from '../compression/keep-original.ts'
import { reasonOf } from '../files/errors.ts'
import { asObject, type JsonObject, parseObject } from '../files/lines.ts'
import { createMemorySource } from '../files/read-document.ts'
import { NO_DAMAGE } from '../sessions/load-session.ts'
import type { ActHost } from './act-host.ts'
import { type ApiRequest, readApiRequest } from './api-request.ts'
import type { ActRecord, ActRequest, SidecarAnswer, SidecarRequest } from './gateway.ts'
import { nameOriginal } from './owner.ts'
import type { RequestShortener } from './shorten-request.ts'

type CompressTask = Extract<SidecarRequest, { readonly type: 'compress' }>

interface Tools {
  readonly host: ActHost
  readonly shortener: RequestShortener
}

interface CompressedMessages {
  readonly messages: readonly object[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly transforms: readonly string[]
  readonly hashes: readonly string[]
  readonly ignored?: readonly string[]
  readonly record?: ActRecord
  /** Why a requested action was not taken. */
  readonly problem?: string
}

export async function compressMessages(
  request: CompressTask,
  tools: Tools,
): Promise<SidecarAnswer> {
  const json = parseObject(Buffer.from(request.body))
  if (!json) return refuse('the body is no JSON object')
  const { messages } = json
  if (!Array.isArray(messages) || !messages.every((message) => asObject(message))) {
    return refuse('"messages" is not a list of objects')
  }
  const untouched = { ...UNTOUCHED, messages }
  if (request.isBypassed || messages.length === 0) return answer(untouched)
  try {
    return answer(await compress(request, json, tools))
  } catch (error) {
    return answer({ ...untouched, problem: reasonOf(error) })
  }
}

// Space for the sentence that names the original.
const RECALL_TOKENS = 60

async function compress(
  request: CompressTask,
  json: JsonObject,
  tools: Tools,
): Promise<CompressedMessages> {
  const begin = performance.now()
  const model = typeof json.model === 'string' ? json.model : 'unknown'
  const api = detectFormat(json) === 'anthropic-messages' ? 'anthropic-messages' : 'openai-chat'
  const counter = await loadTokenCounter(findModel(model))
  const parse = (messages: unknown): Conversation => formats[api].parse({ model, messages })
  const count = (messages: unknown) => counter.countConversation(parse(messages)).upper
  const tokensBefore = count(json.messages)
  const { budgetTokens, protectedMessages, ignored } = readConfig(json, tokensBefore)
  const known = counter.model.known ? counter.model.contextWindowTokens : undefined
  const windowTokens =
    budgetTokens === undefined ? (request.windowTokens ?? known) : budgetTokens - RECALL_TOKENS
  // Another budget is a separate conversation, because a result for one budget does not fit
  // another.
  const session = `compress ${budgetTokens ?? 'window'} ${protectedMessages ?? 'any'}`
  const asked: ActRequest = {
    api,
    purpose: 'generate',
    path: '/v1/compress',
    model,
    headers: {},
    body: request.body,
    owner: { ...request.owner, session },
    windowTokens: windowTokens === undefined ? undefined : Math.max(windowTokens, 1),
  }
  const body = readApiRequest(request.body, asked)
  if (!body) throw new TypeError('Compressing: the messages cannot be read.')
  const given: CompressedMessages = {
    ...UNTOUCHED,
    messages: body.request.messages,
    tokensBefore,
    tokensAfter: tokensBefore,
    ignored,
  }
  const result = await tools.shortener.shorten(asked, body, false, {
    ...(budgetTokens !== undefined && { reserveTokens: 0 }),
    ...(protectedMessages !== undefined && { keep: { tail: { messages: protectedMessages } } }),
  })
  if (result.type === 'refuse')
    return { ...given, problem: 'nothing that may be removed makes the messages fit' }
  if (result.type !== 'replace')
    return { ...given, ...(result.type === 'pass' && { problem: result.problem }) }
  const shortened = readApiRequest(result.body, asked)?.request.messages ?? []
  const broken =
    checkInvariants(parse(shortened)).length > checkInvariants(parse(json.messages)).length
  if (broken) return { ...given, problem: 'the result would break a rule of its provider' }
  const { record } = result
  const isNew = record !== undefined && record.tokensAfter < record.tokensBefore
  const kept = isNew ? await keep(asked, body, tools.host) : undefined
  const { messages, hashes } = await nameOriginals(
    shortened,
    { ...asked, kept: kept?.hash },
    tools.host,
  )
  const tokensAfter = count(messages)
  const told: ActRecord = {
    act: 'guard',
    time: Date.now(),
    milliseconds: performance.now() - begin,
    model,
    // A compression of an earlier turn is reported once.
    tokensBefore: isNew ? tokensBefore : tokensAfter,
    tokensAfter,
    archived: kept?.entry,
  }
  return { ...given, messages, tokensAfter, transforms: ['precis:summary'], hashes, record: told }
}

const UNTOUCHED = { tokensBefore: 0, tokensAfter: 0, transforms: [], hashes: [] }

/** The options of callers, in addition to the messages and their model. */
function readConfig(json: JsonObject, tokens: number) {
  const config = asObject(json.config) ?? {}
  const { target_ratio: ratio, protect_recent: recent, ...others } = config
  const budget = isPositive(json.token_budget) ? Math.floor(json.token_budget) : Infinity
  const wished = isPositive(ratio) && ratio < 1 ? Math.ceil(tokens * ratio) : Infinity
  const smallest = Math.min(budget, wished)
  return {
    budgetTokens: smallest === Infinity ? undefined : smallest,
    protectedMessages: isPositive(recent) ? Math.floor(recent) : undefined,
    /** Nothing here works by message or by kind of content. */
    ignored: Object.keys(others),
  }
}

const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0

const HASH_DIGITS = 24

/**
 * The entry of the earlier messages, and the beginning of its hash. Undefined if it is not kept
 * anywhere.
 */
async function keep(
  { api, owner }: ActRequest,
  body: ApiRequest,
  { archive, note }: ActHost,
): Promise<{ readonly entry: string; readonly hash: string } | undefined> {
  if (!archive) return undefined
  const document = Buffer.from(body.cutMessages())
  try {
    const conversation = formats[api].parse(body.json)
    const source = createMemorySource(document)
    const sessionId = nameOriginal(owner)
    const { name } = await keepDocument(
      { source, format: api, sessionId, path: undefined, conversation, damage: NO_DAMAGE },
      archive,
    )
    return {
      entry: name,
      hash: hash('sha256', document).slice(0, HASH_DIGITS),
    }
  } catch (error) {
    note(`the original of a compression is not in the archive: ${reasonOf(error)}`)
    return undefined
  }
}

/** Adds to each summary the hash of what it replaces, identical in every later turn. */
async function nameOriginals(
  messages: readonly object[],
  { api, owner, kept }: Pick<ActRequest, 'api' | 'owner'> & { readonly kept: string | undefined },
  { store }: ActHost,
): Promise<{ readonly messages: readonly object[]; readonly hashes: readonly string[] }> {
  const hashes: string[] = []
  const named: object[] = []
  for (const message of messages) {
    const [parsed] = formats[api].parse({ messages: [message] }).messages
    const summary = parsed && readSummary(parsed)
    if (parsed === undefined || summary === undefined) {
      named.push(message)
      continue
    }
    const key = `${owner.id}/original/${hash('sha256', readText(parsed))}`
    const known = (await store.find([key]))?.value
    const original = known ?? kept
    if (known === undefined && kept !== undefined) await store.write(key, kept, undefined)
    if (original !== undefined) hashes.push(original)
    const recall = `What was removed here is kept word for word: hash=${original}`
    const text = readText(createSummaryMessage(summary, readLedgerText(parsed), recall))
    named.push(original === undefined ? message : { ...message, content: text })
  }
  return { messages: named, hashes }
}

function answer({
  messages,
  tokensBefore,
  tokensAfter,
  transforms,
  hashes,
  ignored,
  problem,
  record,
}: CompressedMessages): SidecarAnswer {
  const reply = {
    messages,
    tokens_before: tokensBefore,
    tokens_after: tokensAfter,
    tokens_saved: tokensBefore - tokensAfter,
    compression_ratio: tokensBefore === 0 ? 1 : tokensAfter / tokensBefore,
    transforms_applied: transforms,
    ccr_hashes: hashes,
    ...(ignored && ignored.length > 0 && { config_ignored: ignored }),
    ...(problem !== undefined && { problem }),
  }
  return { status: 200, body: JSON.stringify(reply), ...(record && { record }) }
}

function refuse(message: string): SidecarAnswer {
  return { status: 400, body: JSON.stringify({ error: { type: 'invalid_request', message } }) }
}
