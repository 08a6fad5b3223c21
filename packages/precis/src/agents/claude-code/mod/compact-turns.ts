/** Compactions at a finished step, instead of in the middle of work. The user turns them on. */
import { neutralizeLine } from '@precis/core/text'
import type { Mod, ModOptions, On } from './mod.ts'

// A conversation that cannot get below the limit is not compacted again after every turn.
const LEAST_GROWTH_PERCENT = 10

export function compactTurns(on: On, { compactAtPercent = 0 }: ModOptions): void {
  const due = { least: compactAtPercent, at: compactAtPercent }

  on('turn.complete', async ($, event, next) => {
    const done = await next(event)
    if (compactAtPercent <= 0 || event.agentId !== undefined) return done
    try {
      await compactIfDue($, due)
    } catch (error) {
      // The turn itself is done, and must not run again.
      $.ui.log(`The conversation was not compacted (${neutralizeLine(String(error))}).`)
    }
    return done
  }).catch(async (_, event, next) => next(event))
}

// At the top of the file: the agent does not load a module that hands `$` to any other function.
async function compactIfDue($: Mod, due: { readonly least: number; at: number }): Promise<void> {
  const percent = await readPercent($)
  if (percent < due.least) due.at = due.least
  if (percent < due.at) return
  $.ui.log(
    `The turn is over and the conversation fills ${Math.round(percent)}% of the window, so precis compacts it now.`,
  )
  // Also if it fails.
  due.at = percent + LEAST_GROWTH_PERCENT
  await $.session.compact()
  due.at = Math.max(due.least, (await readPercent($)) + LEAST_GROWTH_PERCENT)
}

async function readPercent($: Mod): Promise<number> {
  const { context } = await $.session.usage({ breakdown: 'summary' })
  return context.breakdown.percentage
}
