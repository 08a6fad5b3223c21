/**
 * What a compression before a request would have left, and what of it would have been missing
 * later, for many requests of a recorded session and several sizes. All that is known of the future
 * is in here.
 */

import { setImmediate } from 'node:timers/promises'
import { createContext } from '@precis/core'
import {
  findMissingNames,
  HORIZON_CALLS,
} from '../../../packages/precis/src/replay/carried-names.ts'
import { type MeasuredSession, sum } from '../../../packages/precis/src/replay/recorded-session.ts'
import type { ReplayOptions } from '../../../packages/precis/src/replay/replay-session.ts'

/** One compression of the whole history before a request. Tokens are without what is fixed. */
export interface Trial {
  readonly tokens: number
  /** Of the beginning, unchanged. */
  readonly keptTokens: number
  readonly losses: readonly Loss[]
}

/** A text that has to be read again because names of it are needed and gone. */
interface Loss {
  /** The first request, counted from 0, whose answer needs it. */
  readonly request: number
  readonly tokens: number
  /** How many names of it are gone. */
  readonly names: number
}

/** By the request before which they are made, counted from 0. */
export type Trials = ReadonlyMap<number, readonly Trial[]>

const SHARES = [0.15, 0.25, 0.35, 0.5, 0.65]
// A compression each so many requests is as good as one at any of them; a pause counts in any case.
const LEAST_REQUESTS = 6
const MOST_MOMENTS = 24
const PAUSE_SECONDS = 300
// Of less than this there is next to nothing to gain.
const LEAST_TOKENS = 12_000

export async function measureTrials(
  session: MeasuredSession,
  { strategy, summarizer }: Pick<ReplayOptions, 'strategy' | 'summarizer'>,
  onProgress: (share: number) => void = () => {},
): Promise<Trials> {
  const { recorded, model, steps } = session
  const trials = new Map<number, readonly Trial[]>()
  const every = Math.max(LEAST_REQUESTS, Math.ceil(steps.length / MOST_MOMENTS))
  const natives: object[] = []
  let tokens = 0
  let sentAtMs: number | undefined
  for (const [request, step] of steps.entries()) {
    natives.push(...step.input)
    tokens += step.inputTokens
    const pauseMs = (step.timeMs ?? 0) - (sentAtMs ?? step.timeMs ?? 0)
    sentAtMs = step.timeMs ?? sentAtMs
    const isMoment = request % every === every - 1 || pauseMs > PAUSE_SECONDS * 1000
    if (isMoment && tokens >= LEAST_TOKENS) {
      const context = createContext<object>({
        model: model.id,
        format: recorded.requestFormat,
        strategy,
        summarizer,
        messages: [...natives],
        windowTokens: UNLIMITED_TOKENS,
      })
      const found: Trial[] = []
      const before = context.messages
      for (const share of SHARES) {
        await setImmediate()
        const { outcome } = await context.compress({
          budgetTokens: Math.floor(context.state.tokens * share),
        })
        if (outcome.type !== 'compressed') continue
        const after = context.messages
        const changed = after.findIndex((native, index) => native !== before[index])
        found.push({
          tokens: session.countNatives(after),
          keptTokens: session.countNatives(changed < 0 ? after : after.slice(0, changed)),
          losses: findLosses(session, request, session.render(after)),
        })
        context.undo()
      }
      trials.set(request, found)
      onProgress(request / steps.length)
    }
    natives.push(...step.answer)
    tokens += step.answerTokens
  }
  return trials
}

const UNLIMITED_TOKENS = 10_000_000

function findLosses(session: MeasuredSession, request: number, text: string): Loss[] {
  const { items, mentions, steps, counter } = session
  const start = steps[request]?.answerItem ?? items.length
  const future = items.slice(start)
  const calls = future.filter(({ kind }) => kind === 'call').slice(0, HORIZON_CALLS)
  const names = new Set(calls.flatMap(({ entities }) => [...entities]))
  const { missing, readAgain } = findMissingNames({
    past: mentions.findBefore(start, names),
    future,
    text,
  })
  const neededAt = new Map(
    missing.map((name) => [
      name,
      start + future.findIndex(({ kind, entities }) => kind === 'call' && entities.has(name)),
    ]),
  )
  return readAgain.map((item) => {
    const uses = [...neededAt].filter(([name]) => item.entities.has(name))
    const first = Math.min(...uses.map(([, index]) => index))
    const found = steps.findLastIndex(({ answerItem }) => answerItem <= first)
    return {
      request: Math.max(found, request),
      tokens: counter.countText(item.text).upper,
      names: uses.length,
    }
  })
}

/** Of the texts that are needed again before a request. */
export function countReadAgain({ losses }: Trial, beforeRequest: number): number {
  return sum(losses.flatMap(({ request, tokens }) => (request < beforeRequest ? [tokens] : [])))
}
