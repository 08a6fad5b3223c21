/** Where the tokens of a session go, as one page. Its numbers are those of `inspect --json`. */
import type { SessionTimes } from '../../sessions/read-times.ts'
import { shortenHome } from '../../sessions/shorten-home.ts'
import { renderCount, renderDollars, renderPlural, renderShare } from '../../terminal/render.ts'
import { renderLine } from './excerpt.ts'
import { renderGrowth, renderRequests } from './inspect-growth.ts'
import { renderFattest, renderFileTable, renderMediaTable, renderReadTable, renderToolTable } from './inspect-tables.ts'
import { renderTurns } from './inspect-turns.ts'
import type { InspectedPage } from './inspected-page.ts'
import { renderPage } from './page.ts'
import { renderHeader, renderKeys, renderMeter, renderSections, renderTiles, type Tile } from './page-sections.ts'
import { renderStackedBar } from './stacked-bar.ts'
import { tokenKinds } from './token-kinds.ts'

/** Linear in the session, and a few megabytes at most, whatever its size. */
export function renderInspectionPage(page: InspectedPage): string {
  const { inspection } = page
  const { anchors, html: turns } = renderTurns(page)
  const sections = [
    { id: 'kinds', title: 'By kind', body: renderKinds(page) },
    { id: 'growth', title: 'Growth', body: renderGrowth(page) + renderRequests(page) },
    { id: 'turns', title: 'Turn by turn', body: turns },
    { id: 'fattest', title: 'Fattest items', body: renderFattest(page, anchors) },
    { id: 'tools', title: 'By tool', body: renderToolTable(inspection) },
    { id: 'files', title: 'By file', body: renderFileTable(page) },
    { id: 'reads', title: 'What could go for free', body: renderReadTable(page, anchors) },
    { id: 'images', title: 'Images and files', body: renderMediaTable(page, anchors) },
  ]
  const title = findTitle(page)
  const body = [
    renderInspectionHeader(page, title),
    renderTiles(createTiles(page)),
    renderSections(sections),
    renderNotes(page),
  ]
  return renderPage(`${title} – precis inspect`, body.join('\n'))
}

const LONGEST_TITLE = 110

/** What the person asked first; a slash command says little. */
function findTitle({ session, inspection }: InspectedPage): string {
  const first = session.head?.firstPrompt
  if (first !== undefined && !first.startsWith('/')) return first
  const said = inspection.byTurn.find(
    ({ turn, request }) => turn > 0 && request.trim() !== '' && !request.startsWith('/'),
  )
  return said?.request ?? first ?? session.name
}

function renderInspectionHeader({ session, model, times }: InspectedPage, title: string): string {
  const { head, format, home, conversation } = session
  const directory = conversation.workingDirectory ?? head?.workingDirectory
  return renderHeader({
    eyebrow: `Where the tokens go · ${home ? `${home.name} session` : format.name}`,
    title: renderLine(title, LONGEST_TITLE),
    facts: [
      ['model', model.id || 'unnamed'],
      ...(directory === undefined ? [] : [['project', shortenHome(directory)] as const]),
      ...(times ? [['time', describeTimes(times)] as const] : []),
      ...(head?.sessionId === undefined ? [] : [['session', head.sessionId] as const]),
    ],
  })
}

const MINUTE_MS = 60_000

/** In the zone of whoever makes the page. */
function describeTimes({ start, end }: SessionTimes): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
  if (end.getTime() - start.getTime() < MINUTE_MS) return time.format(start)
  if (day.format(start) !== day.format(end)) return `${time.format(start)} – ${time.format(end)}`
  return `${time.format(start)} – ${new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(end)}`
}

function createTiles({ inspection, model, usage }: InspectedPage): Tile[] {
  const { tokens, messages, turns, staleReads, duplicateReads } = inspection
  const window = model.contextWindowTokens
  const free = staleReads.tokens + duplicateReads.tokens
  const input = usage ? usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens : 0
  return [
    {
      title: 'in the context',
      value: renderCount(tokens.total),
      unit: 'tokens',
      note: `${renderShare(tokens.total, window)} of the window of ${renderCount(window)}${model.known ? '' : ', which is a guess'}`,
      meter: renderMeter(tokens.total / window),
    },
    {
      title: 'length',
      value: renderCount(turns),
      unit: turns === 1 ? 'turn' : 'turns',
      note: renderPlural(messages, 'message'),
    },
    ...(usage
      ? [
          {
            title: 'cost so far',
            value: usage.cost === undefined ? 'unknown' : renderDollars(usage.cost),
            note: `${renderPlural(usage.requests, 'request')}, ${renderShare(usage.cachedInputTokens, input)} of the input from the cache`,
          },
        ]
      : []),
    {
      title: 'could go for free',
      value: renderCount(free),
      unit: 'tokens',
      note: `${renderPlural(staleReads.count, 'stale read')}, ${renderPlural(duplicateReads.count, 'duplicate read')}`,
    },
  ]
}

function renderKinds({ inspection: { tokens } }: InspectedPage): string {
  const segments = tokenKinds.map(({ kind, name, title }) => ({
    name,
    value: tokens[kind],
    title: `${title}: ${renderCount(tokens[kind])} tokens`,
  }))
  const said = tokenKinds.map(({ kind, title }) => `${title} ${renderShare(tokens[kind], tokens.total)}`)
  const keys = tokenKinds.flatMap(({ kind, name, title }) =>
    tokens[kind] > 0
      ? [{ name, title, value: renderCount(tokens[kind]), note: renderShare(tokens[kind], tokens.total) }]
      : [],
  )
  return `<div class="big-bar">${renderStackedBar(segments, tokens.total, `Tokens by kind: ${said.join(', ')}`)}</div>
${renderKeys('Tokens by kind', keys)}`
}

function renderNotes({ model, usage }: InspectedPage): string {
  const notes = [
    `Tokens are counted for ${model.id || 'a model of no name'}; where its tokenizer is not public they are the upper bound of an estimate. The parts of a turn add up to a little less than the turn: every message costs a few tokens by itself.`,
    ...(usage ? ['The cost is at list prices, from the usage that the agent recorded.'] : []),
    'Texts are shown from their beginning; what looks like a key or a password is replaced by [redacted: precis restore]. Nothing on this page was loaded from a network, and nothing in it runs.',
  ]
  return `<footer>${notes.map((note) => `<p>${renderLine(note, 1000)}</p>`).join('')}</footer>`
}
