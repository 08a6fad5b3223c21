/**
 * The public API of `@precis/core/facts`. The receipt lists which facts of a removed part, and
 * which messages of the user, are still there, and in which words. It also restores what another
 * compaction lost.
 */

export {
  type CompactedConversation,
  type CompactionLosses,
  findCompactionLosses,
  type RestoreOptions,
  restoreLosses,
} from './compaction-losses.ts'
export { type ExtractOptions, extractFacts } from './extract.ts'
export type { Fact, FactKind, Writer } from './fact-table.ts'
export { flatten } from './flatten.ts'
export { findTasks, type Task } from './ledger.ts'
export {
  createReceipt,
  type FactCounts,
  type FactState,
  type Receipt,
  type WordCounts,
} from './receipt.ts'
export { withoutQuotesOf, withoutRepeatedWords } from './user-words.ts'
export { clipSentence, type GoneFact } from './weigh.ts'
