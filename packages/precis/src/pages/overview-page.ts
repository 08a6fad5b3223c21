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
import { escapeHtml, renderLine, renderPage, renderPageTable, renderRowHead } from './page.ts'

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
  const prefixes = findUniquePrefixes(compactions.map(({ sessionId }) => sessionId))
  const rows = compactions.slice(-MOST_ROWS).reverse()
  const titles = COMPACTION_TITLES.filter((title) => !['when', 'agent', 'project', 'session'].includes(title))
  const marked = new Set(rows.flatMap(({ by }, index) => (by === 'precis' ? [index] : [])))
  const cells = rows.map((compaction) => {
    const [when = '', agent = '', project = '', id = '', ...numbers] = listCompactionCells(
      compaction,
      prefixes.get(compaction.sessionId) ?? '',
    )
    const names = listLostNames(compaction).slice(0, MOST_NAMES)
    return [
      renderHead(compaction.title ?? id, `${agent} ${id} · ${project}`),
      renderNamedCell('when', when),
      ...numbers.map((text, index) => renderNamedCell(titles[index] ?? '', text)),
      `<td class="names" data-title="such as">${names.map((name) => renderLine(name, LONGEST_NAME)).join('<br>') || '–'}</td>`,
    ]
  })
  const left = compactions.length - rows.length
  return `${renderPageTable('Compactions that happened, newest first', ['session', 'when', ...titles, 'such as'], cells, marked)}
<p><small>${escapeHtml(LEGEND)}${left > 0 ? ` ${left} older ones are not shown.` : ''}</small></p>`
}

function renderProjects({ projects }: Overview): string {
  const shown = projects.slice(0, MOST_ROWS)
  const marked = new Set(shown.flatMap(({ isHere }, index) => (isHere ? [index] : [])))
  const titles = PROJECT_TITLES.filter((title) => title !== 'agent' && title !== 'project')
  const rows = shown.map((row) => {
    const [agent = '', project = '', ...numbers] = listProjectCells(row)
    return [renderHead(project, agent), ...numbers.map((text, index) => renderNamedCell(titles[index] ?? '', text))]
  })
  return renderPageTable('Sessions by project and agent', ['project', ...titles], rows, marked)
}

/** On a narrow screen the cells of a row stand below each other, each with its title. */
const renderNamedCell = (title: string, text: string): string =>
  `<td data-title="${escapeHtml(title)}">${escapeHtml(text)}</td>`

const renderHead = (title: string, about: string): string =>
  renderRowHead(`${renderLine(title, LONGEST_TITLE)}<small>${renderLine(about, LONGEST_NAME)}</small>`)
