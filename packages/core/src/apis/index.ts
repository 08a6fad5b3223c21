/**
 * The public API of `@precis/core/apis`: requests, usage and answers of the APIs of providers.
 *
 * ```ts
 * import { apis, createItemEvents, createResponse } from '@precis/core/apis'
 *
 * const { readUsage, createAnswer } = apis['openai-chat']
 * const usage = { inputTokens: 9, outputTokens: 5 }
 * const answer = { text: 'A type is missing.', model: 'gpt-5', id: 'a1', time: 0, usage }
 * console.log(readUsage(createAnswer(answer)))
 * // The Responses API has items, for example one of a compaction.
 * const item = { type: 'compaction', id: 'c1', encrypted_content: 'aGVsbG8=' }
 * console.log(createResponse(answer, [item]), createItemEvents(answer, item).length)
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
