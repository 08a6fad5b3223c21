/**
 * Compactions between turns, instead of in the middle of work. The user turns them on:
 *
 *   turn ends ─ above compactAtPercent ──► compacted now
 *             └ above compactIdlePercent ─ nothing typed until the cache is nearly cold ─► compacted
 */
import { neutralizeLine } from '@precis/core/text'
import type { Mod, ModOptions, On, TurnEvent } from './mod.ts'

// A conversation that cannot get below the limit is not compacted again after every turn.
const LEAST_GROWTH_PERCENT = 10
// A provider counts from the beginning of the last request, which nobody knows here.
const SPENT_LIFETIME = 0.8
const SHORT_LIFETIME_MS = 5 * 60_000
const LONG_LIFETIME_MS = 60 * 60_000

export interface TurnCompactions {
  /** Whether one of them is under way that looks as if the user typed it. */
  isRunning: boolean
  /** Turns that began, so that a timer of an earlier one does nothing. */
  turns: number
  /** How long the provider keeps what the latest turn wrote into its cache. */
  lifetimeMs: number
  /** The share of the window above which the next one begins, at least. */
  least: number
}

export const createTurnCompactions = (): TurnCompactions => {
  return { isRunning: false, turns: 0, lifetimeMs: SHORT_LIFETIME_MS, least: 0 }
}

export function compactTurns(
  on: On,
  { compactAtPercent = 0, compactIdlePercent = 0 }: ModOptions,
  state: TurnCompactions,
): void {
  on('turn.start', async (_, event, next) => {
    if (event.agentId === undefined) state.turns++
    return next(event)
  }).catch(async (_, event, next) => next(event))

  on('turn.complete', async ($, event, next) => {
    const done = await next(event)
    if (event.agentId !== undefined) return done
    state.lifetimeMs = readLifetime(event) ?? state.lifetimeMs
    try {
      if (compactAtPercent > 0) await compactTurn($, state, compactAtPercent)
      if (compactIdlePercent > 0) await compactLater($, state, compactIdlePercent)
    } catch (error) {
      // The turn itself is done, and must not run again.
      $.ui.log(`The conversation was not compacted (${neutralizeLine(String(error))}).`)
    }
    return done
  }).catch(async (_, event, next) => next(event))
}

/** Undefined if this turn only read the cache, or the provider has none. */
function readLifetime({ usage }: TurnEvent): number | undefined {
  if ((usage?.ephemeral_5m_input_tokens ?? 0) > 0) return SHORT_LIFETIME_MS
  return (usage?.ephemeral_1h_input_tokens ?? 0) > 0 ? LONG_LIFETIME_MS : undefined
}

// At the top of the file: the agent does not load a module that hands `$` to any other function.
async function compactTurn($: Mod, state: TurnCompactions, limit: number): Promise<void> {
  const percent = await readDue($, state, limit)
  if (percent === undefined) return
  $.ui.log(
    `The turn is over and the conversation fills ${Math.round(percent)}% of the window, so precis compacts it now.`,
  )
  await $.session.compact()
  state.least = (await readPercent($)) + LEAST_GROWTH_PERCENT
}

async function compactLater($: Mod, state: TurnCompactions, limit: number): Promise<void> {
  const { turns, lifetimeMs } = state
  if ((await readPercent($)) < limit) return
  $.clock.after(lifetimeMs * SPENT_LIFETIME, () => {
    if (turns === state.turns) void compactIdle($, state, limit)
  })
}

async function compactIdle($: Mod, state: TurnCompactions, limit: number): Promise<void> {
  try {
    const percent = await readDue($, state, limit)
    if (percent === undefined) return
    $.ui.log(
      `The provider's cache of this conversation is about to expire, and the conversation fills ${Math.round(percent)}% of the window, so precis compacts it now.`,
    )
    state.isRunning = true
    // From a timer, `$.session.compact` would pass this module by and ask the model.
    await $.command.run({ command: 'compact' })
    state.least = (await readPercent($)) + LEAST_GROWTH_PERCENT
  } catch (error) {
    $.ui.log(`The conversation was not compacted (${neutralizeLine(String(error))}).`)
  } finally {
    state.isRunning = false
  }
}

/** Percent of the window. Undefined if it is not above the limit, or has hardly grown since. */
async function readDue($: Mod, state: TurnCompactions, limit: number): Promise<number | undefined> {
  const percent = await readPercent($)
  if (percent < limit) state.least = 0
  if (percent < Math.max(limit, state.least)) return undefined
  // Also if it fails.
  state.least = percent + LEAST_GROWTH_PERCENT
  return percent
}

async function readPercent($: Mod): Promise<number> {
  const { context } = await $.session.usage({ breakdown: 'summary' })
  return context.breakdown.percentage
}
