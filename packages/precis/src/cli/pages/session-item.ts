/** One part of a message on a page: what it is, what it costs, how it begins. */
import type { InspectedMessage, InspectedPart } from '@precis/core'
import { renderCount } from '../../terminal/render.ts'
import { escapeHtml } from './escape-html.ts'
import { renderExcerpt, renderLine } from './excerpt.ts'
import { renderSwatch } from './page-sections.ts'
import { renderPartText } from './part-text.ts'
import { nameOfKind } from './token-kinds.ts'

export interface SessionItem extends InspectedPart {
  /** Position of its message, from 0, as `inspect --json` has it. */
  readonly position: number
  readonly message: InspectedMessage
}

/** Every part of every message, in order. */
export function listItems(messages: readonly InspectedMessage[]): SessionItem[] {
  return messages.flatMap((message, position) => message.parts.map((part) => ({ ...part, position, message })))
}

export interface ItemStyle {
  readonly excerptBytes: number
  /** Its place, so that others can lead to it. */
  readonly id?: string
  /** Where its number leads to. */
  readonly link?: string
}

const LONGEST_NAME = 80
const LONGEST_PATH = 200

export function renderItem(item: SessionItem, { excerptBytes, id, link }: ItemStyle): string {
  const { kind, position, tokens } = item
  const { html, isCut } = renderExcerpt(renderPartText(item.part), excerptBytes)
  const number = `message ${renderCount(position)}`
  const place = link === undefined ? number : `<a href="#${link}">${number}</a>`
  const text = html === '' ? '' : `<pre>${html}${isCut ? '<span class="more">…</span>' : ''}</pre>`
  return `<li${id === undefined ? '' : ` id="${id}"`}><p>${renderSwatch(nameOfKind(kind))}<b>${describeItem(item)}</b> ${renderSubject(item)}${renderBadges(item)}<span class="place">${place}</span><span class="tokens">${renderCount(tokens)}</span></p>${text}</li>`
}

/** What it is, in two words. */
function describeItem({ part, message }: SessionItem): string {
  if (message.isSummary) return 'summary'
  if (part.type === 'text') return describeText(message)
  return part.type === 'opaque' ? 'block' : part.type.replace('-', ' ')
}

function describeText({ message: { role, origin } }: InspectedMessage): string {
  if (role === 'user') return origin === 'user' ? 'user' : 'injected text'
  return role === 'tool' ? 'tool result' : role
}

/** Which tool, which file. */
function renderSubject({ tool, files, part }: SessionItem): string {
  const name = tool ?? (part.type === 'opaque' ? part.kind : undefined)
  const [file, ...others] = files
  const path = file === undefined ? '' : ` <code>${renderLine(file, LONGEST_PATH)}</code>`
  const rest = others.length > 0 ? ` and ${renderCount(others.length)} more` : ''
  return `${name === undefined ? '' : `<bdi>${renderLine(name, LONGEST_NAME)}</bdi>`}${path}${rest}`
}

function renderBadges({ part, reads }: SessionItem): string {
  const badges = new Set<string>()
  for (const { state } of reads) if (state !== 'fresh') badges.add(state)
  if (part.type === 'tool-result' && part.isError) badges.add('error')
  return [...badges].map((badge) => ` <span class="badge">${escapeHtml(badge)}</span>`).join('')
}
