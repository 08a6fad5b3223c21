/** The results of many sessions, for people and for scripts. */

import type { SkipReason } from '../compression/job.ts'
import type { BatchListener, BatchOutcome } from '../compression/many-sessions.ts'
import { DEFAULT_IDLE_MINUTES, type SessionCandidate } from '../compression/select-sessions.ts'
import {
  cutToWidth,
  neutralizeLine,
  renderBytes,
  renderCount,
  renderDuration,
  renderPlural,
  renderShare,
  renderTable,
  right,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { listNotices } from './compression.ts'

export interface BatchReport {
  readonly outcomes: readonly BatchOutcome[]
  readonly isDryRun: boolean
  /** Sessions that an interruption left undone. */
  readonly waiting: number
  readonly durationMs: number
}

export function toBatchJson({ outcomes, isDryRun, waiting, durationMs }: BatchReport) {
  const { before, after } = sum(outcomes)
  const count = (type: BatchOutcome['result']['type']) =>
    outcomes.filter(({ result }) => result.type === type).length
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
  const known = { agent: agent.name, sessionId: id, input: path, outcome: result.type }
  if (result.type === 'skipped')
    return { ...known, reason: result.reason, detail: result.detail ?? null }
  if (result.type === 'failed')
    return { ...known, error: { code: result.code, message: result.message } }
  const { strategy, summarizer, budgetTokens, budget, notInFileTokens, names, before, after } =
    result.report
  return {
    ...known,
    output: placement?.path ?? null,
    resumeCommand: placement?.resumeCommand ?? null,
    strategy,
    summarizer: summarizer ?? null,
    budgetTokens,
    budget,
    before: { ...before, bytes: result.bytesBefore },
    after: { ...after, bytes: result.bytesAfter },
    notInFileTokens: notInFileTokens ?? null,
    archive: result.kept ?? null,
    names: names ?? null,
    problems: [...result.report.problems, ...problems],
  }
}

export function renderQuestion(candidates: readonly SessionCandidate[]): string {
  const bytes = candidates.reduce((total, candidate) => total + candidate.bytes, 0)
  const names = [...new Set(candidates.map(({ session }) => session.agent.title))]
  const list =
    names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  const sessions = `${renderPlural(candidates.length, 'session')} of ${list} (${renderBytes(bytes)})`
  return `Compress ${sessions}? Each becomes a new session in the list of its agent. The originals stay. [y/N] `
}

/** One line, printed as soon as it is known. */
function renderOutcome(outcome: BatchOutcome): string {
  const { session, result, placement } = outcome
  const name = `${session.agent.name} ${session.id}`
  const notes = listProblems(outcome)
    .map((problem) => `; ${neutralizeLine(problem)}`)
    .join('')
  switch (result.type) {
    case 'skipped':
      return `skipped     ${name}  ${renderReason(result.reason, result.detail)}`
    case 'failed':
      return `failed      ${name}  ${neutralizeLine(result.message)}`
    case 'compressed': {
      const { before, after, budget } = result.report
      const where = placement ? `  ${neutralizeLine(placement.resumeCommand)}` : ''
      return `compressed  ${name}  ${renderCount(before.tokens)} → ${renderCount(after.tokens)} tokens (budget ${budget})${where}${notes}`
    }
  }
}

const MOST_FAILURES = 20

export function renderBatch(report: BatchReport, isVerbose: boolean, terminal: Terminal): string {
  const { outcomes, isDryRun, waiting, durationMs } = report
  if (outcomes.length === 0 && waiting === 0)
    return 'No session matches. "precis sessions" lists all.'
  const compressed = outcomes.filter(({ result }) => result.type === 'compressed')
  const took = `Took ${renderDuration(durationMs)}. Each result is a new session. "precis undo <session>" undoes one, and --json lists all.`
  return [
    compressed.length > 0 && renderSums(outcomes, terminal),
    // With --verbose, each was already printed.
    isDryRun && !isVerbose && compressed.map((outcome) => `  ${renderOutcome(outcome)}`).join('\n'),
    renderLeft(outcomes, isVerbose).join('\n'),
    waiting > 0 &&
      `Interrupted: ${renderPlural(waiting, 'session')} left. Run it again to continue.`,
    isDryRun ? 'Dry run: nothing was written.' : compressed.at(-1)?.placement && took,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** A row for each agent, and one for all if there are several. */
function renderSums(outcomes: readonly BatchOutcome[], terminal: Terminal): string {
  const renderRow = (name: string, some: readonly BatchOutcome[]) => {
    const { sessions, before, after } = sum(some)
    const cells = [
      name,
      renderCount(sessions),
      renderCount(before),
      renderCount(after),
      renderShare(after, before),
    ]
    return sessions > 0 ? [cells] : []
  }
  const rows = [...new Set(outcomes.map(({ session }) => session.agent))].flatMap((agent) =>
    renderRow(
      agent.title,
      outcomes.filter(({ session }) => session.agent === agent),
    ),
  )
  if (rows.length > 1) rows.push(...renderRow('all', outcomes))
  return renderTable(
    ['agent', ...['sessions', 'tokens before', 'after', ''].map(right)],
    rows,
    terminal,
  )
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

/** The sessions that were not compressed, by reason, and what the agent or the archive refused. */
function renderLeft(outcomes: readonly BatchOutcome[], isVerbose: boolean): string[] {
  const reasons = new Map<SkipReason, number>()
  for (const { result } of outcomes) {
    if (result.type === 'skipped') reasons.set(result.reason, (reasons.get(result.reason) ?? 0) + 1)
  }
  const skipped = [...reasons].map(
    ([reason, count]) => `  ${renderCount(count)} skipped: ${renderReason(reason)}`,
  )
  if (isVerbose) return skipped
  const failures = outcomes.filter(({ result }) => result.type === 'failed')
  const problems = outcomes.flatMap((outcome) =>
    listProblems(outcome).map(
      (problem) => `  note: ${neutralizeLine(`${outcome.session.id}: ${problem}`)}`,
    ),
  )
  return [
    ...skipped,
    ...cut(failures.map((outcome) => `  ${renderOutcome(outcome)}`)),
    ...cut(problems),
  ]
}

/** Notices about a session that was still compressed. */
function listProblems({ result, problems }: BatchOutcome): readonly string[] {
  return result.type === 'compressed' ? [...listNotices(result.report), ...problems] : problems
}

function cut(lines: readonly string[]): string[] {
  if (lines.length <= MOST_FAILURES) return [...lines]
  return [
    ...lines.slice(0, MOST_FAILURES),
    `  and ${lines.length - MOST_FAILURES} more (--verbose lists all)`,
  ]
}

const REASONS: Readonly<Record<SkipReason, string>> = {
  'read-only': 'of an agent whose sessions precis only reads',
  'written-by-precis': 'written by precis, and not continued since',
  'done-already': 'done already, with the same settings',
  'done-elsewhere': 'another precis is compressing it',
  'in-use': `in use, changed in the last ${DEFAULT_IDLE_MINUTES} minutes (--older-than decides)`,
  'too-small': 'too small (--larger-than decides)',
  'within-budget': 'within the budget already',
  'nothing-to-gain': 'nothing to gain',
}

function renderReason(reason: SkipReason, detail?: string): string {
  return detail === undefined ? REASONS[reason] : `${REASONS[reason]}: ${neutralizeLine(detail)}`
}

/** Draws the total progress, and prints each outcome on request. */
export function createListener(
  candidates: readonly SessionCandidate[],
  outcomes: BatchOutcome[],
  { verbose, json }: { readonly verbose?: boolean; readonly json?: boolean },
  terminal: Terminal,
): BatchListener {
  const running = new Set<string>()
  const totalBytes = candidates.reduce((sum, { bytes }) => sum + bytes, 0)
  const bytesByPath = new Map(candidates.map(({ session, bytes }) => [session.path, bytes]))
  let doneBytes = 0
  let savedTokens = 0
  const draw = () => {
    const names = [...running].slice(0, MOST_NAMES).map((id) => id.slice(0, 8))
    const counts = `${outcomes.length} of ${candidates.length} · ${renderCount(savedTokens)} tokens saved`
    const text = names.length > 0 ? `${counts} · ${names.join(', ')}` : counts
    const room = Math.max(terminal.columns - PROGRESS_BAR_COLUMNS, 20)
    terminal.progress.show(cutToWidth(text, room), doneBytes / totalBytes)
  }
  return {
    onStart({ session }) {
      running.add(session.id)
      draw()
    },
    onOutcome(outcome) {
      const { session, result } = outcome
      outcomes.push(outcome)
      running.delete(session.id)
      doneBytes += bytesByPath.get(session.path) ?? 0
      if (result.type === 'compressed')
        savedTokens += result.report.before.tokens - result.report.after.tokens
      if (verbose && !json) {
        terminal.progress.clear()
        terminal.print(renderOutcome(outcome))
      }
      draw()
    },
  }
}

const PROGRESS_BAR_COLUMNS = 26
const MOST_NAMES = 20
