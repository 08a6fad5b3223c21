/** Compresses without cutting the last request of the user, where a little more room than the budget spares it. */

import type { Conversation } from '../conversation/message.ts'
import { type Compression, compressConversation } from '../engine/compress-conversation.ts'
import type { CompressOptions } from '../engine/options.ts'
import { keepsRequest } from '../engine/view.ts'

export interface SparingOptions extends CompressOptions {
  /** The most that a result may have where the last request does not stay whole within the budget. */
  readonly stretchTokens?: number | undefined
}

/** Throws and rejects as `compressConversation` does. */
export async function compressSparingRequest(
  given: Conversation,
  { stretchTokens = 0, ...options }: SparingOptions,
): Promise<Compression> {
  const compression = await compressConversation(given, options)
  const isWhole = keepsRequest(given, compression.conversation)
  if (isWhole || stretchTokens <= options.budgetTokens) return compression
  const stretched = await compressConversation(given, { ...options, budgetTokens: stretchTokens })
  const fits = stretched.report.after.tokens <= stretchTokens
  return fits && keepsRequest(given, stretched.conversation) ? stretched : compression
}
