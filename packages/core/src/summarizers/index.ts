/**
 * The public API of `@precis/core/summarizers`: one that needs no model, one that uses any, and how
 * they are put in a row.
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
