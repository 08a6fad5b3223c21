/**
 * The public API of `@precis/core/facts`. The receipt lists which facts of a removed part, and
 * which messages of the user, are still there, and in which words. It also restores what another
 * compaction lost.
 *
 * ```ts
 * import { createReceipt, createTextSearch, extractFacts, findCompactionLosses, findLostSentences } from '@precis/core/facts'
 * import { findLostWords, findTasks, flatten, restoreLosses, withoutQuotesOf, withoutRepeatedWords } from '@precis/core/facts'
 * import { formats } from '@precis/core/formats'
 *
 * const parse = (content: string) => formats['openai-chat'].parse([{ role: 'user', content }])
 * const before = parse('Never touch config.json. Fix src/cart.ts first.')
 * const after = parse('A summary of nothing.').messages
 * console.log(extractFacts(before.messages), findTasks(before.messages))
 * console.log(createReceipt({ removed: before.messages, output: after }).words)
 * // What another compaction lost, and a message that says it again.
 * const restored = restoreLosses(findCompactionLosses({ before, after }), { limitCharacters: 1000 })
 * const lost = findLostWords({ before, after })
 * console.log(restored, lost.words, findLostSentences(lost.ledger).flat())
 * // For an agent that keeps the user's messages next to a summary.
 * const [summary] = after
 * if (summary) console.log(withoutQuotesOf(summary, before.messages), withoutRepeatedWords([summary, ...before.messages]))
 * console.log(flatten('Never touch\n  config.json.'), createTextSearch(after)('Never touch config.json.'))
 * ```
 */

import * as is from '../conversation/check-options.ts'
import * as losses from './compaction-losses.ts'
import * as flat from './flatten.ts'

export {
  type CompactedConversation,
  type CompactionLosses,
  findCompactionLosses,
  findLostWords,
  type LostSentence,
  type LostWords,
  type RestoreOptions,
} from './compaction-losses.ts'
export { type ExtractOptions, extractFacts } from './extract.ts'
export type { Fact, FactKind, Writer } from './fact-table.ts'
export { findTasks, type Task } from './ledger.ts'
export {
  createReceipt,
  type FactCounts,
  type FactState,
  /** @deprecated Import it from `@precis/core`. */
  type Receipt,
  type WordCounts,
} from './receipt.ts'
export { withoutQuotesOf, withoutRepeatedWords } from './user-words.ts'
export type { GoneFact } from './weigh.ts'

const ofText = { text: is.aText }
const aLedger = is.allOf({ pins: is.texts, tasks: is.objects, omitted: is.anObject })
const ofLedger = { ledger: is.allOf({ words: is.objects }) }
const ofLosses = {
  losses: is.allOf({ ledger: aLedger, weightiest: is.objects }),
  options: is.objectOf({ limitCharacters: is.aNumber, summary: is.aText }, ['limitCharacters']),
}

export const createTextSearch = is.checking(
  'Opening a search',
  { messages: is.aListOfMessages },
  losses.createTextSearch,
)
export const findLostSentences = is.checking(
  'Finding lost sentences',
  ofLedger,
  losses.findLostSentences,
)
export const flatten = is.checking('Flattening', ofText, flat.flatten)
export const restoreLosses = is.checking('Restoring', ofLosses, losses.restoreLosses)
