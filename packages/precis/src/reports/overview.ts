import { findBestWay } from '../agents/shared/best-way.ts'
import { findStartCommand } from '../files/installed-files.ts'
import { findAgentStatus, isInstalled } from '../installation/find-entry.ts'
import { addSums, type ListedCompaction, type Overview } from '../sessions/overview.ts'
import {
  COMPACTION_TITLES,
  listCompactionCells,
  listLegend,
  listLostNames,
  listLostSentences,
  NAMES_TITLE,
  NONE,
  toCompactionJson,
} from '../terminal/compaction-cells.ts'
import {
  describeCompactions,
  describeForgetting,
  describeSessions,
  FORGOTTEN_TITLE,
  listForgetting,
  listProjectCells,
  PROJECT_TITLES,
  renderProject,
  sumMeasured,
} from '../terminal/overview-cells.ts'
import {
  type Column,
  type Page,
  renderCount,
  renderPreview,
  renderTable,
  right,
  wrapText,
} from '../terminal/render.ts'
import { explainNoSessions } from './sessions.ts'

export function renderOverview(overview: Overview, page: Page, limit: number): string {
  const { bold, dim } = page.colors
  const { projects, compactions } = overview
  if (projects.length === 0) return explainNoSessions()
  const more = (left: number, what: string) =>
    left > 0 ? [dim(`  … ${renderCount(left)} more${what}; --limit ${limit + left} shows all`)] : []
  const sessions = [
    bold(wrapText(describeSessions(addSums(projects), projects.length), page.columns)),
    renderTable(PROJECT_COLUMNS, projects.slice(0, limit).map(listProjectCells), page),
    ...more(projects.length - limit, ''),
  ]
  if (compactions.length === 0)
    return [...sessions, '', `${describeCompactions(overview)}.`].join('\n')
  const rows = compactions.slice(-limit).map((compaction) => {
    const { agent, project } = compaction
    const [when = '', ...cells] = listCompactionCells(compaction)
    const names =
      renderPreview(listLostNames(compaction, MOST_NAMES).join(' · '), NAME_COLUMNS) || NONE
    return [compaction.shortId, when, agent.name, renderProject(project), ...cells, names]
  })
  const forgotten = listForgetting(compactions)
    .slice(0, MOST_FORGOTTEN)
    .map((compaction) => renderForgotten(compaction, page))
  const table = renderTable(COMPACTION_COLUMNS, rows, page)
  return [
    ...sessions,
    '',
    bold('Compactions, latest last'),
    ...more(compactions.length - limit, ' before'),
    table,
    bold(wrapText(describeCompactions(overview), page.columns)),
    ...listLegend(table).map((line) => dim(wrapText(line, page.columns))),
    ...(forgotten.length > 0 ? ['', bold(FORGOTTEN_TITLE), ...forgotten] : []),
    ...adviseNext(compactions, page),
  ].join('\n')
}

const MOST_FORGOTTEN = 3
const INDENT = '  '

/** The sentences that one compaction lost, and the commands that follow. */
function renderForgotten(compaction: ListedCompaction, page: Page): string {
  const { bold, dim } = page.colors
  const { shortId: id } = compaction
  const sentences = listLostSentences(compaction)
  const [turn] = compaction.lost?.words.sentences.flatMap((one) => one.turn ?? []) ?? []
  return [
    ...sentences.map((sentence) => wrapText(sentence, page.columns, INDENT)),
    dim(wrapText(describeForgetting(compaction), page.columns, INDENT + INDENT)),
    `${INDENT}${INDENT}put back:  ${bold(`precis undo ${id} --words`)}`,
    `${INDENT}${INDENT}read:      ${bold(`precis show ${id}${turn === undefined ? '' : ` ${turn}`}`)}`,
  ].join('\n')
}

/** How to begin with the agent that compacts most, if precis is not installed in it. */
function adviseNext(compactions: readonly ListedCompaction[], page: Page): string[] {
  const counts = new Map<ListedCompaction['agent'], number>()
  for (const { agent, by } of compactions)
    if (by === 'agent') counts.set(agent, (counts.get(agent) ?? 0) + 1)
  const [[agent] = []] = [...counts].sort(([, a], [, b]) => b - a)
  const way = agent && findBestWay(agent)
  if (!agent || !way || isInstalled(findAgentStatus(agent, findStartCommand()))) return []
  return [
    '',
    wrapText(`${agent.title} compacts most here. To use precis in it, run:`, page.columns),
    ...way.commands.map((command) => `${INDENT}${page.colors.bold(command)}`),
    wrapText(way.effect, page.columns),
  ]
}

const MOST_NAMES = 3
const NAME_COLUMNS = 120

const PROJECT_COLUMNS = PROJECT_TITLES.map((title): Column => {
  if (title === 'agents') return { title, shrinkTo: 11 }
  if (title === 'project') return { title, shrinkTo: 16, keepsEnd: true }
  return {
    ...right(title),
    ...(title === 'last used' && { leaves: 2 }),
    ...(title === 'size' && { leaves: 1 }),
  }
})

const [WHEN, ...CELL_TITLES] = COMPACTION_TITLES

// Columns that are left out if the table is too wide. The first in the list is left out first.
const LEAVING: readonly string[] = [
  'project',
  'made by',
  'agent',
  'cost',
  'tokens before',
  'after',
  'facts',
  'waited',
]

const COMPACTION_COLUMNS: readonly Column[] = [
  ...['session', WHEN, 'agent', 'project', ...CELL_TITLES].map((title): Column => {
    const order = LEAVING.indexOf(title)
    const leaves = order < 0 ? {} : { leaves: order + 1 }
    if (title === 'project') return { title, shrinkTo: 10, keepsEnd: true, ...leaves }
    return {
      ...([WHEN, 'agent', 'session', 'made by'].includes(title) ? { title } : right(title)),
      ...leaves,
    }
  }),
  { title: NAMES_TITLE, shrinkTo: 24, leaves: 0 },
]

/** The object of `overview --json`. Its fields are in docs/commands/overview.md. */
export function toOverviewJson(overview: Overview): object {
  const { projects, compactions, unreadable } = overview
  return {
    totals: {
      ...addSums(projects),
      compactions: compactions.length,
      waitedMs: sumMeasured(compactions.map(({ durationMs }) => durationMs)) ?? null,
      compactionDollars: sumMeasured(compactions.map(({ cost }) => cost?.dollars)) ?? null,
    },
    projects: projects.map(({ agents, project, isHere, lastUsed, ...sums }) => ({
      agents: agents.map(({ name }) => name),
      project: project ?? null,
      isHere,
      lastUsed: lastUsed.toISOString(),
      ...sums,
    })),
    compactions: compactions.map((compaction) => ({
      agent: compaction.agent.name,
      project: compaction.project ?? null,
      sessionId: compaction.sessionId,
      path: compaction.path,
      title: compaction.title ?? null,
      ...toCompactionJson(compaction),
    })),
    unreadable,
  }
}
