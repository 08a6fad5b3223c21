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

export { apply } from './apply.ts'
export { type CutPoints, findCutPoints, type Unit } from './cut-points.ts'
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
export { isHostSummary, isHostSummaryRecord, isInjectedText } from './injected-text.ts'
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
  readText,
  renderPart,
  type SystemMessage,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type ToolResultPart,
  type UserMessage,
} from './message.ts'
export type { Pause, Steps } from './steps.ts'
export {
  createSummaryMessage,
  isSummaryText,
  /** @deprecated Import it from `@precis/core`. */
  type RecallPath,
  readLedgerText,
  readSummary,
} from './summary-message.ts'
export { findLastUserRequest, findTurns, isUserRequest, type Turn } from './turns.ts'
