import type { Inspection } from '@precis/core'
import { quoteForShell } from '../agents/shared/session-files.ts'
import { shortenHome } from '../files/user-folders.ts'
import type { InspectedSession } from '../pages/inspected-page.ts'
import { type LoadedSession, STANDARD_INPUT, toDamageJson } from '../sessions/load-session.ts'
import type { RecordedUsage } from '../sessions/read-usage.ts'
import { NOT_IN_FILE } from '../sessions/recorded-context.ts'
import {
  COMPACTION_TITLES,
  listCompactionCells,
  listLegend,
  listLostSentences,
  toCompactionJson,
} from '../terminal/compaction-cells.ts'
import { FORGOTTEN_TITLE } from '../terminal/overview-cells.ts'
import {
  BEFORE_FIRST_MESSAGE,
  type Column,
  cutToWidth,
  type Page,
  renderBar,
  renderCount,
  renderDollars,
  renderPlural,
  renderPreview,
  renderShare,
  renderTable,
  renderTurnNumber,
  right,
  wrapText,
} from '../terminal/render.ts'
import { describeBilled, toRecordedJson } from './sizes.ts'

/** The object of `inspect --json`. */
export function toInspectionJson({
  session,
  model,
  inspection,
  context,
  usage,
  compactions,
}: InspectedSession): object {
  return {
    format: session.format.name,
    agent: session.agent?.name ?? null,
    sessionId: session.head?.sessionId ?? null,
    model: model.id || null,
    contextWindowTokens: model.contextWindowTokens,
    ...inspection,
    contextTokens: context.tokens,
    ...toRecordedJson(context),
    compactions: compactions.map(toCompactionJson),
    usage: usage ? { ...usage, cost: usage.cost ?? null } : null,
    ...toDamageJson(session),
  }
}

const ROWS = 10

const COUNTED_FROM_HERE =
  'Turns are counted from where the context begins now, as in --keep-turn. "precis show" counts them from the beginning of the session.'

/** All tables, one below the other. Shows only the first rows of each unless all are requested. */
export function renderInspection(
  inspected: InspectedSession,
  page: Page,
  isWhole: boolean,
): string {
  const most = isWhole ? Number.POSITIVE_INFINITY : ROWS
  const { inspection, session } = inspected
  const { total } = inspection.tokens
  const section = <Row>(
    title: string,
    rows: readonly Row[],
    render: (shown: readonly Row[]) => string,
  ) => {
    const rest =
      rows.length > most
        ? page.colors.dim(`\n  and ${renderCount(rows.length - most)} more (--all)`)
        : ''
    return rows.length === 0
      ? []
      : [`${page.colors.bold(title)}\n${render(rows.slice(0, most))}${rest}`]
  }
  const { byTool, byFile, byTurn, largest } = inspection
  const turns = [...byTurn].sort((a, b) => b.tokens - a.tokens)
  const directory = findDirectory(session)
  const isCompacted = inspected.compactions.length > 0
  return [
    renderHeading(inspected, page),
    `${page.colors.bold('By role')}\n${renderRoles(inspected, page)}`,
    ...section('By tool', byTool, (tools) => renderTools(tools, total, page)),
    ...section('By file', byFile, (files) => renderFiles(files, total, directory, page)),
    ...section(
      'By turn, largest first',
      turns,
      (shown) =>
        `${renderTurns(shown, total, page)}${isCompacted ? page.colors.dim(`\n${wrapText(COUNTED_FROM_HERE, page.columns, '  ')}`) : ''}`,
    ),
    ...section('Largest items', largest, (parts) => renderLargest(parts, total, directory, page)),
    renderNotes(inspected, page),
    ...renderCompactions(inspected, page),
  ].join('\n\n')
}

function renderHeading(
  { session, model, inspection, context, compactions }: InspectedSession,
  { columns, colors }: Page,
): string {
  const { head, format } = session
  const { tokens, messages, turns } = inspection
  const directory = findDirectory(session)
  const name = session.title ?? head?.firstPrompt
  const titles = [format.name, head?.sessionId, directory && shortenHome(directory)].flatMap(
    (text) => (text === undefined ? [] : [renderPreview(text, columns)]),
  )
  const window = `${renderShare(context.tokens, model.contextWindowTokens)} of ${renderCount(model.contextWindowTokens)}`
  return [
    colors.bold(cutToWidth(titles.join('  '), columns)),
    ...(name ? [colors.dim(renderPreview(`“${name}”`, columns))] : []),
    `${compactions.length > 0 ? 'since the compaction: ' : ''}${renderPlural(messages, 'message')}, ${renderPlural(turns, 'turn')}, ${renderPlural(tokens.total, 'token')}`,
    ...(context.notInFileTokens === undefined
      ? []
      : [`${renderCount(context.tokens)} in total, including what is not in the file`]),
    ...describeBilled(context.tokens, context),
    `window of ${renderPreview(model.id || 'an unnamed model', 40)}: ${window}${model.known ? '' : ' (not in the catalog)'}`,
  ].join('\n')
}

const BAR_COLUMNS = 20
const SHARES = [right('tokens'), right('share')]

function renderRoles({ inspection: { tokens }, context }: InspectedSession, page: Page): string {
  const roles = [
    ['system', tokens.system],
    ['user', tokens.user],
    ['assistant', tokens.assistant],
    ['reasoning', tokens.reasoning],
    ['tool calls', tokens.toolCalls],
    ['tool results', tokens.toolResults],
  ] as const
  const rows = roles
    .filter(([, count]) => count > 0)
    .map(([name, count]) => shareRow([name], count, tokens.total))
  if (context.notInFileTokens !== undefined) {
    rows.push(
      [NOT_IN_FILE, renderCount(context.notInFileTokens)],
      ['in all', renderCount(context.tokens)],
    )
  }
  return renderTable(['role', ...withBar(page)], rows, page)
}

function findDirectory({ conversation, head }: LoadedSession): string | undefined {
  return conversation.workingDirectory ?? head?.workingDirectory
}

export function renderTools(tools: Inspection['byTool'], total: number, page: Page): string {
  const columns = [
    { title: 'tool', shrinkTo: 12 },
    right('calls'),
    right('errors'),
    ...withBar(page),
  ]
  const rows = tools.map(({ tool, calls, errors, tokens }) =>
    shareRow(
      [renderPreview(tool, 40), renderCount(calls), errors ? renderCount(errors) : ''],
      tokens,
      total,
    ),
  )
  return renderTable(columns, rows, page)
}

function renderFiles(
  files: Inspection['byFile'],
  total: number,
  directory: string | undefined,
  page: Page,
): string {
  const counts = ['reads', 'writes', 'stale', 'again'].map(right)
  const rows = files.map(({ path, reads, writes, staleReads, duplicateReads, tokens }) => {
    const cells = [reads, writes, staleReads, duplicateReads].map((count) =>
      count ? renderCount(count) : '',
    )
    return shareRow([shortenPath(path, directory), ...cells], tokens, total)
  })
  return renderTable(
    [{ title: 'file', shrinkTo: 20, keepsEnd: true }, ...counts, ...withBar(page)],
    rows,
    page,
  )
}

function renderTurns(turns: Inspection['byTurn'], total: number, page: Page): string {
  const columns = [
    right('turn'),
    right('messages'),
    ...SHARES,
    { title: 'your message', shrinkTo: 20 },
  ]
  const rows = turns.map(({ turn, messages, tokens, request }) => [
    renderTurnNumber(turn),
    renderCount(messages),
    renderCount(tokens),
    renderShare(tokens, total),
    turn === 0 ? BEFORE_FIRST_MESSAGE : renderPreview(request, 100),
  ])
  return renderTable(columns, rows, page)
}

/** Shares are of `total`. Paths are shown relative to `directory`. */
export function renderLargest(
  parts: Inspection['largest'],
  total: number,
  directory: string | undefined,
  page: Page,
): string {
  const begins = { title: 'begins', shrinkTo: 16, style: page.colors.dim }
  const rows = parts.map(({ message, role, type, tool, file, tokens, preview }) => [
    renderCount(message),
    renderCount(tokens),
    renderShare(tokens, total),
    type === 'text' ? `${role} text` : type.replace('-', ' '),
    [tool && renderPreview(tool, 30), file && shortenPath(file, directory)]
      .filter(Boolean)
      .join(' '),
    renderPreview(preview, 60),
  ])
  return renderTable(
    [right('message'), ...SHARES, 'what', { title: 'of', shrinkTo: 16 }, begins],
    rows,
    page,
  )
}

function renderNotes(
  { inspection: { staleReads, duplicateReads }, usage }: InspectedSession,
  page: Page,
): string {
  const reads = `${page.colors.bold('Reads that say nothing any more')}
  ${renderPlural(staleReads.count, 'stale read')}, ${renderCount(staleReads.tokens)} tokens
  ${renderPlural(duplicateReads.count, 'duplicate read')}, ${renderCount(duplicateReads.tokens)} tokens`
  return usage ? `${reads}\n\n${renderCost(usage, page)}` : reads
}

// A table that is too wide leaves these out, the first in the list first.
const LEAVING: readonly string[] = ['made by', 'cost', 'tokens before', 'after', 'facts', 'waited']

const COMPACTION_COLUMNS = COMPACTION_TITLES.map((title): Column => {
  const order = LEAVING.indexOf(title)
  return {
    ...(title === 'when' || title === 'made by' ? { title } : right(title)),
    ...(order >= 0 && { leaves: order + 1 }),
  }
})

/** Each with the sentences of the user that it lost, and the command that puts them back. */
function renderCompactions({ compactions, session }: InspectedSession, page: Page): string[] {
  if (compactions.length === 0) return []
  const { bold, dim } = page.colors
  const lost = compactions.flatMap(listLostSentences)
  const [turn] = compactions.flatMap(
    (compaction) => compaction.lost?.words.sentences.flatMap((one) => one.turn ?? []) ?? [],
  )
  const { name } = session
  const said = [
    bold(FORGOTTEN_TITLE),
    ...lost.map((sentence) => wrapText(sentence, page.columns, '  ')),
    // As the user named it: the id in a session may be any text.
    ...(name === STANDARD_INPUT
      ? []
      : [
          `  put back:\n    ${bold(`precis undo ${quoteForShell(name)} --words`)}`,
          ...(turn === undefined
            ? []
            : [`  read:\n    ${bold(`precis show ${quoteForShell(name)} ${turn}`)}`]),
        ]),
  ]
  const table = renderTable(COMPACTION_COLUMNS, compactions.map(listCompactionCells), page)
  return [
    [
      bold('Compactions'),
      table,
      ...listLegend(table).map((line) => dim(wrapText(line, page.columns, '  '))),
    ].join('\n'),
    ...(lost.length > 0 ? [said.join('\n')] : []),
  ]
}

const ELSEWHERE = 'not in the file: sub-agents, compactions'

function renderCost(usage: RecordedUsage, page: Page): string {
  const about = usage.isOutputCounted ? '~' : ''
  const price =
    usage.cost === undefined ? 'of unknown price' : `${about}${renderDollars(usage.cost)}`
  const rows = [
    ['input', renderCount(usage.inputTokens)],
    ['input from the cache', renderCount(usage.cachedInputTokens)],
    ['written to the cache', renderCount(usage.cacheWriteTokens)],
    ['output', `${about}${renderCount(usage.outputTokens)}`],
    ...(usage.elsewhereTokens > 0 ? [[ELSEWHERE, renderCount(usage.elsewhereTokens)]] : []),
  ]
  const table = renderTable([renderPlural(usage.requests, 'request'), right('tokens')], rows, page)
  return `${page.colors.bold(`Cost so far: ${price}`)}\n${table}`
}

function withBar({ colors }: Page): Column[] {
  return [...SHARES, { title: '', style: colors.cyan, leaves: 1 }]
}

function shareRow(cells: readonly string[], tokens: number, total: number): string[] {
  const bar = renderBar(tokens / Math.max(total, 1), BAR_COLUMNS)
  return [...cells, renderCount(tokens), renderShare(tokens, total), bar]
}

function shortenPath(path: string, directory: string | undefined): string {
  const inside = directory !== undefined && path.startsWith(`${directory}/`)
  return renderPreview(inside ? path.slice(directory.length + 1) : shortenHome(path), 120)
}
