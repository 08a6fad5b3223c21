/** The list of sessions, for people and as JSON. */
import type { DescribedSession } from '../sessions/describe-session.ts'
import type { Damage } from '../sessions/load-session.ts'
import type { FoundText } from '../sessions/search-session.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import { findUniquePrefixes } from '../sessions/unique-prefixes.ts'
import { type Column, renderBytes, renderCount, renderPlural, renderTable, renderTime } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { renderPreview } from '../terminal/terminal-text.ts'
import type { CompressionOrigin } from './compression-origins.ts'

export interface ListedSession extends DescribedSession {
  /** Undefined for one that precis did not write. */
  readonly origin: CompressionOrigin | undefined
  /** Undefined unless its content was searched. */
  readonly found?: FoundText
  /** Of a session whose content was searched, where there is any. */
  readonly damage?: Damage
}

const LONGEST_PROMPT = 1000
const LONGEST_PROJECT = 200

export function toSessionJson({ origin, found, damage, ...session }: ListedSession) {
  const { agent, id, path, workingDirectory, title, firstPrompt, bytes, contextTokens, modified } = session
  return {
    agent,
    sessionId: id,
    path,
    project: workingDirectory ?? null,
    title: title?.slice(0, LONGEST_PROMPT) ?? null,
    firstPrompt: firstPrompt?.slice(0, LONGEST_PROMPT) ?? null,
    bytes,
    tokens: contextTokens ?? null,
    modified: modified.toISOString(),
    madeFrom: origin ? { ...origin, sessionId: origin.sessionId ?? null, path: origin.path ?? null } : null,
    ...(found && { found }),
    ...(damage && { damage }),
  }
}

/** Columns of the terminal for where a text was found. */
const FOUND_INDENT = '    '

export function renderSessions(sessions: readonly ListedSession[], { columns: width, colors }: Terminal): string {
  const hasOrigins = sessions.some(({ origin }) => origin !== undefined)
  const columns: Column[] = [
    { title: 'id', style: colors.bold },
    { title: 'agent' },
    { title: 'modified', style: colors.dim, hideBelow: 70 },
    { title: 'size', align: 'right', hideBelow: 90 },
    { title: 'tokens', align: 'right', hideBelow: 50 },
    ...(hasOrigins ? [{ title: 'made from', shrinkTo: 8, hideBelow: 100 }] : []),
    { title: 'project', shrinkTo: 14, hideBelow: 80, keepsEnd: true },
    { title: 'first prompt', shrinkTo: 8 },
  ]
  const prefixes = findUniquePrefixes(sessions.map(({ id }) => id))
  const rows = sessions.map(({ id, agent, modified, bytes, contextTokens, workingDirectory, ...session }) => [
    prefixes.get(id) ?? id,
    agent,
    renderTime(modified),
    renderBytes(bytes),
    contextTokens === undefined ? '–' : renderCount(contextTokens),
    ...(hasOrigins ? [renderOrigin(session.origin)] : []),
    workingDirectory === undefined ? '–' : renderPreview(shortenHome(workingDirectory), LONGEST_PROJECT),
    renderPreview(session.firstPrompt ?? session.title ?? '–', 100),
  ])
  const [heading = '', ...lines] = renderTable({ columns, rows }, width, colors).split('\n')
  const shown = lines.flatMap((line, index) => [line, ...renderFound(sessions[index]?.found, width, colors)])
  return [heading, ...shown].join('\n')
}

function renderOrigin(origin: CompressionOrigin | undefined): string {
  if (!origin) return '–'
  const { sessionId, path, command } = origin
  return renderPreview(sessionId?.slice(0, 13) ?? (path === undefined ? command : shortenHome(path)), 30)
}

function renderFound(found: FoundText | undefined, width: number, { dim }: Terminal['colors']): string[] {
  if (!found) return []
  const { count, places } = found
  const room = Math.max(width - FOUND_INDENT.length, 20)
  const more = count - places.length
  return [
    ...places.map(({ record, excerpt }) => dim(FOUND_INDENT + renderPreview(`${record}: ${excerpt}`, room))),
    ...(more > 0 ? [dim(`${FOUND_INDENT}… ${renderPlural(more, 'more place')}`)] : []),
  ]
}
