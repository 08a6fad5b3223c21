/**
 * One message of the user, until the model has finished.
 *
 *   append ──► send (compressed first when due, again after an overflow) ──► append the answer
 *                ▲                                                              │
 *                └──────────── append results ◄── run calls ◄── calls? ─────────┘
 */

import type { ContextCompression } from '@precis/core'
import type { ModelMessage, ToolModelMessage, ToolResultPart, ToolSet } from 'ai'
import type { ChatEvent, ToolResult } from '../contract/chat-agent.ts'
import type { ModelPort, Retry } from '../contract/ports.ts'
import { createToolResult, INTERRUPTED, replaceHalves } from '../history/chat-history.ts'
import type { ChatContext, ChatJournal } from '../history/journal.ts'
import type { ConnectedModel } from '../models/models.ts'
import { tools } from '../tools/index.ts'
import { ToolError, type ToolSurroundings } from '../tools/tool.ts'
import {
  type CalledInput,
  explainCall,
  explainFailure,
  type StreamedAnswer,
  streamAnswer,
  UnfitError,
} from './stream-answer.ts'

export interface TurnSurroundings extends Omit<ToolSurroundings, 'signal' | 'maxOutputCharacters'> {
  readonly context: ChatContext
  readonly journal: ChatJournal
  /** The model for the next request. A switch may come between two requests. */
  readonly model: () => ConnectedModel
  readonly system: string
  /** The name of the present summarizer. */
  readonly summarizer: () => string | undefined
  /** Loads the AI SDK on first use, because that takes time. */
  readonly toolSet: () => Promise<ToolSet>
  readonly redact: (text: string) => string
  readonly models: ModelPort
}

interface ChatTurn extends TurnSurroundings {
  readonly signal: AbortSignal
  readonly emit: (event: ChatEvent) => void
}

// For one message of the user. A model that loops has to stop somewhere.
const MOST_STEPS = 200

/** Resolves even if it is aborted, or the provider fails. The failure is an event. */
export async function runTurn(text: string, turn: ChatTurn): Promise<void> {
  const { context, emit, signal } = turn
  const endWatch = watchCompressions(turn)
  try {
    const content = turn.redact(text)
    const last = context.messages.at(-1)
    // The same words may already be last in the history, unanswered because of an error.
    const isUnanswered = last?.role === 'user' && last.content === content
    if (text.trim() === '') {
      const isWaiting = last?.role === 'user' || last?.role === 'tool'
      if (!isWaiting) return emit({ type: 'error', message: 'There is nothing to send again.' })
    } else if (!isUnanswered) {
      context.append({ role: 'user', content })
    }
    for (let step = 0; step < MOST_STEPS; step++) {
      if (!(await runStep(turn))) return
    }
    emit({
      type: 'error',
      message: `Stopped after ${MOST_STEPS} requests.`,
      hint: 'Say "go on" to go on.',
    })
  } catch (error) {
    if (!signal.aborted) emit(await explainFailure(error, turn.model(), turn.models))
  } finally {
    endWatch()
    await turn.journal.flush()
  }
}

/** One request and the calls it led to. True if the model has to be asked again. */
async function runStep(turn: ChatTurn): Promise<boolean> {
  const { context, journal, emit, signal } = turn
  signal.throwIfAborted()
  await journal.flush()
  const answer = await requestAnswer(turn)
  const { message, calls, model, usage, dollars } = answer
  if (message) context.append(message)
  if (usage) context.recordUsage(usage)
  emit({ type: 'usage', model, usage, dollars })
  if (calls.length === 0) {
    if (!answer.isInterrupted) explainEnding(answer, emit)
    return false
  }
  context.append(await runCalls(calls, turn))
  return !signal.aborted
}

async function requestAnswer(turn: ChatTurn): Promise<StreamedAnswer> {
  const { context, signal } = turn
  let newest: Promise<StreamedAnswer> | undefined
  const onAttempt = (attempt: Promise<StreamedAnswer>) => {
    newest = attempt
  }
  try {
    return await context.send(
      async (request) => {
        if (!request.fits) throw new UnfitError(request.refusal)
        return await streamWithRetries(request.messages, turn, onAttempt)
      },
      { signal },
    )
  } catch (error) {
    // When aborted, the context stops waiting immediately. The partial answer is still to come.
    const interrupted = signal.aborted ? await newest?.catch(() => undefined) : undefined
    if (interrupted) return interrupted
    throw error
  }
}

/**
 * Rejects with the last error of the provider's package, so that the context can recognize an
 * overflow.
 */
async function streamWithRetries(
  messages: readonly ModelMessage[],
  { journal, models, emit, signal, ...turn }: ChatTurn,
  onAttempt: (attempt: Promise<StreamedAnswer>) => void,
): Promise<StreamedAnswer> {
  const model = turn.model()
  const tools = await turn.toolSet()
  let thrown: unknown
  const attempt = async () => {
    const partial = recordPartialText(journal, emit)
    try {
      const answer = streamAnswer({
        model,
        models,
        system: turn.system,
        messages,
        tools,
        signal,
        emit: partial.emit,
      })
      onAttempt(answer)
      return await answer
    } catch (error) {
      partial.discard()
      thrown = error
      throw await explainCall(error, model, models)
    }
  }
  const onRetry = ({ error, ...retried }: Retry) =>
    emit({ type: 'retry', message: error.failure.message, ...retried })
  try {
    return await models.retry(attempt, { signal, onRetry })
  } catch (error) {
    throw signal.aborted ? error : (thrown ?? error)
  }
}

function watchCompressions({ context, summarizer, emit }: ChatTurn): () => void {
  const show = ({ compression }: { readonly compression: ContextCompression }) => {
    if (compression.trigger === 'manual' || compression.trigger === 'model-switch') return
    const pausedSummarizer = context.state.isPaused ? summarizer() : undefined
    emit({ type: 'compression', compression, pausedSummarizer })
  }
  const ends = [context.on('compression-applied', show), context.on('compression-failed', show)]
  return () => {
    for (const end of ends) end()
  }
}

/** Explains an answer that did not end normally. */
function explainEnding(
  { message, finishReason, usage }: StreamedAnswer,
  emit: ChatTurn['emit'],
): void {
  if (finishReason === 'length') {
    const tokens = usage ? ` after ${usage.outputTokens} tokens` : ''
    emit({
      type: 'error',
      message: `The answer was cut off${tokens}.`,
      hint: 'Say "go on" for the rest.',
    })
  } else if (finishReason === 'content-filter') {
    emit({
      type: 'error',
      message: 'The provider refused to answer.',
      hint: 'Say it in other words.',
    })
  } else if (!message) {
    emit({
      type: 'error',
      message: 'The model gave an empty answer.',
      hint: 'Send your message again.',
    })
  }
}

// How much of an answer may be lost with the process.
const UNRECORDED_CHARACTERS = 500
const LONGEST_MS = 1000

/** Writes an answer to the history as it arrives, and emits it. */
function recordPartialText(journal: ChatJournal, emit: ChatTurn['emit']) {
  let text = ''
  let isRecorded = false
  let recordedAt = performance.now()
  return {
    emit: (event: ChatEvent) => {
      emit(event)
      if (event.type !== 'text') return
      text += event.delta
      if (text.length < UNRECORDED_CHARACTERS && performance.now() - recordedAt < LONGEST_MS) return
      journal.record({ type: 'partial-text', text })
      text = ''
      isRecorded = true
      recordedAt = performance.now()
    },
    discard: () => {
      if (isRecorded) journal.record({ type: 'void' })
    },
  }
}

// Assumes about three characters per token. Several results have to fit next to each other.
const OUTPUT_CHARACTERS_PER_WINDOW_TOKEN = 0.4
const FEWEST_CHARACTERS = 1500
const MOST_CHARACTERS = 50_000

/** Runs one call after the other. Every call is answered, even if aborted. */
async function runCalls(calls: readonly CalledInput[], turn: ChatTurn): Promise<ToolModelMessage> {
  const { context, journal, redact, emit } = turn
  const share = Math.floor(context.state.windowTokens * OUTPUT_CHARACTERS_PER_WINDOW_TOKEN)
  const maxOutputCharacters = Math.min(Math.max(share, FEWEST_CHARACTERS), MOST_CHARACTERS)
  const content: ToolResultPart[] = []
  for (const call of calls) {
    const { callId, name } = call
    const { isError, ...result } = await runCall(call, { ...turn, maxOutputCharacters })
    const output = replaceHalves(limit(redact(result.output), maxOutputCharacters))
    content.push(createToolResult(call, output, isError))
    // Recorded before the next call begins, so that no result is lost.
    if (calls.length > 1) journal.record({ type: 'partial-result', callId, output, isError })
    emit({ type: 'tool-result', callId, name, output, isError })
  }
  return { role: 'tool', content }
}

async function runCall(
  { name, input, fault }: CalledInput,
  surroundings: ToolSurroundings,
): Promise<ToolResult> {
  const { signal } = surroundings
  const tool = tools.find((known) => known.name === name)
  try {
    signal.throwIfAborted()
    if (fault !== undefined) throw new ToolError(`This call cannot be made: ${fault}`)
    const names = tools.map((each) => each.name).join(', ')
    if (!tool) throw new ToolError(`There is no tool "${name}". Use one of ${names}.`)
    return { output: await untilAborted(tool.run(input, surroundings), signal), isError: false }
  } catch (error) {
    if (signal.aborted) return { output: INTERRUPTED, isError: true }
    return {
      output: error instanceof ToolError ? error.message : `The tool failed: ${String(error)}`,
      isError: true,
    }
  }
}

// Space for notes around an output of the maximum length.
const NOTE_CHARACTERS = 500

function limit(output: string, maxOutputCharacters: number): string {
  const most = maxOutputCharacters + NOTE_CHARACTERS
  if (output.length <= most) return output === '' ? '(no output)' : output
  return `${output.slice(0, most)}\n[cut off: ${output.length - most} more characters]`
}

/**
 * Rejects as soon as it is aborted. A tool that does not notice continues in the background, and
 * its result is dropped.
 */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
