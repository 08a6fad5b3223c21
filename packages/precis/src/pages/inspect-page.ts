/**
 * All about a session on one page: its size over time, compactions and their losses, turns, money,
 * tokens by use. Its numbers are those of `inspect --json`.
 */
import type { SessionTimes } from '../agents/shared/agent.ts'
import { shortenHome } from '../files/user-folders.ts'
import { renderCount, renderDollars, renderPlural, renderShare } from '../terminal/render.ts'
import {
  type ChartColumn,
  type ChartLayer,
  findLargest,
  isNearEnough,
  renderAreaChart,
  renderStackedBar,
  spreadPlaces,
  stackLayers,
} from './charts.ts'
import { renderCompactionsTable } from './compactions-table.ts'
import { renderGoneTable } from './gone-table.ts'
import { renderHistoryTable } from './history-table.ts'
import {
  renderContext,
  renderFattest,
  renderFileTable,
  renderMediaTable,
  renderReadTable,
  renderToolTable,
  renderTurns,
} from './inspect-tables.ts'
import type { InspectedPage } from './inspected-page.ts'
import {
  NOTE_ON_TEXTS,
  renderKeys,
  renderLine,
  renderMeter,
  renderSessionPage,
  renderShort,
  type Tile,
} from './page.ts'
import { addToKinds, createKindSums, tokenKinds } from './session-item.ts'

/** Linear in the session, and a few megabytes at most, regardless of its size. */
export function renderInspectionPage(page: InspectedPage): string {
  const { inspection, session, model, times, usage, gone } = page
  const { head, format, agent, conversation } = session
  const { anchors, html: turns } = renderTurns(page)
  const directory = conversation.workingDirectory ?? head?.workingDirectory
  return renderSessionPage({
    command: 'inspect',
    eyebrow: `${agent ? `${agent.title} session` : format.name}`,
    title: findTitle(page),
    facts: [
      ['model', model.id || 'unnamed'],
      ['project', directory && shortenHome(directory)],
      ['time', times && describeTimes(times)],
      ['session', head?.sessionId],
    ],
    tiles: createTiles(page),
    sections: [
      { id: 'size', title: 'Size over time', body: renderRequests(page) },
      { id: 'compactions', title: 'Compactions', body: renderCompactionsTable(page) },
      {
        id: 'history',
        title: page.history.isCompacted
          ? 'What each turn cost, and what is left of it'
          : 'What each turn cost',
        body: renderHistoryTable(page),
      },
      {
        id: 'kinds',
        title: 'In the context now, by kind',
        body: renderKinds(page) + renderGrowth(page),
      },
      { id: 'turns', title: 'In the context now, turn by turn', body: turns },
      { id: 'fattest', title: 'Largest items', body: renderFattest(page, anchors) },
      { id: 'tools', title: 'By tool', body: renderToolTable(inspection) },
      { id: 'files', title: 'By file', body: renderFileTable(page) },
      { id: 'reads', title: 'What could go for free', body: renderReadTable(page, anchors) },
      { id: 'gone', title: 'What is no longer in it', body: renderGoneTable(gone) },
      { id: 'images', title: 'Images and files', body: renderMediaTable(page, anchors) },
    ],
    notes: [
      `Tokens are counted for ${model.id || 'a model without a name'}. If its tokenizer is not public, they are the upper bound of an estimate. The parts of a turn add up to slightly less than the turn, because every message costs a few tokens.`,
      ...(usage ? ['The cost is at list prices, from the usage that the agent recorded.'] : []),
      NOTE_ON_TEXTS,
    ],
  })
}

/** As the agent named it, or else the first request of the user. A slash command says little. */
function findTitle({ session, inspection }: InspectedPage): string {
  if (session.title) return session.title
  const first = session.head?.firstPrompt
  if (first !== undefined && !first.startsWith('/')) return first
  const said = inspection.byTurn.find(
    ({ turn, request }) => turn > 0 && request.trim() && !request.startsWith('/'),
  )
  return said?.request ?? first ?? session.name
}

const MINUTE_MS = 60_000

/** In the time zone of the machine that makes the page. */
function describeTimes({ start, end }: SessionTimes): string {
  const render = (time: Date, style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', style).format(time)
  const [day, time] = [{ dateStyle: 'medium' }, { timeStyle: 'short' }] as const
  const isOneDay = render(start, day) === render(end, day)
  const from = render(start, { ...day, ...time })
  if (end.getTime() - start.getTime() < MINUTE_MS) return from
  return `${from} – ${render(end, isOneDay ? time : { ...day, ...time })}`
}

function createTiles({
  inspection,
  context,
  model,
  usage,
  history,
}: InspectedPage): (Tile | undefined)[] {
  const { messages, turns, staleReads, duplicateReads } = inspection
  const all = history.isCompacted ? history.turns.length : turns
  const window = model.contextWindowTokens
  const input = usage ? usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens : 0
  return [
    {
      title: 'in the context',
      value: renderCount(context.tokens),
      unit: 'tokens',
      note: `${renderShare(context.tokens, window)} of the window of ${renderCount(window)}${model.known ? '' : ', which is a guess'}`,
      meter: renderMeter(context.tokens / window),
    },
    {
      title: 'length',
      value: renderCount(all),
      unit: all === 1 ? 'turn' : 'turns',
      note: `${renderPlural(messages, 'message')}${history.isCompacted ? ' in the context now' : ''}`,
    },
    usage && {
      title: 'cost so far',
      value:
        usage.cost === undefined
          ? 'unknown'
          : `${usage.isOutputCounted ? '~' : ''}${renderDollars(usage.cost)}`,
      note: `${renderPlural(usage.requests, 'request')}, ${renderShare(usage.cachedInputTokens, input)} of the input from the cache`,
    },
    {
      title: 'could go for free',
      value: renderCount(staleReads.tokens + duplicateReads.tokens),
      unit: 'tokens',
      note: `${renderPlural(staleReads.count, 'stale read')}, ${renderPlural(duplicateReads.count, 'duplicate read')}`,
    },
  ]
}

function renderKinds({ inspection: { tokens }, context, messages }: InspectedPage): string {
  const hasSummary = messages.some(({ isSummary }) => isSummary)
  const segments = tokenKinds.map(({ kind, name, title }) => {
    return { name, value: tokens[kind], title: `${title}: ${renderCount(tokens[kind])} tokens` }
  })
  const said = tokenKinds.map(
    ({ kind, title }) => `${title} ${renderShare(tokens[kind], tokens.total)}`,
  )
  const keys = tokenKinds
    .filter(({ kind }) => tokens[kind] > 0)
    .map(({ kind, name, title }) => {
      const said = kind === 'user' && hasSummary ? `${title} and summary` : title
      return {
        name,
        title: said,
        value: renderCount(tokens[kind]),
        note: renderShare(tokens[kind], tokens.total),
      }
    })
  return `<div class="big-bar">${renderStackedBar(segments, tokens.total, `Tokens by kind: ${said.join(', ')}`)}</div>
${renderKeys('Tokens by kind', keys)}${renderContext(tokens.total, context)}`
}

const MOST_COLUMNS = 250
const LONGEST_REQUEST = 120

/** How the context fills up, message by message. */
function renderGrowth(page: InspectedPage): string {
  const { inspection, messages, model } = page
  if (messages.length === 0) return ''
  const { total } = inspection.tokens
  const window = model.contextWindowTokens
  const marks = messages.flatMap(({ isSummary }, position) =>
    isSummary
      ? [{ position, title: `Message ${renderCount(position)}: the summary of a compaction` }]
      : [],
  )
  const chart = renderAreaChart({
    label: `Tokens of the context, message by message: from 0 to ${renderCount(total)}, ${renderShare(total, window)} of the window`,
    layers: createLayers(page),
    limit: window,
    marks,
    columns: createColumns(page),
    axis: createAxis(messages.length, 'message'),
  })
  const legend = [
    'Colors as above.',
    isNearEnough(window, total)
      ? 'Dashed: the window.'
      : `The window of ${renderShort(window)} tokens is far above.`,
    ...(marks.length > 0 ? ['Upright line: the summary of an earlier compaction.'] : []),
  ]
  return `<figure><figcaption>Tokens in the context, message by message</figcaption>${chart}<p class="hint">${legend.join(' ')}</p></figure>`
}

function createLayers({ messages, inspection }: InspectedPage): readonly ChartLayer[] {
  const sums = createKindSums()
  // The schemas of tools are there from the beginning.
  sums.system += inspection.tokens.total - messages.reduce((sum, { tokens }) => sum + tokens, 0)
  const layers = tokenKinds.map(({ kind, name }) => ({ kind, name, values: [] as number[] }))
  for (const message of messages) {
    addToKinds(sums, message)
    for (const { kind, values } of layers) values.push(sums[kind])
  }
  return layers
}

function createColumns({ inspection: { byTurn, tokens: all } }: InspectedPage): ChartColumn[] {
  let tokens = all.total - byTurn.reduce((sum, turn) => sum + turn.tokens, 0)
  const columns = byTurn.map(({ turn, message, messages, request, tokens: own }) => {
    tokens += own
    const title = `Turn ${turn}: ${renderCount(own)} tokens, ${renderCount(tokens)} with it. ${renderLine(request, LONGEST_REQUEST)}`
    return { start: message, end: message + messages, title, target: `turn-${turn}` }
  })
  return columns.length > MOST_COLUMNS ? [] : columns
}

/** The cost of every request as it was sent, earlier compactions included. */
function renderRequests({ requests, model, usage, compactions }: InspectedPage): string {
  if (requests.length < 2 || !usage) return ''
  const layers = [
    { name: 'r-cached', values: requests.map(({ cachedInput }) => cachedInput) },
    {
      name: 'r-written',
      values: requests.map(({ cacheWrite, cacheWriteLong }) => cacheWrite + cacheWriteLong),
    },
    { name: 'r-input', values: requests.map(({ input }) => input) },
  ]
  const largest = findLargest(stackLayers(layers).at(-1) ?? [])
  const marks = compactions.flatMap(({ record }, index) => {
    const position = requests.findIndex((request) => request.record > record)
    return position < 0 ? [] : [{ position, title: `Compaction ${index + 1}` }]
  })
  const chart = renderAreaChart({
    label: `Input tokens of ${renderCount(requests.length)} requests as billed, at most ${renderCount(largest)}`,
    layers,
    limit: model.contextWindowTokens,
    marks,
    axis: createAxis(requests.length, 'request'),
  })
  const keys = [
    { name: 'r-cached', title: 'read from the cache', value: renderCount(usage.cachedInputTokens) },
    {
      name: 'r-written',
      title: 'written to the cache',
      value: renderCount(usage.cacheWriteTokens),
    },
    { name: 'r-input', title: 'not from the cache', value: renderCount(usage.inputTokens) },
  ].filter(({ value }) => value !== '0')
  return `<figure><figcaption>Input of each request, as the provider billed it</figcaption>${chart}
<p class="hint">${marks.length > 0 ? 'Upright line: a compaction. ' : ''}If it falls${marks.length > 0 ? ' without one' : ''}, the session went back, or another agent was at work.</p>
${renderKeys('Input tokens of all requests together', keys)}</figure>`
}

function createAxis(count: number, noun: string): string[] {
  const places = spreadPlaces(Math.max(count, 1))
  return places.map((place) =>
    place === places.at(-1) ? `${renderShort(place)} ${noun}s` : renderShort(place),
  )
}
