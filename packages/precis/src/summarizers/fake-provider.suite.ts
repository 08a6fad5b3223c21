import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What one request got. */
export type Reply =
  | { readonly text: string; readonly isCutOff?: boolean; readonly after?: Promise<unknown> }
  | {
      readonly status: number
      readonly message: string
      readonly type?: string
      readonly headers?: Record<string, string>
    }
  | 'hang'
  | 'reset'
  /** The beginning of an answer, then the connection ends. */
  | 'break'

export interface ReceivedRequest {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** The body as JSON text. */
  readonly body: string
  readonly receivedAt: number
}

export interface FakeProvider {
  /** Without a path. */
  readonly url: string
  readonly requests: ReceivedRequest[]
  /** Requests that were neither answered nor given up by the client. */
  readonly openRequests: number
  close(): Promise<void>
}

/** Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini on one port; not streaming. */
export async function startFakeProvider(
  reply: (request: ReceivedRequest, number: number) => Reply,
): Promise<FakeProvider> {
  const requests: ReceivedRequest[] = []
  let openRequests = 0
  const server = createServer(async (incoming, response) => {
    openRequests++
    response.on('close', () => openRequests--)
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { url = '', headers } = incoming
    const request = { url, headers, body: Buffer.concat(chunks).toString(), receivedAt: performance.now() }
    requests.push(request)
    answer(reply(request, requests.length), request, response)
  })
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

function answer(reply: Reply, request: ReceivedRequest, response: ServerResponse): void {
  if (reply === 'hang') return
  if (reply === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  if (reply === 'break') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '10000' })
    response.write('{"id":"x","con')
    setTimeout(() => response.socket?.destroy(), 20)
    return
  }
  const isError = 'status' in reply
  const value = isError ? writeError(reply) : writeAnswer(request, reply.text, reply.isCutOff === true)
  const send = () => {
    const headers = { 'content-type': 'application/json', ...(isError && reply.headers) }
    response.writeHead(isError ? reply.status : 200, headers)
    response.end(JSON.stringify(value))
  }
  if (!isError && reply.after) void reply.after.then(send)
  else send()
}

function writeError({ status, message, type = 'invalid_request_error' }: Extract<Reply, { status: number }>): unknown {
  return { type: 'error', error: { type, code: type, status: String(status), message } }
}

function writeAnswer({ url, body }: ReceivedRequest, text: string, isCutOff: boolean): unknown {
  const inputTokens = Math.ceil(body.length / 4)
  const outputTokens = Math.ceil(text.length / 4)
  const { model }: { model?: string } = JSON.parse(body)
  if (url.endsWith('/messages')) {
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text }],
      stop_reason: isCutOff ? 'max_tokens' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: inputTokens, output_tokens: outputTokens },
    }
  }
  if (url.endsWith('/responses')) {
    const content = [{ type: 'output_text', text, annotations: [] }]
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model,
      status: isCutOff ? 'incomplete' : 'completed',
      ...(isCutOff && { incomplete_details: { reason: 'max_output_tokens' } }),
      output: [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }],
      usage: { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
    }
  }
  if (url.includes(':generateContent')) {
    const finishReason = isCutOff ? 'MAX_TOKENS' : 'STOP'
    return {
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason, index: 0 }],
      usageMetadata: { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens },
    }
  }
  const finish = isCutOff ? 'length' : 'stop'
  return {
    id: 'c1',
    created: 1,
    model,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }],
    usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens },
  }
}

export const span = [
  ['user', 'user', 'Please fix the retry in src/net/retry.ts, and never touch the file config/limits.json meanwhile.'],
  [
    'assistant',
    'agent',
    'I will look at the file first and then say what is wrong with it, before anything is changed.',
  ],
  [
    'assistant',
    'agent',
    'The delay of waitBetweenAttempts is never awaited; that is the reason for the failures we see.',
  ],
  ['user', 'user', 'Good. Then await it, run the tests, and tell me what they say about the ETIMEDOUT of yesterday.'],
].map(([role, origin, text]) => ({ role, origin, parts: [{ type: 'text', text }] }))

export const goodSummary =
  'The person wants the retry in src/net/retry.ts to be fixed and config/limits.json not to be touched. The delay of waitBetweenAttempts is not awaited.'

export const goodAnswer = `<summary>\n${goodSummary}\n</summary>`
