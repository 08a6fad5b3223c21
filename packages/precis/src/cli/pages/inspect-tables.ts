import type { Inspection, MediaPart, Part } from '@precis/core'
import { shortenHome } from '../../sessions/shorten-home.ts'
import { renderBytes, renderCount, renderPlural, renderShare } from '../../terminal/render.ts'
import { escapeHtml } from './escape-html.ts'
import { renderLine } from './excerpt.ts'
import type { InspectedPage } from './inspected-page.ts'
import { renderPageTable } from './page.ts'
import { listItems, renderItem, type SessionItem } from './session-item.ts'
import { renderStackedBar } from './stacked-bar.ts'

const MOST_ROWS = 100
const LONGEST_NAME = 80
const LONGEST_PATH = 240
const EXCERPT_BYTES = 600

export function renderToolTable({ byTool, tokens }: Inspection): string {
  const fattest = byTool[0]?.tokens ?? 0
  const rows = byTool.slice(0, MOST_ROWS).map((tool) => [
    `<th scope="row"><bdi>${renderLine(tool.tool, LONGEST_NAME)}</bdi></th>`,
    ...[
      renderCount(tool.tokens),
      renderShare(tool.tokens, tokens.total),
      renderCount(tool.calls),
      tool.errors > 0 ? renderCount(tool.errors) : '',
    ].map(renderCell),
    `<td class="bar">${renderStackedBar(
      [
        { name: 'k-calls', value: tool.callTokens, title: `calls: ${renderCount(tool.callTokens)}` },
        { name: 'k-results', value: tool.resultTokens, title: `results: ${renderCount(tool.resultTokens)}` },
      ],
      fattest,
    )}</td>`,
  ])
  if (rows.length === 0) return ''
  const head = ['tool', 'tokens', 'share', 'calls', 'errors', 'calls and results']
  return renderPageTable('Tools', head, rows) + renderRest(byTool.length, 'tool')
}

export function renderFileTable({ inspection: { byFile, tokens }, session }: InspectedPage): string {
  const directory = session.conversation.workingDirectory ?? session.head?.workingDirectory
  const fattest = byFile[0]?.tokens ?? 0
  const rows = byFile.slice(0, MOST_ROWS).map((file) => {
    const counts = [file.reads, file.writes, file.staleReads, file.duplicateReads]
    return [
      `<th scope="row"><bdi>${renderPath(file.path, directory)}</bdi></th>`,
      renderCell(renderCount(file.tokens)),
      renderCell(renderShare(file.tokens, tokens.total)),
      ...counts.map((count) => renderCell(count > 0 ? renderCount(count) : '')),
      `<td class="bar">${renderStackedBar([{ name: 'k-user', value: file.tokens }], fattest)}</td>`,
    ]
  })
  if (rows.length === 0) return ''
  const head = ['file', 'tokens', 'share', 'reads', 'writes', 'stale', 'again', '']
  return renderPageTable('Files read and written', head, rows) + renderRest(byFile.length, 'file')
}

function renderPath(path: string, directory: string | undefined): string {
  const isInside = directory !== undefined && path.startsWith(`${directory}/`)
  return renderLine(isInside ? path.slice(directory.length + 1) : shortenHome(path), LONGEST_PATH)
}

/** The same items, in the same order, as `inspect --json` has. */
export function renderFattest({ inspection, messages }: InspectedPage, anchors: ReadonlySet<number>): string {
  const items = listItems(messages)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, inspection.largest.length)
  const rows = items.map((item) => renderItem(item, { excerptBytes: EXCERPT_BYTES, ...linkTo(item, anchors) }))
  return rows.length === 0 ? '' : `<ol class="items fattest">${rows.join('\n')}</ol>`
}

function linkTo({ position }: Pick<SessionItem, 'position'>, anchors: ReadonlySet<number>): { link?: string } {
  return anchors.has(position) ? { link: `m${position}` } : {}
}

/** Reads that say nothing any more, fattest first. */
export function renderReadTable(
  { inspection, messages, session }: InspectedPage,
  anchors: ReadonlySet<number>,
): string {
  const { staleReads, duplicateReads } = inspection
  const directory = session.conversation.workingDirectory ?? session.head?.workingDirectory
  const reads = listItems(messages)
    .flatMap((item) => item.reads.map((read) => ({ ...read, item })))
    .filter(({ state }) => state !== 'fresh')
    .sort((a, b) => b.tokens - a.tokens)
  if (reads.length === 0) return '<p>No read is stale, and none gave what an earlier one gave.</p>'
  const sums = [
    [staleReads, 'stale read', 'a later edit changed the file'],
    [duplicateReads, 'duplicate read', 'an earlier read gave the same'],
  ] as const
  const said = sums.flatMap(([{ count, tokens }, noun, why]) =>
    count > 0 ? [`${renderPlural(count, noun)} with ${renderCount(tokens)} tokens: ${why}.`] : [],
  )
  const rows = reads
    .slice(0, MOST_ROWS)
    .map(({ path, state, tokens, item }) => [
      `<th scope="row"><bdi>${renderPath(path, directory)}</bdi></th>`,
      renderCell(renderCount(tokens)),
      `<td>${renderPlace(item.position, anchors)}</td>`,
      renderCell(state),
    ])
  const head = ['file', 'tokens', 'message', 'why']
  return `<p>${said.join(' ')}</p>${renderPageTable('Reads that say nothing any more', head, rows)}${renderRest(reads.length, 'read')}`
}

interface FoundMedia {
  readonly media: MediaPart
  readonly item: SessionItem
}

export function renderMediaTable({ messages, counter }: InspectedPage, anchors: ReadonlySet<number>): string {
  const found = listItems(messages).flatMap((item): FoundMedia[] =>
    listMedia(item.part).map((media) => ({ media, item })),
  )
  if (found.length === 0) return ''
  const tokensOf = new Map(found.map(({ media }) => [media, counter.countPart(media).upper]))
  const sum = [...tokensOf.values()].reduce((total, tokens) => total + tokens, 0)
  const rows = found.slice(0, MOST_ROWS).map(({ media, item }) => {
    const { width, height, bytes, mediaType } = media
    const source = item.tool === undefined ? item.message.message.role : item.tool
    return [
      `<th scope="row">${renderLine(mediaType, LONGEST_NAME)}</th>`,
      renderCell(width !== undefined && height !== undefined ? `${renderCount(width)} × ${renderCount(height)}` : ''),
      renderCell(bytes > 0 ? renderBytes(bytes) : 'by reference'),
      `<td><bdi>${renderLine(source, LONGEST_NAME)}</bdi></td>`,
      `<td>${renderPlace(item.position, anchors)}</td>`,
      renderCell(renderCount(tokensOf.get(media) ?? 0)),
    ]
  })
  const head = ['type', 'pixels', 'size', 'from', 'message', 'tokens']
  return `<p>${renderCount(found.length)} with ${renderCount(sum)} tokens. Their data is not on this page.</p>${renderPageTable('Images and files in messages', head, rows)}${renderRest(found.length, 'item')}`
}

function listMedia(part: Part): MediaPart[] {
  const parts: readonly Part[] = part.type === 'tool-result' ? part.output : [part]
  return parts.flatMap((inner) => (inner.type === 'image' || inner.type === 'file' ? [inner] : []))
}

function renderPlace(position: number, anchors: ReadonlySet<number>): string {
  const number = renderCount(position)
  return anchors.has(position) ? `<a href="#m${position}">${number}</a>` : number
}

function renderRest(count: number, noun: string): string {
  return count > MOST_ROWS ? `<p class="folded">and ${renderPlural(count - MOST_ROWS, `more ${noun}`)}</p>` : ''
}

function renderCell(text: string): string {
  return `<td>${escapeHtml(text)}</td>`
}
