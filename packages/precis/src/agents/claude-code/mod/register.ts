/**
 * The module that Claude Code loads into its own process, as a part of the plugin of precis. It
 * answers the agent's compactions without a model. If it cannot, the agent compacts as usual.
 *
 *   rows of the agent ─► conversation ─► core ─► rows ─► the agent stores them after a boundary
 */
import type { RecallPath } from '@precis/core'
import { isSummaryText } from '@precis/core/conversation'
import { neutralizeLine } from '@precis/core/text'
import { INSTRUCTIONS } from '../../shared/compaction-repair.ts'
import { COMMAND_NAMES, PANE_SITE, registerCommand, renderPane, runCommand } from './command.ts'
import { compactRows } from './compact-rows.ts'
import { compactTurns, createTurnCompactions, type TurnCompactions } from './compact-turns.ts'
import { BY_AGENT, confirmCompaction, LEAVE } from './confirm-compaction.ts'
import { isInstalled, keepOriginal } from './keep-original.ts'
import type { CompactAnswer, CompactEvent, FailedNext, Mod, ModOptions, Next, On } from './mod.ts'
import { type CompactionReceipt, findReceipt, storeReceipt } from './receipt.ts'
import { describeRecall, findRemoved, RECALL_NAME, readRemoved, searchRemoved } from './removed.ts'
import { verifyCompaction } from './verify-compaction.ts'

export function register(on: On, options: ModOptions = {}): void {
  const turns = createTurnCompactions()
  registerCompaction(on, options, turns)
  registerLookup(on)
  compactTurns(on, options, turns)
}

type CompactNext = Next<CompactEvent, CompactAnswer>

function registerCompaction(on: On, options: ModOptions, turns: Readonly<TurnCompactions>): void {
  const { mode = 'replace', preview = true } = options
  const told: Told = { changes: 0 }
  const pending: Pending = {}
  // Computed before the agent needs it. It is told and stored once the agent uses it.
  let ahead: CompactionReceipt | undefined
  // Its own summary or one that is verified: from the question to the answer, and after it.
  let isOurs = false
  let command: string | undefined

  on('session.start', async ($, event, next) => {
    command = await registerCommand($)
    const started = await next(event)
    await putBackLater($)
    return started
  }).catch(async (_, event, next) => next(event))

  on('session.compact', async ($, event, next) => {
    const isMain = event.agentId === undefined
    const isAhead = event.trigger === 'precompute'
    const isVerified = mode === 'verify' && isMain
    if (isVerified && isAhead) return { skip: 'precis verifies a summary when it is used' }
    if (isMain && !isAhead) pending.line = pending.repair = undefined
    const isAsked = preview && event.trigger === 'manual' && !turns.isRunning
    const done = isVerified
      ? await verify($, event, next)
      : await replace($, event, next, { ...options, preview: isAsked })
    if (!isMain) return done.answer
    isOurs = done.receipt !== undefined
    ahead = isAhead ? done.receipt : undefined
    const { receipt } = done
    if (!receipt || isAhead) return done.answer
    const line = renderLine(receipt, command)
    pending.line = turns.isRunning ? `${IDLE} ${line}` : line
    await storeReceipt($, receipt)
    if (receipt.unrestored) {
      pending.repair = receipt
      $.clock.after(STORED_MS, () => appendRepair($, receipt, pending, told))
      return done.answer
    }
    // The hooks of a compaction by the agent have run.
    if (isVerified) await tell($, told, pending)
    return done.answer
  }).catch(async ($, event, next) => {
    $.ui.log(`Its compaction failed (${explain(next)}), so Claude Code compacts the conversation.`)
    return next(event)
  })

  // The agent stores its summary here, but not after "/compact" in a terminal. Nothing else of its
  // compaction is changed, so it stands.
  on('session.append', { door: 'compaction' }, async ($, event, next) => {
    const { repair } = pending
    const { role, content } = event.message
    if (!repair?.unrestored || role !== 'user' || event.agentId !== undefined) return next(event)
    const { unrestored, ...receipt } = repair
    pending.repair = undefined
    await tell($, told, pending)
    const added = { type: 'text', text: unrestored.text } as const
    const whole = { ...event.message, content: [...content, added] }
    const appended = await next({ ...event, message: whole })
    await storeReceipt($, receipt)
    return appended
  }).catch(async (_, event, next) => next(event))

  // A hook that "precis install" put into the settings adds what the agent's own summary lost.
  on('classic.SessionStart', async ($, event, next) => {
    if (event.source !== 'compact') return next(event)
    told.changes++
    const answer = await next(event)
    await tell($, told)
    if (!isOurs || !answer.additionalContext) return answer
    const others = answer.additionalContext.filter((text) => !isSummaryText(text))
    return { ...answer, additionalContext: others }
  }).catch(async (_, event, next) => next(event))

  on('classic.PostCompact', async ($, event, next) => {
    if (ahead && event.agent_id === undefined) {
      pending.line = renderLine(ahead, command)
      await storeReceipt($, ahead)
      ahead = undefined
    }
    told.changes++
    const answer = await next(event)
    await tell($, told, pending.repair ? {} : pending)
    return answer
  }).catch(async (_, event, next) => next(event))
}

/** Of the latest compaction of the main conversation. */
interface Pending {
  /** Until the agent has shown the compaction. */
  line?: string | undefined
  /** With what its summary lost. */
  repair?: CompactionReceipt | undefined
}

// Longer than the agent takes to store its summary.
const STORED_MS = 500

/** After a summary that the agent stored without the event for it. */
async function appendRepair(
  $: Mod,
  repair: CompactionReceipt,
  pending: Pending,
  told: Told,
): Promise<void> {
  if (pending.repair !== repair) return
  pending.repair = undefined
  const problem = await putBack($, repair)
  if (problem !== undefined) pending.line = problem
  await tell($, told, pending)
}

/** If the agent was killed before that. */
async function putBackLater($: Mod): Promise<void> {
  try {
    const receipt = await findReceipt($, [await $.session.id()])
    if (!receipt?.unrestored) return
    const { compactions } = await findRemoved($)
    if (compactions > receipt.unrestored.compactions) await putBack($, receipt)
  } catch (error) {
    // The session has started, and must not start twice.
    $.ui.log(`What an earlier summary lost was not put back (${neutralizeLine(String(error))}).`)
  }
}

/** Returns why it failed, for the user. Undefined if what the summary lost is in the next request. */
async function putBack(
  $: Mod,
  { unrestored, ...receipt }: CompactionReceipt,
): Promise<string | undefined> {
  const text = unrestored?.text ?? ''
  try {
    await $.session.append({ message: { type: 'user', content: [{ type: 'text', text }] } })
    await storeReceipt($, receipt)
    return undefined
  } catch (error) {
    const line = `What the summary lost was not put back (${neutralizeLine(String(error))}).`
    await storeReceipt($, { ...receipt, line })
    return line
  }
}

// The line before the compaction is gone once the screen is drawn again.
const IDLE = "Compacted before the provider's cache expired:"

function renderLine({ line }: CompactionReceipt, command: string | undefined): string {
  return command === undefined ? line : `${line} Show it or find it again: /${command}.`
}

/**
 * A line for the user. The agent draws its screen again after the hooks of the settings, without
 * lines from before.
 */
interface Told {
  line?: string | undefined
  /** One more whenever such a hook begins or ends. */
  changes: number
}

async function tell($: Mod, told: Told, pending: Pending = {}): Promise<void> {
  told.line = pending.line ?? told.line
  pending.line = undefined
  const now = ++told.changes
  const log = () => {
    const { line } = told
    if (now !== told.changes || line === undefined) return
    told.line = undefined
    $.ui.log(line)
  }
  if ((await $.session.surfaces()).length > 0) $.clock.after(DRAWN_MS, log)
  else log()
}

const DRAWN_MS = 500

interface Done {
  readonly answer: CompactAnswer
  /** Undefined if the agent compacted, or nobody did. */
  readonly receipt?: CompactionReceipt
}

async function replace(
  $: Mod,
  event: CompactEvent,
  next: CompactNext,
  { budgetTokens = 0, preview = false }: ModOptions,
): Promise<Done> {
  const usage = await $.session.usage({ breakdown: 'summary' })
  const context = await findContext($, event)
  const { remainingMs } = next.budget
  const compacted = await compactRows(event, { ...context, usage, budgetTokens, remainingMs })
  if (compacted.type === 'left') {
    const { reason, isShort } = compacted
    // The agent's model is not asked ahead of a compaction that this module may answer then.
    if (event.trigger === 'precompute') return { answer: { skip: `precis: ${reason}` } }
    // Before every further request, the agent would ask again after an automatic one.
    const isAsked = event.trigger === 'manual' || event.trigger === 'plugin'
    if (isShort && isAsked) return { answer: { skip: `precis: ${reason}` } }
    $.ui.log(`${reason}, so Claude Code compacts it.`)
    return { answer: await next(event) }
  }
  const { rows, receipt } = compacted
  const choice = preview ? await confirmCompaction($, receipt) : undefined
  if (choice === LEAVE) return { answer: { skip: 'precis: you left the conversation as it is' } }
  if (choice === BY_AGENT) return { answer: await next(event) }
  if (event.agentId === undefined) await keepOriginal($)
  return { answer: { messages: rows }, receipt }
}

async function verify($: Mod, event: CompactEvent, next: CompactNext): Promise<Done> {
  const context = await findContext($, event)
  const instructions = [event.instructions ?? '', INSTRUCTIONS].join('\n').trim()
  const answer = await next({ ...event, instructions })
  if (answer.messages === undefined) return { answer }
  try {
    const earlier = { ...context, ...(await readRemoved($)) }
    return { answer, receipt: verifyCompaction(event.messages, answer.messages, earlier) }
  } catch (error) {
    // The agent has asked its model, and must not ask it again.
    $.ui.log(`The summary was not verified (${neutralizeLine(String(error))}).`)
    return { answer }
  }
}

interface CompactContext {
  readonly workingDirectory: string
  /** Undefined if the session has no file. */
  readonly recall: RecallPath | undefined
}

async function findContext($: Mod, { agentId }: CompactEvent): Promise<CompactContext> {
  const { transcriptPath } = await $.session.info()
  const session = agentId === undefined ? { reference: await $.session.id() } : {}
  return {
    workingDirectory: await $.session.cwd(),
    recall: transcriptPath === '' ? undefined : { tool: RECALL_NAME, ...session },
  }
}

/** What was removed, for the user and for the model. */
function registerLookup(on: On): void {
  on('tool.list', async (_, event, next) => {
    const { value } = await next(event)
    return { value: [...value, describeRecall()] }
  }).catch(async (_, event, next) => next(event))

  for (const command of COMMAND_NAMES) {
    on('command.run', { command }, async ($, { args }) => ({
      text: await runCommand($, args, command),
      isTextDisplayOnly: true,
    })).catch(async (_, __, next) => ({
      text: `It failed: ${explain(next)}.`,
      isTextDisplayOnly: true,
    }))
  }

  // It only reads this session, so the user is not asked.
  on('tool.call', { tool: RECALL_NAME }, async ($, { agentId, query, span, offset }) => ({
    result: await searchRemoved($, { query, span, offset }, agentId),
  })).catch(async (_, __, next) => ({
    result: `The search failed: ${explain(next)}.`,
    isError: true,
  }))

  on('ui.render', PANE_SITE, async ($, event) => await renderPane($, event)).catch(
    async (_, event, next) => next(event),
  )

  // Without the command, the server of the plugin cannot start. This module does its part.
  on('mcp.connect', async ($, event, next) => {
    if (!event.server.endsWith(':precis:precis') || (await isInstalled($))) return next(event)
    const message = 'The command precis is not installed. The plugin works without it.'
    return { value: { isConnected: false, reason: 'disabled', message } }
  }).catch(async (_, event, next) => next(event))
}

const explain = ({ error }: Pick<FailedNext, 'error'>): string =>
  neutralizeLine(error?.message ?? 'it took too long')
