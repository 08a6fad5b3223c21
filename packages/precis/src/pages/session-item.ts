/** One part of a message on a page: its kind, its tokens, its beginning. */
import type { Part } from '@precis/core'
import { renderPart } from '@precis/core/conversation'
import type { InspectedMessage, InspectedPart, TokenKind } from '@precis/core/engine'
import { asObject, parseObject } from '../files/lines.ts'
import { renderCount } from '../terminal/render.ts'
import { escapeHtml, renderExcerptLines, renderLine, renderSwatch } from './page.ts'

export interface SessionItem extends InspectedPart {
  /** Position of its message, from 0, as `inspect --json` has it. */
  readonly position: number
  readonly message: InspectedMessage
}

/** Every part of every message, in order. */
export function listItems(messages: readonly InspectedMessage[]): SessionItem[] {
  return messages.flatMap((message, position) =>
    message.parts.map((part) => ({ ...part, position, message })),
  )
}

interface ItemStyle {
  readonly excerptBytes: number
  /** Its place on the page, so that links can lead to it. */
  readonly id?: string
  /** The place that its number leads to. */
  readonly link?: string
}

const LONGEST_NAME = 80
const LONGEST_PATH = 200

export function renderItem(item: SessionItem, { excerptBytes, id, link }: ItemStyle): string {
  const { kind, position, tokens } = item
  const color = tokenKinds.find((known) => known.kind === kind)?.name ?? ''
  const number = `message ${renderCount(position)}`
  const place = link === undefined ? number : `<a href="#${link}">${number}</a>`
  return `<li${id === undefined ? '' : ` id="${id}"`}><p>${renderSwatch(color)}<b>${describeItem(item)}</b> ${renderSubject(item)}${renderBadges(item)}<span class="place">${place}</span><span class="tokens">${renderCount(tokens)}</span></p>${renderExcerptLines(renderPartText(item.part), excerptBytes)}</li>`
}

/** Its kind, in two words. */
function describeItem({ part, message }: SessionItem): string {
  const { role, origin } = message.message
  if (message.isSummary) return 'summary'
  if (part.type === 'opaque') return 'block'
  if (part.type !== 'text') return part.type.replace('-', ' ')
  if (role === 'user') return origin === 'user' ? 'user' : 'injected text'
  return role === 'tool' ? 'tool result' : role
}

function renderSubject({ tool, files, part }: SessionItem): string {
  const name = tool ?? (part.type === 'opaque' ? part.kind : undefined)
  const [file, ...others] = files
  const path = file === undefined ? '' : ` <code>${renderLine(file, LONGEST_PATH)}</code>`
  const rest = others.length > 0 ? ` and ${renderCount(others.length)} more` : ''
  return `${name === undefined ? '' : `<bdi>${renderLine(name, LONGEST_NAME)}</bdi>`}${path}${rest}`
}

function renderBadges({ failed, reads }: SessionItem): string {
  const badges = new Set<string>(
    reads.map(({ state }) => state).filter((state) => state !== 'fresh'),
  )
  if (failed) badges.add('error')
  return [...badges].map((badge) => ` <span class="badge">${escapeHtml(badge)}</span>`).join('')
}

const MOST_FIELDS = 20
const LONGEST_JSON = 200_000

/** The text of a part, for people: the arguments of a call one below the other, not as JSON. */
export function renderPartText(part: Part): string {
  if (part.type === 'reasoning' && part.text.trim() === '') return '(hidden by the provider)'
  if (part.type !== 'tool-call') return renderPart(part)
  const { input } = part
  // Arguments of OpenAI are JSON in a string. Free text is not an object.
  const isText = typeof input === 'string' && input.length <= LONGEST_JSON
  const fields = isText ? parseObject(Buffer.from(input)) : asObject(input)
  if (!fields) return renderValue(input)
  return Object.entries(fields)
    .slice(0, MOST_FIELDS)
    .map(([name, value]) => `${name}: ${renderValue(value)}`)
    .join('\n')
}

/** As JSON of any depth, unless it is text. */
function renderValue(value: unknown): string {
  return renderPart({ type: 'tool-call', callId: '', name: '', input: value }).trim()
}

/** A bounded list: its largest items, and the number of items between them. */
export type Folded<T> =
  | { readonly type: 'item'; readonly item: T }
  | { readonly type: 'run'; readonly items: readonly T[] }

/**
 * In the order of the items. At most `most` of them are single, the largest, and the rest are in
 * runs.
 */
export function foldSmall<T>(
  items: readonly T[],
  most: number,
  sizeOf: (item: T) => number,
): Folded<T>[] {
  const sizes = items.map(sizeOf)
  const limit =
    sizes.length > most ? ([...sizes].sort((a, b) => b - a)[most] ?? 0) : Number.NEGATIVE_INFINITY
  const folded: Folded<T>[] = []
  let run: T[] = []
  for (const [index, item] of items.entries()) {
    if ((sizes[index] ?? 0) <= limit) {
      run.push(item)
      continue
    }
    if (run.length > 0) folded.push({ type: 'run', items: run })
    run = []
    folded.push({ type: 'item', item })
  }
  if (run.length > 0) folded.push({ type: 'run', items: run })
  return folded
}

/** In the order in which they are drawn: what a request begins with first. */
export const tokenKinds: readonly {
  readonly kind: TokenKind
  readonly title: string
  readonly name: string
}[] = [
  { kind: 'system', title: 'system and tool schemas', name: 'k-system' },
  { kind: 'user', title: 'user', name: 'k-user' },
  { kind: 'assistant', title: 'assistant', name: 'k-assistant' },
  { kind: 'reasoning', title: 'reasoning', name: 'k-reasoning' },
  { kind: 'toolCalls', title: 'tool calls', name: 'k-calls' },
  { kind: 'toolResults', title: 'tool results', name: 'k-results' },
]

type KindSums = Record<TokenKind, number>

export function createKindSums(): KindSums {
  return { system: 0, user: 0, assistant: 0, reasoning: 0, toolCalls: 0, toolResults: 0 }
}

export function addToKinds(sums: KindSums, { frame, parts }: InspectedMessage): void {
  sums[frame.kind] += frame.tokens
  for (const { kind, tokens } of parts) sums[kind] += tokens
}
