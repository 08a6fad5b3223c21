import { aiSdk } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { geminiContents } from './gemini-contents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { ProviderRules } from './provider.ts'

/** The rules of every provider that is judged, by the name of its format. */
export const providers: readonly ProviderRules[] = [
  anthropicMessages,
  openaiChat,
  openaiResponses,
  geminiContents,
  aiSdk,
]
