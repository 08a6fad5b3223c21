/**
 * The public API of `@precis/core/conversation`: the common data of all formats: messages, turns,
 * legal cuts and edits.
 *
 * ```ts
 * import { createSummaryMessage, findCutPoints, findLastUserRequest, findTurns, isUserRequest, readSummary, readText } from '@precis/core/conversation'
 * import { formats } from '@precis/core/formats'
 *
 * const { messages } = formats['openai-chat'].parse([
 *   { role: 'user', content: 'Why does the build fail?' },
 *   { role: 'assistant', content: 'A type is missing.' },
 * ])
 * console.log(findTurns(messages).length, findCutPoints(messages).isLegal(1), findLastUserRequest(messages))
 * console.log(messages.filter(isUserRequest).map(readText))
 * console.log(readSummary(createSummaryMessage('They fixed the build.')))
 * ```
 */

export { apply } from './apply.ts'
export { type CutPoints, findCutPoints, type Unit } from './cut-points.ts'
export type {
  AppliedEdit,
  DropEdit,
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
  type Conversation,
  createSyntheticMessage,
  type MediaPart,
  type Message,
  type OpaquePart,
  type Origin,
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
  type RecallPath,
  readLedgerText,
  readSummary,
} from './summary-message.ts'
export { findLastUserRequest, findTurns, isUserRequest, type Turn } from './turns.ts'
