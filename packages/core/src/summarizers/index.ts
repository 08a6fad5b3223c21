/**
 * The public API of `@precis/core/summarizers`: one that needs no model, one that uses any, and how
 * they are put in a row.
 *
 * ```ts
 * import { compress, digest } from '@precis/core'
 * import { chain, modelSummarizer } from '@precis/core/summarizers'
 *
 * const own = modelSummarizer({
 *   name: 'own',
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
  Summarizer,
  Summary,
  SummaryRequest,
  SummaryUsage,
} from './summarizer.ts'
export { chain } from './summarizer.ts'
