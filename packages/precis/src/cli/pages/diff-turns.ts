/** The session message by message, with what became of each; what went can be read here, from its beginning. */
import type { InspectedMessage } from '@precis/core'
import type { MessageFate } from '../../archive/message-fates.ts'
import { renderCount, renderPlural } from '../../terminal/render.ts'
import type { ComparedSession } from './compared-session.ts'
import { fateTitles, sumFates, tokensAfter, tokensBefore } from './diff-fates.ts'
import { escapeHtml } from './escape-html.ts'
import { renderExcerpt, renderLine } from './excerpt.ts'
import { foldSmall } from './fold-small.ts'
import { renderSwatch } from './page-sections.ts'
import { renderPartText } from './part-text.ts'
import { renderStackedBar } from './stacked-bar.ts'

// Together they keep a page of any session under three megabytes.
const MOST_TURNS = 400
const MOST_SHOWN = 2500
const ALL_EXCERPTS_BYTES = 1_000_000
const SHORTEST_EXCERPT = 240
const LONGEST_EXCERPT = 1600
const KEPT_BYTES = 140
const LONGEST_REQUEST = 180
const MOST_NAMES = 4

interface Group {
  /** Of the original; undefined for what was said since. */
  readonly turn: number | undefined
  readonly entries: MessageFate[]
}

export function renderDiffTurns(session: ComparedSession): string {
  const groups = groupByTurn(session)
  const weigh = (entry: MessageFate) => Math.max(tokensBefore(entry, session), tokensAfter(entry, session))
  const weighGroup = ({ entries }: Group) => entries.reduce((sum, entry) => sum + weigh(entry), 0)
  const fattest = groups.reduce((most, group) => Math.max(most, weighGroup(group)), 0)
  const count = Math.max(Math.min(session.fates.length, MOST_SHOWN), 1)
  const excerptBytes = Math.min(Math.max(Math.floor(ALL_EXCERPTS_BYTES / count), SHORTEST_EXCERPT), LONGEST_EXCERPT)
  const shown = new Set(
    foldSmall(session.fates, MOST_SHOWN, weigh).flatMap((folded) => (folded.type === 'item' ? [folded.item] : [])),
  )
  const rows = foldSmall(groups, MOST_TURNS, weighGroup).map((folded) =>
    folded.type === 'item'
      ? renderGroup(folded.item, session, { fattest, excerptBytes, shown })
      : `<p class="folded">${renderPlural(folded.items.length, 'smaller turn')}, not shown</p>`,
  )
  return `<p class="hint">A turn opens to show its messages. The command beside a message gives back all of it, byte for byte.</p>
<div class="turns">${rows.join('\n')}</div>`
}

function groupByTurn({ fates, before, after }: ComparedSession): Group[] {
  const groups: Group[] = []
  let last = -1
  for (const entry of fates) {
    const isSince = !('before' in entry) && last === before.length - 1 && entry.fate === 'added'
    if ('before' in entry) last = entry.before
    const turn = isSince ? undefined : (before[Math.max(last, 0)]?.turn ?? 0)
    const startsTurn = isSince && isRequest(after, entry.after)
    const open = groups.at(-1)
    if (open && open.turn === turn && !startsTurn) open.entries.push(entry)
    else groups.push({ turn, entries: [entry] })
  }
  return groups
}

function isRequest(after: readonly InspectedMessage[], position: number): boolean {
  return after[position]?.turn !== after[position - 1]?.turn
}

interface GroupStyle {
  readonly fattest: number
  readonly excerptBytes: number
  readonly shown: ReadonlySet<MessageFate>
}

function renderGroup({ turn, entries }: Group, session: ComparedSession, style: GroupStyle): string {
  const sums = sumFates(entries, session)
  const all = Object.values(sums)
  const was = all.reduce((total, sum) => total + sum.tokensBefore, 0)
  const is = all.reduce((total, sum) => total + sum.tokensAfter, 0)
  const segments = fateTitles.map(({ fate, title }) => {
    const { messages, tokensBefore: before, tokensAfter: after } = sums[fate]
    const value = fate === 'summary' || fate === 'added' ? after : before
    return {
      name: `f-${fate}`,
      value,
      title: `${title}: ${renderPlural(messages, 'message')}, ${renderCount(value)} tokens`,
    }
  })
  const said = fateTitles.flatMap(({ fate, word }) =>
    sums[fate].messages > 0 ? [`${renderCount(sums[fate].messages)} ${word}`] : [],
  )
  const words = renderWords(turn, entries, session)
  return `<details class="turn"><summary><span class="number">${turn ?? 'new'}</span><span class="request"><bdi>${words}</bdi></span><span class="size"><b>${renderCount(was)} → ${renderCount(is)}</b> <small>${escapeHtml(said.join(', '))}</small></span>${renderStackedBar(segments, style.fattest)}</summary>
<ol>${renderEntries(entries, session, style).join('\n')}</ol></details>`
}

function renderWords(turn: number | undefined, entries: readonly MessageFate[], session: ComparedSession): string {
  if (turn === 0) return '<i>before the first request</i>'
  const [first] = entries
  const message = first && ('before' in first ? session.before[first.before] : session.after[first.after])
  const text = message?.parts.find(({ part }) => part.type === 'text')?.part
  return (text && renderLine(renderPartText(text), LONGEST_REQUEST)) || '<i>no words</i>'
}

/** What stayed as it was lies folded between what did not. */
function renderEntries(entries: readonly MessageFate[], session: ComparedSession, style: GroupStyle): string[] {
  const rows: string[] = []
  let kept: MessageFate[] = []
  let folded: MessageFate[] = []
  const close = () => {
    if (kept.length > 0) rows.push(renderKept(kept, session, style))
    if (folded.length > 0) rows.push(renderFolded(folded, session))
    kept = []
    folded = []
  }
  for (const entry of entries) {
    const isKept = entry.fate === 'kept'
    const isShown = style.shown.has(entry)
    if (isKept ? folded.length > 0 : isShown || kept.length > 0) close()
    if (isKept) kept.push(entry)
    else if (isShown) rows.push(renderEntry(entry, session, style.excerptBytes))
    else folded.push(entry)
  }
  close()
  return rows
}

function renderKept(entries: readonly MessageFate[], session: ComparedSession, { shown }: GroupStyle): string {
  const tokens = entries.reduce((sum, entry) => sum + tokensBefore(entry, session), 0)
  const lines = entries.flatMap((entry) => {
    const message = shown.has(entry) && 'before' in entry ? session.before[entry.before] : undefined
    return message
      ? [
          `<li>${describeMessage(message)} <span class="more">${renderLine(readWords(message, KEPT_BYTES), KEPT_BYTES)}</span></li>`,
        ]
      : []
  })
  const rest = entries.length - lines.length
  if (rest > 0) lines.push(`<li class="folded">${renderPlural(rest, 'smaller message')}, not shown</li>`)
  return `<li class="kept"><details><summary>${renderSwatch('f-kept')}${renderPlural(entries.length, 'message')} kept word for word, ${renderCount(tokens)} tokens</summary><ul>${lines.join('')}</ul></details></li>`
}

function renderFolded(entries: readonly MessageFate[], session: ComparedSession): string {
  const tokens = entries.reduce((sum, entry) => sum + tokensBefore(entry, session), 0)
  return `<li class="folded">${renderPlural(entries.length, 'smaller message')}, ${renderCount(tokens)} tokens before, not shown</li>`
}

function renderEntry(entry: MessageFate, session: ComparedSession, excerptBytes: number): string {
  const old = 'before' in entry ? session.before[entry.before] : undefined
  const now = 'after' in entry ? session.after[entry.after] : undefined
  const message = old ?? now
  if (!message) return ''
  const tokens = [old, now].flatMap((one) => (one ? [renderCount(one.tokens)] : [])).join(' → ')
  const title = fateTitles.find(({ fate }) => fate === entry.fate)?.title ?? entry.fate
  const head = `<p>${renderSwatch(`f-${entry.fate}`)}<b>${escapeHtml(title)}</b> ${describeMessage(message)}${old ? renderCommand(old, session) : ''}<span class="tokens">${tokens}</span></p>`
  if (entry.fate === 'summary') return `<li>${head}<p><a href="#summary">The whole summary</a></p></li>`
  if (!old || !now) return `<li>${head}${renderText(message, excerptBytes)}</li>`
  const half = Math.ceil(excerptBytes / 2)
  return `<li>${head}<div class="sides"><div><small>before</small>${renderText(old, half)}</div><div><small>after</small>${renderText(now, half)}</div></div></li>`
}

function renderText(message: InspectedMessage, excerptBytes: number): string {
  const { html, isCut } = renderExcerpt(readWords(message, excerptBytes), excerptBytes)
  return html === '' ? '' : `<pre>${html}${isCut ? '<span class="more">…</span>' : ''}</pre>`
}

// What an excerpt is cut from, so that a key at its end is seen whole.
const MARGIN = 4000

/** Enough of its words for an excerpt; a message may be megabytes. */
function readWords({ parts }: InspectedMessage, excerptBytes: number): string {
  let words = ''
  for (const { part } of parts) {
    words += `${words === '' ? '' : '\n'}${renderPartText(part).slice(0, excerptBytes + MARGIN)}`
    if (words.length > excerptBytes + MARGIN) break
  }
  return words
}

/** Who says it, and with which tools and files. */
function describeMessage({ message, parts }: InspectedMessage): string {
  const role = describeRole(message)
  const names = new Set(
    parts.flatMap(({ tool, files }) => (tool === undefined ? [] : [[tool, files[0]].filter(Boolean).join(' ')])),
  )
  const shown = [...names].slice(0, MOST_NAMES).map((name) => `<bdi>${renderLine(name, LONGEST_REQUEST)}</bdi>`)
  const rest = names.size > MOST_NAMES ? ` and ${names.size - MOST_NAMES} more` : ''
  return `${role}${shown.length > 0 ? `: ${shown.join(', ')}${rest}` : ''}`
}

function renderCommand({ message }: InspectedMessage, { compression, spanOf }: ComparedSession): string {
  const spans = [...new Set((message.records ?? []).flatMap((record) => spanOf(record) ?? []))]
  const [first, ...others] = spans
  if (first === undefined) return ''
  const rest = others.slice(0, MOST_NAMES).map((span) => `, ${span}`)
  return ` <span class="commands"><code class="command">precis restore ${escapeHtml(compression.name)} ${first}</code>${rest.join('')}${others.length > rest.length ? ', …' : ''}</span>`
}

function describeRole({ role, origin, parts }: InspectedMessage['message']): string {
  if (role === 'tool') return parts.length === 1 ? 'tool result' : 'tool results'
  return role === 'user' && origin !== 'user' ? 'injected text' : role
}
