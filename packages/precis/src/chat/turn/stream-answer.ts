import { findModel, priceTokens, type Usage } from '@precis/core'
import type { AssistantModelMessage, LanguageModelUsage, ModelMessage, SystemModelMessage, ToolSet } from 'ai'
import { LONGEST_TIMEOUT_MS } from '../../configuration/summarizer-settings.ts'
import { CallError } from '../../summarizers/call-error.ts'
import type { ChatEvent } from '../chat-agent.ts'
import type { ConnectedModel } from '../models/connect-model.ts'
import { type CalledInput, collectAnswer } from './collect-answer.ts'

export interface AnswerRequest {
  readonly model: ConnectedModel
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: ToolSet
  readonly signal: AbortSignal
  readonly emit: (event: ChatEvent) => void
}

export interface Answer {
  readonly message: AssistantModelMessage | undefined
  readonly calls: readonly CalledInput[]
  readonly usage: Usage | undefined
  readonly dollars: number | undefined
  readonly finishReason: string
  readonly isInterrupted: boolean
}

/** One request to the model. Resolves also when aborted, with what there is; rejects with what the provider's package throws. */
export async function streamAnswer(request: AnswerRequest): Promise<Answer> {
  const { model, signal, emit } = request
  const [{ streamText }, connected] = await Promise.all([import('ai'), model.load()])
  // It would write to the terminal about every option that a model ignores.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  const silence = watchSilence()
  const collected = collectAnswer()
  let usage: LanguageModelUsage | undefined
  let finishReason = 'other'
  let isFinished = false
  try {
    const { fullStream } = streamText({
      model: connected,
      system: markSystem(request),
      messages: markLast(request),
      tools: request.tools,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, silence.signal]),
      providerOptions: model.providerOptions,
      ...(model.maxOutputTokens !== undefined && { maxOutputTokens: model.maxOutputTokens }),
      // Errors come through the stream as well; without this they would be printed.
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
      }
    }
  } catch (error) {
    if (!signal.aborted && !silence.signal.aborted) throw error
  } finally {
    silence.end()
  }
  if (silence.signal.aborted && !signal.aborted && !isFinished) throw tooSlow()
  return {
    message: collected.finish(isFinished),
    calls: collected.calls,
    ...readUsage(usage, model),
    finishReason,
    isInterrupted: signal.aborted && !isFinished,
  }
}

function markSystem({ model, system }: AnswerRequest): SystemModelMessage {
  return model.markCached({ role: 'system', content: system })
}

function markLast({ model, messages }: AnswerRequest): ModelMessage[] {
  const last = messages.at(-1)
  return last ? [...messages.slice(0, -1), model.markCached(last)] : []
}

/** Aborts when nothing comes for longer than any model thinks. */
function watchSilence(): { readonly signal: AbortSignal; reset(): void; end(): void } {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), LONGEST_TIMEOUT_MS)
  return { signal: limit.signal, reset: () => timer.refresh(), end: () => clearTimeout(timer) }
}

function tooSlow(): CallError {
  const message = `no answer within ${LONGEST_TIMEOUT_MS / 1000} s`
  return new CallError({ type: 'failed', reason: 'timed-out', message }, 'slow')
}

function readUsage(usage: LanguageModelUsage | undefined, model: ConnectedModel): Pick<Answer, 'usage' | 'dollars'> {
  // Some servers report nothing.
  if (usage?.inputTokens === undefined) return { usage: undefined, dollars: undefined }
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
