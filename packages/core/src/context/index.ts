/**
 * The public API of `@precis/core/context`: the live history of an agent.
 *
 * ```ts
 * import { findOverflow, renderMediaLimits } from '@precis/core/context'
 * import { findModel, findRequestLimits } from '@precis/core/models'
 *
 * const error = { status: 400, message: 'prompt is too long: 205000 tokens > 200000 maximum' }
 * console.log(findOverflow(error), findOverflow({ status: 429, message: 'Slow down.' }))
 * console.log(renderMediaLimits(findRequestLimits(findModel('claude-opus-4-8'))))
 * ```
 */

export type { RequestFormat } from '../formats/index.ts'
export type {
  CompressionBeginning,
  CompressionEnd,
  CompressionTrigger,
  CompressNowOptions,
  ContextCompression,
  ContextHooks,
  ContextOutcome,
  HookAnswer,
} from './compressions.ts'
export type {
  Archive,
  ArchivedChange,
  Clock,
  Context,
  ContextEvents,
  ContextOptions,
  ContextSnapshot,
  ContextState,
  PreparedRequest,
  Spend,
  SwitchLoss,
  SwitchOptions,
  SwitchOutcome,
  SwitchPreview,
  SwitchResult,
  SwitchSizes,
  SwitchVerdict,
  Usage,
} from './context.ts'
export { createContext, restoreContext } from './create-context.ts'
export type { Decision, DecisionReason } from './decision.ts'
export { findOverflow, type Overflow } from './find-overflow.ts'
export { renderMediaLimits } from './media-limits.ts'
export type { MessageOf } from './native-message.ts'
export {
  createRecall,
  type Recall,
  type RecallHit,
  type RecallSchema,
  type RecallTool,
} from './recall.ts'
export { spends } from './settings.ts'
