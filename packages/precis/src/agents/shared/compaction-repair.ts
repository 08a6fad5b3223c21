/**
 * An agent's own compaction, as its hooks see it. precis restores what its summary lost, and counts
 * the losses for the user.
 */
import type { Message, RecallPath } from '@precis/core'
import { createSyntheticMessage, readText } from '@precis/core/conversation'
import {
  type CompactedConversation,
  type CompactionLosses,
  findCompactionLosses,
  restoreLosses,
} from '@precis/core/facts'
import { renderCount, renderPlural } from '@precis/core/text'
import type { RemovedPart } from './summarize-removed.ts'

/** What the agent's model is told in addition to what the user typed. */
export const INSTRUCTIONS =
  'Quote the requests, decisions and constraints of the user word for word. Write names of files, commands, errors and identifiers exactly as they are in the conversation.'

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

/** Above a summary by the agent's model, inside a summary of precis. */
export const VERIFIED_HEADING = "## Summary by the agent's model"

// A limit on the cost of a repair.
const MOST_RESTORED_CHARACTERS = 10_000

export interface VerifiedSummary {
  readonly text: string
  /** For the user. */
  readonly line: string
}

/**
 * A summary by the agent's model, inside a summary of precis that adds what it lost. The next
 * compaction reads the user's words back.
 */
export function verifySummary(
  summary: string,
  { conversation, removed, staying }: RemovedPart,
  recall: RecallPath,
): VerifiedSummary {
  const before = { ...conversation, messages: removed }
  const compacted = { before, after: [createSyntheticMessage('user', summary), ...staying] }
  const lost = findCompactionLosses(compacted)
  const limitCharacters = MOST_RESTORED_CHARACTERS
  const restored = restoreLosses(lost, {
    limitCharacters,
    recall,
    summary: `${VERIFIED_HEADING}\n\n${summary}`,
  })
  const left = findLeft(compacted, { lost, restored })
  const line = renderLosses(lost, left, { hasRecall: true, hasAll: true })
  return {
    text: restored ? readText(restored) : summary,
    line: line.replace(/^precis: t/, 'T'),
  }
}
