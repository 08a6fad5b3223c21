/**
 * One message of the person, until the model is done with it.
 *
 *   append ──► send (compressed first when due, again after an overflow) ──► append the answer
 *                ▲                                                              │
 *                └──────────── append results ◄── run calls ◄── calls? ─────────┘
 */
import type { PreparedRequest } from '@precis/core'
import type { ModelMessage, ToolSet } from 'ai'
import { LONGEST_TIMEOUT_MS } from '../../configuration/summarizer-settings.ts'
import type { Clock } from '../../summarizers/clock.ts'
import { type Retry, retry } from '../../summarizers/retry.ts'
import type { ChatEvent } from '../chat-agent.ts'
import type { Journal } from '../history/journal.ts'
import type { ConnectedModel } from '../models/connect-model.ts'
import type { ChatContext } from '../recorded-context.ts'
import type { ToolSurroundings } from '../tools/tool.ts'
import type { CheckedTool } from '../tools/tools.ts'
import { explainCall, explainFailure, UnfitError } from './explain-failure.ts'
import { recordPartialText } from './partial-text.ts'
import { runCalls } from './run-calls.ts'
import { type Answer, streamAnswer } from './stream-answer.ts'

export interface TurnSurroundings extends Omit<ToolSurroundings, 'signal' | 'maxOutputCharacters'> {
  readonly context: ChatContext
  readonly journal: Journal
  /** The one that is asked next; a switch may come between two requests. */
  readonly model: () => ConnectedModel
  readonly system: string
  /** The name of what writes summaries now. */
  readonly summarizer: () => string | undefined
  readonly tools: readonly CheckedTool[]
  /** Loads the AI SDK, which takes its time, when it is needed first. */
  readonly toolSet: () => Promise<ToolSet>
  readonly redact: (text: string) => string
  readonly clock: Clock
}

export type Emit = (event: ChatEvent) => void

// Of one message of the person; a model that goes in a circle has to end somewhere.
const MOST_STEPS = 200

/** Resolves also when aborted, and when the provider fails: that is told as an event. */
export async function runTurn(
  text: string,
  surroundings: TurnSurroundings,
  { emit, signal }: { readonly emit: Emit; readonly signal: AbortSignal },
): Promise<void> {
  const { context, model } = surroundings
  const endWatch = watchCompressions(surroundings, emit)
  try {
    const content = surroundings.redact(text)
    if (text.trim() === '') {
      if (!isWaiting(context.messages)) return emit({ type: 'error', message: 'There is nothing to send again.' })
    } else if (!isUnanswered(context.messages, content)) {
      context.append({ role: 'user', content })
    }
    for (let step = 0; step < MOST_STEPS; step++) {
      if (!(await runStep(surroundings, emit, signal))) return
    }
    emit({ type: 'error', message: `Stopped after ${MOST_STEPS} requests.`, hint: 'Say "go on" to go on.' })
  } catch (error) {
    if (!signal.aborted) emit(await explainFailure(error, model()))
  } finally {
    endWatch()
    await surroundings.journal.flush()
  }
}

/** Whether it is the model's turn to speak. */
function isWaiting(messages: readonly ModelMessage[]): boolean {
  const role = messages.at(-1)?.role
  return role === 'user' || role === 'tool'
}

/** Whether these very words are there already, and nothing was said to them: an error came instead of an answer. */
function isUnanswered(messages: readonly ModelMessage[], content: string): boolean {
  const last = messages.at(-1)
  return last?.role === 'user' && last.content === content
}

/** One request and the calls it led to. True when the model has to be asked again. */
async function runStep(surroundings: TurnSurroundings, emit: Emit, signal: AbortSignal): Promise<boolean> {
  const { context, journal } = surroundings
  signal.throwIfAborted()
  await journal.flush()
  const answer = await requestAnswer(surroundings, emit, signal)
  const { message, calls, usage, dollars } = answer
  if (message) context.append(message)
  if (usage) {
    context.recordUsage(usage)
    emit({ type: 'usage', usage, ...(dollars !== undefined && { dollars }) })
  }
  if (calls.length === 0) {
    if (!answer.isInterrupted) explainEnding(answer, emit)
    return false
  }
  const results = await runCalls(calls, {
    ...surroundings,
    emit,
    signal,
    maxOutputCharacters: limitOutput(context.state.windowTokens),
    onResult: (callId, output, isError) => {
      if (calls.length > 1) journal.record({ type: 'partial-result', callId, output, isError })
    },
  })
  context.append(results)
  return !signal.aborted
}

async function requestAnswer(surroundings: TurnSurroundings, emit: Emit, signal: AbortSignal): Promise<Answer> {
  let newest: Promise<Answer> | undefined
  const onAttempt = (attempt: Promise<Answer>) => {
    newest = attempt
  }
  try {
    return await surroundings.context.send(
      async (request) => {
        if (!request.fits) throw new UnfitError(request.refusal)
        return await streamWithRetries(request, surroundings, { emit, signal, onAttempt })
      },
      { signal },
    )
  } catch (error) {
    // Whoever waits for an attempt leaves at once when aborted; what was said until then is still to come.
    const interrupted = signal.aborted ? await newest?.catch(() => undefined) : undefined
    if (interrupted) return interrupted
    throw error
  }
}

/** Rejects with what the provider's package threw last, so that the context can tell an overflow. */
async function streamWithRetries(
  { messages }: PreparedRequest<ModelMessage>,
  surroundings: TurnSurroundings,
  { emit, signal, onAttempt }: { emit: Emit; signal: AbortSignal; onAttempt: (attempt: Promise<Answer>) => void },
): Promise<Answer> {
  const { journal, clock, system } = surroundings
  const model = surroundings.model()
  const tools = await surroundings.toolSet()
  let thrown: unknown
  const attempt = async () => {
    const partial = recordPartialText(journal, emit)
    try {
      const answer = streamAnswer({ model, system, messages, tools, signal, emit: partial.emit })
      onAttempt(answer)
      return await answer
    } catch (error) {
      partial.discard()
      thrown = error
      throw await explainCall(error, model)
    }
  }
  const onRetry = ({ error, ...retried }: Retry) => emit({ type: 'retry', message: error.failure.message, ...retried })
  try {
    return await retry(attempt, { timeoutMs: LONGEST_TIMEOUT_MS, clock, signal, isWatched: true, onRetry })
  } catch (error) {
    throw signal.aborted ? error : (thrown ?? error)
  }
}

function watchCompressions({ context, summarizer }: TurnSurroundings, emit: Emit): () => void {
  const tell = ({ compression }: Parameters<Parameters<typeof context.on<'compression-applied'>>[1]>[0]) => {
    if (compression.trigger === 'manual' || compression.trigger === 'model-switch') return
    const paused = context.state.isPaused ? summarizer() : undefined
    emit({ type: 'compression', compression, ...(paused !== undefined && { pausedSummarizer: paused }) })
  }
  const ends = [context.on('compression-applied', tell), context.on('compression-failed', tell)]
  return () => {
    for (const end of ends) end()
  }
}

/** An answer that came to an end which is not its own. */
function explainEnding({ message, finishReason, usage }: Answer, emit: Emit): void {
  if (finishReason === 'length') {
    const tokens = usage ? ` after ${usage.outputTokens} tokens` : ''
    emit({ type: 'error', message: `The answer was cut off${tokens}.`, hint: 'Say "go on" for the rest.' })
  } else if (finishReason === 'content-filter') {
    emit({ type: 'error', message: 'The provider refused to answer.', hint: 'Say it in other words.' })
  } else if (!message) {
    emit({ type: 'error', message: 'The model gave an empty answer.', hint: 'Send your message again.' })
  }
}

// Of the window, at about three characters a token: several results have to fit beside each other.
const OUTPUT_CHARACTERS_PER_WINDOW_TOKEN = 0.4
const FEWEST_CHARACTERS = 1500
const MOST_CHARACTERS = 50_000

function limitOutput(windowTokens: number): number {
  const share = Math.floor(windowTokens * OUTPUT_CHARACTERS_PER_WINDOW_TOKEN)
  return Math.min(Math.max(share, FEWEST_CHARACTERS), MOST_CHARACTERS)
}
