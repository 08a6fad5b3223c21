/**
 * The formats of requests, which providers' APIs and SDKs accept. `index.ts` lists the formats of
 * sessions too.
 */
import { aiSdk } from './ai-sdk/ai-sdk.ts'
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts'
import { geminiContents } from './gemini-contents/gemini-contents.ts'
import { langchain } from './langchain/langchain.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'
import type { Format } from './shared/format.ts'

/** Every format whose messages are sent, not stored, by its name. */
export const requestFormats = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'gemini-contents': geminiContents,
  'ai-sdk': aiSdk,
  langchain,
} as const satisfies Readonly<Record<string, Format<'messages'>>>

/** The formats whose messages are sent, not stored. */
export type RequestFormat = keyof typeof requestFormats
