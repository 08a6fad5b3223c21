import { join } from 'node:path'
import { agents } from '../agents/index.ts'
import type { Measured } from '../agents/shared/agent.ts'
import type { CompressionOrigin } from '../archive/compression-origins.ts'
import { findClone } from '../files/installed-files.ts'
import { shortenHome } from '../files/user-folders.ts'
import type { InFamily } from '../sessions/arrange-families.ts'
import { type DescribedSession, nameSession } from '../sessions/describe-session.ts'
import type { Damage } from '../sessions/load-session.ts'
import type { FoundText } from '../sessions/search-session.ts'
import { renderMeasured } from '../terminal/compaction-cells.ts'
import {
  renderBytes,
  renderCount,
  renderDollars,
  renderPlural,
  renderPreview,
  renderTable,
  renderTime,
  right,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface ShownSession extends DescribedSession {
  /** Undefined for a session that precis did not write. */
  readonly origin: CompressionOrigin | undefined
  /**
   * Size of the context. For a compressed session that was not continued yet, it is the estimate of
   * that compression.
   */
  readonly tokens: Measured | undefined
  /** US dollars at list prices. Undefined if no price is known, or the session was too large to read. */
  readonly money: Measured | undefined
  /** Present only if the session's content was searched. */
  readonly found?: FoundText
  readonly damage?: Damage
}

/** For a machine without a session: where precis looked, and a session that everybody has. */
export function explainNoSessions(): string {
  const longest = Math.max(...agents.map(({ title }) => title.length))
  const places = agents.map(
    (agent) => `  ${agent.title.padEnd(longest)}  ${shortenHome(agent.findHome(process.env))}`,
  )
  const variables = new Set(agents.flatMap(({ homeVariables }) => homeVariables))
  const clone = findClone()
  const example =
    clone === undefined
      ? 'precis chat --demo'
      : `precis compress ${join(clone, 'examples', 'rate-limiter.jsonl')} --dry-run`
  return [
    'No session of a coding agent was found here. precis looked in:',
    ...places,
    `${[...variables].join(', ')} name other folders.`,
    '"precis install" says how to begin with your agent. Without one, try a recorded session:',
    `  ${example}`,
  ].join('\n')
}

const LONGEST_PROMPT = 1000
const LONGEST_PROJECT = 200

export function toSessionJson({ origin, found, damage, ...session }: ShownSession) {
  const { agent, id, path, workingDirectory, title, firstPrompt, bytes, tokens, money, modified } =
    session
  return {
    agent: agent.name,
    sessionId: id,
    path,
    project: workingDirectory ?? null,
    title: title?.slice(0, LONGEST_PROMPT) ?? null,
    firstPrompt: firstPrompt?.slice(0, LONGEST_PROMPT) ?? null,
    bytes,
    tokens: tokens?.value ?? null,
    ...(tokens?.isEstimated && { tokensAreEstimated: true }),
    dollars: money?.value ?? null,
    ...(money?.isEstimated && { dollarsAreEstimated: true }),
    modified: modified.toISOString(),
    madeFrom: origin
      ? { ...origin, sessionId: origin.sessionId ?? null, path: origin.path ?? null }
      : null,
    ...(found && { found }),
    ...(damage && { damage }),
  }
}

const FOUND_INDENT = '    '

export function renderSessions(
  sessions: readonly InFamily<ShownSession>[],
  terminal: Terminal,
): string {
  const { columns: width, colors } = terminal
  const hasOrigins = sessions.some(({ origin }) => origin !== undefined)
  const hasMoney = sessions.some(({ money }) => money !== undefined)
  const columns = [
    { title: 'id', style: colors.bold },
    'agent',
    { title: 'modified', style: colors.dim, leaves: 5 },
    { ...right('size'), leaves: 3 },
    { ...right('tokens'), leaves: 6 },
    ...(hasMoney ? [{ ...right('money'), leaves: 1 }] : []),
    ...(hasOrigins ? [{ title: 'made from', shrinkTo: 8, leaves: 2 }] : []),
    { title: 'project', shrinkTo: 14, leaves: 4, keepsEnd: true },
    { title: 'title', shrinkTo: 24 },
  ]
  const rows = sessions.map(
    ({ shortId, agent, modified, bytes, tokens, workingDirectory, ...session }) => [
      shortId,
      agent.name,
      renderTime(modified),
      renderBytes(bytes),
      renderMeasured(tokens, renderCount),
      ...(hasMoney ? [renderMeasured(session.money, renderDollars)] : []),
      ...(hasOrigins ? [renderOrigin(session.origin)] : []),
      workingDirectory === undefined
        ? '–'
        : renderPreview(shortenHome(workingDirectory), LONGEST_PROJECT),
      (session.isChild ? '└ ' : '') +
        renderPreview(nameSession(session, session.origin?.command) ?? '–', 100),
    ],
  )
  const [heading = '', ...lines] = renderTable(columns, rows, terminal).split('\n')
  const shown = lines.flatMap((line, index) => [
    line,
    ...renderFound(sessions[index]?.found, width, colors),
  ])
  return [heading, ...shown].join('\n')
}

function renderOrigin(origin: CompressionOrigin | undefined): string {
  if (!origin) return '–'
  const { sessionId, path, command } = origin
  return renderPreview(
    sessionId?.slice(0, 13) ?? (path === undefined ? command : shortenHome(path)),
    30,
  )
}

function renderFound(
  found: FoundText | undefined,
  width: number,
  { dim }: Terminal['colors'],
): string[] {
  if (!found) return []
  const { count, places } = found
  const room = Math.max(width - FOUND_INDENT.length, 20)
  const more = count - places.length
  return [
    ...places.map(({ record, excerpt }) =>
      dim(FOUND_INDENT + renderPreview(`${record}: ${excerpt}`, room)),
    ),
    ...(more > 0 ? [dim(`${FOUND_INDENT}… ${renderPlural(more, 'more place')}`)] : []),
  ]
}
