/**
 * The public API of `@precis/core/apis`: requests, usage and answers of the APIs of providers.
 *
 * ```ts
 * import { apis } from '@precis/core/apis'
 *
 * const { readUsage, createAnswer } = apis['openai-chat']
 * const answer = createAnswer({ text: 'A type is missing.', model: 'gpt-5', id: 'a1', time: 0, usage: { inputTokens: 9, outputTokens: 5 } })
 * console.log(readUsage(answer))
 * ```
 */
import type { RequestFormat } from '../formats/index.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { Api } from './api.ts'
import { geminiContents } from './gemini-contents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

export type { Api, ApiEvent, TextAnswer } from './api.ts'
export { createItemEvents, createResponse } from './openai-responses.ts'

/** The APIs of providers by the format of their messages. */
export const apis = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'gemini-contents': geminiContents,
} as const satisfies Readonly<Partial<Record<RequestFormat, Api>>>

export type ApiName = keyof typeof apis
