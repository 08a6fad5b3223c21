import { agents } from '../agents/index.ts'
import { shortenHome } from '../files/user-folders.ts'
import { findUniquePrefixes } from '../sessions/filter-sessions.ts'
import { type ListedCompaction, type Overview, sumProjects } from '../sessions/overview.ts'
import {
  COMPACTION_TITLES,
  LEGEND,
  listCompactionCells,
  listLostNames,
  NAMES_TITLE,
  NONE,
} from '../terminal/compaction-cells.ts'
import {
  describeCompactions,
  describeSessions,
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
} from '../terminal/render.ts'

export function renderOverview(overview: Overview, page: Page, limit: number): string {
  const { bold, dim } = page.colors
  const { projects, compactions } = overview
  if (projects.length === 0) return explainNone()
  const count = new Set(projects.map(({ project }) => project)).size
  const more = (left: number, what: string) =>
    left > 0 ? [dim(`  … ${renderCount(left)} more${what}; --limit ${limit + left} shows all`)] : []
  const sessions = [
    bold(describeSessions(sumProjects(projects), count)),
    renderTable(PROJECT_COLUMNS, projects.slice(0, limit).map(listProjectCells), page),
    ...more(projects.length - limit, ''),
  ]
  if (compactions.length === 0)
    return [...sessions, '', `${describeCompactions(overview)}.`].join('\n')
  const prefixes = findUniquePrefixes(compactions.map(({ sessionId }) => sessionId))
  const rows = compactions.slice(-limit).map((compaction) => {
    const { agent, project, sessionId } = compaction
    const [when = '', ...cells] = listCompactionCells(compaction)
    const names =
      renderPreview(listLostNames(compaction, MOST_NAMES).join(' · '), NAME_COLUMNS) || NONE
    return [
      when,
      agent.name,
      renderProject(project),
      prefixes.get(sessionId) ?? sessionId,
      ...cells,
      names,
    ]
  })
  return [
    ...sessions,
    '',
    bold('Compactions, latest last'),
    ...more(compactions.length - limit, ' before'),
    renderTable(COMPACTION_COLUMNS, rows, page),
    bold(describeCompactions(overview)),
    ...LEGEND.map(dim),
    ...adviseNext(compactions),
  ].join('\n')
}

/** What would be better next time, for the agent that compacted last. */
function adviseNext(compactions: readonly ListedCompaction[]): string[] {
  const agent = compactions.findLast(({ by }) => by !== 'precis')?.agent
  if (!agent) return []
  const wrapped = agent.wire
    ? [`"precis wrap ${agent.name}" answers it immediately and keeps your words`]
    : []
  const installed = agent.installation
    ? [`"precis install ${agent.name}" keeps your words every time`]
    : []
  const ways = [...wrapped, ...installed]
  return ways.length > 0 ? [`The next time ${agent.title} compacts: ${ways.join(', or ')}.`] : []
}

const MOST_NAMES = 3
const NAME_COLUMNS = 120

const PROJECT_COLUMNS = PROJECT_TITLES.map((title): Column => {
  if (title === 'agent') return { title }
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
  'session',
  'project',
  'made by',
  'agent',
  'cost',
  'tokens before',
  'after',
  'facts',
]

const COMPACTION_COLUMNS: readonly Column[] = [
  ...[WHEN, 'agent', 'project', 'session', ...CELL_TITLES].map((title): Column => {
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

function explainNone(): string {
  const places = agents.map(
    (agent) => `${agent.title} in ${shortenHome(agent.findHome(process.env))}`,
  )
  return `No sessions of an agent found: looked for ${places.join(', ')}.\n"precis --help" lists what precis can do.`
}

/** The object of `overview --json`. Its fields are in docs/commands/overview.md. */
export function toOverviewJson(overview: Overview): object {
  const { projects, compactions, unreadable } = overview
  return {
    totals: {
      ...sumProjects(projects),
      compactions: compactions.length,
      waitedMs: sumMeasured(compactions.map(({ durationMs }) => durationMs)) ?? null,
      compactionDollars: sumMeasured(compactions.map(({ cost }) => cost?.dollars)) ?? null,
    },
    projects: projects.map(({ agent, project, isHere, lastUsed, ...sums }) => ({
      agent: agent.name,
      project: project ?? null,
      isHere,
      lastUsed: lastUsed.toISOString(),
      ...sums,
    })),
    compactions: compactions.map(toCompactionJson),
    unreadable,
  }
}

function toCompactionJson(compaction: ListedCompaction): object {
  const {
    time,
    agent,
    project,
    title,
    trigger,
    durationMs,
    tokensBefore,
    tokensAfter,
    lost,
    cost,
  } = compaction
  return {
    time: time === undefined ? null : new Date(time).toISOString(),
    agent: agent.name,
    project: project ?? null,
    sessionId: compaction.sessionId,
    path: compaction.path,
    title: title ?? null,
    by: compaction.by,
    trigger: trigger ?? null,
    durationMs: durationMs ?? null,
    tokensBefore: tokensBefore ?? null,
    tokensAfter: tokensAfter ?? null,
    lost: lost ? { words: lost.words, facts: lost.facts ?? null } : null,
    cost: cost ? { dollars: cost.dollars, coldDollars: cost.coldDollars ?? null } : null,
  }
}
