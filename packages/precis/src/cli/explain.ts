import type { Command } from 'commander'
import { type ArchivedCompression, readReport } from '../archive/compressions.ts'
import { type LocatedFact, locateFacts } from '../archive/locate-facts.ts'
import { readNamedFacts, readWordCounts } from '../archive/named-facts.ts'
import {
  type ArchivedSpan,
  DAMAGED_SPAN,
  listSpans,
  readWholeRecords,
} from '../archive/read-original.ts'
import { nameRecord, renderSearchableText } from '../archive/searchable-text.ts'
import type { Database } from '../database/database.ts'
import { asCount, asObject, asText, type JsonObject } from '../files/lines.ts'
import {
  neutralizeLine,
  renderBytes,
  renderCount,
  renderDollars,
  renderPath,
  renderPlural,
  renderPreview,
  renderTable,
  renderTime,
  renderUserWords,
  right,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import {
  type ArchivedSessionFlags,
  addArchivedSessionArgument,
  withArchivedSession,
} from './archived-session.ts'
import { renderGone, renderNames } from './render-facts.ts'
import { addJsonOption } from './session-argument.ts'

/** A record and the beginning of what it says. */
interface ExplainedSpan extends ArchivedSpan {
  readonly preview: string
}

const PREVIEW_COLUMNS = 120

export function defineExplain(command: Command, terminal: Terminal): void {
  addArchivedSessionArgument(command).description(
    'Says what a compression did: every record that was removed or changed, the steps that did it, what they cost, and what became of your words and of the facts.',
  )
  addJsonOption(command)
    .addHelpText('after', EXPLAIN_HELP)
    .action((name: string, flags: ArchivedSessionFlags) =>
      explainCompression(name, flags, terminal),
    )
}

async function explainCompression(
  name: string,
  flags: ArchivedSessionFlags,
  terminal: Terminal,
): Promise<void> {
  await withArchivedSession(name, flags, terminal, async (database, compression, damage) => {
    const report = await readReport(database, compression)
    const spans = await listExplained(database, compression)
    const gone = await locateFacts(database, compression, readNamedFacts(report), flags.database)
    if (flags.json) {
      const { id: _id, ...entry } = compression
      terminal.printJson({
        ...entry,
        report: withGone(report, gone),
        spans: spans.map(({ record: _record, ...span }) => span),
        ...damage,
      })
      return
    }
    const sections = [
      renderHeading(compression, report, spans),
      renderSteps(report, terminal),
      renderUserWords(readWordCounts(report)),
      renderReceipt(report, terminal),
      renderGone(gone, terminal),
      renderSpans(spans, terminal),
    ]
    terminal.print(sections.filter(Boolean).join('\n\n'))
  })
}

/** As "precis compress --json" has them. */
function withGone(report: JsonObject, gone: readonly LocatedFact[]): JsonObject {
  const receipt = asObject(report.receipt)
  return receipt ? { ...report, receipt: { ...receipt, gone } } : report
}

async function listExplained(
  database: Database,
  compression: ArchivedCompression,
): Promise<ExplainedSpan[]> {
  const spans = await listSpans(database, compression)
  const explained: ExplainedSpan[] = []
  for await (const bytes of readWholeRecords(database, spans)) {
    const span = spans[explained.length]
    if (!span) continue
    const label = bytes ? nameRecord(span.label, bytes) : span.label
    const text = bytes ? renderSearchableText(bytes) : DAMAGED_SPAN
    explained.push({ ...span, label, preview: renderPreview(text, PREVIEW_COLUMNS) })
  }
  return explained
}

function renderHeading(
  entry: ArchivedCompression,
  report: JsonObject,
  spans: readonly ArchivedSpan[],
): string {
  const { before, after } = report
  const of = (size: unknown) => renderCount(asCount(asObject(size)?.tokens))
  const removed = spans.filter(({ fate }) => fate === 'removed').length
  const by = [asText(report.strategy), asText(report.summarizer)].filter(
    (name) => name !== undefined,
  )
  return [
    `${entry.command} on ${renderTime(new Date(entry.storedAt))}${by.length > 0 ? `, by ${by.map(neutralizeLine).join(' and ')}` : ''}`,
    `  original: ${renderPath(entry.originalPath ?? 'standard input')} (${renderBytes(entry.originalBytes)})`,
    `  result:   ${renderPath(entry.path ?? 'standard output')}`,
    `  tokens:   ${of(before)} before, ${of(after)} after`,
    `  records:  ${renderCount(removed)} removed, ${renderCount(spans.length - removed)} changed`,
    ...renderPrice(report),
    ...renderCheck(report),
  ].join('\n')
}

function renderPrice({ cost, usage }: JsonObject): string[] {
  const [price, paid] = [asObject(cost), asObject(usage)]
  return [
    ...(price
      ? [
          `  cost:     one request that finds no cache ${renderDollars(asCount(price.before))} before, ${renderDollars(asCount(price.after))} after`,
        ]
      : []),
    paid
      ? `  model:    ${renderPlural(asCount(paid.calls), 'call')}, ${renderCount(asCount(paid.inputTokens))} tokens in, ${renderCount(asCount(paid.outputTokens))} out`
      : '  model:    none was asked',
  ]
}

function renderCheck({ names }: JsonObject): string[] {
  const check = asObject(names)
  if (!check) return []
  const list = (value: unknown) =>
    Array.isArray(value) ? value.flatMap((name) => asText(name) ?? []) : []
  const line = renderNames({
    checked: asCount(check.checked),
    marked: list(check.marked),
    unmarked: list(check.unmarked),
  })
  return line === undefined ? [] : [`  ${line.replace(': ', ':    ')}`]
}

function renderSteps({ rungs, steps }: JsonObject, { colors }: Terminal): string {
  const taken = listObjects(rungs ?? steps)
  if (taken.length === 0) return ''
  const rows = taken.map(({ name, tokensBefore, tokensAfter }) => [
    neutralizeLine(asText(name) ?? ''),
    ...[tokensBefore, tokensAfter].map((tokens) => renderCount(asCount(tokens))),
  ])
  return renderTable(['step', right('tokens before'), right('after')], rows, {
    columns: Number.POSITIVE_INFINITY,
    colors,
  })
}

function listObjects(value: unknown): JsonObject[] {
  const elements: readonly unknown[] = Array.isArray(value) ? value : []
  return elements.map(asObject).filter((element) => element !== undefined)
}

function renderReceipt({ receipt }: JsonObject, { colors }: Terminal): string {
  const kinds = Object.entries(asObject(asObject(receipt)?.kinds) ?? {})
  const rows = kinds.flatMap(([kind, counts]) => {
    const { total, verbatim, retrievable, missing, stale } = asObject(counts) ?? {}
    if (asCount(total) === 0) return []
    return [
      [
        neutralizeLine(kind),
        ...[total, verbatim, retrievable, missing, stale].map((count) =>
          renderCount(asCount(count)),
        ),
      ],
    ]
  })
  if (rows.length === 0) return ''
  const columns = [
    'facts removed',
    ...['total', 'verbatim', 'retrievable', 'missing', 'stale'].map(right),
  ]
  return renderTable(columns, rows, { columns: Number.POSITIVE_INFINITY, colors })
}

function renderSpans(spans: readonly ExplainedSpan[], terminal: Terminal): string {
  if (spans.length === 0) return ''
  const { colors } = terminal
  return renderTable(
    [
      right('span'),
      { title: 'fate', style: colors.yellow },
      right('size'),
      { title: 'record', shrinkTo: 12 },
      { title: 'begins', shrinkTo: 20, style: colors.dim },
    ],
    spans.map(({ span, fate, bytes, label, preview }) => [
      renderCount(span),
      fate,
      renderBytes(bytes),
      neutralizeLine(label),
      preview,
    ]),
    terminal,
  )
}

const EXPLAIN_HELP = `
Examples:
  precis explain 3f2a
  precis explain 3f2a --json | jq '.spans[] | select(.fate == "removed") | .preview'

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
