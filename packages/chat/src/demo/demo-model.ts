import { createTokenCounter, findModel } from '@precis/core'
import { isSummaryText } from '@precis/core/conversation'
import { APICallError, type LanguageModel } from 'ai'
import type { ChatModel } from '../contract/chat-agent.ts'
import { demoSession, REST, type RecordedAnswer } from './demo-session.ts'

type ScriptedModel = Extract<LanguageModel, { readonly specificationVersion: 'v3' }>
type CallOptions = Parameters<ScriptedModel['doStream']>[0]
type PromptMessage = CallOptions['prompt'][number]
type StreamPart =
  Awaited<ReturnType<ScriptedModel['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

interface DemoModelOptions extends Pick<ChatModel, 'name' | 'windowTokens'> {
  /** Waits between the pieces of an answer. */
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>
}

const PIECE_DELAY_MS = 25
// Three words per piece, which is about the pace of a fast model.
const PIECES = /(?:[^ \n]*[ \n]){3}|[\s\S]+$/g
const MESSAGE_TOKENS = 4
const NEVER = new AbortController().signal

/**
 * A model without a network. It plays back a recorded session, and refuses requests that are too
 * long like a provider.
 */
export function createDemoModel({ name, windowTokens, wait }: DemoModelOptions): ScriptedModel {
  const counter = createTokenCounter(findModel(name))
  const count = (text: string) => counter.countText(text).upper
  const answer = (options: CallOptions) => {
    const tokens = count(renderPrompt(options)) + options.prompt.length * MESSAGE_TOKENS
    if (tokens > windowTokens) throw tooLong(tokens, windowTokens)
    const recorded = findAnswer(options)
    const usage = {
      inputTokens: { total: tokens, noCache: tokens, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: count(renderAnswer(recorded)), text: undefined, reasoning: undefined },
    }
    return listParts(recorded, options, usage)
  }
  return {
    specificationVersion: 'v3',
    provider: 'demo',
    modelId: name,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The demo answers in pieces only.')),
    doStream: async (options) => {
      const parts = answer(options)
      const stream = new ReadableStream<StreamPart>({
        pull: async (controller) => {
          const { value, done } = parts.next()
          if (done) return controller.close()
          const signal = options.abortSignal ?? NEVER
          if (value.type === 'text-delta') await wait(PIECE_DELAY_MS, signal)
          signal.throwIfAborted()
          controller.enqueue(value)
        },
      })
      return { stream }
    },
  }
}

function* listParts(
  { text, call }: RecordedAnswer,
  { prompt }: CallOptions,
  usage: Extract<StreamPart, { type: 'finish' }>['usage'],
): Generator<StreamPart, undefined> {
  yield { type: 'stream-start', warnings: [] }
  if (text !== '') {
    yield { type: 'text-start', id: 'text' }
    for (const delta of text.match(PIECES) ?? []) yield { type: 'text-delta', id: 'text', delta }
    yield { type: 'text-end', id: 'text' }
  }
  if (call) {
    const input = JSON.stringify(call.input)
    yield { type: 'tool-call', toolCallId: findFreeId(prompt), toolName: call.tool, input }
  }
  const finishReason = { unified: call ? 'tool-calls' : 'stop', raw: undefined } as const
  yield { type: 'finish', finishReason, usage }
  return undefined
}

/** An id that differs from all other ids of the conversation. */
function findFreeId(prompt: CallOptions['prompt']): string {
  const parts = prompt.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  const used = new Set(
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])),
  )
  let next = used.size
  while (used.has(`demo-${next}`)) next++
  return `demo-${next}`
}

function renderAnswer({ text, call }: RecordedAnswer): string {
  return call ? `${text}\n${JSON.stringify(call)}` : text
}

/** The error has Anthropic's words. */
function tooLong(tokens: number, windowTokens: number): APICallError {
  const message = `prompt is too long: ${tokens} tokens > ${windowTokens} maximum`
  return new APICallError({
    message,
    url: 'demo:',
    requestBodyValues: {},
    statusCode: 400,
    responseBody: JSON.stringify({
      type: 'error',
      error: { type: 'invalid_request_error', message },
    }),
    isRetryable: false,
  })
}

/** The answer of the scene for the latest request, by the scene's progress. */
function findAnswer({ prompt }: CallOptions): RecordedAnswer {
  const at = prompt.findLastIndex((message) => findRequest(message) !== undefined)
  const request = at < 0 ? '' : (findRequest(prompt[at]) ?? '')
  const scene = demoSession.find(({ asks }) => request.toLowerCase().startsWith(asks))
  const { answers = [], asks = '' } = scene ?? {}
  const answered = prompt.slice(at + 1).filter(({ role }) => role === 'assistant').length
  // A summary is in the place of the calls. The same calls again would cause the same compression.
  const isSummarized = answered === 0 && at < prompt.length - 1
  const { text = '', call } = (isSummarized ? undefined : answers[answered]) ?? answers.at(-1) ?? {}
  const rest = request.slice(asks.length).trim()
  const fill = <Value>(value: Value) =>
    typeof value === 'string' ? value.replaceAll(REST, () => rest) : value
  if (!call) return { text: fill(text) }
  const input = Object.entries(call.input).map(([name, value]) => [name, fill(value)] as const)
  return { text: fill(text), call: { ...call, input: Object.fromEntries(input) } }
}

/** The words of the user in a message. Undefined if it contains only a summary or none. */
function findRequest(message: PromptMessage | undefined): string | undefined {
  if (message?.role !== 'user') return undefined
  const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text.trim()] : []))
  const said = texts.filter((text) => text !== '' && !isSummaryText(text))
  return said.length === 0 ? undefined : said.join('\n')
}

/** All text of a prompt, which is what it costs. */
function renderPrompt({ prompt, tools = [] }: CallOptions): string {
  const messages = prompt.map((message) => {
    if (typeof message.content === 'string') return message.content
    const texts = message.content.map((part) => {
      if ('text' in part) return part.text
      return JSON.stringify('output' in part ? part.output : part)
    })
    return texts.join('\n')
  })
  return [...messages, ...tools.map((tool) => JSON.stringify(tool))].join('\n')
}
