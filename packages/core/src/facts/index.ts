/**
 * The public API of `@precis/core/facts`. The receipt lists which facts of a removed part, and
 * which messages of the user, are still there, and in which words. It also restores what another
 * compaction lost.
 *
 * ```ts
 * import { createReceipt, extractFacts, findCompactionLosses, findTasks, restoreLosses } from '@precis/core/facts'
 * import { formats } from '@precis/core/formats'
 *
 * const parse = (content: string) => formats['openai-chat'].parse([{ role: 'user', content }])
 * const before = parse('Never touch config.json. Fix src/cart.ts first.')
 * const after = parse('A summary of nothing.').messages
 * console.log(extractFacts(before.messages), findTasks(before.messages))
 * console.log(createReceipt({ removed: before.messages, output: after }).words)
 * // What another compaction lost, and a message that says it again.
 * console.log(restoreLosses(findCompactionLosses({ before, after }), { limitCharacters: 1000 }))
 * ```
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
