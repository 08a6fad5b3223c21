/** What an overview says, on the terminal and on the page. */
import { shortenHome } from '../files/user-folders.ts'
import {
  type ListedCompaction,
  type Measured,
  MOST_LOOKED_AT,
  type Overview,
  type ProjectSessions,
  type SessionSums,
} from '../sessions/overview.ts'
import { NONE, renderMeasured } from './compaction-cells.ts'
import {
  cutToWidth,
  renderBytes,
  renderCount,
  renderDollars,
  renderDuration,
  renderPlural,
  renderPreview,
  renderTime,
} from './render.ts'

const PATH_COLUMNS = 200
const PLACE_COLUMNS = 40

export const PROJECT_TITLES = [
  'project',
  'agents',
  'sessions',
  'size',
  'tokens',
  'money',
  'last used',
] as const

export function listProjectCells(
  row: Pick<ProjectSessions, 'agents' | 'project' | 'lastUsed'> & SessionSums,
): string[] {
  const { agents, project, lastUsed, sessions, bytes, tokens } = row
  return [
    renderProject(project),
    agents
      .map(({ name }) => name)
      .toSorted()
      .join(', '),
    renderCount(sessions),
    renderBytes(bytes),
    tokens > 0 ? renderTokens(row) : NONE,
    hasPrice(row) ? renderMoney(row) : NONE,
    renderTime(lastUsed),
  ]
}

export const renderProject = (project: string | undefined): string =>
  project === undefined ? NONE : renderPreview(shortenHome(project), PATH_COLUMNS)

/** One sentence on the sessions. */
export function describeSessions(sums: SessionSums, projects: number): string {
  const { sessions, bytes } = sums
  const priced = hasPrice(sums) ? `, ${renderMoney(sums)} at list prices` : ''
  return `${renderPlural(sessions, 'session')} in ${renderPlural(projects, 'project')}: ${renderBytes(bytes)}, ${renderTokens(sums)} tokens billed${priced}`
}

const hasPrice = ({ sessions, unpriced, dollars }: SessionSums): boolean =>
  unpriced < sessions || dollars > 0

const renderTokens = ({ tokens, isOutputCounted }: SessionSums): string =>
  renderMeasured({ value: tokens, isEstimated: isOutputCounted }, renderMillions)

const renderMoney = ({ dollars, isOutputCounted }: SessionSums): string =>
  renderMeasured({ value: dollars, isEstimated: isOutputCounted }, renderDollars)

/**
 * Of the newest compactions with sentences that no request contains any more, those with sentences
 * that bind come first. Otherwise the newest is first.
 */
export function listForgetting(compactions: readonly ListedCompaction[]): ListedCompaction[] {
  const binds = ({ lost }: ListedCompaction) =>
    Number(lost?.words.sentences.some(({ isBinding }) => isBinding))
  return compactions
    .filter(({ lost }) => lost && lost.words.sentences.length > 0)
    .slice(-MOST_LOOKED_AT)
    .toReversed()
    .sort((a, b) => binds(b) - binds(a))
}

/** `service-9 · Claude Code · in no request since the compaction of 2026-11-25 14:02` */
export function describeForgetting({ agent, project, time }: ListedCompaction): string {
  const when =
    time === undefined ? 'a compaction' : `the compaction of ${renderTime(new Date(time))}`
  const where =
    project === undefined ? [] : [cutToWidth(renderProject(project), PLACE_COLUMNS, true)]
  return [...where, agent.title, `in no request since ${when}`].join(' · ')
}

export const FORGOTTEN_TITLE = 'What you said and no request contains any more'

/** One sentence on all compactions. */
export function describeCompactions({ compactions }: Pick<Overview, 'compactions'>): string {
  if (compactions.length === 0) return 'No compaction of an agent is recorded in them'
  const waited = sumMeasured(compactions.map(({ durationMs }) => durationMs))
  const dollars = sumMeasured(compactions.map(({ cost }) => cost?.dollars))
  const sum = (read: (one: ListedCompaction) => number) =>
    compactions.reduce((total, one) => total + read(one), 0)
  const missing = sum(({ lost }) => (lost ? lost.words.missing : 0))
  const words = sum(({ lost }) => (lost ? lost.words.total : 0))
  const known = [
    ...(waited ? [`you waited ${renderMeasured(waited, renderDuration)}`] : []),
    `${renderCount(missing)} of your ${renderPlural(words, 'message')} ${missing === 1 ? 'is' : 'are'} gone`,
    ...(dollars ? [`cost ${renderMeasured(dollars, renderDollars)}`] : []),
  ]
  return `${renderPlural(compactions.length, 'compaction')}: ${known.join(', ')}`
}

/** Undefined for an empty list. Estimated if one of them is. */
export function sumMeasured(numbers: readonly (Measured | undefined)[]): Measured | undefined {
  const known = numbers.filter((number) => number !== undefined)
  if (known.length === 0) return undefined
  return {
    value: known.reduce((sum, { value }) => sum + value, 0),
    isEstimated: known.some(({ isEstimated }) => isEstimated),
  }
}

/** `812k`, `4.2M`, `1.3B` */
function renderMillions(tokens: number): string {
  if (tokens >= 999.5e6) return `${(tokens / 1e9).toFixed(1)}B`
  if (tokens >= 999_500) return `${(tokens / 1e6).toFixed(1)}M`
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : renderCount(tokens)
}
