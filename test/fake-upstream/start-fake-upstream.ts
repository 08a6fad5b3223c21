import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isJsonObject, type JsonObject } from '../../packages/core/src/formats/shared/json.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { FakeAnswer, FakeModel, FakeRequest, WireName } from './fake-model.ts'
import { geminiContents } from './gemini-contents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { measurePrefixes } from './shared-prefix.ts'
import type { FakeTurn, StreamEvent, Wire } from './wire.ts'

/** What was received, in order. */
export interface ReceivedRequest {
  readonly protocol: WireName | undefined
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** The body byte for byte. */
  readonly raw: string
  /** By the measure of the upstream. */
  readonly tokens: number
  /** By `performance.now()`. */
  readonly receivedAt: number
  /** Answered as too long. */
  readonly isOverflow: boolean
}

export interface FakeUpstreamOptions {
  /** A longer request gets the provider's own words for that. */
  readonly windowTokens?: number
  /** By default a quarter of the characters of the body. */
  readonly countTokens?: (raw: string, protocol: WireName) => number
}

export interface FakeUpstream {
  /** Without a path: `http://127.0.0.1:port`. */
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Requests that were neither answered nor given up by the client. */
  readonly openRequests: number
  close(): Promise<void>
}

const wires: readonly Wire[] = [anthropicMessages, openaiChat, openaiResponses, geminiContents]

/**
 * Anthropic Messages, Chat Completions, Responses and Gemini on one port of the loopback, streaming
 * and not.
 */
export async function startFakeUpstream(
  model: FakeModel = () => ({}),
  options: FakeUpstreamOptions = {},
): Promise<FakeUpstream> {
  const requests: ReceivedRequest[] = []
  const measurePrefix = measurePrefixes()
  const count = options.countTokens ?? ((raw: string) => Math.ceil(raw.length / 4))
  let openRequests = 0
  let answers = 0

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { url = '', method = '', headers } = incoming
    const raw = await readBody(incoming)
    const path = url.split('?')[0] ?? ''
    const wire = wires.find(
      (candidate) => candidate.isAnswerPath(path) || candidate.isCountPath(path),
    )
    const body = parseObject(raw)
    const tokens = wire ? count(raw, wire.name) : 0
    const asksForAnswer = wire?.isAnswerPath(path) === true && method === 'POST'
    const isOverflow = asksForAnswer && tokens > (options.windowTokens ?? Number.POSITIVE_INFINITY)
    requests.push({
      protocol: wire?.name,
      method,
      url,
      headers,
      raw,
      tokens,
      receivedAt: performance.now(),
      isOverflow,
    })
    if (!wire || method !== 'POST' || !body)
      return sendJson(response, 404, { error: { message: `${method} ${url}` } })
    if (!asksForAnswer) return sendJson(response, 200, wire.writeCount(tokens))

    const isStream = wire.isStream(path, body)
    const request = {
      protocol: wire.name,
      url,
      model: wire.findModel(path, body),
      body,
      raw,
      isStream,
    }
    if (isOverflow)
      return sendOverflow(response, wire, request, answers, tokens, options.windowTokens ?? 0)
    const cached = Math.floor(measurePrefix(`${wire.name} ${request.model}`, raw) / 4)
    const number = ++answers
    const said = await model(request, number)
    if (said.delayMs !== undefined) await wait(said.delayMs)
    await sendAnswer(
      response,
      wire,
      said,
      createTurn(request, number, said, { input: tokens, cached }),
    )
  }

  const server = createServer((incoming, response) => {
    openRequests++
    response.on('close', () => openRequests--)
    answer(incoming, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    )
  })
  // Longer than any test: a client that waits for the end of an idle connection is seen.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get openRequests() {
      return openRequests
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function parseObject(raw: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(raw)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function createTurn(
  request: FakeRequest,
  number: number,
  said: FakeAnswer,
  { input, cached }: { readonly input: number; readonly cached: number },
): FakeTurn {
  const { reasoning = '', toolCalls = [], stop = 'end' } = said
  const text = said.text ?? (toolCalls.length > 0 ? '' : 'FAKE-REPLY-OK')
  const calls = toolCalls.map((call, index) => ({ id: `call_${number}_${index}`, ...call }))
  const reasoningTokens = Math.ceil(reasoning.length / 4)
  const output = reasoningTokens + Math.ceil((text.length + JSON.stringify(toolCalls).length) / 4)
  return {
    request,
    number,
    reasoning,
    text,
    calls,
    stop,
    usage: { input, cached, output, reasoning: reasoningTokens },
  }
}

async function sendAnswer(
  response: ServerResponse,
  wire: Wire,
  said: FakeAnswer,
  turn: FakeTurn,
): Promise<void> {
  if (said.connection === 'hang') return
  if (said.connection === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  if (said.status !== undefined && said.status >= 300) {
    const { message = 'the fake upstream was told to fail', type = 'invalid_request_error' } =
      said.error ?? {}
    sendJson(
      response,
      said.status,
      wire.writeError({ status: said.status, message, type }),
      said.headers,
    )
    return
  }
  const isBroken = said.connection === 'break'
  if (turn.request.isStream) {
    const events = wire.writeStream(turn)
    const half = events.slice(0, Math.ceil(events.length / 2))
    const sent = isBroken || said.connection === 'end' ? half : events
    await sendStream(response, sent, { ...said, isBroken })
    return
  }
  const text = JSON.stringify(wire.writeAnswer(turn))
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...said.headers,
  })
  if (!isBroken) response.end(text)
  else response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
}

async function sendOverflow(
  response: ServerResponse,
  wire: Wire,
  request: FakeRequest,
  number: number,
  requestTokens: number,
  windowTokens: number,
): Promise<void> {
  if (request.isStream && wire.writeOverflowStream) {
    const turn = createTurn(request, number, {}, { input: requestTokens, cached: 0 })
    return sendStream(response, wire.writeOverflowStream(turn))
  }
  const { status, body } = wire.writeOverflow(requestTokens, windowTokens)
  sendJson(response, status, body)
}

async function sendStream(
  response: ServerResponse,
  events: readonly StreamEvent[],
  {
    pauseMs = 0,
    isBroken = false,
    headers,
    comments = [],
  }: Pick<FakeAnswer, 'pauseMs' | 'headers' | 'comments'> & { readonly isBroken?: boolean } = {},
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  for (const comment of comments) response.write(comment)
  for (const { event, data } of events) {
    if (response.closed) return
    const line = event === undefined ? '' : `event: ${event}\n`
    response.write(`${line}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    if (pauseMs > 0) await wait(pauseMs)
  }
  if (isBroken) response.socket?.destroy()
  else response.end()
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers?: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
