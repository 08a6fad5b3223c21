import type { Inspection, Part } from '@precis/core'
import type { MediaPart } from '@precis/core/conversation'
import { shortenHome } from '../files/user-folders.ts'
import { NOT_IN_FILE } from '../sessions/recorded-context.ts'
import {
  BEFORE_FIRST_MESSAGE,
  renderBytes,
  renderCount,
  renderPlural,
  renderShare,
  renderTurnNumber,
} from '../terminal/render.ts'
import { type BarSegment, findLargest, renderStackedBar } from './charts.ts'
import type { InspectedPage } from './inspected-page.ts'
import { renderCell, renderLine, renderPageTable, renderRowHead, shareBytes } from './page.ts'
import {
  addToKinds,
  createKindSums,
  type Folded,
  foldSmall,
  listItems,
  renderItem,
  type SessionItem,
  tokenKinds,
} from './session-item.ts'

const MOST_ROWS = 100
const LONGEST_NAME = 80
const LONGEST_PATH = 240
const EXCERPT_BYTES = 600

/** The first rows, and how many more there are. `rest` is their noun. */
function renderTop<Row>(
  caption: string,
  head: readonly string[],
  all: readonly Row[],
  rest: string,
  render: (row: Row) => string[],
): string {
  if (all.length === 0) return ''
  const table = renderPageTable(caption, head, all.slice(0, MOST_ROWS).map(render))
  const more = all.length - MOST_ROWS
  return more > 0
    ? `${table}<p class="folded">and ${renderPlural(more, `more ${rest}`)}</p>`
    : table
}

export function renderToolTable({ byTool, tokens }: Inspection): string {
  const head = ['tool', 'tokens', 'share', 'calls', 'errors', 'calls and results']
  return renderTop('Tools', head, byTool, 'tool', (tool) => {
    const bar = [
      { name: 'k-calls', value: tool.callTokens, title: `calls: ${renderCount(tool.callTokens)}` },
      {
        name: 'k-results',
        value: tool.resultTokens,
        title: `results: ${renderCount(tool.resultTokens)}`,
      },
    ]
    return [
      renderRowHead(`<bdi>${renderLine(tool.tool, LONGEST_NAME)}</bdi>`),
      ...[
        renderCount(tool.tokens),
        renderShare(tool.tokens, tokens.total),
        renderCount(tool.calls),
      ].map(renderCell),
      renderCell(renderSome(tool.errors)),
      renderBarCell(bar, byTool[0]?.tokens),
    ]
  })
}

export function renderFileTable({
  inspection: { byFile, tokens },
  session,
}: InspectedPage): string {
  const directory = findDirectory(session)
  const head = ['file', 'tokens', 'share', 'reads', 'writes', 'stale', 'again', 'to scale']
  return renderTop('Files read and written', head, byFile, 'file', (file) => [
    renderRowHead(renderPath(file.path, directory)),
    ...[renderCount(file.tokens), renderShare(file.tokens, tokens.total)].map(renderCell),
    ...[file.reads, file.writes, file.staleReads, file.duplicateReads].map((count) =>
      renderCell(renderSome(count)),
    ),
    renderBarCell([{ name: 'k-user', value: file.tokens }], byFile[0]?.tokens),
  ])
}

function renderSome(count: number): string {
  return count > 0 ? renderCount(count) : ''
}

function renderBarCell(segments: readonly BarSegment[], fattest = 0): string {
  return `<td class="bar">${renderStackedBar(segments, fattest)}</td>`
}

function findDirectory({ conversation, head }: InspectedPage['session']): string | undefined {
  return conversation.workingDirectory ?? head?.workingDirectory
}

function renderPath(path: string, directory: string | undefined): string {
  const isInside = directory !== undefined && path.startsWith(`${directory}/`)
  return `<bdi>${renderLine(isInside ? path.slice(directory.length + 1) : shortenHome(path), LONGEST_PATH)}</bdi>`
}

/** The same items, in the same order, as `inspect --json` has. */
export function renderFattest(
  { inspection, messages }: InspectedPage,
  anchors: ReadonlySet<number>,
): string {
  const items = listItems(messages)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, inspection.largest.length)
  const rows = items.map((item) => {
    const link = anchors.has(item.position) ? `m${item.position}` : undefined
    return renderItem(item, { excerptBytes: EXCERPT_BYTES, link })
  })
  return rows.length === 0 ? '' : `<ol class="items fattest">${rows.join('\n')}</ol>`
}

export function renderReadTable(
  { inspection, messages, session }: InspectedPage,
  anchors: ReadonlySet<number>,
): string {
  const { staleReads, duplicateReads } = inspection
  const directory = findDirectory(session)
  const reads = listItems(messages)
    .flatMap((item) => item.reads.map((read) => ({ ...read, item })))
    .filter(({ state }) => state !== 'fresh')
    .sort((a, b) => b.tokens - a.tokens)
  if (reads.length === 0)
    return '<p>No read is stale, and none returned the same as an earlier one.</p>'
  const sums = [
    [staleReads, 'stale read', 'a later edit changed the file'],
    [duplicateReads, 'duplicate read', 'an earlier read gave the same'],
  ] as const
  const said = sums.flatMap(([{ count, tokens }, noun, why]) =>
    count > 0 ? [`${renderPlural(count, noun)} with ${renderCount(tokens)} tokens: ${why}.`] : [],
  )
  const head = ['file', 'tokens', 'message', 'why']
  const table = renderTop(
    'Reads that say nothing any more',
    head,
    reads,
    'read',
    ({ path, state, tokens, item }) => [
      renderRowHead(renderPath(path, directory)),
      renderCell(renderCount(tokens)),
      `<td>${renderPlace(item.position, anchors)}</td>`,
      renderCell(state),
    ],
  )
  return `<p>${said.join(' ')}</p>${table}`
}

export function renderMediaTable(
  { messages, counter }: InspectedPage,
  anchors: ReadonlySet<number>,
): string {
  const found = listItems(messages).flatMap((item) =>
    listMedia(item.part).map((media) => ({ media, item, tokens: counter.countPart(media).upper })),
  )
  if (found.length === 0) return ''
  const sum = found.reduce((total, { tokens }) => total + tokens, 0)
  const head = ['type', 'pixels', 'size', 'from', 'message', 'tokens']
  const table = renderTop(
    'Images and files in messages',
    head,
    found,
    'item',
    ({ media, item, tokens }) => {
      const { width, height, bytes, mediaType } = media
      return [
        renderRowHead(renderLine(mediaType, LONGEST_NAME)),
        renderCell(
          width !== undefined && height !== undefined
            ? `${renderCount(width)} × ${renderCount(height)}`
            : '',
        ),
        renderCell(bytes > 0 ? renderBytes(bytes) : 'by reference'),
        `<td><bdi>${renderLine(item.tool ?? item.message.message.role, LONGEST_NAME)}</bdi></td>`,
        `<td>${renderPlace(item.position, anchors)}</td>`,
        renderCell(renderCount(tokens)),
      ]
    },
  )
  return `<p>${renderCount(found.length)} with ${renderCount(sum)} tokens. Their data is not on this page.</p>${table}`
}

function listMedia(part: Part): MediaPart[] {
  const parts: readonly Part[] = part.type === 'tool-result' ? part.output : [part]
  return parts.flatMap((inner) => (inner.type === 'image' || inner.type === 'file' ? [inner] : []))
}

function renderPlace(position: number, anchors: ReadonlySet<number>): string {
  const number = renderCount(position)
  return anchors.has(position) ? `<a href="#m${position}">${number}</a>` : number
}

// Together they keep a page of any session under three megabytes.
const MOST_TURNS = 400
const MOST_ITEMS = 3000
const EXCERPTS_BYTES = { all: 900_000, least: 200, most: 1200 }
const LONGEST_REQUEST = 180

type TurnRow = Inspection['byTurn'][number]

/**
 * Each turn is a row with a bar that opens. All bars have one scale. `anchors` are messages with a
 * place, `m12`.
 */
export function renderTurns({ inspection, messages, history }: InspectedPage): {
  html: string
  anchors: ReadonlySet<number>
} {
  const { byTurn, tokens } = inspection
  const turns = foldSmall(byTurn, MOST_TURNS, (turn) => turn.tokens)
  const shown = new Set(
    turns.flatMap((folded) => (folded.type === 'item' ? [folded.item.turn] : [])),
  )
  const items = listItems(messages).filter(({ message }) => shown.has(message.turn))
  const perTurn = groupByTurn(foldSmall(items, MOST_ITEMS, (item) => item.tokens))
  const fattest = findLargest(byTurn.map((turn) => turn.tokens))
  const anchors = new Set<number>()
  const excerptBytes = shareBytes(Math.min(items.length, MOST_ITEMS), EXCERPTS_BYTES)
  const hasSummary = messages.some(({ turn, isSummary }) => turn === 0 && isSummary)
  const renderOne = (turn: TurnRow) => {
    const bar = renderStackedBar(createSegments(turn, messages), fattest)
    const rows = (perTurn.get(turn.turn) ?? []).map((folded) =>
      renderFolded(folded, anchors, excerptBytes),
    )
    return `<details class="turn"><summary>${renderSummary(turn, tokens.total, hasSummary)}${bar}</summary>
<ol id="turn-${turn.turn}">${rows.join('\n')}</ol></details>`
  }
  const rows = turns.map((folded) =>
    folded.type === 'item' ? renderOne(folded.item) : renderLeftOut(folded.items),
  )
  return {
    html: `<p class="hint">A turn opens to show its messages.${history.isCompacted ? ' They are counted from where the context begins now.' : ''}</p><div class="turns">${rows.join('\n')}</div>`,
    anchors,
  }
}

function renderSummary(
  { turn, messages, tokens, request }: TurnRow,
  total: number,
  hasSummary: boolean,
): string {
  const opening = hasSummary ? 'a summary, and what the agent did after it' : BEFORE_FIRST_MESSAGE
  const words =
    turn === 0 ? `<i>${opening}</i>` : renderLine(request, LONGEST_REQUEST) || '<i>no words</i>'
  return `<span class="number">${renderTurnNumber(turn)}</span><span class="request"><bdi>${words}</bdi></span><span class="size"><b>${renderCount(tokens)}</b> <small>${renderShare(tokens, total)}, ${renderPlural(messages, 'message')}</small></span>`
}

function createSegments(
  { message: start, messages: count }: TurnRow,
  messages: InspectedPage['messages'],
): BarSegment[] {
  const sums = createKindSums()
  for (const message of messages.slice(start, start + count)) addToKinds(sums, message)
  return tokenKinds.map(({ kind, name, title }) => {
    return { name, value: sums[kind], title: `${title}: ${renderCount(sums[kind])}` }
  })
}

/** A run may reach over the end of a turn: each turn has its own part of it. */
function groupByTurn(folded: readonly Folded<SessionItem>[]): Map<number, Folded<SessionItem>[]> {
  const turns = new Map<number, Folded<SessionItem>[]>()
  const add = (turn: number, entry: Folded<SessionItem>) => {
    const known = turns.get(turn) ?? []
    known.push(entry)
    turns.set(turn, known)
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

function renderFolded(
  folded: Folded<SessionItem>,
  anchors: Set<number>,
  excerptBytes: number,
): string {
  if (folded.type === 'run') {
    const tokens = folded.items.reduce((sum, item) => sum + item.tokens, 0)
    return `<li class="folded">${renderPlural(folded.items.length, 'smaller item')}, ${renderCount(tokens)} tokens, not shown</li>`
  }
  const { item } = folded
  const isFirst = !anchors.has(item.position)
  anchors.add(item.position)
  return renderItem(item, { excerptBytes, id: isFirst ? `m${item.position}` : undefined })
}

function renderLeftOut(turns: readonly TurnRow[]): string {
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0)
  return `<p class="folded">${renderPlural(turns.length, 'smaller turn')}, ${renderCount(tokens)} tokens, not shown</p>`
}

/** The conversation with what the agent adds to it, and what its provider counted. */
export function renderContext(
  total: number,
  { tokens, notInFileTokens, billedTokens }: InspectedPage['context'],
): string {
  const sentences = [
    notInFileTokens !== undefined &&
      `${renderCount(total)} tokens in the conversation, ${renderCount(notInFileTokens)} ${NOT_IN_FILE}; ${renderCount(tokens)} in all.`,
    billedTokens !== undefined &&
      billedTokens !== tokens &&
      `The provider counted ${renderCount(billedTokens)} for the newest request.`,
  ]
  const text = sentences.filter(Boolean).join(' ')
  return text === '' ? '' : `<p class="hint">${text}</p>`
}
