/** What a compaction inside an agent's process changed, in one line for its user. */
import { countCompaction, type HostCompaction } from '@precis/core/hosts'
import { renderCount, renderPlural } from '@precis/core/text'
import type { TokenCount } from '@precis/core/tokens'

export interface CompactionSizes {
  /** Everything that is sent. */
  readonly before: TokenCount
  readonly after: TokenCount
  /** What a model did for it. */
  readonly asked?: string | undefined
}

export function renderCompactionLine(
  compacted: Extract<HostCompaction, { readonly type: 'compacted' }>,
  { before, after, asked = 'no model asked' }: CompactionSizes,
): string {
  const { words, facts } = countCompaction(compacted)
  const messages = renderPlural(words.total, 'message')
  const clipped = words.clipped > 0 ? ` (${renderCount(words.clipped)} shortened)` : ''
  return [
    `about ${renderAbout(before)} → ${renderAbout(after)} tokens, ${asked}.`,
    ...(words.total > 0
      ? [`Verbatim: ${renderCount(words.verbatim)} of your ${messages}${clipped}.`]
      : []),
    `Gone: ${renderCount(facts.total - facts.kept)} of ${renderPlural(facts.total, 'fact')}.`,
  ].join(' ')
}

const ROUNDED_TOKENS = 100

/** The middle of an interval. */
const renderAbout = ({ lower, upper }: TokenCount): string =>
  renderCount(Math.round((lower + upper) / 2 / ROUNDED_TOKENS) * ROUNDED_TOKENS)
