import { createTokenCounter, findModel } from '@precis/core'
import { APICallError, type LanguageModel } from 'ai'
import { composeReply, type DemoPrompt, type DemoReply, type DemoStep } from './demo-reply.ts'

type ScriptedModel = Extract<LanguageModel, { readonly specificationVersion: 'v3' }>
type CallOptions = Parameters<ScriptedModel['doStream']>[0]
type PromptMessage = CallOptions['prompt'][number]
type StreamPart =
  Awaited<ReturnType<ScriptedModel['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

interface DemoModelOptions {
  readonly name: string
  readonly windowTokens: number
  /** Between the pieces of an answer. */
  readonly wait: (delayMs: number, signal: AbortSignal) => Promise<void>
}

const PIECE_DELAY_MS = 25
// Three words at once: about the pace of a quick model.
const PIECES = /(?:[^ \n]*[ \n]){3}|[\s\S]+$/g
const MESSAGE_TOKENS = 4
const NEVER = new AbortController().signal

/**
 * A model without a network: what it says follows from what it is sent, and it refuses what is too
 * long as others do.
 */
export function createDemoModel({ name, windowTokens, wait }: DemoModelOptions): ScriptedModel {
  const counter = createTokenCounter(findModel(name))
  const count = (text: string) => counter.countText(text).upper
  const answer = (options: CallOptions) => {
    const tokens = count(renderPrompt(options)) + options.prompt.length * MESSAGE_TOKENS
    if (tokens > windowTokens) throw tooLong(tokens, windowTokens)
    const whole = composeReply(readPrompt(options, { model: name, windowTokens, tokens }))
    const share = (options.maxOutputTokens ?? windowTokens) / count(renderReply(whole))
    const isCut = share < 1
    // Tokens are spread evenly enough for this.
    const text = whole.text.slice(0, Math.floor(whole.text.length * Math.min(share, 1)))
    const reply = { ...whole, text, calls: isCut ? [] : whole.calls }
    const ending = reply.calls.length > 0 ? 'tool-calls' : 'stop'
    const finishReason = { unified: isCut ? 'length' : ending, raw: undefined } as const
    const usage = {
      inputTokens: { total: tokens, noCache: tokens, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: count(renderReply(reply)), text: undefined, reasoning: undefined },
    }
    return listParts(reply, options, { type: 'finish', finishReason, usage })
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
  ending: StreamPart,
): Generator<StreamPart, undefined> {
  yield { type: 'stream-start', warnings: [] }
  for (const type of ['reasoning', 'text'] as const) {
    if (reply[type] === '') continue
    yield { type: `${type}-start`, id: type }
    for (const delta of reply[type].match(PIECES) ?? [])
      yield { type: `${type}-delta`, id: type, delta }
    yield { type: `${type}-end`, id: type }
  }
  yield* listCalls(reply, options)
  yield ending
  return undefined
}

/**
 * Ids are unlike all others of the conversation, since it only grows or is summarized with its
 * calls.
 */
function listCalls({ calls }: DemoReply, { prompt }: CallOptions) {
  const parts = prompt.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  const used = new Set(
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])),
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

/** In the words of Anthropic. */
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

const SUMMARY_OPENING = '<conversation-summary'

/** Sorts a prompt by what the script asks for. */
function readPrompt(
  { prompt, tools = [] }: CallOptions,
  { model, windowTokens, tokens }: Pick<DemoPrompt, 'model' | 'windowTokens' | 'tokens'>,
): DemoPrompt {
  const requests: string[] = []
  const answers: string[] = []
  const files = new Set<string>()
  const calls = new Map<string, { tool: string; input: Record<string, unknown> }>()
  let steps: DemoStep[] = []
  let summary = ''
  let isBegun = false
  for (const message of prompt) {
    isBegun = true
    if (message.role === 'user') {
      const [written, said] = splitTexts(readTexts(message))
      if (written.length > 0) summary = written.join('\n')
      if (said.length === 0) continue
      requests.push(said.join('\n'))
      steps = []
      isBegun = false
    } else if (message.role === 'assistant') {
      const text = readTexts(message).join('\n')
      if (text !== '') answers.push(text)
      for (const part of message.content) {
        if (part.type !== 'tool-call') continue
        const input = toRecord(part.input)
        calls.set(part.toolCallId, { tool: part.toolName, input })
        if (typeof input.path === 'string') files.add(input.path)
      }
    } else if (message.role === 'tool') {
      for (const part of message.content) {
        const call = part.type === 'tool-result' ? calls.get(part.toolCallId) : undefined
        if (!call || part.type !== 'tool-result') continue
        const { output } = part
        const isError = output.type.startsWith('error') || output.type === 'execution-denied'
        const value = 'value' in output ? output.value : (output.reason ?? 'denied')
        steps.push({
          ...call,
          output: typeof value === 'string' ? value : JSON.stringify(value),
          isError,
        })
      }
    }
  }
  return {
    model,
    windowTokens,
    tokens,
    messages: prompt.length,
    requests,
    summary,
    answers,
    isBegun,
    steps,
    files: [...files],
    tools: new Set(tools.map(({ name }) => name)),
  }
}

/** All text of a prompt: what it costs. */
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

function readTexts({ content }: PromptMessage): string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function splitTexts(texts: readonly string[]): [written: string[], said: string[]] {
  const isWritten = (text: string) => text.trimStart().startsWith(SUMMARY_OPENING)
  return [texts.filter(isWritten), texts.filter((text) => !isWritten(text) && text.trim() !== '')]
}

function toRecord(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? { ...input } : {}
}
