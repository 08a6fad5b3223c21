import type { Conversation, Message } from '@precis/core'
import {
  type KnownItem,
  knowEntities,
  readConversationItems,
  renderItems,
} from '../../packages/precis/src/replay/items.ts'
import { attemptCompression } from './attempt-compression.ts'
import { baselines } from './baselines/index.ts'
import type { CostResult, EvaluationOptions } from './evaluation.ts'
import { beforeFirstCompaction } from './find-points.ts'
import type { EvaluatedStrategy } from './method.ts'
import type { Recording } from './recording.ts'
import { type ReplayedHistory, replayCost, type Shrink, TRIGGER_TOKENS } from './replay-cost.ts'

/**
 * The cost of a session with every method at every budget; nothing for a session that never reaches
 * the trigger.
 */
export async function* evaluateCost(
  recording: Recording,
  options: EvaluationOptions,
): AsyncGenerator<CostResult> {
  const history = readHistory(recording)
  if (history.counter.countConversation(history.conversation).upper <= TRIGGER_TOKENS) return
  const { name: session } = recording
  for (const budget of options.budgets) {
    const size = budget.sizeFor(TRIGGER_TOKENS)
    if (size >= TRIGGER_TOKENS) continue
    const methods: (readonly [string, Shrink])[] = [
      ...options.strategies.map(
        (strategy) => [strategy.name, shrinkBy(strategy, size, history, options)] as const,
      ),
      ...baselines.map(({ name, render }) => [name, shrinkToText(render, size, history)] as const),
    ]
    for (const [method, shrink] of methods) {
      const replayed = await replayCost(history, shrink)
      if (replayed.compressions > 0) yield { session, budget: budget.label, method, ...replayed }
    }
  }
}

function readHistory(recording: Recording): ReplayedHistory {
  const { items, workingDirectory, counter } = recording
  const end = beforeFirstCompaction(items).at(-1)?.row ?? -1
  const known = new WeakMap<Message, readonly KnownItem[]>()
  const itemsOf = (message: Message) => {
    const found =
      known.get(message) ??
      knowEntities(readConversationItems({ messages: [message] }), workingDirectory)
    known.set(message, found)
    return found
  }
  return {
    conversation: recording.readBefore(end + 1),
    itemsOf,
    render: (window) => renderItems(window.flatMap(itemsOf)),
    counter,
  }
}

function shrinkBy(
  strategy: EvaluatedStrategy,
  budgetTokens: number,
  { counter }: ReplayedHistory,
  { onFailure }: EvaluationOptions,
): Shrink {
  return async (window) => {
    const attempt = await attemptCompression(window, { counter, strategy, budgetTokens }, onFailure)
    return attempt.type === 'fits' ? attempt.conversation : undefined
  }
}

/** A baseline leaves one text instead of everything. */
function shrinkToText(
  render: (items: readonly KnownItem[], size: number) => string,
  size: number,
  { itemsOf }: ReplayedHistory,
): Shrink {
  return async (window: Conversation) => {
    const text = render(window.messages.flatMap(itemsOf), size)
    return {
      ...window,
      messages: [{ role: 'user', origin: 'synthetic', parts: [{ type: 'text', text }] }],
    }
  }
}
