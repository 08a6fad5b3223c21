/** Summaries by a model that the host has already: what the models of all frameworks share. */
import { findOverflow } from '../context/find-overflow.ts'
import { digest } from '../digest/digest.ts'
import { readMember } from '../formats/ground/json.ts'
import { findModel } from '../models/find-model.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { type ModelSummarizerOptions, modelSummarizer } from '../summarizers/model.ts'
import {
  chain,
  type GeneratedText,
  type GenerationFailure,
  type GenerationRequest,
  type LanguageModel,
  type Summarizer,
} from '../summarizers/summarizer.ts'
import { createTokenCounter } from '../tokens/counter.ts'

/** All of it may be left out. */
export interface CreateSummarizerOptions extends Pick<ModelSummarizerOptions, 'prompts'> {
  /** Prompt and answer together; by default what the catalogue knows of the name, 32 000 where it knows nothing. */
  readonly contextWindowTokens?: number
}

/** A model of a framework, as far as a summary needs one. */
export interface CalledSummaryModel {
  /** `provider/model`. */
  readonly name: string
  readonly model: string
  /** One call, which may reject with whatever the framework throws. */
  call(request: GenerationRequest): Promise<GeneratedText>
}

// What a local server does not take it cuts off without a word.
const UNKNOWN_WINDOW_TOKENS = 32_000
// Models that reason count it as output: without room for it nothing is left for the text.
const REASONING_TOKENS = 8_000

/** The model writes; where it fails or writes what may not be used, `digest` does. One call is one attempt. */
export function createSummarizerOf(called: CalledSummaryModel, options: CreateSummarizerOptions): Summarizer {
  const model = findModel(called.model)
  const counter = createTokenCounter(model)
  const known = model.known ? model.contextWindowTokens : Math.min(model.contextWindowTokens, UNKNOWN_WINDOW_TOKENS)
  const contextWindowTokens = options.contextWindowTokens ?? known
  const maxOutputTokens = Math.min(model.outputLimitTokens, Math.floor(contextWindowTokens / 2))
  const languageModel: LanguageModel = {
    name: called.name,
    contextWindowTokens,
    maxOutputTokens,
    countTokens: (text) => counter.countText(text).upper,
    generate: async (request) => {
      request.signal?.throwIfAborted()
      const room = Math.min(request.maxOutputTokens + REASONING_TOKENS, model.outputLimitTokens)
      try {
        return await called.call({ ...request, maxOutputTokens: room })
      } catch (error) {
        request.signal?.throwIfAborted()
        return explainFailure(error)
      }
    },
  }
  return chain(modelSummarizer(languageModel, options), digest())
}

function explainFailure(error: unknown): GenerationFailure {
  const message = redactSecrets(String(readMember(error, 'message') ?? error))
  const status = readMember(error, 'statusCode') ?? readMember(error, 'status')
  if (findOverflow(error)) return { type: 'failed', reason: 'overflow', message }
  if (status === 400) return { type: 'failed', reason: 'rejected-request', message }
  const isMisconfigured = status === 401 || status === 403 || status === 404
  return { type: 'failed', reason: isMisconfigured ? 'misconfigured' : 'unavailable', message }
}
