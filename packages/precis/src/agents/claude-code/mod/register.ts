/**
 * The module that Claude Code loads into its own process, as a part of the plugin of precis. It
 * answers the agent's compactions without a model. If it cannot, the agent compacts as usual.
 *
 *   rows of the agent ─► conversation ─► core ─► rows ─► the agent stores them after a boundary
 */
import { isSummaryText } from '@precis/core/conversation'
import { neutralizeLine } from '@precis/core/text'
import { isInstalled, keepOriginal } from './keep-original.ts'
import { COMMAND, PANE_SITE, renderPane, runCommand } from './command.ts'
import { type CompactedRows, compactRows } from './compact-rows.ts'
import type { CompactEvent, FailedNext, Mod, ModOptions, On } from './mod.ts'
import { type CompactionReceipt, storeReceipt } from './receipt.ts'
import { describeRecall, RECALL_NAME, searchRemoved } from './removed.ts'

export function register(on: On, { budgetTokens = 0, preview = true }: ModOptions = {}): void {
  let hasAnswered = false
  /** What the user is told once the agent has shown the compaction. */
  let line: string | undefined

  on('session.compact', async ($, event, next) => {
    hasAnswered = false
    const compacted = await compact($, event, {
      budgetTokens,
      remainingMs: next.budget.remainingMs,
    })
    if (compacted.type === 'left') {
      const { reason, isShort } = compacted
      // Before every further request, the agent would ask again after any other trigger.
      if (isShort && event.trigger === 'manual') return { skip: `precis: ${reason}` }
      $.ui.log(`${reason}, so Claude Code compacts it.`)
      return next(event)
    }
    const { rows, receipt } = compacted
    const choice = preview && event.trigger === 'manual' ? await confirm($, receipt) : COMPACT
    if (choice === LEAVE) return { skip: 'precis: you left the conversation as it is' }
    if (choice !== COMPACT) return next(event)
    if (event.agentId === undefined && event.trigger !== 'precompute') {
      await keepOriginal($)
      await storeReceipt($, { session: await $.session.id(), receipt })
      line = `${receipt.line} ${MORE}`
    }
    hasAnswered = true
    return { messages: rows }
  }).catch(async ($, event, next) => {
    $.ui.log(`Its compaction failed (${explain(next)}), so Claude Code compacts the conversation.`)
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

  on('session.start', async ($, event, next) => {
    await $.tool.register(describeRecall())
    // A skill of the user may have the name already.
    await $.command.register(COMMAND).catch((error) => {
      $.ui.log(`Its command is missing in this session (${neutralizeLine(String(error))}).`)
    })
    return next(event)
  }).catch(async ($, event, next) => {
    $.ui.log(`It cannot look up what it removes in this session (${explain(next)}).`)
    return next(event)
  })

  on('command.run', { command: COMMAND.name }, async ($, { args }) => ({
    text: await runCommand($, args),
    isTextDisplayOnly: true,
  })).catch(async (_, __, next) => ({
    text: `It failed: ${explain(next)}.`,
    isTextDisplayOnly: true,
  }))

  on('tool.run', { tool: RECALL_NAME }, async ($, { agentId, query, span, offset }) => ({
    result: await searchRemoved($, { query, span, offset }, agentId),
  })).catch(async (_, __, next) => ({
    result: `The search failed: ${explain(next)}.`,
    isError: true,
  }))

  on('ui.render', PANE_SITE, async ($, event) => await renderPane($, event)).catch(
    async (_, event, next) => next(event),
  )

  // Without the command, the server of the plugin cannot start. What it does without it, it does here.
  on('mcp.connect', async ($, event, next) => {
    if (!event.server.endsWith(':precis:precis') || (await isInstalled($))) return next(event)
    const message = 'The command precis is not installed. The plugin works without it.'
    return { value: { isConnected: false, reason: 'disabled', message } }
  }).catch(async (_, event, next) => next(event))
}

const explain = ({ error }: Pick<FailedNext, 'error'>): string =>
  neutralizeLine(error?.message ?? 'it took too long')

const DRAWN_MS = 500
const MORE = 'Show it or find it again: /precis.'

interface CompactSettings {
  readonly budgetTokens: number
  readonly remainingMs: number
}

async function compact(
  $: Mod,
  event: CompactEvent,
  settings: CompactSettings,
): Promise<CompactedRows> {
  const usage = await $.session.usage({ breakdown: 'summary' })
  const workingDirectory = await $.session.cwd()
  const { transcriptPath } = await $.session.info()
  const session = event.agentId === undefined ? { reference: await $.session.id() } : {}
  const recall = transcriptPath === '' ? undefined : { tool: RECALL_NAME, ...session }
  return await compactRows(event, { ...settings, usage, workingDirectory, recall })
}

const COMPACT = 'Compact'
const LEAVE = 'Leave it as it is'
const BY_AGENT = 'Let Claude Code summarize it'

/** What the user chooses. Nobody is asked if nobody can answer. */
async function confirm($: Mod, { line, gone }: CompactionReceipt): Promise<string> {
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

const NAMED = 3
