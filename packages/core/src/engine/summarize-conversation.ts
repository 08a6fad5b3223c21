/** All of a conversation as one summary: what an agent asks for that compacts itself. */
import { apply, findBridge } from '../conversation/apply.ts'
import {
  aConversation,
  checkArguments,
  checkOptions,
  checkValue,
  texts,
} from '../conversation/check-options.ts'
import type { SummarizeEdit } from '../conversation/edit.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { createPause, inSteps } from '../conversation/steps.ts'
import {
  createSummaryMessage,
  isSummary,
  renderRecallPath,
} from '../conversation/summary-message.ts'
import { findLastUserRequest } from '../conversation/turns.ts'
import { digest } from '../digest/digest.ts'
import { countLedger, createLedger } from '../facts/ledger.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { carryLedger, findLedgerLimit, findWholeLedgerRoom } from './carry-ledger.ts'
import type { Compression } from './compress-conversation.ts'
import { fulfil } from './fulfil.ts'
import { openCounter } from './known.ts'
import { countModelSummary } from './limits.ts'
import { aCounter, summarizeKinds } from './option-kinds.ts'
import type { EngineOptions } from './options.ts'
import { createReport } from './report.ts'
import { SummaryWork } from './summary-work.ts'
import { withoutCompaction } from './without-compaction.ts'

export interface SummarizeOptions extends EngineOptions {
  /**
   * The largest size of the summary, including its frame. It may be larger if the user's words or
   * an earlier summary need it.
   */
  readonly budgetTokens: number
}

const NAME = 'whole-summary'

/**
 * One summary instead of all messages, including the latest request. Nothing of the history stays
 * next to it. For a short history, it may be longer than the history. Returns `unchanged` if there
 * is nothing to say, and `summary-failed` if only the summarizer says nothing. Rejects only when
 * aborted, or with `TypeError` or `RangeError` for impossible options.
 */
export async function summarizeConversation(
  given: Conversation,
  options: SummarizeOptions,
): Promise<Compression> {
  checkValue('Summarizing', 'conversation', given, aConversation)
  checkOptions('Summarizing', options, summarizeKinds, ['budgetTokens'])
  const counter = await openCounter(given, options)
  const { summarizer = digest(), pins = [], recall, isKept = recall !== undefined } = options
  const pause = createPause()
  const repaired = withoutCompaction(repairInvariants(given))
  for (const { messages } of [given, repaired]) await inSteps(counter.countInSteps(messages), pause)
  const recallText = recall ? renderRecallPath(recall) : ''
  const room = findRoom(repaired, { counter, pins, budgetTokens: options.budgetTokens, recallText })
  const ledger = carryLedger(repaired, {
    counter,
    pins,
    limitTokens: room.ledgerTokens,
    recall: recallText,
  })
  const work = new SummaryWork()
  const finish = (conversation: Conversation, outcome: Compression['outcome']): Compression => {
    const taken =
      conversation === given ? [] : [{ name: NAME, before: repaired, after: conversation }]
    const limits = { tokens: room.tokens }
    const found = { given, repaired, conversation, taken, attempts: [], chosen: {} }
    const settings = { strategy: NAME, counter, work, limits, pins, isKept, pause }
    return { outcome, conversation, report: createReport({ ...found, ...settings }) }
  }
  const whole = { start: 0, end: repaired.messages.length }
  const aim = { targetTokens: room.tokens, brief: 'tail', keep: [] } as const
  const span: SummarizeEdit = { type: 'summarize', ...whole, ...aim }
  const run = { ...options, counter, summarizer, pins, work, pause, ledger }
  const fulfilled = await fulfil(repaired, [span], run)
  if (!fulfilled && summarizer.name !== digest().name) {
    // Extraction shows whether there is anything to say.
    const extraction = { ...run, summarizer: digest(), work: new SummaryWork() }
    const { name } = summarizer
    if (await fulfil(repaired, [span], extraction))
      return finish(given, { type: 'summary-failed', summarizer: name, problems: work.problems })
  }
  const said = ledger.render([])
  if (!fulfilled && said === '')
    return finish(given, { type: 'unchanged', reason: 'nothing-eligible' })
  // The user's words are the whole summary if there is nothing else to say.
  const messages = [createSummaryMessage('', said, recallText)]
  const bare = { type: 'replace', ...whole, messages } as const
  return finish(apply(repaired, fulfilled ?? [bare]), { type: 'compressed' })
}

// A short history gets shorter by much: the host's own instructions stay next to it.
const MOST_OF_HISTORY = 1 / 4
// A history that begins with a summary is mostly that, and its words are carried on.
const MOST_OF_SUMMARIZED = 0.8

/**
 * The budget of a compaction that a host asks for: the size of a model's summary. It is larger if
 * that would cut the user's words, an earlier summary or the latest request. It never exceeds a
 * tenth of the window of the counter's model.
 */
export function countCompactionBudget(
  conversation: Conversation,
  counter: TokenCounter,
  pins: readonly string[] = [],
): number {
  checkArguments(
    'Counting a budget',
    { conversation, counter, pins },
    { conversation: aConversation, counter: aCounter, pins: texts },
  )
  const { messages } = conversation
  const { model } = counter
  const tokens = counter.countConversation(conversation).upper
  const usual = countModelSummary(Infinity, model)
  const carried = countCarried(messages, usual, counter)
  const words = Math.min(findWholeLedgerRoom(conversation, pins, counter), usual * MOST_GROWTH)
  const said = Math.max(Math.min(usual, tokens * MOST_OF_HISTORY), carried, words)
  const most = Math.min(
    model.contextWindowTokens * MOST_OF_WINDOW,
    Math.max(tokens * (messages.some(isSummary) ? MOST_OF_SUMMARIZED : MOST_OF_HISTORY), usual),
  )
  const request = messages[findLastUserRequest(messages) ?? -1]
  const asked = request ? counter.countMessage(request).upper : 0
  return Math.max(Math.floor(Math.min(said + asked, most)), 1)
}

// Beyond the share that they always have, the words of the user may add so many summaries of a
// model: some hundred short messages.
const MOST_GROWTH = 4
const MOST_OF_WINDOW = 1 / 10
// Even for a small history, a summary contains this much next to the user's words.
const LEAST_PROSE_TOKENS = 300
const SLACK_TOKENS = 24

interface RoomOptions {
  readonly counter: TokenCounter
  readonly pins: readonly string[]
  readonly budgetTokens: number
  readonly recallText: string
}

/**
 * The space of a summary, and of the ledger in it. It is larger than requested if that would cut
 * what was kept until now.
 */
function findRoom(
  conversation: Conversation,
  { counter, pins, budgetTokens, recallText }: RoomOptions,
) {
  const { messages, workingDirectory } = conversation
  const usual = countModelSummary(Infinity, counter.model)
  const tokens = Math.max(budgetTokens, countCarried(messages, usual, counter))
  const frame = createSummaryMessage('', '', recallText)
  const answer = findBridge(frame, undefined, conversation.protocol)
  const frameTokens = sum([frame, ...(answer ? [answer] : [])], counter) + SLACK_TOKENS
  const shareTokens = findLedgerLimit(conversation, pins, counter, tokens)
  const ledger = createLedger({ messages, pins, workingDirectory })
  const wordTokens = countLedger(ledger, (text) => counter.countText(text).upper)
  const most = Math.min(
    shareTokens + usual * MOST_GROWTH,
    counter.model.contextWindowTokens * MOST_OF_WINDOW,
  )
  const ledgerTokens = Math.max(shareTokens, Math.min(wordTokens, most))
  const proseTokens = tokens - frameTokens - Math.min(shareTokens, wordTokens)
  const saidTokens = Math.min(ledgerTokens, wordTokens)
  return {
    tokens: frameTokens + saidTokens + Math.max(proseTokens, LEAST_PROSE_TOKENS),
    ledgerTokens,
  }
}

/**
 * Soon after a summary, the history is little more than that summary. It gets the space of both, up
 * to the limit of any summary.
 */
function countCarried(messages: readonly Message[], usual: number, counter: TokenCounter): number {
  return messages.some(isSummary) ? Math.min(sum(messages, counter), usual) : 0
}

const sum = (messages: readonly Message[], counter: TokenCounter): number =>
  messages.reduce((total, message) => total + counter.countMessage(message).upper, 0)
