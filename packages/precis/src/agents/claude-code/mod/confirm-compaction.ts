/** What a compaction would change, shown to the user who asked for it, who decides. */
import { neutralizeLine } from '@precis/core/text'
import type { Mod } from './mod.ts'
import type { CompactionReceipt } from './receipt.ts'

const COMPACT = 'Compact'
export const LEAVE = 'Leave it as it is'
export const BY_AGENT = 'Let Claude Code summarize it'
const NAMED = 3

/** Nobody is asked if nobody can answer. */
export async function confirmCompaction(
  $: Mod,
  { line, gone }: CompactionReceipt,
): Promise<typeof COMPACT | typeof LEAVE | typeof BY_AGENT> {
  if ((await $.session.surfaces()).length === 0) return COMPACT
  const named = gone.slice(0, NAMED).join(' · ')
  const question = `${line}${named === '' ? '' : ` Among what goes: ${named}.`} Compact it?`
  try {
    const choice = await $.ui.ask(neutralizeLine(question), {
      options: [COMPACT, LEAVE, BY_AGENT],
      header: 'precis',
    })
    return choice === COMPACT || choice === BY_AGENT ? choice : LEAVE
  } catch {
    // The user closed the dialog.
    return LEAVE
  }
}
