import type { Inspection, Model } from '@precis/core'
import type { LoadedSession } from '../sessions/load-session.ts'
import type { RecordedUsage } from '../sessions/read-usage.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import {
  type Colors,
  type Column,
  renderBar,
  renderCount,
  renderDollars,
  renderPlural,
  renderShare,
  renderTable,
} from '../terminal/render.ts'
import { cutToWidth, renderPreview } from '../terminal/terminal-text.ts'

export interface InspectedSession {
  readonly session: LoadedSession
  readonly model: Model
  readonly inspection: Inspection
  readonly usage: RecordedUsage | undefined
}

/** What `inspect --json` prints. */
export interface InspectionJson extends Inspection {
  readonly format: string
  readonly agent: string | null
  readonly sessionId: string | null
  readonly model: string | null
  readonly contextWindowTokens: number
  readonly usage: (Omit<RecordedUsage, 'cost'> & { readonly cost: number | null }) | null
}

export function toInspectionJson({ session, model, inspection, usage }: InspectedSession): InspectionJson {
  return {
    format: session.format.name,
    agent: session.home?.agent ?? null,
    sessionId: session.head?.sessionId ?? null,
    model: model.id || null,
    contextWindowTokens: model.contextWindowTokens,
    ...inspection,
    usage: usage ? { ...usage, cost: usage.cost ?? null } : null,
  }
}

interface Page {
  readonly columns: number
  readonly colors: Colors
}

const ROWS = 10

/** All tables, one below the other. `rows` is the most that each may have. */
export function renderInspection(inspected: InspectedSession, page: Page, rows = ROWS): string {
  const { inspection } = inspected
  const { total } = inspection.tokens
  const section = (title: string, table: string, shown: number, all: number) => {
    const rest = all > shown ? page.colors.dim(`\n  and ${renderCount(all - shown)} more (--all)`) : ''
    return all === 0 ? [] : [`${page.colors.bold(title)}\n${table}${rest}`]
  }
  const { byTool, byFile, byTurn, largest } = inspection
  const turns = [...byTurn].sort((a, b) => b.tokens - a.tokens)
  const directory = findDirectory(inspected.session)
  return [
    renderHeading(inspected, page),
    ...section('By role', renderRoles(inspection, page), 1, 1),
    ...section('By tool', renderTools(byTool.slice(0, rows), total, page), rows, byTool.length),
    ...section('By file', renderFiles(byFile.slice(0, rows), total, directory, page), rows, byFile.length),
    ...section('By turn, fattest first', renderTurns(turns.slice(0, rows), total, page), rows, turns.length),
    ...section('Fattest items', renderLargest(largest.slice(0, rows), total, directory, page), rows, largest.length),
    renderNotes(inspected, page),
  ].join('\n\n')
}

function renderHeading({ session, model, inspection }: InspectedSession, { columns, colors }: Page): string {
  const { head, format } = session
  const { tokens, messages, turns } = inspection
  const directory = findDirectory(session)
  const titles = [format.name, head?.sessionId, directory && shortenHome(directory)].filter(
    (text) => text !== undefined,
  )
  const lines = [colors.bold(cutToWidth(titles.map((text) => renderPreview(text, columns)).join('  '), columns))]
  if (head?.firstPrompt) lines.push(colors.dim(renderPreview(`“${head.firstPrompt}”`, columns)))
  const window = `${renderShare(tokens.total, model.contextWindowTokens)} of ${renderCount(model.contextWindowTokens)}`
  lines.push(
    `${renderPlural(messages, 'message')}, ${renderPlural(turns, 'turn')}, ${renderPlural(tokens.total, 'token')}`,
    `window of ${renderPreview(model.id || 'an unnamed model', 40)}: ${window}${model.known ? '' : ' (not in the catalogue)'}`,
  )
  return lines.join('\n')
}

const BAR_COLUMNS = 20
const TOKENS: Column = { title: 'tokens', align: 'right' }
const SHARE: Column = { title: 'share', align: 'right' }

function renderRoles({ tokens }: Inspection, page: Page): string {
  const roles: readonly (readonly [name: string, tokens: number])[] = [
    ['system', tokens.system],
    ['user', tokens.user],
    ['assistant', tokens.assistant],
    ['reasoning', tokens.reasoning],
    ['tool calls', tokens.toolCalls],
    ['tool results', tokens.toolResults],
  ]
  const rows = roles.filter(([, count]) => count > 0).map(([name, count]) => shareRow([name], count, tokens.total))
  return renderTable({ columns: [{ title: 'role' }, TOKENS, SHARE, bar(page)], rows }, page.columns, page.colors)
}

/** Where the session worked. */
function findDirectory({ conversation, head }: LoadedSession): string | undefined {
  return conversation.workingDirectory ?? head?.workingDirectory
}

export function renderTools(tools: Inspection['byTool'], total: number, page: Page): string {
  const columns: Column[] = [
    { title: 'tool', shrinkTo: 12 },
    { title: 'calls', align: 'right' },
    { title: 'errors', align: 'right' },
    TOKENS,
    SHARE,
    bar(page),
  ]
  const rows = tools.map(({ tool, calls, errors, tokens }) =>
    shareRow([renderPreview(tool, 40), renderCount(calls), errors ? renderCount(errors) : ''], tokens, total),
  )
  return renderTable({ columns, rows }, page.columns, page.colors)
}

function renderFiles(files: Inspection['byFile'], total: number, directory: string | undefined, page: Page): string {
  const columns: Column[] = [
    { title: 'file', shrinkTo: 20 },
    { title: 'reads', align: 'right' },
    { title: 'writes', align: 'right' },
    { title: 'stale', align: 'right' },
    { title: 'again', align: 'right' },
    TOKENS,
    SHARE,
    bar(page),
  ]
  const rows = files.map(({ path, reads, writes, staleReads, duplicateReads, tokens }) => {
    const counts = [reads, writes, staleReads, duplicateReads].map((count) => (count ? renderCount(count) : ''))
    return shareRow([shortenPath(path, directory), ...counts], tokens, total)
  })
  return renderTable({ columns, rows }, page.columns, page.colors)
}

function renderTurns(turns: Inspection['byTurn'], total: number, page: Page): string {
  const columns: Column[] = [
    { title: 'turn', align: 'right' },
    { title: 'messages', align: 'right' },
    TOKENS,
    SHARE,
    { title: 'request', shrinkTo: 20 },
  ]
  const rows = turns.map(({ turn, messages, tokens, request }) => [
    renderCount(turn),
    renderCount(messages),
    renderCount(tokens),
    renderShare(tokens, total),
    turn === 0 ? '(before the first request)' : renderPreview(request, 100),
  ])
  return renderTable({ columns, rows }, page.columns, page.colors)
}

/** `total` is what shares are of; paths are shown relative to `directory`. */
export function renderLargest(
  parts: Inspection['largest'],
  total: number,
  directory: string | undefined,
  page: Page,
): string {
  const columns: Column[] = [
    { title: 'message', align: 'right' },
    TOKENS,
    SHARE,
    { title: 'what' },
    { title: 'of', shrinkTo: 16 },
    { title: 'begins', shrinkTo: 16, style: page.colors.dim },
  ]
  const rows = parts.map(({ message, role, type, tool, file, tokens, preview }) => [
    renderCount(message),
    renderCount(tokens),
    renderShare(tokens, total),
    type === 'text' ? `${role} text` : type.replace('-', ' '),
    [tool && renderPreview(tool, 30), file && shortenPath(file, directory)].filter(Boolean).join(' '),
    renderPreview(preview, 60),
  ])
  return renderTable({ columns, rows }, page.columns, page.colors)
}

function renderNotes({ inspection, usage }: InspectedSession, page: Page): string {
  const { colors } = page
  const { staleReads, duplicateReads } = inspection
  const lines = [
    `  ${renderPlural(staleReads.count, 'stale read')}, ${renderCount(staleReads.tokens)} tokens`,
    `  ${renderPlural(duplicateReads.count, 'duplicate read')}, ${renderCount(duplicateReads.tokens)} tokens`,
  ]
  const reads = `${colors.bold('Reads that say nothing any more')}\n${lines.join('\n')}`
  return usage ? `${reads}\n\n${renderCost(usage, page)}` : reads
}

function renderCost(usage: RecordedUsage, { columns, colors }: Page): string {
  const price = usage.cost === undefined ? 'of unknown price' : renderDollars(usage.cost)
  const rows = [
    ['input', usage.inputTokens],
    ['input from the cache', usage.cachedInputTokens],
    ['written to the cache', usage.cacheWriteTokens],
    ['output', usage.outputTokens],
  ] as const
  const table = renderTable(
    {
      columns: [{ title: renderPlural(usage.requests, 'request') }, TOKENS],
      rows: rows.map(([name, tokens]) => [name, renderCount(tokens)]),
    },
    columns,
    colors,
  )
  return `${colors.bold(`Cost so far: ${price}`)}\n${table}`
}

function shareRow(cells: readonly string[], tokens: number, total: number): string[] {
  return [
    ...cells,
    renderCount(tokens),
    renderShare(tokens, total),
    renderBar(tokens / Math.max(total, 1), BAR_COLUMNS),
  ]
}

function bar({ colors }: Page): Column {
  return { title: '', style: colors.cyan }
}

function shortenPath(path: string, directory: string | undefined): string {
  const inside = directory !== undefined && path.startsWith(`${directory}/`)
  return renderPreview(inside ? path.slice(directory.length + 1) : shortenHome(path), 120)
}
