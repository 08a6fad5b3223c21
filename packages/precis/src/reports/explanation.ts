/** What a compression did: its records, the steps, the price, the user's words and the facts. */
import type { Message } from '@precis/core'
import { renderPart } from '@precis/core/conversation'
import { redactSecrets } from '@precis/core/secrets'
import { type ArchivedCompression, readReport } from '../archive/compressions.ts'
import {
  type LocatedFact,
  locateFacts,
  readNamedFacts,
  readWordCounts,
} from '../archive/locate-facts.ts'
import type { MessageChange } from '../archive/message-changes.ts'
import {
  type ArchivedSpan,
  DAMAGED_SPAN,
  listSpans,
  readWholeRecords,
} from '../archive/read-original.ts'
import { nameRecord, renderSearchableText } from '../archive/searchable-text.ts'
import type { Database } from '../database/database.ts'
import { asCount, asObject, asText, type JsonObject } from '../files/lines.ts'
import type { ComparedSession } from '../pages/compared-session.ts'
import {
  type Colors,
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
import { renderGone, renderNames } from './facts.ts'

/** A record and the beginning of its text. */
interface ExplainedSpan extends ArchivedSpan {
  readonly preview: string
}

const PREVIEW_COLUMNS = 120

export interface Explanation {
  readonly compression: ArchivedCompression
  readonly report: JsonObject
  readonly spans: readonly ExplainedSpan[]
  readonly gone: readonly LocatedFact[]
}

/** `place` is the given `--database`. */
export async function explainCompression(
  database: Database,
  compression: ArchivedCompression,
  place: string | undefined,
): Promise<Explanation> {
  const report = await readReport(database, compression)
  const spans = await listExplained(database, compression)
  const gone = await locateFacts(database, compression, readNamedFacts(report), place)
  return { compression, report, spans, gone }
}

/** The members of `diff --json` that describe the compression. */
export function toExplanationJson({ compression, report, spans, gone }: Explanation): object {
  const { id: _id, ...entry } = compression
  return {
    ...entry,
    report: withGone(report, gone),
    spans: spans.map(({ record: _record, ...span }) => span),
  }
}

/** If `isWhole`, lists every record too. */
export function renderExplanation(
  { compression, report, spans, gone }: Explanation,
  terminal: Terminal,
  isWhole: boolean,
): string {
  const sections = [
    renderHeading(compression, report, spans),
    renderSteps(report, terminal),
    renderUserWords(readWordCounts(report)),
    renderReceipt(report, terminal),
    renderGone(gone, terminal),
    isWhole ? renderSpans(spans, terminal) : '',
  ]
  return sections.filter(Boolean).join('\n\n')
}

/** In the form of "precis compress --json". */
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
          `  cost:     one request without a cache: ${renderDollars(asCount(price.before))} before, ${renderDollars(asCount(price.after))} after`,
        ]
      : []),
    paid
      ? `  model:    ${renderPlural(asCount(paid.calls), 'call')}, ${renderCount(asCount(paid.inputTokens))} tokens in, ${renderCount(asCount(paid.outputTokens))} out`
      : '  model:    none was called',
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

/** What happened to each message. Of a changed one, only the lines that are gone or new. */
export function* renderChanges(
  { changes, before, after }: ComparedSession,
  mostLines: number,
  { colors }: Terminal,
): Generator<string> {
  const count = (...fates: MessageChange['fate'][]) =>
    changes.filter(({ fate }) => fates.includes(fate)).length
  yield `\n${renderPlural(count('kept'), 'message')} kept, ${renderCount(count('changed'))} changed, ${renderCount(count('removed', 'summarized'))} removed, ${renderCount(count('added', 'summary'))} new`
  const renderLines = (sign: string, color: Colors['red'], lines: readonly string[]) => [
    ...lines.slice(0, mostLines).map((line) => color(`${sign}   ${neutralizeLine(line)}`)),
    ...(lines.length > mostLines
      ? [colors.dim(`${sign}   … ${renderPlural(lines.length - mostLines, 'more line')}`)]
      : []),
  ]
  let kept = 0
  const renderKept = () =>
    kept > 0 ? [colors.dim(`\n  ${renderPlural(kept, 'message')} kept`)] : []
  for (const change of changes) {
    if (change.fate === 'kept') {
      kept++
      continue
    }
    yield* renderKept()
    kept = 0
    const old = 'before' in change ? before[change.before] : undefined
    const written = 'after' in change ? after[change.after] : undefined
    const [was, is] = [listLines(old), listLines(written)]
    const [sign, color] = SIGNS[change.fate]
    yield `\n${colors[color](`${sign} ${(old ?? written)?.message.role}`)}`
    if (change.fate !== 'changed') yield* renderLines(sign, colors[color], old ? was : is)
    else {
      const [wasThere, isThere] = [new Set(was), new Set(is)]
      const same = is.filter((line) => wasThere.has(line)).length
      yield* renderLines(
        '-',
        colors.red,
        was.filter((line) => !isThere.has(line)),
      )
      yield* renderLines(
        '+',
        colors.green,
        is.filter((line) => !wasThere.has(line)),
      )
      yield colors.dim(`    ${renderPlural(same, 'line')} kept`)
    }
  }
  yield* renderKept()
}

/** All that a reader would see of a message. */
function listLines(inspected: { readonly message: Message } | undefined): string[] {
  if (!inspected) return []
  return redactSecrets(inspected.message.parts.map(renderPart).join('\n')).split('\n')
}

const SIGNS = {
  removed: ['-', 'red'],
  summarized: ['-', 'red'],
  summary: ['+', 'green'],
  added: ['+', 'green'],
  changed: ['~', 'yellow'],
} as const
