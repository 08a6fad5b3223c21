import { type Conversation, digest } from '@precis/core'
import { countSize } from '../evaluation/items/size.ts'

/** Of the recorded sessions, the summaries that agents wrote by a model have 2,500 to 3,300. */
export const SUMMARY_SIZE = 3000

/** What a careful model could write of a span that stands before `kept`. */
export async function writeCarefulSummary(
  { workingDirectory }: Conversation,
  span: Conversation['messages'],
  kept: Conversation['messages'],
  targetTokens: number,
): Promise<string> {
  const { text } = await digest().summarize({
    span,
    kept,
    targetTokens,
    brief: 'tail',
    workingDirectory,
    countTokens: countSize,
  })
  return text
}
