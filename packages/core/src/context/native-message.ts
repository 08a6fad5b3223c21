// biome-ignore-all lint/suspicious/noTsIgnore: it is only an error where a package is missing.
/**
 * Messages as the official package of each API declares them. A package that is not installed
 * leaves its messages unchecked, and costs nothing at run time.
 */

import type { RequestFormat } from '../formats/request-formats.ts'

/** @ts-ignore The package may not be installed. */
type Anthropic = import('@anthropic-ai/sdk').Anthropic.MessageParam
/** @ts-ignore The package may not be installed. */
type OpenAIChat = import('openai').OpenAI.Chat.ChatCompletionMessageParam
/** @ts-ignore The package may not be installed. */
type OpenAIResponses = import('openai').OpenAI.Responses.ResponseInputItem
/** @ts-ignore The package may not be installed. */
type Google = import('@google/genai').Content
/** @ts-ignore The package may not be installed. */
type AiSdk = import('ai').ModelMessage
/** @ts-ignore The package may not be installed. */
type LangChain = import('langchain').BaseMessage

interface NativeMessages {
  readonly 'anthropic-messages': Anthropic
  readonly 'openai-chat': OpenAIChat
  readonly 'openai-responses': OpenAIResponses
  readonly 'gemini-contents': Google
  readonly 'ai-sdk': AiSdk
  readonly langchain: LangChain
}

type FormatOf<Model extends string> = Model extends `claude-${string}`
  ? 'anthropic-messages'
  : Model extends `gemini-${string}`
    ? 'gemini-contents'
    : Model extends `gpt-${string}`
      ? 'openai-chat'
      : undefined

/**
 * What a list of messages in this format has, by the types of the official package. Without a
 * format, that of the API of `claude-…`, `gemini-…` and `gpt-…`. The messages of another model are
 * not checked.
 */
export type MessageOf<
  Model extends string,
  Format extends RequestFormat | undefined = undefined,
> = Format extends RequestFormat
  ? NativeMessages[Format]
  : FormatOf<Model> extends RequestFormat
    ? NativeMessages[FormatOf<Model>]
    : Unchecked

// The client of any provider takes it.
type Unchecked = ReturnType<typeof JSON.parse>
