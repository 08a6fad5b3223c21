/**
 * Rewriting by hand: what a strategy such as `bands` would have said in fewer words, for hosts that
 * write these texts themselves.
 *
 *   conversation ─► listRewriteTasks ─► your texts, in any order ─► applyRewrites ─► conversation
 */

import { apply, rewriteText } from '../conversation/apply.ts'
import { findBondedParts } from '../conversation/bonds.ts'
import {
  aConversation,
  aNumber,
  aText,
  checkOptions,
  checkValue,
  withMethods,
} from '../conversation/check-options.ts'
import { bisect } from '../conversation/lists.ts'
import { type Conversation, readText } from '../conversation/message.ts'
import { bands } from '../strategies/bands.ts'
import type { Strategy } from '../strategies/strategy.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { openCounter } from './known.ts'
import { aCounter } from './option-kinds.ts'
import { createView } from './view.ts'

/** One message to be said in fewer words. */
export interface RewriteTask {
  /** Position of the message in the conversation. */
  readonly message: number
  /** Position of its turn, from 0. */
  readonly turn: number
  /** Its text, without calls and reasoning. */
  readonly text: string
  readonly tokens: number
  /** Upper limit of the new text. */
  readonly targetTokens: number
}

export interface RewriteTaskOptions {
  /** A strategy that rewrites. `bands` by default. */
  readonly strategy?: Strategy
  /** The counter of the model that will read the result. By default that of the conversation. */
  readonly counter?: TokenCounter
}

const aRewriter = withMethods('a strategy that rewrites, such as bands', 'plan')
const aMap = withMethods('a Map of texts by position', 'entries', 'get')

/** The messages that a strategy rewrites, oldest first. Asks no model, and changes nothing. */
export async function listRewriteTasks(
  conversation: Conversation,
  options: RewriteTaskOptions = {},
): Promise<readonly RewriteTask[]> {
  checkValue('Listing rewrites', 'conversation', conversation, aConversation)
  checkOptions('Listing rewrites', options, { strategy: aRewriter, counter: aCounter })
  const { strategy = bands } = options
  const counter = await openCounter(conversation, options)
  const view = createView(conversation, counter)
  const plan = strategy.plan(view, { targetTokens: 0 })
  return ('edits' in plan ? plan.edits : []).flatMap((edit) => {
    const message = edit.type === 'rewrite' ? conversation.messages[edit.start] : undefined
    if (edit.type !== 'rewrite' || !message) return []
    const text = readText(message)
    const turn = bisect(view.turns.length, (place) => view.turns[place]!.end > edit.start)
    const { start, targetTokens } = edit
    return [{ message: start, turn, text, tokens: counter.countText(text).upper, targetTokens }]
  })
}

/**
 * The conversation with other texts, by the position of each message. Calls, results and reasoning
 * stay. An empty text leaves its message as it is. Throws `RangeError` for a position that the
 * conversation does not have.
 */
export function applyRewrites(
  conversation: Conversation,
  texts: ReadonlyMap<number, string>,
): Conversation {
  checkValue('Applying rewrites', 'conversation', conversation, aConversation)
  checkValue('Applying rewrites', 'texts', texts, aMap)
  const { tied } = findBondedParts(conversation.messages)
  const edits = [...texts]
    .toSorted(([a], [b]) => a - b)
    .map(([start, text]) => {
      checkValue('Applying rewrites', 'position', start, aNumber)
      checkValue('Applying rewrites', `the text of message ${start}`, text, aText)
      const message = conversation.messages[start]
      if (!message)
        throw new RangeError(
          `Applying a rewrite of message ${start}: the conversation has ${conversation.messages.length}. Give positions from 0.`,
        )
      const messages = [rewriteText(message, text.trim(), tied)]
      return { type: 'replace', start, end: start + 1, messages } as const
    })
  return apply(conversation, edits)
}
