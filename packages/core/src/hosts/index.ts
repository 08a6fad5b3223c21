/**
 * The public API of `@precis/core/hosts`: compactions that a host asks for, inside its own process
 * or on the wire.
 *
 * ```ts
 * import { createTokenCounter, findModel } from '@precis/core'
 * import { formats } from '@precis/core/formats'
 * import { compactHistory, countCompaction } from '@precis/core/hosts'
 *
 * const words = 'The cart rounds each price before it adds the tax. '.repeat(2000)
 * const conversation = formats['anthropic-messages'].parse([
 *   { role: 'user', content: 'Fix the cart.' },
 *   { role: 'assistant', content: words },
 *   { role: 'user', content: 'And the tests?' },
 * ])
 * const counter = createTokenCounter(findModel('claude-opus-4-8'))
 * const compaction = await compactHistory(conversation, { counter, keeps: 'nothing' })
 * if (compaction.type === 'compacted') console.log(countCompaction(compaction))
 * ```
 */

import { allOf, anObject, checking } from '../conversation/check-options.ts'
import * as hosts from './compact-history.ts'

export {
  type CompactionCounts,
  type CompactionOptions,
  compactHistory,
  type HostCompaction,
} from './compact-history.ts'

const ofCompaction = { compaction: allOf({ compression: anObject, receipt: anObject }) }

export const countCompaction = checking('Counting', ofCompaction, hosts.countCompaction)
