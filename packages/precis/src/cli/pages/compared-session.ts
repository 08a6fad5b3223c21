import {
  type Conversation,
  createTokenCounter,
  findModel,
  type InspectedMessage,
  inspectMessages,
  type TokenCounter,
} from '@precis/core'
import type { ByteSource, FormatName } from '@precis/core/formats'
import type { Difference } from '../../archive/compare-messages.ts'
import type { ArchivedCompression } from '../../archive/compressions.ts'
import { findMessageFates, type MessageFate } from '../../archive/message-fates.ts'
import type { ArchivedSpan } from '../../archive/read-original.ts'
import { findRecordSpans } from '../../archive/record-spans.ts'
import type { JsonObject } from '../../sessions/lines.ts'

/** What the page of `precis diff` is made of. */
export interface ComparedSession {
  readonly compression: ArchivedCompression
  /** What the command reported then. */
  readonly report: JsonObject
  readonly counter: TokenCounter
  readonly before: readonly InspectedMessage[]
  readonly after: readonly InspectedMessage[]
  /** Tool schemas, which no compression changes. */
  readonly fixedTokens: { readonly before: number; readonly after: number }
  readonly fates: readonly MessageFate[]
  /** The span of a native record of the original, for `precis restore`. */
  readonly spanOf: (record: number) => number | undefined
}

export interface ComparedParts {
  readonly compression: ArchivedCompression
  readonly report: JsonObject
  readonly spans: readonly ArchivedSpan[]
  /** The original. */
  readonly source: ByteSource
  readonly format: FormatName
  readonly before: Conversation
  readonly after: Conversation
  readonly differences: readonly Difference[]
}

/** Both are counted for one model, the one that goes on with the result. */
export function createComparedSession(parts: ComparedParts): ComparedSession {
  const { compression, report, spans, source, format, differences } = parts
  const counter = createTokenCounter(findModel(parts.after.model ?? parts.before.model ?? ''))
  const [before, after] = [inspectMessages(parts.before, counter), inspectMessages(parts.after, counter)]
  const recordSpans = findRecordSpans(source, format, spans)
  return {
    compression,
    report,
    counter,
    before,
    after,
    fixedTokens: { before: counter.countFixed(parts.before).upper, after: counter.countFixed(parts.after).upper },
    fates: findMessageFates(differences, before, after),
    spanOf: (record) => recordSpans.get(record)?.span,
  }
}
