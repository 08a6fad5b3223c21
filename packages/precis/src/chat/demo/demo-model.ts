import { createTokenCounter, findModel } from '@precis/core'
import { APICallError } from 'ai'
import { readDemoPrompt, renderPrompt } from './demo-prompt.ts'
import { composeReply, type DemoReply } from './demo-reply.ts'
import type { CallOptions, ScriptedModel, StreamPart } from './scripted-model.ts'

export interface DemoModelOptions {
  readonly name: string
  readonly windowTokens: number
  /** Between the pieces of an answer. */
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>
}

const PIECE_DELAY_MS = 25
// Of an answer, at once; about the pace of a quick model.
const PIECE_WORDS = 3
const MESSAGE_TOKENS = 4
const NEVER = new AbortController().signal

/** A model without a network: what it says follows from what it is sent, and it refuses what is too long as others do. */
export function createDemoModel({ name, windowTokens, wait }: DemoModelOptions): ScriptedModel {
  const counter = createTokenCounter(findModel(name))
  const count = (text: string) => counter.countText(text).upper
  const answer = (options: CallOptions) => {
    const tokens = count(renderPrompt(options)) + options.prompt.length * MESSAGE_TOKENS
    if (tokens > windowTokens) throw tooLong(tokens, windowTokens)
    const whole = composeReply(readDemoPrompt(options, { model: name, windowTokens, tokens }))
    const share = (options.maxOutputTokens ?? windowTokens) / count(renderReply(whole))
    const isCut = share < 1
    // Tokens are spread evenly enough for this.
    const reply = isCut
      ? { ...whole, text: whole.text.slice(0, Math.floor(whole.text.length * share)), calls: [] }
      : whole
    const unified = isCut ? ('length' as const) : reply.calls.length > 0 ? ('tool-calls' as const) : ('stop' as const)
    const usage = {
      inputTokens: { total: tokens, noCache: tokens, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: count(renderReply(reply)), text: undefined, reasoning: undefined },
    }
    return { reply, ending: { finishReason: { unified, raw: undefined }, usage } }
  }
  return {
    specificationVersion: 'v3',
    provider: 'demo',
    modelId: name,
    supportedUrls: {},
    doGenerate: async (options) => {
      const { reply, ending } = answer(options)
      const text = reply.text === '' ? [] : [{ type: 'text' as const, text: reply.text }]
      return { content: [...text, ...listCalls(reply, options)], ...ending, warnings: [] }
    },
    doStream: async (options) => {
      const { reply, ending } = answer(options)
      const signal = options.abortSignal ?? NEVER
      const parts = listParts(reply, options, ending)
      const stream = new ReadableStream<StreamPart>({
        pull: async (controller) => {
          const { value, done } = parts.next()
          if (done) return controller.close()
          if (value.type.endsWith('-delta')) await wait(PIECE_DELAY_MS, signal)
          signal.throwIfAborted()
          controller.enqueue(value)
        },
      })
      return { stream }
    },
  }
}

function* listParts(
  reply: DemoReply,
  options: CallOptions,
  ending: Pick<Extract<StreamPart, { type: 'finish' }>, 'finishReason' | 'usage'>,
): Generator<StreamPart, undefined> {
  yield { type: 'stream-start', warnings: [] }
  if (reply.reasoning !== '') {
    yield { type: 'reasoning-start', id: 'r' }
    for (const delta of cutPieces(reply.reasoning)) yield { type: 'reasoning-delta', id: 'r', delta }
    yield { type: 'reasoning-end', id: 'r' }
  }
  if (reply.text !== '') {
    yield { type: 'text-start', id: 't' }
    for (const delta of cutPieces(reply.text)) yield { type: 'text-delta', id: 't', delta }
    yield { type: 'text-end', id: 't' }
  }
  yield* listCalls(reply, options)
  yield { type: 'finish', ...ending }
  return undefined
}

/** Ids are unlike all others of the conversation, since it only grows or is summarized with its calls. */
function listCalls({ calls }: DemoReply, { prompt }: CallOptions) {
  const used = new Set(
    prompt.flatMap((message) =>
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
        : [],
    ),
  )
  let next = used.size
  return calls.map(({ tool, input }) => {
    while (used.has(`demo-${next}`)) next++
    const toolCallId = `demo-${next++}`
    return { type: 'tool-call' as const, toolCallId, toolName: tool, input: JSON.stringify(input) }
  })
}

function renderReply({ reasoning, text, calls }: DemoReply): string {
  return [reasoning, text, ...calls.map((call) => JSON.stringify(call))].join('\n')
}

function* cutPieces(text: string): Generator<string> {
  let piece = ''
  let words = 0
  for (const word of text.split(/(?<= |\n)/)) {
    piece += word
    if (++words < PIECE_WORDS) continue
    yield piece
    piece = ''
    words = 0
  }
  if (piece !== '') yield piece
}

/** In the words of Anthropic. */
function tooLong(tokens: number, windowTokens: number): APICallError {
  const message = `prompt is too long: ${tokens} tokens > ${windowTokens} maximum`
  return new APICallError({
    message,
    url: 'demo:',
    requestBodyValues: {},
    statusCode: 400,
    responseBody: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
    isRetryable: false,
  })
}
