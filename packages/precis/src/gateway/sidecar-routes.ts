/**
 * Requests of other gateways: shortening messages, and returning what was removed from them. The
 * threads of the actions do this.
 */

import { asObject, parseObject } from '../files/lines.ts'
import type { Accounts } from './accounts.ts'
import type { Acts, AskedWindow, Owner, SidecarAnswer } from './gateway.ts'
import { isSwitchedOn, ownHeaders } from './headers.ts'
import { type OwnAnswer, type OwnRequest, type OwnRoute, renderJson } from './own-routes.ts'
import type { FindOwner } from './owner.ts'

export interface SidecarHost extends AskedWindow {
  readonly acts: Acts
  readonly accounts: Pick<Accounts, 'record'>
  readonly findOwner: FindOwner
}

const RETRIEVE = '/v1/retrieve'
const HEADROOM_BYPASS = 'x-headroom-bypass'

export function listSidecarRoutes(host: SidecarHost): readonly OwnRoute[] {
  return [
    { method: 'POST', path: '/v1/compress', answer: (request) => compress(host, request) },
    { method: 'POST', path: RETRIEVE, answer: (request) => retrieveByBody(host, request) },
    {
      method: 'GET',
      path: RETRIEVE,
      answer: (request) => retrieve(host, request, Object.fromEntries(request.query)),
    },
    {
      method: 'GET',
      path: `${RETRIEVE}/*`,
      answer: (request) =>
        retrieve(host, request, {
          ...Object.fromEntries(request.query),
          hash: request.path.slice(RETRIEVE.length + 1),
        }),
    },
  ]
}

/** Another gateway names no session. */
const nameSession = (owner: Owner): Owner => ({
  ...owner,
  session: 'POST /v1/compress',
  agent: undefined,
})

async function compress(
  { acts, accounts, findOwner, windowTokens }: SidecarHost,
  request: OwnRequest,
): Promise<OwnAnswer> {
  const { headers, path, client } = request
  const body = await request.readBody()
  if (!body)
    return renderJson(
      { error: { type: 'invalid_request', message: 'the body is larger than 64 MB' } },
      413,
    )
  const isBypassed = [HEADROOM_BYPASS, ownHeaders.bypass].some((name) =>
    isSwitchedOn(headers, name),
  )
  const owner = findOwner({ url: '/', headers })
  const done = await acts.serve({ type: 'compress', owner, body, isBypassed, windowTokens }, client)
  if (done.record) {
    const { model } = done.record
    accounts.record({
      request: {
        api: 'openai-chat',
        purpose: 'generate',
        path,
        model,
        headers,
        body,
        owner: nameSession(owner),
        windowTokens,
      },
      result: { type: 'replace', body, record: done.record },
      answer: { status: done.status, usage: undefined, milliseconds: done.record.milliseconds },
    })
  }
  if (done.status !== 503) return send(done)
  // A failure here would fail the client of the other gateway, so its messages are returned
  // unchanged.
  const { messages = [] } = parseObject(Buffer.from(body)) ?? {}
  return renderJson({ ...UNCHANGED, messages, problem: 'precis was not done in time, or failed' })
}

const UNCHANGED = {
  tokens_before: 0,
  tokens_after: 0,
  tokens_saved: 0,
  compression_ratio: 1,
  transforms_applied: [],
  ccr_hashes: [],
}

async function retrieveByBody(host: SidecarHost, request: OwnRequest): Promise<OwnAnswer> {
  const body = parseObject(Buffer.from((await request.readBody()) ?? []))
  return await retrieve(host, request, asObject(body) ?? {})
}

async function retrieve(
  { acts, findOwner }: SidecarHost,
  { headers, client }: OwnRequest,
  asked: Readonly<Record<string, unknown>>,
): Promise<OwnAnswer> {
  const { hash, query, span } = asked
  const message = 'give "hash". For a part of the content, also give "query" or "span"'
  if (typeof hash !== 'string' || hash === '')
    return renderJson({ error: { type: 'invalid_request', message } }, 400)
  const owner = findOwner({ url: '/', headers })
  const words = typeof query === 'string' && query !== '' ? query : undefined
  const number = typeof span === 'string' || typeof span === 'number' ? String(span) : undefined
  const asking = { type: 'retrieve', owner, reference: hash, query: words, span: number } as const
  return send(await acts.serve(asking, client))
}

function send({ status, body }: SidecarAnswer): OwnAnswer {
  return { status, contentType: 'application/json', body }
}
