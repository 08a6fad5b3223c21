/** Accounts in the terms of the page and of `/sessions.json`, with the numbers that people need. */

import { findModel } from '@precis/core'
import type { ContextWindow } from '@precis/core/models'
import type { ListedAccount } from './accounts.ts'
import type { AccountedAct, ModelAccount, SessionAccount } from './session-account.ts'

/** Tokens as upstreams counted them. Each prompt token is in exactly one of the first three. */
interface TokenSums {
  readonly readFromCache: number
  readonly writtenToCache: number
  readonly uncached: number
  readonly output: number
}

/** A sum over items of which some could not be measured. */
export interface PartialSum {
  readonly value: number
  /** How many items the sum includes. */
  readonly measured: number
  readonly all: number
}

export interface Money {
  readonly tokens: TokenSums
  readonly requests: number
  readonly errors: number
  /** US dollars at list prices. `measured` and `all` count requests. */
  readonly dollars: PartialSum
  /**
   * Compactions that precis answered, what the models' own would have cost, and how much longer
   * they would have taken.
   */
  readonly compactions: number
  readonly compactionDollars: PartialSum
  readonly compactionMilliseconds: PartialSum
  /** Tokens of those answers, which were not billed. */
  readonly ownTokens: { readonly input: number; readonly output: number }
  /** Written to the provider's cache again because a request became shorter. */
  readonly lost: { readonly tokens: number; readonly dollars: number }
  /** Not sent because of that, in turns that would have fitted unchanged. */
  readonly saved: { readonly turns: number; readonly tokens: number; readonly dollars: number }
  /** Turns that would not have fitted unchanged. */
  readonly fittedTurns: number
  readonly refusals: number
  /** Actions that were expected but not taken, by reason. */
  readonly passes: Readonly<Record<string, number>>
}

export interface SessionSummary extends Money {
  readonly session: string
  readonly agent: string | undefined
  /** Milliseconds since 1970. */
  readonly began: number
  readonly used: number
  readonly models: readonly string[]
  /**
   * The latest prompt and answer of the model with the most traffic. Undefined if no upstream
   * reported any.
   */
  readonly context: WindowUse | undefined
  readonly acts: readonly AccountedAct[]
  readonly passed: SessionAccount['passed']
}

interface WindowUse extends ContextWindow {
  readonly model: string
  readonly tokens: number
  /** False if this model is unknown. */
  readonly isKnown: boolean
}

export function summarizeAccount({ session, account }: ListedAccount): SessionSummary {
  const { agent, began, used, acts, passed } = account
  return {
    session,
    agent,
    began,
    used,
    models: Object.keys(account.models),
    context: findContext(account.models),
    acts,
    passed,
    ...sumMoney([account]),
  }
}

function findContext(models: SessionAccount['models']): WindowUse | undefined {
  const [main] = Object.entries(models).sort(
    ([, left], [, right]) => sumPrompts(right) - sumPrompts(left),
  )
  if (!main?.[1].last) return undefined
  const [model, { last }] = main
  const { contextWindowTokens, known } = findModel(model)
  return {
    model,
    tokens: last.promptTokens + last.outputTokens,
    windowTokens: last.windowTokens ?? contextWindowTokens,
    isKnown: last.windowTokens !== undefined || known,
  }
}

const sumPrompts = ({ input, cachedInput, cacheWrite }: ModelAccount) =>
  input + cachedInput + cacheWrite

export function sumMoney(accounts: readonly SessionAccount[]): Money {
  const models = accounts.flatMap((account) => Object.values(account.models))
  const priced = models.filter(({ dollars }) => dollars !== undefined)
  const sum = <Item>(items: readonly Item[], read: (item: Item) => number) =>
    items.reduce((total, item) => total + read(item), 0)
  const count = sum(accounts, ({ compactions }) => compactions.count)
  return {
    tokens: {
      readFromCache: sum(models, ({ cachedInput }) => cachedInput),
      writtenToCache: sum(models, ({ cacheWrite }) => cacheWrite),
      uncached: sum(models, ({ input }) => input),
      output: sum(models, ({ output }) => output),
    },
    requests: sum(accounts, ({ requests }) => requests),
    errors: sum(accounts, ({ errors }) => errors),
    dollars: {
      value: sum(priced, ({ dollars = 0 }) => dollars),
      measured: sum(priced, ({ requests }) => requests),
      all: sum(models, ({ requests }) => requests),
    },
    compactions: count,
    compactionDollars: {
      value: sum(accounts, ({ compactions }) => compactions.dollars),
      measured: sum(accounts, ({ compactions }) => compactions.priced),
      all: count,
    },
    compactionMilliseconds: {
      value: sum(accounts, ({ compactions }) => compactions.savedMilliseconds),
      measured: sum(accounts, ({ compactions }) => compactions.timed),
      all: count,
    },
    ownTokens: {
      input: sum(accounts, ({ compactions }) => compactions.inputTokens),
      output: sum(accounts, ({ compactions }) => compactions.outputTokens),
    },
    lost: {
      tokens: sum(models, ({ lost }) => lost.tokens),
      dollars: sum(models, ({ lost }) => lost.dollars),
    },
    saved: {
      turns: sum(models, ({ saved }) => saved.turns),
      tokens: sum(models, ({ saved }) => saved.tokens),
      dollars: sum(models, ({ saved }) => saved.dollars),
    },
    fittedTurns: sum(models, ({ fittedTurns }) => fittedTurns),
    refusals: sum(accounts, ({ refusals }) => refusals),
    passes: sumPasses(accounts),
  }
}

function sumPasses(accounts: readonly SessionAccount[]): Record<string, number> {
  const passes: Record<string, number> = {}
  for (const [reason, count] of accounts.flatMap((account) => Object.entries(account.passes))) {
    passes[reason] = (passes[reason] ?? 0) + count
  }
  return passes
}
