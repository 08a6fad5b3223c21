/**
 * The public API of `@precis/core/conversation`: the common data of all formats: messages, turns,
 * legal cuts and edits.
 *
 * ```ts
 * import { apply, createSummaryMessage, createSyntheticMessage, findCutPoints, findLastUserRequest, findTurns } from '@precis/core/conversation'
 * import { isHostSummary, isHostSummaryRecord, isInjectedText, isSummaryText, isUserRequest } from '@precis/core/conversation'
 * import { readLedgerText, readSummary, readText, renderPart } from '@precis/core/conversation'
 * import { formats } from '@precis/core/formats'
 *
 * const conversation = formats['openai-chat'].parse([
 *   { role: 'user', content: 'Why does the build fail?' },
 *   { role: 'assistant', content: 'A type is missing.' },
 *   { role: 'user', content: 'Add it.' },
 * ])
 * const { messages } = conversation
 * console.log(findTurns(messages).length, findCutPoints(messages).isLegal(2), findLastUserRequest(messages))
 * console.log(messages.filter(isUserRequest).map(readText), messages[0]?.parts.map(renderPart))
 * // One summary instead of the first two messages.
 * const summary = createSummaryMessage('They found a missing type.')
 * const shorter = apply(conversation, [{ type: 'replace', start: 0, end: 2, messages: [summary] }])
 * console.log(shorter.messages.map(readText), readSummary(summary), readLedgerText(summary))
 * // Who wrote a text?
 * const text = readText(summary)
 * console.log(isSummaryText(text), isInjectedText(text), isHostSummary(text), isHostSummaryRecord({ isCompactSummary: true }))
 * console.log(createSyntheticMessage('user', 'Continue.').origin)
 * ```
 */

import { aListOfMessages, aMessage, aPart, aText, checking, orNothing } from './check-options.ts'
import * as cuts from './cut-points.ts'
import * as injected from './injected-text.ts'
import * as messages from './message.ts'
import * as summary from './summary-message.ts'
import * as turns from './turns.ts'

export { apply } from './apply.ts'
export type { CutPoints, Unit } from './cut-points.ts'
export type {
  AppliedEdit,
  DropEdit,
  /** @deprecated Import it from `@precis/core`. */
  Edit,
  ReplaceEdit,
  RewriteEdit,
  SummarizeEdit,
  SummaryBrief,
} from './edit.ts'
export { isHostSummaryRecord } from './injected-text.ts'
export {
  type AssistantMessage,
  type ContentPart,
  /** @deprecated Import it from `@precis/core`. */
  type Conversation,
  createSyntheticMessage,
  type MediaPart,
  /** @deprecated Import it from `@precis/core`. */
  type Message,
  type OpaquePart,
  type Origin,
  /** @deprecated Import it from `@precis/core`. */
  type Part,
  type Protocol,
  type ReasoningPart,
  type Role,
  type SystemMessage,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type ToolResultPart,
  type UserMessage,
} from './message.ts'
export type { Pause, Steps } from './steps.ts'
export type {
  /** @deprecated Import it from `@precis/core`. */
  RecallPath,
} from './summary-message.ts'
export type { Turn } from './turns.ts'

const ofMessage = { message: aMessage }
const ofMessages = { messages: aListOfMessages }
const ofText = { text: aText }
const ofSummary = { summary: aText, ledger: orNothing(aText), recall: orNothing(aText) }

export const createSummaryMessage = checking(
  'Writing a summary',
  ofSummary,
  summary.createSummaryMessage,
)
export const findCutPoints = checking('Finding cut points', ofMessages, cuts.findCutPoints)
export const findLastUserRequest = checking(
  'Finding the last request',
  ofMessages,
  turns.findLastUserRequest,
)
export const findTurns = checking('Finding turns', ofMessages, turns.findTurns)
export const isHostSummary = checking('Looking at a text', ofText, injected.isHostSummary)
export const isInjectedText = checking('Looking at a text', ofText, injected.isInjectedText)
export const isSummaryText = checking('Looking at a text', ofText, summary.isSummaryText)
export const isUserRequest = checking('Looking at a message', ofMessage, turns.isUserRequest)
export const readLedgerText = checking('Reading a summary', ofMessage, summary.readLedgerText)
export const readSummary = checking('Reading a summary', ofMessage, summary.readSummary)
export const readText = checking('Reading text', ofMessage, messages.readText)
export const renderPart = checking('Rendering a part', { part: aPart }, messages.renderPart)
