/**
 * The public API of `@precis/core/models`: context windows, output limits, prices, cache rules and
 * limits of a request.
 *
 * ```ts
 * import { findModel, findRequestLimits, modelIds } from '@precis/core/models'
 *
 * const model = findModel('claude-opus-4-8')
 * console.log(model.contextWindowTokens, findRequestLimits(model), modelIds.length)
 * ```
 */

export type { RequestLimits } from '../conversation/request-limits.ts'
export { findModel, modelIds } from './find-model.ts'
export type { CacheRules, ContextWindow, Model, Prices } from './model.ts'
export { findRequestLimits } from './request-limits.ts'
