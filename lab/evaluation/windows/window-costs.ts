/**
 * One recorded session in a window of a given size, with each plan: what a request costs, and what
 * later calls needed and did not find.
 */

import { auto, type ContextOptions, type Conversation, digest } from '@precis/core'
import { formats } from '@precis/core/formats'
import {
  findMissingNames,
  HORIZON_CALLS,
} from '../../../packages/precis/src/replay/carried-names.ts'
import { readConversationItems, renderItems } from '../../../packages/precis/src/replay/items.ts'
import {
  chooseReserve,
  type MeasuredSession,
  sum,
} from '../../../packages/precis/src/replay/recorded-session.ts'
import { listApplied } from '../../../packages/precis/src/replay/replay.ts'
import { replaySession } from '../../../packages/precis/src/replay/replay-session.ts'
import { langChainSummary, SENT_BY_DEFAULT } from '../../comparison/langchain.ts'

type Plan = Pick<ContextOptions, 'spend' | 'threshold' | 'target'>

export const PLANS: Readonly<Record<string, Plan>> = {
  '`least`': { spend: 'least' },
  '`balanced`': { spend: 'balanced' },
  '`most-context`': { spend: 'most-context' },
  'threshold .4, target .1': { threshold: 0.4, target: 0.1 },
}
export const LANGCHAIN = 'LangChain, at .8'

/** Multiples of the price of fresh input, as Anthropic's cache of five minutes has them. */
const READ = 0.1
const WRITE = 1.25

export interface WindowCost {
  readonly session: string
  readonly windowTokens: number
  readonly plan: string
  readonly requests: number
  /** Of a mean request with what was read again, in tokens of fresh input. */
  readonly cost: number
  readonly compressions: number
  /** Names that calls after a compression needed, up to the next one, and those that were lost. */
  readonly needed: number
  readonly missing: number
  /** Requests that were longer than the window allows. */
  readonly tooLong: number
}

/** Nothing where no plan does anything, or where fixed parts fill a third of the window. */
export async function measureWindow(
  session: MeasuredSession,
  windowTokens: number,
): Promise<readonly WindowCost[]> {
  if (session.fixedTokens > windowTokens * MOST_FIXED_SHARE) return []
  const found: WindowCost[] = []
  for (const [plan, how] of Object.entries(PLANS))
    found.push(await measurePlan(session, { windowTokens, plan, how }))
  found.push(await measureLangChain(session, windowTokens))
  return found.some(({ compressions }) => compressions > 0) ? found : []
}

const MOST_FIXED_SHARE = 1 / 3

interface Trial {
  readonly windowTokens: number
  readonly plan: string
  readonly how: Plan
}

export async function measurePlan(
  session: MeasuredSession,
  { windowTokens, plan, how }: Trial,
): Promise<WindowCost> {
  const { runs } = await replaySession(session, {
    ...how,
    strategy: auto,
    summarizer: digest(),
    windowTokens,
    cacheLifetimesSeconds: [ALWAYS_SECONDS],
  })
  const [run] = runs
  if (!run) throw new Error(`Replaying "${session.recorded.name}" gave no run.`)
  const applied = listApplied(run)
  return describe(session, windowTokens, plan, {
    units: sum(
      run.requests.map(
        ({ tokens, cachedTokens }) => READ * cachedTokens + WRITE * (tokens - cachedTokens),
      ),
    ),
    readAgainTokens: sum(applied.map(({ readAgainTokens }) => readAgainTokens)),
    compressions: applied.length,
    needed: run.needed,
    missing: run.missing,
    tooLong: run.requests.filter(({ fits }) => !fits).length,
  })
}

/** A cache that is always warm. */
const ALWAYS_SECONDS = 1e9

interface Sums extends Pick<WindowCost, 'compressions' | 'needed' | 'missing' | 'tooLong'> {
  readonly units: number
  readonly readAgainTokens: number
}

function describe(
  { recorded, steps }: MeasuredSession,
  windowTokens: number,
  plan: string,
  { units, readAgainTokens, ...sums }: Sums,
): WindowCost {
  const requests = steps.length
  const cost = (units + WRITE * readAgainTokens) / requests
  return { session: recorded.name, windowTokens, plan, requests, cost, ...sums }
}

/** Of the window: where it begins to summarize. */
const TRIGGER_SHARE = 0.8

/**
 * `summarizationMiddleware` with its default of 20 kept messages. A careful summary of what it
 * sends stands for its model. What it sends for that is paid as fresh input.
 */
async function measureLangChain(
  session: MeasuredSession,
  windowTokens: number,
): Promise<WindowCost> {
  const { steps, fixedTokens, counter, items, mentions } = session
  const reserveTokens = chooseReserve(steps, windowTokens)
  let history: Conversation['messages'] = []
  let [tokens, heldTokens] = [fixedTokens, 0]
  let pending: { start: number; text: string } | undefined
  const sums = { units: 0, readAgainTokens: 0, compressions: 0, needed: 0, missing: 0, tooLong: 0 }
  const settle = (end: number) => {
    if (!pending) return
    const future = items.slice(pending.start, end)
    const calls = future.filter(({ kind }) => kind === 'call').slice(0, HORIZON_CALLS)
    const names = new Set(calls.flatMap(({ entities }) => [...entities]))
    const past = mentions.findBefore(pending.start, names)
    const found = findMissingNames({ past, future, text: pending.text })
    sums.needed += found.needed
    sums.missing += found.missing.length
    sums.readAgainTokens += sum(found.readAgain.map((item) => counter.countText(item.text).upper))
  }
  for (const step of steps) {
    const answerAt = step.messages.findIndex(({ role }) => role === 'assistant')
    history = [...history, ...step.messages.slice(0, answerAt)]
    tokens += step.inputTokens
    if (tokens > TRIGGER_SHARE * windowTokens) {
      const left = await langChainSummary.compress(
        { ...formats.langchain.parse([]), messages: history },
        0,
      )
      const after = fixedTokens + countMessages(session, left.messages)
      if (after < tokens) {
        settle(step.answerItem)
        history = left.messages
        ;[tokens, heldTokens] = [after, fixedTokens]
        pending = { start: step.answerItem, text: renderItems(readConversationItems(left)) }
        sums.compressions++
        sums.units += SENT_BY_DEFAULT
      }
    }
    if (tokens + reserveTokens > windowTokens) sums.tooLong++
    sums.units += READ * heldTokens + WRITE * (tokens - heldTokens)
    heldTokens = tokens
    history = [...history, ...step.messages.slice(answerAt)]
    tokens += step.answerTokens
  }
  settle(items.length)
  return describe(session, windowTokens, LANGCHAIN, sums)
}

const countMessages = ({ counter }: MeasuredSession, messages: Conversation['messages']): number =>
  sum(messages.map((message) => counter.countMessage(message).upper))
