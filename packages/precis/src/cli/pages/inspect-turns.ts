import type { Inspection } from '@precis/core'
import { renderCount, renderPlural, renderShare } from '../../terminal/render.ts'
import { renderLine } from './excerpt.ts'
import { type Folded, foldSmall } from './fold-small.ts'
import type { InspectedPage } from './inspected-page.ts'
import { listItems, renderItem, type SessionItem } from './session-item.ts'
import { type BarSegment, renderStackedBar } from './stacked-bar.ts'
import { createNone, tokenKinds } from './token-kinds.ts'

// Together they keep a page of any session under three megabytes.
const MOST_TURNS = 400
const MOST_ITEMS = 3000
const ALL_EXCERPTS_BYTES = 900_000
const SHORTEST_EXCERPT = 200
const LONGEST_EXCERPT = 1200
const LONGEST_REQUEST = 180

export interface RenderedTurns {
  readonly html: string
  /** Messages that have a place on the page, `m12`. */
  readonly anchors: ReadonlySet<number>
}

type Turn = Inspection['byTurn'][number]

/** Each turn is a row with a bar that opens; the bars are to one scale. */
export function renderTurns({ inspection, messages }: InspectedPage): RenderedTurns {
  const { byTurn, tokens } = inspection
  const turns = foldSmall(byTurn, MOST_TURNS, (turn) => turn.tokens)
  const shown = new Set(turns.flatMap((folded) => (folded.type === 'item' ? [folded.item.turn] : [])))
  const items = listItems(messages).filter(({ message }) => shown.has(message.turn))
  const perTurn = groupByTurn(foldSmall(items, MOST_ITEMS, (item) => item.tokens))
  const fattest = byTurn.reduce((most, turn) => Math.max(most, turn.tokens), 0)
  const anchors = new Set<number>()
  const count = Math.max(Math.min(items.length, MOST_ITEMS), 1)
  const excerptBytes = Math.min(Math.max(Math.floor(ALL_EXCERPTS_BYTES / count), SHORTEST_EXCERPT), LONGEST_EXCERPT)
  const renderOne = (turn: Turn) => {
    const bar = renderStackedBar(createSegments(turn, messages), fattest)
    const rows = (perTurn.get(turn.turn) ?? []).map((folded) => renderFolded(folded, anchors, excerptBytes))
    return `<details class="turn"><summary>${renderSummary(turn, tokens.total)}${bar}</summary>
<ol id="turn-${turn.turn}">${rows.join('\n')}</ol></details>`
  }
  const rows = turns.map((folded) => (folded.type === 'item' ? renderOne(folded.item) : renderLeftOut(folded.items)))
  return {
    html: `<p class="hint">A turn opens to show its messages.</p><div class="turns">${rows.join('\n')}</div>`,
    anchors,
  }
}

function renderSummary({ turn, messages, tokens, request }: Turn, total: number): string {
  const words =
    turn === 0 ? '<i>before the first request</i>' : renderLine(request, LONGEST_REQUEST) || '<i>no words</i>'
  return `<span class="number">${turn}</span><span class="request"><bdi>${words}</bdi></span><span class="size"><b>${renderCount(tokens)}</b> <small>${renderShare(tokens, total)}, ${renderPlural(messages, 'message')}</small></span>`
}

function createSegments({ message: start, messages: count }: Turn, messages: InspectedPage['messages']): BarSegment[] {
  const sums = createNone()
  for (const { frame, parts } of messages.slice(start, start + count)) {
    sums[frame.kind] += frame.tokens
    for (const { kind, tokens } of parts) sums[kind] += tokens
  }
  return tokenKinds.map(({ kind, name, title }) => ({
    name,
    value: sums[kind],
    title: `${title}: ${renderCount(sums[kind])}`,
  }))
}

/** A run may reach over the end of a turn: each turn has its own part of it. */
function groupByTurn(folded: readonly Folded<SessionItem>[]): Map<number, Folded<SessionItem>[]> {
  const turns = new Map<number, Folded<SessionItem>[]>()
  const add = (turn: number, entry: Folded<SessionItem>) => {
    const known = turns.get(turn)
    if (known) known.push(entry)
    else turns.set(turn, [entry])
  }
  for (const entry of folded) {
    if (entry.type === 'item') {
      add(entry.item.message.turn, entry)
      continue
    }
    let start = 0
    for (const [index, { message }] of entry.items.entries()) {
      if (message.turn === entry.items[index + 1]?.message.turn) continue
      add(message.turn, { type: 'run', items: entry.items.slice(start, index + 1) })
      start = index + 1
    }
  }
  return turns
}

function renderFolded(folded: Folded<SessionItem>, anchors: Set<number>, excerptBytes: number): string {
  if (folded.type === 'run') {
    const tokens = folded.items.reduce((sum, item) => sum + item.tokens, 0)
    return `<li class="folded">${renderPlural(folded.items.length, 'smaller item')}, ${renderCount(tokens)} tokens, not shown</li>`
  }
  const { item } = folded
  const isFirst = !anchors.has(item.position)
  anchors.add(item.position)
  return renderItem(item, { excerptBytes, ...(isFirst && { id: `m${item.position}` }) })
}

function renderLeftOut(turns: readonly Turn[]): string {
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0)
  return `<p class="folded">${renderPlural(turns.length, 'smaller turn')}, ${renderCount(tokens)} tokens, not shown</p>`
}
