/** The cells of an overview, for the terminal and for the page. */
import { shortenHome } from '../files/user-folders.ts'
import type { ListedCompaction, Measured, Overview, ProjectSessions, SessionSums } from '../sessions/overview.ts'
import { renderBytes, renderCount, renderDollars, renderPlural, renderPreview, renderTime } from './render.ts'

const NONE = '–'
const PATH_COLUMNS = 200

export const PROJECT_TITLES = ['agent', 'project', 'sessions', 'size', 'tokens', 'money', 'last used'] as const

export function listProjectCells(row: Pick<ProjectSessions, 'agent' | 'project' | 'lastUsed'> & SessionSums): string[] {
  const { agent, project, lastUsed, sessions, bytes, tokens, dollars, unpriced } = row
  return [
    agent.name,
    project === undefined ? NONE : renderPreview(shortenHome(project), PATH_COLUMNS),
    renderCount(sessions),
    renderBytes(bytes),
    tokens > 0 ? renderMillions(tokens) : NONE,
    unpriced === sessions ? NONE : renderDollars(dollars),
    renderTime(lastUsed),
  ]
}

export const COMPACTION_TITLES = [
  'when',
  'agent',
  'project',
  'session',
  'by',
  'waited',
  'before',
  'after',
  'your words lost',
  'facts lost',
  'cost',
] as const

/** `id`: as it is shown. */
export function listCompactionCells(compaction: ListedCompaction, id: string): string[] {
  const { time, agent, project, by, trigger, durationMs, tokensBefore, tokensAfter, lost, cost } = compaction
  return [
    time === undefined ? NONE : renderTime(new Date(time)),
    agent.name,
    project === undefined ? NONE : renderPreview(shortenHome(project), PATH_COLUMNS),
    id,
    [by === 'precis' ? 'precis' : 'agent', trigger === 'manual' ? 'asked for' : ''].filter(Boolean).join(', '),
    renderMeasured(durationMs, renderWait),
    renderMeasured(tokensBefore, renderCount),
    renderMeasured(tokensAfter, renderCount),
    lost ? renderLostWords(lost.words) : NONE,
    lost?.facts ? renderOf(lost.facts.lost, lost.facts.total) : NONE,
    renderMeasured(cost?.dollars, renderDollars),
  ]
}

function renderLostWords({ total, clipped, missing }: NonNullable<ListedCompaction['lost']>['words']): string {
  return clipped > 0 && total > 0 ? `${renderOf(missing, total)}, ${clipped} cut` : renderOf(missing, total)
}

const renderOf = (part: number, whole: number): string =>
  whole === 0 ? NONE : `${renderCount(part)} of ${renderCount(whole)}`

/** `~52 s` where it is estimated, a dash where it is not known. */
export const renderMeasured = (measured: Measured | undefined, render: (value: number) => string): string =>
  measured ? `${measured.isEstimated ? '~' : ''}${render(measured.value)}` : NONE

/** What a summary left out, weightiest first; empty where it is not known. */
export function listLostNames({ lost }: ListedCompaction): string[] {
  return lost?.facts?.weightiest.map(({ text }) => text) ?? []
}

export const LEGEND =
  '~ estimated: by time stamps, by the usage of the requests around it, at list prices with the history in the cache. – not recorded.'

/** One sentence on the sessions. */
export function describeSessions(
  { sessions, bytes, tokens, dollars, unpriced }: SessionSums,
  projects: number,
): string {
  const priced = unpriced < sessions ? `, ${renderDollars(dollars)} at list prices` : ''
  return `${renderPlural(sessions, 'session')} in ${renderPlural(projects, 'project')}: ${renderBytes(bytes)}, ${renderMillions(tokens)} tokens billed${priced}`
}

/** One sentence on all compactions. */
export function describeCompactions({ compactions }: Pick<Overview, 'compactions'>): string {
  if (compactions.length === 0) return 'No compaction of an agent is recorded in them'
  const waited = sumMeasured(compactions.map(({ durationMs }) => durationMs))
  const dollars = sumMeasured(compactions.map(({ cost }) => cost?.dollars))
  const sum = (read: (one: ListedCompaction) => number) => compactions.reduce((total, one) => total + read(one), 0)
  const missing = sum(({ lost }) => (lost ? lost.words.missing : 0))
  const words = sum(({ lost }) => (lost ? lost.words.total : 0))
  return `${renderPlural(compactions.length, 'compaction')}: ${renderMeasured(waited, renderWait)} waited, ${renderMeasured(dollars, renderDollars)}, ${renderOf(missing, words)} of your messages gone`
}

/** Undefined of none; estimated where one of them is. */
export function sumMeasured(numbers: readonly (Measured | undefined)[]): Measured | undefined {
  const known = numbers.filter((number) => number !== undefined)
  if (known.length === 0) return undefined
  return {
    value: known.reduce((sum, { value }) => sum + value, 0),
    isEstimated: known.some(({ isEstimated }) => isEstimated),
  }
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** `0.6 s`, `52 s`, `2 min 17 s`, `7.1 h` */
function renderWait(ms: number): string {
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`
  if (ms >= HOUR_MS) return `${(ms / HOUR_MS).toFixed(1)} h`
  const seconds = Math.round(ms / SECOND_MS)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `812k`, `4.2M`, `1.3B` */
function renderMillions(tokens: number): string {
  if (tokens >= 999.5e6) return `${(tokens / 1e9).toFixed(1)}B`
  if (tokens >= 999_500) return `${(tokens / 1e6).toFixed(1)}M`
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : renderCount(tokens)
}
