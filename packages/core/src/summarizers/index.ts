/**
 * The public API of `@precis/core/summarizers`: one that needs no model, one that uses any, and how
 * they are put in a row.
 *
 * ```ts
 * import { compress, digest, findModel } from '@precis/core'
 * import { chain, modelSummarizer, STRONG_MODEL_TOKENS } from '@precis/core/summarizers'
 *
 * const { contextWindowTokens } = findModel('gpt-5')
 * const own = modelSummarizer({
 *   name: contextWindowTokens < STRONG_MODEL_TOKENS ? 'own' : 'own-strong',
 *   contextWindowTokens: 32_000,
 *   maxOutputTokens: 4000,
 *   countTokens: (text) => Math.ceil(text.length / 3),
 *   generate: async () => ({ type: 'failed', reason: 'unavailable', message: 'No model here.' }),
 * })
 * const messages = [{ role: 'user', content: 'Why does the build fail?' }]
 * const { outcome } = await compress(messages, { budgetTokens: 1000, summarizer: chain(own, digest()) })
 * console.log(outcome.type)
 * ```
 */

export type { NameCheck } from './mark-names.ts'
export { type ModelSummarizerOptions, modelSummarizer, STRONG_MODEL_TOKENS } from './model.ts'
export type { PromptName, PromptSource } from './prompts.ts'
export type {
  GeneratedText,
  Generation,
  GenerationFailure,
  GenerationRequest,
  LanguageModel,
  ModelUsage,
  /** @deprecated Import it from `@precis/core`. */
  Summarizer,
  /** @deprecated Import it from `@precis/core`. */
  Summary,
  /** @deprecated Import it from `@precis/core`. */
  SummaryRequest,
  SummaryUsage,
} from './summarizer.ts'
export { chain } from './summarizer.ts'
