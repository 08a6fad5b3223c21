/**
 * The public API of `@precis/core/context`: the live history of an agent.
 *
 * ```ts
 * import { createContext, findModel } from '@precis/core'
 * import { renderMediaLimits, spends } from '@precis/core/context'
 * import { findRequestLimits } from '@precis/core/models'
 *
 * console.log(renderMediaLimits(findRequestLimits(findModel('claude-opus-4-8'))))
 * for (const spend of spends) console.log(spend, createContext({ model: 'gpt-5', spend }).state.thresholdTokens)
 * ```
 */

import { anObject, checking } from '../conversation/check-options.ts'
import * as media from './media-limits.ts'

export type {
  /** @deprecated Import it from `@precis/core/formats`. */
  RequestFormat,
} from '../formats/index.ts'
export type {
  CompressionBeginning,
  CompressionEnd,
  CompressionTrigger,
  /** @deprecated Import it from `@precis/core`. */
  CompressNowOptions,
  /** @deprecated Import it from `@precis/core`. */
  ContextCompression,
  ContextHooks,
  ContextOutcome,
  HookAnswer,
} from './compressions.ts'
export type {
  /** @deprecated Import it from `@precis/core`. */
  Archive,
  ArchivedChange,
  /** @deprecated Import it from `@precis/core`. */
  Clock,
  /** @deprecated Import it from `@precis/core`. */
  Context,
  /** @deprecated Import it from `@precis/core`. */
  ContextEvents,
  /** @deprecated Import it from `@precis/core`. */
  ContextOptions,
  ContextSnapshot,
  /** @deprecated Import it from `@precis/core`. */
  ContextState,
  /** @deprecated Import it from `@precis/core`. */
  PreparedRequest,
  Spend,
  SwitchLoss,
  SwitchOptions,
  SwitchOutcome,
  /** @deprecated Import it from `@precis/core`. */
  SwitchPreview,
  /** @deprecated Import it from `@precis/core`. */
  SwitchResult,
  SwitchSizes,
  SwitchVerdict,
  /** @deprecated Import it from `@precis/core`. */
  Usage,
} from './context.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  createContext,
  restoreContext,
} from './create-context.ts'
export type {
  /** @deprecated Import it from `@precis/core`. */
  Decision,
  DecisionReason,
} from './decision.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  findOverflow,
  /** @deprecated Import it from `@precis/core`. */
  type Overflow,
} from './find-overflow.ts'
export type { MessageOf } from './native-message.ts'
export {
  createRecall,
  type Recall,
  type RecallHit,
  type RecallSchema,
  type RecallTool,
} from './recall.ts'
export { spends } from './settings.ts'

const ofLimits = { limits: anObject }

export const renderMediaLimits = checking('Rendering limits', ofLimits, media.renderMediaLimits)
