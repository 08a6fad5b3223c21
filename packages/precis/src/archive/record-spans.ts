import { createHash } from 'node:crypto'
import type { ByteSource, FormatName } from '@precis/core/formats'
import type { ArchivedSpan } from './read-original.ts'
import { splitDocument } from './split-document.ts'

/** By number of a native record of the original, the span that gives it back. Records that stayed have none. */
export function findRecordSpans(
  source: ByteSource,
  format: FormatName,
  spans: readonly ArchivedSpan[],
): ReadonlyMap<number, ArchivedSpan> {
  // Of records of the same bytes any span gives them back, so they are taken in order.
  const byHash = new Map<string, ArchivedSpan[]>()
  for (const span of [...spans].reverse()) {
    const known = byHash.get(span.hash)
    if (known) known.push(span)
    else byHash.set(span.hash, [span])
  }
  const found = new Map<number, ArchivedSpan>()
  for (const { bytes, records } of splitDocument(source, format)) {
    if (records.length === 0) continue
    const same = byHash.get(createHash('sha256').update(bytes).digest('hex'))
    const span = same !== undefined && same.length > 1 ? same.pop() : same?.[0]
    if (span) for (const record of records) found.set(record, span)
  }
  return found
}
