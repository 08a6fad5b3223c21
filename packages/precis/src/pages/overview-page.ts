import { findUniquePrefixes } from '../sessions/filter-sessions.ts'
import { type Overview, sumProjects } from '../sessions/overview.ts'
import {
  COMPACTION_TITLES,
  describeCompactions,
  describeSessions,
  LEGEND,
  listCompactionCells,
  listLostNames,
  listProjectCells,
  PROJECT_TITLES,
} from '../terminal/overview-cells.ts'
import { escapeHtml, renderCell, renderLine, renderPage, renderPageTable, renderRowHead } from './page.ts'

// A page of ten thousand rows is for nobody; the numbers in it are of all.
const MOST_ROWS = 1000
const MOST_NAMES = 5
const LONGEST_NAME = 160
const LONGEST_TITLE = 40

/** What is on a machine, as one page without script or network. */
export function renderOverviewPage(overview: Overview): string {
  const { projects, compactions } = overview
  const sessions = describeSessions(sumProjects(projects), new Set(projects.map(({ project }) => project)).size)
  const body = `<h1>Sessions and compactions</h1>
<p class="lead">${escapeHtml(sessions)}.</p>
<p class="verdict">${escapeHtml(describeCompactions(overview))}.</p>
${compactions.length > 0 ? renderCompactions(overview) : ''}
${renderProjects(overview)}`
  return renderPage('precis overview', body)
}

function renderCompactions({ compactions }: Overview): string {
  const prefixes = findUniquePrefixes([...new Set(compactions.map(({ sessionId }) => sessionId))])
  const rows = compactions.slice(-MOST_ROWS).reverse()
  const marked = new Set(rows.flatMap(({ by }, index) => (by === 'precis' ? [index] : [])))
  const cells = rows.map((compaction) => {
    const [when = '', agent = '', project = '', id = '', ...numbers] = listCompactionCells(
      compaction,
      prefixes.get(compaction.sessionId) ?? '',
    )
    const names = listLostNames(compaction).slice(0, MOST_NAMES)
    return [
      renderHead(compaction.title ?? id, `${agent} ${id} · ${project}`),
      renderCell(when),
      ...numbers.map(renderCell),
      `<td class="names">${names.map((name) => renderLine(name, LONGEST_NAME)).join('<br>') || '–'}</td>`,
    ]
  })
  const left = compactions.length - rows.length
  const titles = COMPACTION_TITLES.filter((title) => !['when', 'agent', 'project', 'session'].includes(title))
  return `${renderPageTable('Compactions that happened, newest first', ['session', 'when', ...titles, 'such as'], cells, marked)}
<p><small>${escapeHtml(LEGEND)}${left > 0 ? ` ${left} older ones are not shown.` : ''}</small></p>`
}

function renderProjects({ projects }: Overview): string {
  const shown = projects.slice(0, MOST_ROWS)
  const marked = new Set(shown.flatMap(({ isHere }, index) => (isHere ? [index] : [])))
  const rows = shown.map((row) => {
    const [agent = '', project = '', ...numbers] = listProjectCells(row)
    return [renderHead(project, agent), ...numbers.map(renderCell)]
  })
  const titles = PROJECT_TITLES.filter((title) => title !== 'agent')
  return renderPageTable('Sessions by project and agent', titles, rows, marked)
}

const renderHead = (title: string, about: string): string =>
  renderRowHead(`${renderLine(title, LONGEST_TITLE)}<small>${renderLine(about, LONGEST_NAME)}</small>`)
