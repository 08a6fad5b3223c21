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
import * as is from '../conversation/check-options.ts'
import type { RequestFormat } from '../formats/index.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { Api } from './api.ts'
import { geminiContents } from './gemini-contents.ts'
import { openaiChat } from './openai-chat.ts'
import * as responses from './openai-responses.ts'

export type { Api, ApiEvent, TextAnswer } from './api.ts'

/** The APIs of providers by the format of their messages. */
export const apis = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': responses.openaiResponses,
  'gemini-contents': geminiContents,
} as const satisfies Readonly<Partial<Record<RequestFormat, Api>>>

export type ApiName = keyof typeof apis

const anAnswer = is.allOf({ model: is.aText, id: is.aText, usage: is.anObject })
const ofItem = { answer: anAnswer, item: is.anObject, parts: is.orNothing(is.objects) }
const ofOutput = { answer: anAnswer, output: is.objects }

export const createItemEvents = is.checking('Creating events', ofItem, responses.createItemEvents)
export const createResponse = is.checking('Creating a response', ofOutput, responses.createResponse)
