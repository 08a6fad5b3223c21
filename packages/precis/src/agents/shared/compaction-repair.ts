/**
 * An agent's own compaction, as its hooks see it. precis restores what its summary lost, and counts
 * the losses for the user.
 */
import type { Message, RecallPath } from '@precis/core'
import {
  type CompactedConversation,
  type CompactionLosses,
  findCompactionLosses,
  restoreLosses,
} from '@precis/core/facts'
import { renderCount, renderPlural } from '@precis/core/text'

export interface RepairOptions {
  /** The most that the agent passes to its model from a hook, in UTF-16 units. */
  readonly limitCharacters: number
  readonly recall: RecallPath | undefined
}

/**
 * For the model that continues: what it would miss, and how to look up the rest. Undefined if
 * nothing is missing.
 */
export const restoreLost = (
  compacted: CompactedConversation,
  options: RepairOptions,
): Message | undefined => restoreLosses(findCompactionLosses(compacted), options)

interface Known {
  readonly hasRecall: boolean
  /**
   * Whether everything that the agent continues with is known. If not, only the summary is known.
   */
  readonly hasAll: boolean
}

export interface Restored extends Known {
  /** What is restored next to the summary. */
  readonly restored: Message | undefined
}

/** One line for the user on what the agent's summary lost. */
export function describeLosses(
  compacted: CompactedConversation,
  { restored, ...known }: Restored,
): string {
  const lost = findCompactionLosses(compacted)
  return renderLosses(lost, findLeft(compacted, { lost, restored }), known)
}

/** What is lost even with what is restored. */
export const findLeft = (
  compacted: CompactedConversation,
  { lost, restored }: { lost: CompactionLosses; restored: Message | undefined },
): CompactionLosses =>
  restored ? findCompactionLosses({ ...compacted, after: [...compacted.after, restored] }) : lost

/** The same line, if both are known. */
export function renderLosses(
  { words, facts }: CompactionLosses,
  left: CompactionLosses,
  { hasRecall, hasAll }: Known,
): string {
  if (words.gone === 0 && facts.gone === 0)
    return 'precis: this compaction lost none of your messages and no fact.'
  const gone = `${renderCount(words.gone)} of your ${renderPlural(words.total, 'message')} and ${renderCount(facts.gone)} of ${renderPlural(facts.total, 'fact')}`
  const lost = hasAll
    ? `precis: this compaction lost ${gone}`
    : `precis: the summary is without ${gone}`
  const put = words.gone - left.words.gone
  const ways = [
    ...(put > 0
      ? [
          `${put === words.gone ? 'your words are' : `${renderCount(put)} of your messages are`} put back`,
        ]
      : []),
    ...(hasRecall ? ['recall has the rest'] : []),
  ]
  return ways.length > 0 ? `${lost}; ${ways.join(', ')}.` : `${lost}.`
}
