/** What became of many sessions, for people and for scripts. */
import type { SkipReason } from '../batch/job.ts'
import type { BatchOutcome } from '../batch/run-batch.ts'
import type { Candidate } from '../batch/select-sessions.ts'
import { findAgentHomes } from '../sessions/agent-home.ts'
import { renderBytes, renderCount, renderDuration, renderPlural, renderShare, renderTable } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import { DEFAULT_IDLE_MINUTES } from './all-options.ts'
import { explainSubstitute } from './compress-report.ts'

export interface BatchReport {
  readonly outcomes: readonly BatchOutcome[]
  readonly isDryRun: boolean
  /** Sessions that an interruption left over. */
  readonly waiting: number
  readonly durationMs: number
}

export function toBatchJson({ outcomes, isDryRun, waiting, durationMs }: BatchReport) {
  const { before, after } = sum(outcomes)
  const count = (type: BatchOutcome['result']['type']) => outcomes.filter(({ result }) => result.type === type).length
  return {
    dryRun: isDryRun,
    compressed: count('compressed'),
    skipped: count('skipped'),
    failed: count('failed'),
    waiting,
    before: { tokens: before },
    after: { tokens: after },
    sessions: outcomes.map(toOutcomeJson),
    durationMs: Math.round(durationMs),
  }
}

function toOutcomeJson({ session, result, placement, problems }: BatchOutcome) {
  const { agent, id, path } = session
  const known = { agent, sessionId: id, input: path, outcome: result.type }
  if (result.type === 'skipped') return { ...known, reason: result.reason, detail: result.detail ?? null }
  if (result.type === 'failed') return { ...known, error: { code: result.code, message: result.message } }
  const { strategy, summarizer, budgetTokens, before, after } = result.report
  return {
    ...known,
    output: placement?.path ?? null,
    resumeCommand: placement?.resumeCommand ?? null,
    strategy,
    summarizer: summarizer ?? null,
    budgetTokens,
    before: { ...before, bytes: result.bytesBefore },
    after: { ...after, bytes: result.bytesAfter },
    archive: result.kept ?? null,
    problems: [...result.report.problems, ...problems],
  }
}

export function renderQuestion(candidates: readonly Candidate[]): string {
  const bytes = candidates.reduce((total, candidate) => total + candidate.bytes, 0)
  const names = [...new Set(candidates.map(({ session }) => nameAgent(session.agent)))]
  const sessions = `${renderPlural(candidates.length, 'session')} of ${renderList(names)} (${renderBytes(bytes)})`
  return `Compress ${sessions}? Each becomes a new session in the list of its agent; the original stays. [y/N] `
}

/** One line, as soon as it is known. */
export function renderOutcome(outcome: BatchOutcome): string {
  const { session, result, placement } = outcome
  const name = `${session.agent} ${session.id}`
  const notes = listProblems(outcome)
    .map((problem) => `; ${neutralizeLine(problem)}`)
    .join('')
  switch (result.type) {
    case 'skipped':
      return `skipped     ${name}  ${renderReason(result.reason, result.detail)}`
    case 'failed':
      return `failed      ${name}  ${neutralizeLine(result.message)}`
    case 'compressed': {
      const { before, after } = result.report
      const where = placement ? `  ${neutralizeLine(placement.resumeCommand)}` : ''
      return `compressed  ${name}  ${renderCount(before.tokens)} → ${renderCount(after.tokens)} tokens${where}${notes}`
    }
  }
}

const MOST_FAILURES = 20

export function renderBatch(report: BatchReport, isVerbose: boolean, { columns, colors }: Terminal): string {
  const { outcomes, isDryRun, waiting, durationMs } = report
  const compressed = outcomes.filter(({ result }) => result.type === 'compressed')
  const blocks: string[] = []
  if (outcomes.length === 0 && waiting === 0)
    return 'No session is there that is asked for: "precis sessions" lists what there is.'
  if (compressed.length > 0) blocks.push(renderTable(tabulate(report), columns, colors))
  // In verbose each was told already.
  if (isDryRun && !isVerbose) blocks.push(compressed.map((outcome) => `  ${renderOutcome(outcome)}`).join('\n'))
  blocks.push(renderLeft(outcomes, isVerbose).join('\n'))
  if (waiting > 0) blocks.push(`Interrupted: ${renderPlural(waiting, 'session')} left. Run it again to go on.`)
  const last = compressed.at(-1)?.placement
  if (isDryRun) blocks.push('Dry run: nothing was written.')
  else if (last) blocks.push(`Took ${renderDuration(durationMs)}. ${UNDO}`)
  return blocks.filter(Boolean).join('\n\n')
}

const UNDO = 'Each result is a new session of its own: "precis undo <session>" takes one back, --json lists all.'

function tabulate({ outcomes }: BatchReport) {
  const agents = [...new Set(outcomes.map(({ session }) => session.agent))]
  const row = (name: string, some: readonly BatchOutcome[]) => {
    const { sessions, before, after } = sum(some)
    return [name, renderCount(sessions), renderCount(before), renderCount(after), renderShare(after, before)]
  }
  const rows = agents.map((agent) => {
    return row(
      nameAgent(agent),
      outcomes.filter(({ session }) => session.agent === agent),
    )
  })
  const columns = ['agent', 'sessions', 'tokens before', 'after', ''].map((title, index) =>
    index === 0 ? { title } : { title, align: 'right' as const },
  )
  const shown = rows.filter(([, sessions]) => sessions !== '0')
  return { columns, rows: shown.length > 1 ? [...shown, row('all', outcomes)] : shown }
}

function sum(outcomes: readonly BatchOutcome[]) {
  const sums = { sessions: 0, before: 0, after: 0 }
  for (const { result } of outcomes) {
    if (result.type !== 'compressed') continue
    sums.sessions++
    sums.before += result.report.before.tokens
    sums.after += result.report.after.tokens
  }
  return sums
}

/** What was not compressed, by reason; what its agent or the archive did not take. */
function renderLeft(outcomes: readonly BatchOutcome[], isVerbose: boolean): string[] {
  const reasons = new Map<SkipReason, number>()
  for (const { result } of outcomes) {
    if (result.type === 'skipped') reasons.set(result.reason, (reasons.get(result.reason) ?? 0) + 1)
  }
  const skipped = [...reasons].map(([reason, count]) => `  ${renderCount(count)} skipped: ${renderReason(reason)}`)
  if (isVerbose) return skipped
  const failures = outcomes.filter(({ result }) => result.type === 'failed')
  const problems = outcomes.flatMap((outcome) =>
    listProblems(outcome).map((problem) => `${outcome.session.id}: ${problem}`),
  )
  return [
    ...skipped,
    ...cut(failures.map((outcome) => `  ${renderOutcome(outcome)}`)),
    ...cut(problems.map((problem) => `  note: ${neutralizeLine(problem)}`)),
  ]
}

/** Notices on a session that was compressed all the same. */
function listProblems({ result, problems }: BatchOutcome): readonly string[] {
  const substitute = result.type === 'compressed' ? explainSubstitute(result.report) : undefined
  return substitute === undefined ? problems : [substitute, ...problems]
}

function cut(lines: readonly string[]): string[] {
  if (lines.length <= MOST_FAILURES) return [...lines]
  return [...lines.slice(0, MOST_FAILURES), `  and ${lines.length - MOST_FAILURES} more; --verbose tells all`]
}

const REASONS: Readonly<Record<SkipReason, string>> = {
  'written-by-precis': 'written by precis, and nobody went on with it',
  'done-already': 'done already, with the same settings',
  'done-elsewhere': 'another precis is at it',
  'in-use': `in use, changed in the last ${DEFAULT_IDLE_MINUTES} minutes (--older-than decides)`,
  'too-small': 'too small (--larger-than decides)',
  'within-budget': 'within the budget as it is',
  'nothing-to-gain': 'nothing to gain',
}

function renderReason(reason: SkipReason, detail?: string): string {
  return detail === undefined ? REASONS[reason] : `${REASONS[reason]}: ${neutralizeLine(detail)}`
}

function nameAgent(agent: string): string {
  return findAgentHomes().find((home) => home.agent === agent)?.name ?? agent
}

function renderList(names: readonly string[]): string {
  if (names.length < 2) return names.join('')
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
