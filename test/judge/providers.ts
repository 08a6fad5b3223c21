import { aiSdk } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { geminiContents } from './gemini-contents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { ProviderName, ProviderRules } from './provider.ts'

/** The rules of every provider that is judged, by the name of the format. */
export const providers: Readonly<Record<ProviderName, ProviderRules>> = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'gemini-contents': geminiContents,
  'ai-sdk': aiSdk,
}
