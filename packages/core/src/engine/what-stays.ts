/** Messages that every plan has to keep: system prompts, the last request, and calls that the agent has not answered yet. */
import { apply } from '../conversation/apply.ts'
import type { SettledEdit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import type { Strategy, StrategyView } from '../strategies/strategy.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import { createView } from './view.ts'

// What is clipped may take this much of the room, and more where there is little else to summarize.
const CLIPPED_SHARE = 0.8
const SUMMARY_FRAME_TOKENS = 100

/** Which of them, beside the system prompts. */
export interface Staying {
  readonly request: boolean
  /** Calls that are not answered yet, with their results and all that came since. */
  readonly open: boolean
}

/** The history without anything that may go, and with its ledger: no plan makes less of it unless it changes what stays. */
export function keepWhatStays(view: StrategyView, staying: Staying, ledger: CarriedLedger): Conversation {
  const stays = findStaying(view, staying)
  const drops = view.conversation.messages.flatMap((_, index): SettledEdit[] =>
    stays(index) ? [] : [{ type: 'drop', start: index, end: index + 1 }],
  )
  return ledger.say(apply(view.conversation, drops), drops[0]?.start)
}

/** Tokens of what stays, system prompts and tool schemas included. */
export function countStaying(view: StrategyView, staying: Staying): number {
  const stays = findStaying(view, staying)
  let tokens = view.fixedTokens
  view.conversation.messages.forEach((_, index) => {
    if (stays(index)) tokens += view.tokensBefore[index + 1]! - view.tokensBefore[index]!
  })
  return tokens
}

/**
 * Clips the messages that have to stay by `strategy`, so that they leave room for a summary of the rest in `room`; the same conversation when
 * nothing in it can be clipped.
 */
export function clipWhatStays(
  view: StrategyView,
  staying: Staying,
  room: number,
  counter: TokenCounter,
  strategy: Strategy,
): Conversation {
  const { conversation } = view
  const stays = findStaying(view, staying)
  const positions = conversation.messages.flatMap((_, index) => (stays(index) ? [index] : []))
  const bare = { ...conversation, messages: positions.map((index) => conversation.messages[index]!) }
  const overheadTokens = counter.countConversation({
    ...bare,
    messages: bare.messages.filter(({ role }) => role === 'system'),
  }).upper
  const restTokens = view.tokensBefore.at(-1)! + view.fixedTokens - countStaying(view, { request: true, open: true })
  const shareTokens = Math.max(Math.floor(room * CLIPPED_SHARE), room - restTokens - SUMMARY_FRAME_TOKENS, 0)
  const plan = strategy.plan(createView(bare, counter), { targetTokens: overheadTokens + shareTokens })
  if ('noop' in plan) return conversation
  const edits = plan.edits.flatMap((edit): SettledEdit[] =>
    edit.type === 'replace' && edit.end === edit.start + 1
      ? [{ ...edit, start: positions[edit.start]!, end: positions[edit.start]! + 1 }]
      : [],
  )
  return apply(conversation, edits)
}

function findStaying({ conversation, cutPoints, lastUserRequest }: StrategyView, { request, open }: Staying) {
  const openStart = open ? (cutPoints.openStart ?? Infinity) : Infinity
  return (index: number): boolean => {
    if (conversation.messages[index]?.role === 'system') return true
    return index === lastUserRequest ? request : index >= openStart
  }
}
