/** The public API of `@precis/core/facts`: the receipt: which facts of a removed part and which messages of the user are still there, and by which words. */

export { formsOf } from './artifacts.ts'
export type { FactKind, Writer } from './extract.ts'
export type { FactCounts, FactState, Receipt, WordCounts } from './receipt.ts'
export { withoutRepeatedWords } from './repeated-words.ts'
export type { GoneFact } from './weigh.ts'
