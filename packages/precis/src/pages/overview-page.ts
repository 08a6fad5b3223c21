import { addSums, type ListedCompaction, type Overview } from '../sessions/overview.ts'
import { listLostSentences } from '../terminal/compaction-cells.ts'
import {
  describeCompactions,
  describeForgetting,
  describeSessions,
  FORGOTTEN_TITLE,
  listForgetting,
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
const LONGEST_SENTENCE = 240

/** An overview of a machine, as one page without script or network. */
export function renderOverviewPage(overview: Overview): string {
  const { projects, compactions } = overview
  const sessions = describeSessions(addSums(projects), projects.length)
  const forgetting = listForgetting(compactions).slice(0, MOST_FORGOTTEN)
  const body = `<h1>Sessions and compactions</h1>
<p class="lead">${escapeHtml(sessions)}.</p>
<p class="verdict">${escapeHtml(describeCompactions(overview))}.</p>
${renderSections([
  {
    id: 'words',
    title: 'Your words',
    body: forgetting.length > 0 ? renderForgotten(forgetting) : '',
  },
  {
    id: 'compactions',
    title: 'Compactions',
    body: compactions.length > 0 ? renderCompactions(overview) : '',
  },
  { id: 'sessions', title: 'Sessions', body: renderProjects(overview) },
])}`
  return renderPage('precis overview', body)
}

const MOST_FORGOTTEN = 20

/** Sentences that no request contains, each with the commands that follow. */
function renderForgotten(forgetting: readonly ListedCompaction[]): string {
  const rows = forgetting.map((compaction) => {
    const { shortId: id } = compaction
    const sentences = listLostSentences(compaction).map(
      (sentence) => `<li>${renderLine(sentence, LONGEST_SENTENCE)}</li>`,
    )
    const commands = [`precis undo ${id} --words`, `precis inspect ${id} --open`].map(
      (command) => `<li><code class="command">${renderLine(command, LONGEST_NAME)}</code></li>`,
    )
    return [
      renderHead(compaction.title ?? id, describeForgetting(compaction)),
      `<td class="names"><ul>${sentences.join('')}</ul></td>`,
      `<td class="names"><ul>${commands.join('')}</ul></td>`,
    ]
  })
  return renderPageTable(
    FORGOTTEN_TITLE,
    ['session', 'you said', 'to put it back, and to see the session'],
    rows,
  )
}

function renderCompactions({ compactions }: Overview): string {
  const rows = compactions.slice(-MOST_ROWS).reverse()
  const left = compactions.length - rows.length
  return `${renderCompactionRows(
    'Compactions that happened, newest first',
    'session',
    rows,
    ({ title, agent, project, shortId }) =>
      renderHead(title ?? shortId, `${agent.title} ${shortId} · ${renderProject(project)}`),
  )}${left > 0 ? `<p class="hint">${renderPlural(left, 'older one')} not shown.</p>` : ''}`
}

function renderProjects({ projects }: Overview): string {
  const shown = projects.slice(0, MOST_ROWS)
  const marked = new Set(shown.flatMap(({ isHere }, index) => (isHere ? [index] : [])))
  const titles = PROJECT_TITLES.filter((title) => title !== 'agents' && title !== 'project')
  const rows = shown.map((row) => {
    const [project = '', agents = '', ...numbers] = listProjectCells(row)
    return [renderHead(project, agents), ...numbers.map(renderCell)]
  })
  return renderPageTable('Sessions by project', ['project', ...titles], rows, marked)
}

const renderHead = (title: string, about: string): string =>
  renderRowHead(
    `${renderLine(title, LONGEST_TITLE)}<small>${renderLine(about, LONGEST_NAME)}</small>`,
  )
