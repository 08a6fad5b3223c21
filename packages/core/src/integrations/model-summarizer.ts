/** Summaries by a model that the host has already: what the models of all frameworks share. */

import { findOverflow } from '../context/find-overflow.ts'
import { untilAborted } from '../context/shared-run.ts'
import {
  aNumberAbove0,
  checkOptions,
  type Kind,
  type Kinds,
} from '../conversation/check-options.ts'
import { digest } from '../digest/digest.ts'
import { readMember } from '../formats/shared/json.ts'
import { findModel } from '../models/find-model.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import {
  aPromptSource,
  type ModelSummarizerOptions,
  modelSummarizer,
} from '../summarizers/model.ts'
import {
  chain,
  type GeneratedText,
  type Generation,
  type GenerationFailure,
  type GenerationRequest,
  type LanguageModel,
  type Summarizer,
} from '../summarizers/summarizer.ts'
import { createTokenCounter } from '../tokens/counter.ts'

/** Every option has a default. */
export interface CreateSummarizerOptions extends Pick<ModelSummarizerOptions, 'prompts'> {
  /**
   * Tokens of prompt and answer together. By default the window that the catalogue has for the
   * name, or 32,000 for an unknown name.
   */
  readonly contextWindowTokens?: number
  /**
   * The limit for one answer, including retries. By default a minute plus the time of a long prompt
   * and a long answer.
   */
  readonly timeoutMs?: number
}

/** One text to be written, within the time for it. */
export interface SummaryCall extends GenerationRequest {
  readonly signal: AbortSignal
}

/** A model of a framework, as far as a summary needs one. */
export interface CalledSummaryModel {
  /** `provider/model`. */
  readonly name: string
  readonly model: string
  /** May reject with whatever the framework throws. Retries are its own. */
  call(request: SummaryCall): Promise<GeneratedText>
}

// A local server silently cuts off text over its limit.
const UNKNOWN_WINDOW_TOKENS = 32_000
// Models that reason count reasoning as output. Without space for it, nothing is left for the text.
export const REASONING_TOKENS = 8_000

// On top of the first minute, as the built-in models have it: about 700 tokens are read in a
// second, and 40 written.
const LEAST_TIMEOUT_MS = 60_000
const READ_MS_PER_CHARACTER = 0.4
const WRITE_MS_PER_TOKEN = 25
// What a timer takes.
const LONGEST_TIMEOUT_MS = 2 ** 31

export const aTimeout: Kind = {
  allowed: 'a number above 0 and below 2³¹',
  accepts: (value) => typeof value === 'number' && value > 0 && value < LONGEST_TIMEOUT_MS,
}

const KINDS: Kinds = {
  contextWindowTokens: aNumberAbove0,
  timeoutMs: aTimeout,
  prompts: aPromptSource,
}

/**
 * Creates a summarizer in which the model writes. If it fails, is too slow or writes unusable text,
 * `digest` writes. Throws `RangeError`.
 */
export function createSummarizerOf(
  called: CalledSummaryModel,
  options: CreateSummarizerOptions,
): Summarizer {
  checkOptions('Creating a summarizer', options, KINDS)
  const { timeoutMs } = options
  const model = findModel(called.model)
  const counter = createTokenCounter(model)
  const known = model.known
    ? model.contextWindowTokens
    : Math.min(model.contextWindowTokens, UNKNOWN_WINDOW_TOKENS)
  const contextWindowTokens = options.contextWindowTokens ?? known
  const maxOutputTokens = Math.min(model.outputLimitTokens, Math.floor(contextWindowTokens / 2))
  const languageModel: LanguageModel = {
    name: called.name,
    contextWindowTokens,
    maxOutputTokens,
    countTokens: (text) => counter.countText(text).upper,
    generate: async (request) => {
      const { system, prompt, maxOutputTokens } = request
      const limitMs = timeoutMs ?? findTimeout(prompt.length, maxOutputTokens)
      const free = contextWindowTokens - counter.countText(`${system}\n\n${prompt}`).upper
      const wanted = Math.min(maxOutputTokens + REASONING_TOKENS, model.outputLimitTokens, free)
      const room = Math.max(maxOutputTokens, wanted)
      const call = (signal: AbortSignal) =>
        called.call({ ...request, maxOutputTokens: room, signal })
      return callInTime(call, limitMs, request.signal)
    },
  }
  return chain(modelSummarizer(languageModel, options), digest())
}

/** A failed or late call is a value. Rejects only if `given` is aborted. */
export async function callInTime(
  call: (signal: AbortSignal) => Promise<GeneratedText>,
  givenMs: number,
  given: AbortSignal | undefined,
): Promise<Generation> {
  given?.throwIfAborted()
  const limitMs = Math.ceil(givenMs)
  const limit = AbortSignal.timeout(limitMs)
  const signal = given ? AbortSignal.any([given, limit]) : limit
  try {
    // Not every model ends when it is told to.
    return await untilAborted(call(signal), signal)
  } catch (error) {
    given?.throwIfAborted()
    if (!limit.aborted) return explainFailure(error)
    const seconds = Math.round(limitMs / 100) / 10
    return { type: 'failed', reason: 'timed-out', message: `no answer within ${seconds} s` }
  }
}

export function findTimeout(promptCharacters: number, maxOutputTokens: number): number {
  const neededMs = promptCharacters * READ_MS_PER_CHARACTER + maxOutputTokens * WRITE_MS_PER_TOKEN
  return Math.min(LEAST_TIMEOUT_MS + neededMs, LONGEST_TIMEOUT_MS - 1)
}

function explainFailure(thrown: unknown): GenerationFailure {
  // The last of several attempts has the reason.
  const error = readMember(thrown, 'lastError') ?? thrown
  const message = redactSecrets(String(readMember(error, 'message') ?? error))
  const status = readMember(error, 'statusCode') ?? readMember(error, 'status')
  if (findOverflow(error)) return { type: 'failed', reason: 'overflow', message }
  if (status === 400) return { type: 'failed', reason: 'rejected-request', message }
  const isMisconfigured = status === 401 || status === 403 || status === 404
  return { type: 'failed', reason: isMisconfigured ? 'misconfigured' : 'unavailable', message }
}
