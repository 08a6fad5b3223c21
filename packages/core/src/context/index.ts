/**
 * The public API of `@precis/core/context`: the live history of an agent.
 */

export type { RequestFormat } from '../formats/index.ts'
export type {
  Archive,
  ArchivedChange,
  Clock,
  CompressionBeginning,
  CompressionEnd,
  CompressionTrigger,
  CompressNowOptions,
  Context,
  ContextCompression,
  ContextEvents,
  ContextHooks,
  ContextOptions,
  ContextOutcome,
  ContextSnapshot,
  ContextState,
  HookAnswer,
  PreparedRequest,
  SwitchLoss,
  SwitchOptions,
  SwitchPreview,
  SwitchResult,
  SwitchVerdict,
  Usage,
} from './context.ts'
export { createContext, restoreContext } from './create-context.ts'
export type { Decision, DecisionReason } from './decide.ts'
export { findOverflow, type Overflow } from './find-overflow.ts'
export { renderMediaLimits } from './media-limits.ts'
export {
  createRecall,
  type Recall,
  type RecallHit,
  type RecallSchema,
  type RecallTool,
} from './recall.ts'
