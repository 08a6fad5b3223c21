/**
 * The session message by message, with the change to each. The beginnings of removed messages can
 * be read here.
 */

import type { InspectedMessage } from '@precis/core/engine'
import type { MessageChange } from '../archive/message-changes.ts'
import {
  BEFORE_FIRST_MESSAGE,
  renderCount,
  renderPlural,
  renderTurnNumber,
} from '../terminal/render.ts'
import { type BarSegment, findLargest, renderStackedBar } from './charts.ts'
import {
  type Change,
  type ComparedSession,
  changeTitles,
  sumChanges,
  titleOfChange,
  tokensAfter,
  tokensBefore,
} from './compared-session.ts'
import {
  escapeHtml,
  renderExcerptLines,
  renderLegend,
  renderLine,
  renderSwatch,
  shareBytes,
} from './page.ts'
import { foldSmall, renderPartText } from './session-item.ts'

// Together they keep a page of any session under three megabytes.
const MOST_TURNS = 400
const MOST_SHOWN = 2500
const EXCERPTS_BYTES = { all: 1_000_000, least: 240, most: 1600 }
const KEPT_BYTES = 140
const LONGEST_REQUEST = 180
const MOST_NAMES = 4

interface TurnGroup {
  /** For messages of the original. Undefined for later messages. */
  readonly turn: number | undefined
  readonly entries: MessageChange[]
}

export function renderDiffTurns(session: ComparedSession): string {
  const groups = groupByTurn(session)
  const weigh = (entry: MessageChange) =>
    Math.max(tokensBefore(entry, session), tokensAfter(entry, session))
  const weighGroup = ({ entries }: TurnGroup) =>
    entries.reduce((sum, entry) => sum + weigh(entry), 0)
  const fattest = findLargest(groups.map(weighGroup))
  const excerptBytes = shareBytes(Math.min(session.changes.length, MOST_SHOWN), EXCERPTS_BYTES)
  const shown = new Set(
    foldSmall(session.changes, MOST_SHOWN, weigh).flatMap((folded) =>
      folded.type === 'item' ? [folded.item] : [],
    ),
  )
  const rows = foldSmall(groups, MOST_TURNS, weighGroup).map((folded) =>
    folded.type === 'item'
      ? renderGroup(folded.item, session, { fattest, excerptBytes, shown })
      : `<p class="folded">${renderPlural(folded.items.length, 'smaller turn')}, not shown</p>`,
  )
  return `<p class="hint">A turn opens to show its messages. The command beside a message gives back all of it, byte for byte.</p>
<div class="turns">${rows.join('\n')}</div>`
}

function groupByTurn({ changes, before, after }: ComparedSession): TurnGroup[] {
  const groups: TurnGroup[] = []
  let last = -1
  for (const entry of changes) {
    const isSince = !('before' in entry) && last === before.length - 1 && entry.fate === 'added'
    if ('before' in entry) last = entry.before
    const turn = isSince ? undefined : (before[Math.max(last, 0)]?.turn ?? 0)
    const startsTurn = isSince && after[entry.after]?.turn !== after[entry.after - 1]?.turn
    const open = groups.at(-1)
    if (open && open.turn === turn && !startsTurn) open.entries.push(entry)
    else groups.push({ turn, entries: [entry] })
  }
  return groups
}

interface GroupStyle {
  readonly fattest: number
  readonly excerptBytes: number
  readonly shown: ReadonlySet<MessageChange>
}

function renderGroup(
  { turn, entries }: TurnGroup,
  session: ComparedSession,
  style: GroupStyle,
): string {
  const { sums, before, after } = sumChanges(entries, session)
  const segments = changeTitles.map(({ fate, title }) => {
    const { messages, tokensBefore: was, tokensAfter: is } = sums[fate]
    const value = fate === 'summary' || fate === 'added' ? is : was
    const said = `${title}: ${renderPlural(messages, 'message')}, ${renderCount(value)} tokens`
    return { name: `f-${fate}`, value, title: said }
  })
  const said = changeTitles.flatMap(({ fate, word }) =>
    sums[fate].messages > 0 ? [`${renderCount(sums[fate].messages)} ${word}`] : [],
  )
  const words = renderWords(turn, entries, session)
  return `<details class="turn"><summary><span class="number">${turn === undefined ? 'new' : renderTurnNumber(turn)}</span><span class="request"><bdi>${words}</bdi></span><span class="size"><b>${renderCount(before)} → ${renderCount(after)}</b> <small>${escapeHtml(said.join(', '))}</small></span>${renderStackedBar(segments, style.fattest)}</summary>
<ol>${renderEntries(entries, session, style).join('\n')}</ol></details>`
}

function renderWords(
  turn: number | undefined,
  entries: readonly MessageChange[],
  session: ComparedSession,
): string {
  if (turn === 0) return `<i>${BEFORE_FIRST_MESSAGE}</i>`
  const [first] = entries
  const message =
    first && ('before' in first ? session.before[first.before] : session.after[first.after])
  const text = message?.parts.find(({ part }) => part.type === 'text')?.part
  return (text && renderLine(renderPartText(text), LONGEST_REQUEST)) || '<i>no words</i>'
}

/** Messages that were kept are folded between the others. */
function renderEntries(
  entries: readonly MessageChange[],
  session: ComparedSession,
  style: GroupStyle,
): string[] {
  const rows: string[] = []
  let kept: MessageChange[] = []
  let folded: MessageChange[] = []
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

function renderKept(
  entries: readonly MessageChange[],
  session: ComparedSession,
  { shown }: GroupStyle,
): string {
  const { before: tokens } = sumChanges(entries, session)
  const lines = entries.flatMap((entry) => {
    const message = shown.has(entry) && 'before' in entry ? session.before[entry.before] : undefined
    if (!message) return []
    const words = renderLine(readWords(message, KEPT_BYTES), KEPT_BYTES)
    return [`<li>${describeMessage(message)} <span class="more">${words}</span></li>`]
  })
  const rest = entries.length - lines.length
  if (rest > 0)
    lines.push(`<li class="folded">${renderPlural(rest, 'smaller message')}, not shown</li>`)
  return `<li class="kept"><details><summary>${renderSwatch('f-kept')}${renderPlural(entries.length, 'message')} kept word for word, ${renderCount(tokens)} tokens</summary><ul>${lines.join('')}</ul></details></li>`
}

function renderFolded(entries: readonly MessageChange[], session: ComparedSession): string {
  const { before: tokens } = sumChanges(entries, session)
  return `<li class="folded">${renderPlural(entries.length, 'smaller message')}, ${renderCount(tokens)} tokens before, not shown</li>`
}

function renderEntry(entry: MessageChange, session: ComparedSession, excerptBytes: number): string {
  const old = 'before' in entry ? session.before[entry.before] : undefined
  const now = 'after' in entry ? session.after[entry.after] : undefined
  const message = old ?? now
  if (!message) return ''
  const tokens = [old, now].flatMap((one) => (one ? [renderCount(one.tokens)] : [])).join(' → ')
  const head = `<p>${renderSwatch(`f-${entry.fate}`)}<b>${escapeHtml(titleOfChange(entry.fate))}</b> ${describeMessage(message)}${old ? renderCommand(old, session) : ''}<span class="tokens">${tokens}</span></p>`
  if (entry.fate === 'summary')
    return `<li>${head}<p><a href="#summary">The whole summary</a></p></li>`
  if (!old || !now) return `<li>${head}${renderText(message, excerptBytes)}</li>`
  const half = Math.ceil(excerptBytes / 2)
  return `<li>${head}<div class="sides"><div><small>before</small>${renderText(old, half)}</div><div><small>after</small>${renderText(now, half)}</div></div></li>`
}

function renderText(message: InspectedMessage, excerptBytes: number): string {
  return renderExcerptLines(readWords(message, excerptBytes), excerptBytes)
}

// More text than an excerpt shows, so that a key at its end is seen whole.
const MARGIN = 4000

/** Enough of its words for an excerpt. A message may be megabytes. */
function readWords({ parts }: InspectedMessage, excerptBytes: number): string {
  let words = ''
  for (const { part } of parts) {
    words += `${words === '' ? '' : '\n'}${renderPartText(part).slice(0, excerptBytes + MARGIN)}`
    if (words.length > excerptBytes + MARGIN) break
  }
  return words
}

/** Its role, and its tools and files. */
function describeMessage({ message, parts }: InspectedMessage): string {
  const names = new Set(
    parts.flatMap(({ tool, files }) =>
      tool === undefined ? [] : [[tool, files[0]].filter(Boolean).join(' ')],
    ),
  )
  const shown = [...names]
    .slice(0, MOST_NAMES)
    .map((name) => `<bdi>${renderLine(name, LONGEST_REQUEST)}</bdi>`)
  const rest = names.size > MOST_NAMES ? ` and ${names.size - MOST_NAMES} more` : ''
  return `${describeRole(message)}${shown.length > 0 ? `: ${shown.join(', ')}${rest}` : ''}`
}

function renderCommand(
  { message }: InspectedMessage,
  { compression, spanOf }: ComparedSession,
): string {
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

const MOST_SEGMENTS = 500

/**
 * The session from its beginning to its end, before and after, to one scale.
 *
 *   before  ██████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████
 *   after   ██████▓████
 */
export function renderMap(session: ComparedSession): string {
  const { changes, fixedTokens } = session
  const { sums, before, after } = sumChanges(changes, session, fixedTokens)
  const whole = Math.max(before, after)
  const strip = (title: string, total: number, tokensOf: typeof tokensBefore, fixed: number) => {
    const segments = mergeRuns(
      changes.map((entry) => ({ fate: entry.fate, tokens: tokensOf(entry, session) })),
      total,
    )
    const all: BarSegment[] = [
      { name: 'k-system', value: fixed, title: 'tool schemas' },
      ...segments,
    ]
    return `<div class="strip"><p><b>${title}</b> <span>${renderCount(total)} tokens</span></p>${renderStackedBar(all, whole, `${title}: ${renderCount(total)} tokens`)}</div>`
  }
  const rows = changeTitles.flatMap(({ fate, title }) => {
    const { messages, tokensBefore: was, tokensAfter: is } = sums[fate]
    if (messages === 0) return []
    const tokens = [was, is].map((count) => (count > 0 ? renderCount(count) : '–'))
    return [{ name: `f-${fate}`, title, values: [renderCount(messages), ...tokens] }]
  })
  if (fixedTokens.before > 0) {
    const values = ['', renderCount(fixedTokens.before), renderCount(fixedTokens.after)]
    rows.push({ name: 'k-system', title: 'tool schemas', values })
  }
  rows.push({ name: 'total', title: 'all', values: ['', renderCount(before), renderCount(after)] })
  return `${strip('Before', before, tokensBefore, fixedTokens.before)}
${strip('After', after, tokensAfter, fixedTokens.after)}
${renderLegend('What became of the messages', ['change', 'messages', 'tokens before', 'after'], rows)}`
}

interface ChangeRun {
  readonly fate: Change
  tokens: number
}

/**
 * Neighbors with one change are one segment. If too many remain, each is the most frequent change
 * of a stretch.
 */
function mergeRuns(entries: readonly ChangeRun[], total: number): BarSegment[] {
  const runs: ChangeRun[] = []
  for (const { fate, tokens } of entries) {
    const last = runs.at(-1)
    if (last?.fate === fate) last.tokens += tokens
    else if (tokens > 0) runs.push({ fate, tokens })
  }
  const stretches = runs.length > MOST_SEGMENTS ? quantize(runs, total / MOST_SEGMENTS) : runs
  return stretches.map(({ fate, tokens }) => ({
    name: `f-${fate}`,
    value: tokens,
    title: `${titleOfChange(fate)}: ${renderCount(tokens)} tokens`,
  }))
}

function quantize(runs: readonly ChangeRun[], step: number): ChangeRun[] {
  const stretches: ChangeRun[] = []
  let open = new Map<Change, number>()
  let size = 0
  const close = () => {
    const [most] = [...open].sort((a, b) => b[1] - a[1])
    if (most) stretches.push({ fate: most[0], tokens: size })
    open = new Map()
    size = 0
  }
  for (const { fate, tokens } of runs) {
    open.set(fate, (open.get(fate) ?? 0) + tokens)
    size += tokens
    if (size >= step) close()
  }
  close()
  return stretches
}
