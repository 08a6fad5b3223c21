/** The public API of `@precis/core/summarizers`: one that needs no model, one that uses any, and how they are put in a row. */
export { chain } from './chain.ts'
export { digest } from './digest.ts'
export type {
  GeneratedText,
  Generation,
  GenerationFailure,
  GenerationRequest,
  LanguageModel,
} from './model/language-model.ts'
export { type ModelSummarizerOptions, modelSummarizer, STRONG_MODEL_TOKENS } from './model.ts'
export type { PromptName, PromptSource } from './prompts/prompt.ts'
export type { Summarizer, Summary, SummaryRequest, SummaryUsage } from './summarizer.ts'
