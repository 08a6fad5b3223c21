import { findUniquePrefixes } from '../sessions/filter-sessions.ts'
import { type Overview, sumProjects } from '../sessions/overview.ts'
import {
  describeCompactions,
  describeSessions,
  listProjectCells,
  PROJECT_TITLES,
  renderProject,
} from '../terminal/overview-cells.ts'
import { renderPlural } from '../terminal/render.ts'
import { renderCompactionRows } from './compactions-table.ts'
import {
  escapeHtml,
  renderCell,
  renderLine,
  renderPage,
  renderPageTable,
  renderRowHead,
  renderSections,
} from './page.ts'

// A page with more rows is not readable. Its numbers cover all of them.
const MOST_ROWS = 1000
const LONGEST_NAME = 160
const LONGEST_TITLE = 40

/** An overview of a machine, as one page without script or network. */
export function renderOverviewPage(overview: Overview): string {
  const { projects, compactions } = overview
  const sessions = describeSessions(
    sumProjects(projects),
    new Set(projects.map(({ project }) => project)).size,
  )
  const body = `<h1>Sessions and compactions</h1>
<p class="lead">${escapeHtml(sessions)}.</p>
<p class="verdict">${escapeHtml(describeCompactions(overview))}.</p>
${renderSections([
  {
    id: 'compactions',
    title: 'Compactions',
    body: compactions.length > 0 ? renderCompactions(overview) : '',
  },
  { id: 'sessions', title: 'Sessions', body: renderProjects(overview) },
])}`
  return renderPage('precis overview', body)
}

function renderCompactions({ compactions }: Overview): string {
  const prefixes = findUniquePrefixes(compactions.map(({ sessionId }) => sessionId))
  const rows = compactions.slice(-MOST_ROWS).reverse()
  const left = compactions.length - rows.length
  return `${renderCompactionRows(
    'Compactions that happened, newest first',
    'session',
    rows,
    ({ title, agent, project, sessionId }) => {
      const id = prefixes.get(sessionId) ?? ''
      return renderHead(title ?? id, `${agent.title} ${id} · ${renderProject(project)}`)
    },
  )}${left > 0 ? `<p class="hint">${renderPlural(left, 'older one')} not shown.</p>` : ''}`
}

function renderProjects({ projects }: Overview): string {
  const shown = projects.slice(0, MOST_ROWS)
  const marked = new Set(shown.flatMap(({ isHere }, index) => (isHere ? [index] : [])))
  const titles = PROJECT_TITLES.filter((title) => title !== 'agent' && title !== 'project')
  const rows = shown.map((row) => {
    const [agent = '', project = '', ...numbers] = listProjectCells(row)
    return [renderHead(project, agent), ...numbers.map(renderCell)]
  })
  return renderPageTable('Sessions by project and agent', ['project', ...titles], rows, marked)
}

const renderHead = (title: string, about: string): string =>
  renderRowHead(
    `${renderLine(title, LONGEST_TITLE)}<small>${renderLine(about, LONGEST_NAME)}</small>`,
  )
