/**
 * The public API of `@precis/core/models`: context windows, output limits, prices, cache rules and
 * limits of a request.
 */

export type { RequestLimits } from '../conversation/request-limits.ts'
export { findModel, modelIds } from './find-model.ts'
export type { CacheRules, ContextWindow, Model, Prices } from './model.ts'
export { findRequestLimits } from './request-limits.ts'
