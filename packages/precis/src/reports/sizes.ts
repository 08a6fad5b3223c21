/** The size of a session before and after: of the conversation, and as its agent sends it. */
import type { Report } from '@precis/core'
import type { DoneCompression } from '../compression/compress-session.ts'
import { NOT_IN_FILE, type RecordedContext } from '../sessions/recorded-context.ts'
import {
  type Colors,
  type Page,
  renderBar,
  renderBytes,
  renderCount,
  renderShare,
  renderTable,
  right,
} from '../terminal/render.ts'

/** The members that all results of writing commands have. */
export interface SizedResult
  extends Pick<DoneCompression, 'session' | 'destination' | 'bytes' | 'recorded'> {
  readonly report: Pick<Report, 'before' | 'after' | 'receipt'>
}

/** `contextTokens` includes what is not in the file. Null if there is no usable recorded usage. */
export function toSizesJson({ report: { before, after }, session, bytes, recorded }: SizedResult) {
  const added = recorded?.notInFileTokens ?? 0
  return {
    before: {
      ...before,
      contextTokens: before.tokens + added,
      bytes: session.document.source.byteLength,
    },
    after: { ...after, contextTokens: after.tokens + added, bytes },
    ...toRecordedJson(recorded),
  }
}

export function toRecordedJson(recorded: Partial<RecordedContext> | undefined) {
  return {
    notInFileTokens: recorded?.notInFileTokens ?? null,
    billedTokens: recorded?.billedTokens ?? null,
  }
}

/** Empty if nothing is known. */
export function renderAdded({
  report: { before, after },
  recorded,
}: Pick<SizedResult, 'report' | 'recorded'>) {
  const added = recorded?.notInFileTokens
  if (added === undefined) return []
  const [was, is] = [before.tokens + added, after.tokens + added]
  const row = `${NOT_IN_FILE}: ${renderCount(added)} tokens (${renderCount(was)} in total before, ${renderCount(is)} after)`
  return [row, ...describeBilled(was, recorded)]
}

/** Counts are upper bounds if the tokenizer is not public. Billed tokens are exact. */
export function describeBilled(
  tokens: number,
  recorded: Partial<RecordedContext> | undefined,
): string[] {
  const { billedTokens = tokens } = recorded ?? {}
  return billedTokens === tokens
    ? []
    : [`its provider counted ${renderCount(billedTokens)} for the latest request`]
}

const BAR_COLUMNS = 24

export function renderSizes({ report, session, bytes }: SizedResult, page: Page): string {
  const { before, after } = report
  const row = (name: string, size: Report['before'], byteLength: number) => [
    name,
    renderCount(size.tokens),
    renderCount(size.messages),
    renderBytes(byteLength),
    renderBar(size.tokens / Math.max(before.tokens, 1), BAR_COLUMNS),
    size === after ? `${renderShare(after.tokens, before.tokens)} of it` : '',
  ]
  return renderTable(
    [
      '',
      ...['tokens', 'messages', 'size'].map(right),
      { title: '', style: page.colors.cyan, leaves: 1 },
      { title: '', style: page.colors.bold },
    ],
    [row('before', before, session.document.source.byteLength), row('after', after, bytes)],
    page,
  )
}

/** A table as wide as its content. */
export function renderWide(
  columns: Parameters<typeof renderTable>[0],
  rows: readonly (readonly string[])[],
  colors: Colors,
): string {
  return renderTable(columns, rows, { columns: Number.POSITIVE_INFINITY, colors })
}
