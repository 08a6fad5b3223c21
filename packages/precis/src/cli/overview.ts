import type { Command } from 'commander'
import { agents } from '../agents/index.ts'
import { shortenHome } from '../files/user-folders.ts'
import { renderOverviewPage } from '../pages/overview-page.ts'
import { openFactsCache } from '../sessions/facts-cache.ts'
import { findUniquePrefixes } from '../sessions/filter-sessions.ts'
import { listSessionFiles, type SessionFile } from '../sessions/find-sessions.ts'
import {
  createOverview,
  type ListedCompaction,
  type Overview,
  sumProjects,
} from '../sessions/overview.ts'
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
  neutralizeLine,
  type Page,
  renderBytes,
  renderCount,
  renderPlural,
  renderPreview,
  renderTable,
  right,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createLimitParser } from './options.ts'
import { addPageOptions, type PageFlags, printViews } from './page-options.ts'
import { addJsonOption } from './session-argument.ts'

interface OverviewFlags extends PageFlags {
  readonly limit: number
}

const SHOWN = 12
const MOST_SHOWN = 1_000_000

export function defineOverview(command: Command, terminal: Terminal): void {
  command
    .description(
      'Shows what is on this machine: the sessions of all agents by project, this folder first, and every compaction that happened in them: when, how long you waited, what it left out of your words and of the facts, and what it cost. "precis" alone does the same.',
    )
    .option(
      '-l, --limit <count>',
      'show at most so many projects, and as many compactions',
      createLimitParser(MOST_SHOWN),
      SHOWN,
    )
  addJsonOption(addPageOptions(command, 'all of it'))
    .addHelpText('after', OVERVIEW_HELP)
    .action((flags: OverviewFlags) => showOverview(flags, terminal))
}

const OVERVIEW_HELP = `
Examples:
  precis
  precis --limit 50
  precis --html overview.html
  precis --json | jq '.compactions | map(.lost.words.missing) | add'

Every session is read once, and again only when it has changed; what was read is kept in your cache folder, so the first time
takes longest and may be interrupted. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
`

async function showOverview(flags: OverviewFlags, terminal: Terminal): Promise<void> {
  const { progress } = terminal
  const files = listSessionFiles()
  const cache = openFactsCache()
  let isAnnounced = false
  const overview = await createOverview(files, {
    cache,
    directory: process.cwd(),
    onProgress(read, toRead) {
      if (!isAnnounced && toRead >= LONG) terminal.note(describeFirst(files, toRead))
      isAnnounced = true
      progress.show(`reading ${renderPlural(toRead, 'session')}`, read / toRead)
    },
    onProblem: (problem) =>
      terminal.note(neutralizeLine(`precis: what was read is not kept. ${problem}`)),
  })
  progress.clear()
  const { unreadable } = overview
  if (unreadable.length > 0) {
    const [first = ''] = unreadable
    terminal.note(
      neutralizeLine(
        `precis: ${renderPlural(unreadable.length, 'session')} could not be read, such as "${shortenHome(first)}"; counted by size alone.`,
      ),
    )
  }
  const views = {
    page: () => renderOverviewPage(overview),
    json: () => toOverviewJson(overview),
    print: () => terminal.print(renderOverview(overview, terminal, flags.limit)),
  }
  await printViews(views, flags, terminal)
}

// Fewer are read before a line about them is.
const LONG = 200

/** What is there, before any of it is read. */
function describeFirst(files: readonly SessionFile[], toRead: number): string {
  const counts = agents.flatMap((agent) => {
    const own = files.filter((file) => file.agent === agent)
    const bytes = own.reduce((sum, file) => sum + file.bytes, 0)
    return own.length > 0
      ? [`  ${agent.title}: ${renderPlural(own.length, 'session')}, ${renderBytes(bytes)}`]
      : []
  })
  return [
    `precis: ${renderPlural(files.length, 'session')} on this machine:`,
    ...counts,
    `Reading ${renderCount(toRead)} that are new or have changed; Ctrl+C keeps what was read until then.`,
  ].join('\n')
}

function renderOverview(overview: Overview, page: Page, limit: number): string {
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
    bold('Compactions that happened, newest last'),
    ...more(compactions.length - limit, ' before'),
    renderTable(COMPACTION_COLUMNS, rows, page),
    bold(describeCompactions(overview)),
    ...LEGEND.map(dim),
    ...adviseNext(compactions),
  ].join('\n')
}

/** What would do better next time, for the agent that compacted last. */
function adviseNext(compactions: readonly ListedCompaction[]): string[] {
  const agent = compactions.findLast(({ by }) => by !== 'precis')?.agent
  if (!agent) return []
  const wrapped = agent.wire
    ? [`"precis wrap ${agent.name}" answers it at once, with your words in it`]
    : []
  const installed = agent.installation
    ? [`"precis install ${agent.name}" keeps your words there every time`]
    : []
  const ways = [...wrapped, ...installed]
  return ways.length > 0 ? [`The next time ${agent.title} compacts: ${ways.join('; ')}.`] : []
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

// The first that makes room stands first.
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

/** The object of `overview --json`; fields in docs/commands/overview.md. */
function toOverviewJson(overview: Overview): object {
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
