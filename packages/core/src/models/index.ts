/**
 * The public API of `@precis/core/models`: context windows, output limits, prices, cache rules and
 * limits of a request.
 *
 * ```ts
 * import { findModel } from '@precis/core'
 * import { findRequestLimits, modelIds } from '@precis/core/models'
 *
 * const model = findModel('claude-opus-4-8')
 * console.log(model.contextWindowTokens, findRequestLimits(model), modelIds.length)
 * ```
 */

import { anObject, checking } from '../conversation/check-options.ts'
import * as limits from './request-limits.ts'

export type { RequestLimits } from '../conversation/request-limits.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  findModel,
  modelIds,
} from './find-model.ts'
export type {
  CacheRules,
  ContextWindow,
  /** @deprecated Import it from `@precis/core`. */
  Model,
  Prices,
} from './model.ts'

const ofModel = { model: anObject }

export const findRequestLimits = checking('Finding limits', ofModel, limits.findRequestLimits)
