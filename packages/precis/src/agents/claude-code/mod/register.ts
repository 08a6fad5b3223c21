/**
 * The module that Claude Code loads into its own process, as a part of the plugin of precis. It
 * answers the agent's compactions without a model. If it cannot, the agent compacts as usual.
 *
 *   rows of the agent ─► conversation ─► core ─► rows ─► the agent stores them after a boundary
 */
import { isSummaryText } from '@precis/core/conversation'
import { compactRows } from './compact-rows.ts'
import type { Mod, ModOptions, On } from './mod.ts'

export function register(on: On, { budgetTokens = 0 }: ModOptions = {}): void {
  let hasAnswered = false
  /** What the user is told once the agent has shown the compaction. */
  let line: string | undefined

  on('session.compact', async ($, event, next) => {
    hasAnswered = false
    const isMain = event.agentId === undefined
    const usage = await $.session.usage({ breakdown: 'summary' })
    const workingDirectory = await $.session.cwd()
    const keeping = isMain && event.trigger !== 'precompute' ? keepOriginal($) : undefined
    const compacted = await compactRows(event, {
      usage,
      workingDirectory,
      budgetTokens,
      remainingMs: next.budget.remainingMs,
    })
    await keeping
    if (compacted.type === 'left') {
      const { reason, isShort } = compacted
      // Before every further request, the agent would ask again after any other trigger.
      if (isShort && event.trigger === 'manual') return { skip: `precis: ${reason}` }
      $.ui.log(`${reason}, so Claude Code compacts it.`)
      return next(event)
    }
    hasAnswered = true
    if (isMain && event.trigger !== 'precompute') line = compacted.line
    return { messages: compacted.rows }
  }).catch(async ($, event, next) => {
    $.ui.log(
      `Its compaction failed (${next.error?.message ?? 'it took too long'}), so Claude Code compacts the conversation.`,
    )
    return next(event)
  })

  // A hook that "precis install" put into the settings adds what the agent's own summary lost.
  on('classic.SessionStart', async (_, event, next) => {
    const answer = await next(event)
    if (!hasAnswered || event.source !== 'compact' || !answer.additionalContext) return answer
    const others = answer.additionalContext.filter((text) => !isSummaryText(text))
    return { ...answer, additionalContext: others }
  }).catch(async (_, event, next) => next(event))

  on('classic.PostCompact', async ($, event, next) => {
    const text = line
    line = undefined
    // The agent draws its transcript again first, without lines from before.
    if (text !== undefined) $.clock.after(DRAWN_MS, () => $.ui.log(text))
    return next(event)
  }).catch(async (_, event, next) => next(event))
}

const DRAWN_MS = 500
const KEEP_MS = 20_000

/**
 * Puts the session into the archive, if the command is installed: the agent runs no PreCompact hook
 * of its settings if a mod answers.
 */
async function keepOriginal($: Mod): Promise<void> {
  try {
    const session = await $.session.id()
    await $.process.run(['precis', 'hook', 'claude-code'], {
      stdin: JSON.stringify({ hook_event_name: 'PreCompact', session_id: session }),
      timeoutMs: KEEP_MS,
    })
  } catch {
    // The command is not installed, and the agent's own file still has everything.
  }
}
