import type { AnthropicProvider } from '@ai-sdk/anthropic'

/** A language model as the AI SDK has it, with the types of its calls. Every provider gives one; this names the type. */
export type ScriptedModel = ReturnType<AnthropicProvider['languageModel']>
export type CallOptions = Parameters<ScriptedModel['doStream']>[0]
export type StreamPart =
  Awaited<ReturnType<ScriptedModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
