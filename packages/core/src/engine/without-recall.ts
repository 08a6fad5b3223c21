import type { Conversation } from '../conversation/message.ts'
import { withoutRecallText } from '../conversation/summary-message.ts'
import { withoutRetrievable } from '../facts/receipt.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { measure, priceUncached } from './create-report.ts'
import type { Report } from './report.ts'

interface Compressed {
  readonly conversation: Conversation
  readonly report: Pick<Report, 'model' | 'before' | 'after' | 'cost' | 'receipt'>
}

/** A result whose original could not be kept after all: it promises nothing that cannot be looked up. */
export function withoutRecall<Result extends Compressed>(result: Result): Result {
  const { model, before, receipt } = result.report
  const counter = createTokenCounter(findModel(model))
  const messages = result.conversation.messages.map(withoutRecallText)
  const conversation = { ...result.conversation, messages }
  const after = measure(conversation, counter)
  const cost = priceUncached(counter.model, before, after)
  return {
    ...result,
    conversation,
    report: { ...result.report, after, cost, receipt: withoutRetrievable(receipt) },
  }
}
