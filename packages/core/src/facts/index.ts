/** The public API of `@precis/core/facts`: the receipt: which facts of a removed part are still there, and by which words. */

export { formsOf } from './artifacts.ts'
export type { FactKind, Writer } from './extract.ts'
export type { FactCounts, FactState, Receipt } from './receipt.ts'
export type { GoneFact } from './weigh.ts'
