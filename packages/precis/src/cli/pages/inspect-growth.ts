import { renderCount, renderShare } from '../../terminal/render.ts'
import { type ChartColumn, isNearEnough, renderAreaChart } from './area-chart.ts'
import { renderShort } from './chart-ticks.ts'
import { renderLine } from './excerpt.ts'
import type { InspectedPage } from './inspected-page.ts'
import { renderKeys } from './page-sections.ts'
import { createNone, tokenKinds } from './token-kinds.ts'

const MOST_COLUMNS = 250
const LONGEST_REQUEST = 120

/** How the context fills up, message by message. */
export function renderGrowth(page: InspectedPage): string {
  const { inspection, messages, model } = page
  if (messages.length === 0) return ''
  const { total } = inspection.tokens
  const window = model.contextWindowTokens
  const summaries = messages.flatMap(({ isSummary }, position) => (isSummary ? [position] : []))
  const said = `Tokens of the context, message by message: from 0 to ${renderCount(total)}, ${renderShare(total, window)} of the window`
  const chart = renderAreaChart({
    label: said,
    layers: createLayers(page),
    limit: window,
    marks: summaries.map((position) => ({
      position,
      title: `Message ${renderCount(position)}: the summary of a compaction`,
    })),
    columns: createColumns(page),
    axis: createAxis(messages.length, 'message'),
  })
  const legend = [
    'Colours as above.',
    isNearEnough(window, total) ? 'Dashed: the window.' : `The window of ${renderShort(window)} tokens is far above.`,
    ...(summaries.length > 0 ? ['Upright line: the summary of an earlier compaction.'] : []),
  ]
  return `<figure><figcaption>Tokens in the context, message by message</figcaption>${chart}<p class="hint">${legend.join(' ')}</p></figure>`
}

function createLayers({ messages, inspection }: InspectedPage): { name: string; values: number[] }[] {
  const sums = createNone()
  // What is no message, the schemas of tools, is there from the beginning.
  const said = messages.reduce((sum, { tokens }) => sum + tokens, 0)
  sums.system += inspection.tokens.total - said
  const layers = tokenKinds.map(({ kind, name }) => ({ kind, name, values: [] as number[] }))
  for (const { frame, parts } of messages) {
    sums[frame.kind] += frame.tokens
    for (const { kind, tokens } of parts) sums[kind] += tokens
    for (const { kind, values } of layers) values.push(sums[kind])
  }
  return layers
}

function createColumns({ inspection: { byTurn } }: InspectedPage): ChartColumn[] {
  let tokens = 0
  const columns = byTurn.map((turn) => {
    tokens += turn.tokens
    const title = `Turn ${turn.turn}: ${renderCount(turn.tokens)} tokens, ${renderCount(tokens)} with it. ${renderLine(turn.request, LONGEST_REQUEST)}`
    return { start: turn.message, end: turn.message + turn.messages, title, target: `turn-${turn.turn}` }
  })
  return columns.length > MOST_COLUMNS ? [] : columns
}

/** What every request cost as it was sent, earlier compactions included. */
export function renderRequests({ requests, model, usage }: InspectedPage): string {
  if (requests.length < 2 || !usage) return ''
  const layers = [
    { name: 'r-cached', values: requests.map(({ cachedInput }) => cachedInput) },
    { name: 'r-written', values: requests.map(({ cacheWrite, cacheWriteLong }) => cacheWrite + cacheWriteLong) },
    { name: 'r-input', values: requests.map(({ input }) => input) },
  ]
  const largest = requests.reduce(
    (most, { cachedInput, cacheWrite, cacheWriteLong, input }) =>
      Math.max(most, cachedInput + cacheWrite + cacheWriteLong + input),
    0,
  )
  const chart = renderAreaChart({
    label: `Input tokens of ${renderCount(requests.length)} requests as billed, at most ${renderCount(largest)}`,
    layers,
    limit: model.contextWindowTokens,
    marks: [],
    columns: [],
    axis: createAxis(requests.length, 'request'),
  })
  const keys = [
    { name: 'r-cached', title: 'read from the cache', value: renderCount(usage.cachedInputTokens) },
    { name: 'r-written', title: 'written to the cache', value: renderCount(usage.cacheWriteTokens) },
    { name: 'r-input', title: 'neither', value: renderCount(usage.inputTokens) },
  ].filter(({ value }) => value !== '0')
  return `<figure><figcaption>Input of each request, as the provider billed it</figcaption>${chart}
<p class="hint">Where it falls, the session was compacted, gone back in, or another agent was at work.</p>
${renderKeys('Input tokens of all requests together', keys)}</figure>`
}

/** The first, the last and three between them. */
function createAxis(count: number, noun: string): string[] {
  const places = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * Math.max(count, 1)))
  const labels = [...new Set(places)].map((place) => renderShort(place))
  return labels.map((label, index) => (index === labels.length - 1 ? `${label} ${noun}s` : label))
}
