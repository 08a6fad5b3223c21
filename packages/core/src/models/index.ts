/** The public API of `@precis/core/models`: context windows, output limits, prices and cache rules. */

export { findModel, modelIds } from './find-model.ts'
export type { CacheRules, Model, Prices } from './model.ts'
