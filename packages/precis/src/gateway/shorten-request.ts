/**
 * Requests that would not fit, or that cost less if they are shorter. Each is compressed once, and
 * has the same bytes ever after.
 */
import { hash } from 'node:crypto'
import {
  createFollower,
  type FollowedRequest,
  type Follower,
  findModel,
  type Overflow,
  type Usage,
} from '@precis/core'
import { type ApiName, apis } from '@precis/core/apis'
import { renderMediaLimits } from '@precis/core/context'
import type { FollowSettings } from '@precis/core/following'
import { formats } from '@precis/core/formats'
import { loadTokenCounter, type TokenCount } from '@precis/core/tokens'
import type { JsonObject } from '../files/lines.ts'
import type { ActHost } from './act-host.ts'
import { type ApiRequest, readApiRequest } from './api-request.ts'
import type { ActRecord, ActRequest, ActResult, Owner } from './gateway.ts'
import { nameSession } from './owner.ts'

// Each keeps a whole history in memory. A forgotten conversation is read from the store again.
const MOST_CONVERSATIONS = 16

/** The followers of one thread, one for each API and purpose. */
export class RequestShortener {
  readonly #followers = new Map<string, Follower>()
  /** The latest request of each conversation, to match with what the upstream reports about it. */
  readonly #sent = new Map<string, FollowedRequest>()
  readonly #host: ActHost

  constructor(host: ActHost) {
    this.#host = host
  }

  /**
   * Passes if the request may stay unchanged. Rejects with `FormatError` for content that its API
   * does not know.
   */
  async shorten(
    request: ActRequest,
    body: ApiRequest,
    saves: boolean,
    settings: FollowSettings = {},
  ): Promise<ActResult> {
    const begin = performance.now()
    const { owner, purpose } = request
    const { model } = body.request
    if (purpose === 'count') return await this.#project(request, body)
    const window = nameWindow(request, body)
    const known = await this.#host.findWindow(owner, window)
    const refused = await readRefused(request, body)
    const said = refused && findLimit(refused, known)
    if (said !== undefined) await this.#host.learnWindow(owner, window, said)
    const given = request.windowTokens ?? known ?? (await findWindow(request, body, saves))
    const windowTokens = said === undefined ? given : Math.min(said, given ?? said)
    const key = nameSession(owner)
    const asked = {
      ...body.request,
      key,
      sentBefore: request.sentBefore,
      settings: {
        ...settings,
        windowTokens: windowTokens ?? UNLIMITED,
        ...(saves ? SAVING : GUARDING),
      },
    }
    let problem: Error | undefined
    const send = async (followed: FollowedRequest) => {
      if (problem || !refused) return followed
      problem = await findProblem(refused, request, body, followed.messages)
      if (problem) throw problem
      return followed
    }
    let followed: FollowedRequest
    try {
      followed = await this.#findFollower(request).send(asked, send)
    } catch (error) {
      if (error !== problem) throw error
      return CANNOT_FIT
    }
    const { prepared, messages } = followed
    if (saves) this.#remember(key, followed)
    const refusal = prepared.fits ? undefined : await refuse(request, body, messages, begin)
    if (refusal) return refusal
    if (messages === body.request.messages)
      return prepared.fits ? { type: 'pass', reason: 'fits' } : CANNOT_FIT
    const { compression, tokens } = prepared
    const record: ActRecord = {
      act: compression?.trigger === 'economy' ? 'save' : 'guard',
      time: Date.now(),
      milliseconds: performance.now() - begin,
      model,
      tokensBefore: compression?.tokensBefore ?? tokens,
      tokensAfter: tokens,
    }
    return { type: 'replace', body: body.replaceMessages(messages), record }
  }

  /**
   * A request to count tokens gets the count of what would be sent. It causes no compression and
   * does not count as a warm cache.
   */
  async #project(request: ActRequest, body: ApiRequest): Promise<ActResult> {
    const key = nameSession(request.owner)
    const settings = { ...GUARDING, windowTokens: UNLIMITED }
    const { messages } = await this.#findFollower(request).next({ ...body.request, key, settings })
    if (messages === body.request.messages) return { type: 'pass', reason: 'fits' }
    return { type: 'replace', body: body.replaceMessages(messages) }
  }

  /** Receives the upstream's usage for the latest request of a conversation. */
  recordUsage(owner: Owner, usage: Usage): void {
    const key = nameSession(owner)
    this.#sent.get(key)?.recordUsage(usage)
    this.#sent.delete(key)
  }

  #remember(key: string, followed: FollowedRequest): void {
    this.#sent.delete(key)
    this.#sent.set(key, followed)
    const [oldest = ''] = this.#sent.keys()
    if (this.#sent.size > MOST_CONVERSATIONS) this.#sent.delete(oldest)
  }

  #findFollower({ api, purpose }: ActRequest): Follower {
    const name = `${api} ${purpose}`
    const known = this.#followers.get(name)
    if (known) return known
    const { store, note } = this.#host
    const follower = createFollower({
      format: api,
      store,
      hash: (text: string) => hash('sha256', text, 'base64url'),
      maxConversations: MOST_CONVERSATIONS,
      onProblem: (problem: unknown) =>
        note(`the state of a conversation was not kept: ${String(problem)}`),
    })
    this.#followers.set(name, follower)
    return follower
  }
}

const CANNOT_FIT = {
  type: 'pass',
  reason: 'refused',
  problem: 'nothing that may be removed makes it fit',
} as const

// Agents compact much earlier themselves. A request that fits must not change.
const GUARDING: FollowSettings = { threshold: 1 }
const SAVING: FollowSettings = { save: true }

// For a request that was refused as too long by a provider that names no window.
const UNNAMED_SHARE = 0.7

// Large enough that it never causes a compression.
const UNLIMITED = 1e12

/**
 * The known window may be older than the model. If neither the user nor the upstream named a
 * window, a request is too large only if it is so by every count.
 */
async function findWindow(
  request: ActRequest,
  body: ApiRequest,
  saves: boolean,
): Promise<number | undefined> {
  const model = findModel(body.request.model)
  const { contextWindowTokens } = model
  if (!model.known || asksForLargeWindow(request, body)) return undefined
  if (saves) return contextWindowTokens
  const { lower } = await countWith(body.request.model, request.api, body.json)
  return lower > contextWindowTokens ? contextWindowTokens : undefined
}

const LARGE_WINDOW = 'context-1m'

/** In a header of Anthropic, or in the body where a cloud passes no headers on. */
function asksForLargeWindow({ headers }: ActRequest, { json }: ApiRequest): boolean {
  return [headers['anthropic-beta'], json.anthropic_beta].some((betas) =>
    JSON.stringify(betas)?.includes(LARGE_WINDOW),
  )
}

const nameWindow = (request: ActRequest, body: ApiRequest): string =>
  `${body.request.model}${asksForLargeWindow(request, body) ? ` ${LARGE_WINDOW}` : ''}`

/**
 * Refuses if a window was configured and these messages exceed it by every count. Any other refusal
 * is left to the upstream.
 */
async function refuse(
  { api, windowTokens, overflow }: ActRequest,
  { json, request: { model } }: ApiRequest,
  messages: readonly object[],
  begin: number,
): Promise<ActResult | undefined> {
  if (windowTokens === undefined || overflow) return undefined
  const { lower } = await countWith(model, api, { ...json, [apis[api].listKey]: messages })
  if (lower <= windowTokens) return undefined
  const milliseconds = performance.now() - begin
  const record = {
    act: 'guard',
    time: Date.now(),
    milliseconds,
    model,
    tokensBefore: lower,
    tokensAfter: lower,
  } as const
  return { type: 'refuse', ...renderRefusal(api, lower, windowTokens), record }
}

/** A request that an upstream refused, and its size as counted here. */
interface Refused {
  readonly overflow: Overflow
  readonly bytes: number
  readonly tokens: TokenCount
}

async function readRefused(
  { refused, overflow, ...request }: ActRequest,
  body: ApiRequest,
): Promise<Refused | undefined> {
  if (!overflow) return undefined
  const {
    bytes,
    json,
    request: { model },
  } = (refused && readApiRequest(refused, request)) ?? body
  return { overflow, bytes: bytes.length, tokens: await countWith(model, request.api, json) }
}

/**
 * Why these messages would be refused as well, as the error of an SDK. Undefined if the reported
 * window, or another thread, has already made them shorter.
 */
async function findProblem(
  { overflow, bytes, tokens: { upper: most } }: Refused,
  { api }: ActRequest,
  body: ApiRequest,
  messages: readonly object[],
): Promise<Error | undefined> {
  const { of, limitTokens = most * UNNAMED_SHARE, requestTokens = most } = overflow
  if (of !== 'tokens') {
    const isSame = messages === body.request.messages
    const isShorter = !isSame && body.replaceMessages(messages).length < bytes
    return isShorter ? undefined : toError(overflow)
  }
  const json = { ...body.json, [apis[api].listKey]: messages }
  const { upper } = await countWith(body.request.model, api, json)
  // As the upstream would count them.
  const tokens = Math.ceil((requestTokens * upper) / most)
  return tokens > limitTokens ? toError({ ...overflow, requestTokens: tokens }) : undefined
}

const countWith = async (model: string, api: ApiName, json: JsonObject) =>
  (await loadTokenCounter(findModel(model))).countConversation(formats[api].parse(json))

/**
 * What the upstream reported about the window. If it named no number, the window is smaller than
 * this request.
 */
function findLimit(
  { overflow: { of, limitTokens }, tokens: { lower } }: Refused,
  known: number | undefined,
): number | undefined {
  if (of !== 'tokens') return undefined
  return limitTokens ?? Math.min(lower - 1, known ?? Number.POSITIVE_INFINITY)
}

/** An error like that of an SDK. */
function toError({ of, limitTokens, requestTokens, limits = {} }: Overflow): Error {
  if (of === 'media') return Object.assign(new Error(renderMediaLimits(limits)), { status: 400 })
  if (of === 'bytes') return Object.assign(new Error('request_too_large'), { status: 413 })
  const sizes =
    limitTokens === undefined
      ? ''
      : `: ${requestTokens ?? limitTokens + 1} tokens > ${limitTokens} maximum`
  return Object.assign(new Error(`prompt is too long${sizes}`), { code: 'context_length_exceeded' })
}

const REFUSAL_STATUS = 400

/**
 * Reports that nothing can make a request fit, in the provider's words and shape. Agents compact
 * when they read them.
 */
function renderRefusal(api: ApiName, tokens: number, windowTokens: number) {
  const error = renderError(api, tokens, windowTokens)
  return { status: REFUSAL_STATUS, body: Buffer.from(JSON.stringify(error)) }
}

function renderError(api: ApiName, tokens: number, windowTokens: number): object {
  switch (api) {
    case 'anthropic-messages': {
      const message = `prompt is too long: ${tokens} tokens > ${windowTokens} maximum`
      return { type: 'error', error: { type: 'invalid_request_error', message } }
    }
    case 'openai-chat':
    case 'openai-responses': {
      const message = `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
      const param = api === 'openai-chat' ? 'messages' : 'input'
      return {
        error: { message, type: 'invalid_request_error', param, code: 'context_length_exceeded' },
      }
    }
    case 'gemini-contents': {
      const message = `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`
      return { error: { code: REFUSAL_STATUS, message, status: 'INVALID_ARGUMENT' } }
    }
  }
}
