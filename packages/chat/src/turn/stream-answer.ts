import { findModel, findOverflow, type Refusal, type Usage } from '@precis/core'
import { priceTokens } from '@precis/core/engine'
import type {
  AssistantModelMessage,
  LanguageModelUsage,
  ModelMessage,
  SystemModelMessage,
  TextStreamPart,
  ToolSet,
} from 'ai'
import type { ChatEvent } from '../contract/chat-agent.ts'
import type { CallError, ModelPort } from '../contract/ports.ts'
import { type CalledTool, replaceHalves } from '../history/chat-history.ts'
import type { ConnectedModel } from '../models/models.ts'

interface AnswerRequest {
  readonly model: ConnectedModel
  readonly models: ModelPort
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: ToolSet
  readonly signal: AbortSignal
  readonly emit: (event: ChatEvent) => void
}

export type StreamedAnswer = Awaited<ReturnType<typeof streamAnswer>>

/**
 * One request to the model. If aborted, resolves with what there is. Rejects with the error of the
 * provider's package.
 */
export async function streamAnswer({ model, models, signal, emit, ...request }: AnswerRequest) {
  const [{ streamText }, connected] = await Promise.all([import('ai'), model.load()])
  // The SDK would print a warning to the terminal for every option that a model ignores.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  const silence = watchSilence(models.longestTimeoutMs)
  const collected = collectAnswer()
  let usage: LanguageModelUsage | undefined
  let finishReason = 'other'
  let isFinished = false
  let isBrokenOff = false
  try {
    const { fullStream } = streamText({
      model: connected,
      system: model.markCached<SystemModelMessage>({ role: 'system', content: request.system }),
      messages: request.messages.map((message, at, { length }) =>
        at < length - 1 ? message : model.markCached(message),
      ),
      tools: request.tools,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, silence.signal]),
      providerOptions: model.providerOptions,
      maxOutputTokens: model.maxOutputTokens,
      // Errors also come through the stream. By default the SDK would print them.
      onError: () => undefined,
    })
    for await (const part of fullStream) {
      silence.reset()
      if (part.type === 'error') throw part.error
      if (part.type === 'abort') break
      collected.add(part)
      if (part.type === 'text-delta') emit({ type: 'text', delta: part.text })
      if (part.type === 'reasoning-delta') emit({ type: 'reasoning', delta: part.text })
      if (part.type === 'tool-call') {
        emit({ type: 'tool-call', callId: part.toolCallId, name: part.toolName, input: part.input })
      }
      if (part.type === 'finish-step') {
        ;({ usage, finishReason } = part)
        isFinished = true
        // The AI SDK's step ends all the same when the stream does.
        isBrokenOff = part.finishReason === 'other' && part.rawFinishReason === undefined
      }
    }
  } catch (error) {
    if (!signal.aborted && !silence.signal.aborted) throw error
  } finally {
    silence.end()
  }
  if (silence.signal.aborted && !signal.aborted && !isFinished) {
    const message = `no answer within ${models.longestTimeoutMs / 1000} s`
    throw new models.CallError({ type: 'failed', reason: 'timed-out', message }, 'slow')
  }
  const answer = collected.finish(isFinished)
  if (isBrokenOff && answer && !signal.aborted) {
    const message = 'the answer ended before it was finished'
    throw new models.CallError({ type: 'failed', reason: 'unavailable', message }, 'busy')
  }
  return {
    message: answer,
    calls: collected.calls,
    model: model.name,
    ...readUsage(usage, model),
    finishReason,
    isInterrupted: signal.aborted && !isFinished,
  }
}

/** Aborts if nothing arrives for longer than any model thinks. */
function watchSilence(longestMs: number): {
  readonly signal: AbortSignal
  reset(): void
  end(): void
} {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), longestMs)
  return { signal: limit.signal, reset: () => timer.refresh(), end: () => clearTimeout(timer) }
}

function readUsage(
  usage: LanguageModelUsage | undefined,
  model: ConnectedModel,
): { usage?: Usage; dollars?: number } {
  // Some servers report no usage.
  if (usage?.inputTokens === undefined) return {}
  const { inputTokens, outputTokens = 0, inputTokenDetails: details } = usage
  const cachedInputTokens = details?.cacheReadTokens ?? 0
  const cacheWriteTokens = details?.cacheWriteTokens ?? 0
  const { pricesPerMillionTokens: prices } = findModel(model.name)
  const billed = {
    input: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
    cachedInput: cachedInputTokens,
    cacheWrite: cacheWriteTokens,
    cacheWriteLong: 0,
    output: outputTokens,
  }
  return {
    usage: { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens },
    dollars: model.isFree ? 0 : prices && priceTokens(billed, prices),
  }
}

export interface CalledInput extends CalledTool {
  readonly input: unknown
  /** Why the call is impossible: its input is not JSON, or the tool does not exist. */
  readonly fault: string | undefined
}

type AnswerPart = TextStreamPart<ToolSet>
type Block = Exclude<AssistantModelMessage['content'], string>[number]
type SpokenBlock = Extract<Block, { type: 'text' | 'reasoning' }>
type Metadata = Extract<AnswerPart, { type: 'text-end' }>['providerMetadata']

/** Collects an answer as it arrives. */
function collectAnswer() {
  const blocks: Block[] = []
  const open = new Map<string, SpokenBlock>()
  const calls: CalledInput[] = []
  const begin = (type: SpokenBlock['type'], { id, providerMetadata }: Spoken) => {
    const block: SpokenBlock = withMetadata({ type, text: '' }, providerMetadata)
    open.set(`${type} ${id}`, block)
    blocks.push(block)
    return block
  }
  const grow = (type: SpokenBlock['type'], part: Spoken, text: string) => {
    const block = open.get(`${type} ${part.id}`) ?? begin(type, part)
    block.text += text
    // Signatures come with the last piece.
    if (part.providerMetadata)
      block.providerOptions = { ...block.providerOptions, ...part.providerMetadata }
  }
  const add = (part: AnswerPart): void => {
    if (part.type === 'text-start') begin('text', part)
    else if (part.type === 'reasoning-start') begin('reasoning', part)
    else if (part.type === 'text-delta') grow('text', part, part.text)
    else if (part.type === 'reasoning-delta') grow('reasoning', part, part.text)
    else if (part.type === 'text-end') grow('text', part, '')
    else if (part.type === 'reasoning-end') grow('reasoning', part, '')
    else if (part.type === 'file') {
      const { base64: data, mediaType } = part.file
      blocks.push(withMetadata({ type: 'file', data, mediaType }, part.providerMetadata))
    } else if (part.type === 'tool-call') {
      const { toolCallId: callId, toolName: name, providerMetadata } = part
      // Providers only accept an object.
      const input: unknown = typeof part.input === 'object' && part.input !== null ? part.input : {}
      blocks.push(
        withMetadata(
          { type: 'tool-call', toolCallId: callId, toolName: name, input },
          providerMetadata,
        ),
      )
      calls.push({
        callId,
        name,
        input,
        fault: part.invalid === true ? explainFault(part.error) : undefined,
      })
    }
  }
  return {
    add,
    /** Only complete calls. */
    calls,
    /**
     * Undefined if it is empty. An unfinished answer loses parts that are useless unless complete.
     * A blank text is one that Anthropic writes before a call, and refuses to read.
     */
    finish: (isWhole: boolean): AssistantModelMessage | undefined => {
      const kept = (isWhole ? blocks : cutOff(blocks)).filter(
        (block) => block.type !== 'text' || block.text.trim() !== '',
      )
      return kept.length === 0 ? undefined : { role: 'assistant', content: kept }
    },
  }
}

interface Spoken {
  readonly id: string
  readonly providerMetadata?: Metadata
}

/**
 * Reasoning must be whole and stay with what it led to. Text with an id of the provider must be as
 * the provider stored it.
 *
 *   reasoning, text, call a, reasoning, te…        kept: reasoning, text, call a, te…
 */
function cutOff(blocks: readonly Block[]): Block[] {
  const lastCall = blocks.findLastIndex((block) => block.type === 'tool-call')
  return blocks.flatMap((block, index) => {
    if (index <= lastCall) return [block]
    return block.type === 'text' ? [{ type: 'text', text: replaceHalves(block.text) }] : []
  })
}

function withMetadata<B extends Block>(block: B, metadata: Metadata): B {
  return metadata ? { ...block, providerOptions: metadata } : block
}

function explainFault(error: unknown): string {
  return error instanceof Error ? error.message : 'the call cannot be read'
}

/** A request that was not sent, because no compression makes it fit. */
export class UnfitError extends Error {
  override readonly name = 'UnfitError'
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super('The request does not fit.')
    this.refusal = refusal
  }
}

/** Explains an error of a provider, even one in the middle of a stream that is not an `Error`. */
export async function explainCall(
  error: unknown,
  { key }: ConnectedModel,
  models: ModelPort,
): Promise<CallError> {
  const { CallError } = models
  if (error instanceof CallError) return error
  const thrown = error instanceof Error ? error : new Error(readMessage(error))
  const explained = await models.explain(thrown, key)
  const repeatAs = (reason: 'overflow' | 'rejected-request') =>
    new CallError({ ...explained.failure, reason }, 'never')
  if (findOverflow(error)) return repeatAs('overflow')
  return thrown !== error && FINAL.test(JSON.stringify(error))
    ? repeatAs('rejected-request')
    : explained
}

const FINAL =
  /"(?:invalid_request_error|authentication_error|permission_error|not_found_error|invalid_prompt)"/

function readMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const inner: unknown = 'error' in error ? error.error : undefined
  if (typeof inner === 'object' && inner !== null) return readMessage(inner)
  return 'message' in error ? String(error.message) : JSON.stringify(error)
}

/**
 * Explains what failed in a request, and what the user can do. The user's message is in the history
 * in any case.
 */
export async function explainFailure(
  error: unknown,
  model: ConnectedModel,
  models: ModelPort,
): Promise<Extract<ChatEvent, { type: 'error' }>> {
  if (error instanceof UnfitError) return explainUnfit(error)
  const { failure } = await explainCall(error, model, models)
  return {
    type: 'error',
    message: `${model.name}: ${failure.message}`,
    hint: HINTS[failure.reason](model),
  }
}

const HINTS: Readonly<Record<CallError['failure']['reason'], (model: ConnectedModel) => string>> = {
  overflow: () =>
    'The history is too long for this model even after a compression: try /compress, or a larger one with /model.',
  refused: () => 'Say it in other words, or try another model with /model.',
  unavailable: () => 'Your message is kept: /retry sends it again, or switch with /model.',
  'timed-out': () => 'Your message is kept: /retry sends it again, or switch with /model.',
  'rejected-request': () => 'Another model may take it: /model.',
  misconfigured: ({ keySource }) =>
    keySource === ''
      ? 'Check the name of the model and the address.'
      : `Check ${keySource}, the name of the model and the address, or switch with /model.`,
}

function describeObstacle({ limit, item, itemTokens, budgetTokens }: Refusal): string {
  if (limit === 'tokens')
    return `${item} alone has ${itemTokens} tokens, and ${budgetTokens} is the room there is`
  return `there are more ${limit === 'bytes' ? 'bytes' : 'images or pages'} than its provider takes, most of them in ${item}`
}

function explainUnfit({ refusal }: UnfitError): Extract<ChatEvent, { type: 'error' }> {
  return {
    type: 'error',
    message: `The request does not fit into the window of this model: ${describeObstacle(refusal)}.`,
    hint: 'Switch to a model with a larger window with /model, or give it in smaller pieces.',
  }
}
