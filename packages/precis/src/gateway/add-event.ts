/**
 * What one session cost, and what the actions of the gateway cost and saved in it. It only
 * calculates, one event after another.
 *
 * Nothing is estimated without a measurement. A model without prices has no dollars, and a model
 * without timed answers has no seconds.
 */

import { findModel, type Model } from '@precis/core'
import { billPrompt, countModelSummary, priceTokens } from '@precis/core/engine'
import { type AccountEvent, addTurn, findHeldTokens } from './account-turn.ts'
import type { ActRecord } from './gateway.ts'
import {
  type AccountedAct,
  type CompactionAccount,
  createAccount,
  createModelAccount,
  type ModelAccount,
  type SessionAccount,
} from './session-account.ts'

const MOST_ENTRIES = 50
const MOST_MODELS = 20
const OTHER_MODELS = 'other models'

/**
 * The account with one more event. Sums do not depend on the order of events, but comparisons of
 * turns do.
 */
export function addEvent(account: SessionAccount | undefined, event: AccountEvent): SessionAccount {
  const before = account ?? createAccount(event.time)
  const { done } = event
  const name = chooseName(before, event.model)
  const known =
    (Object.hasOwn(before.models, name) ? before.models[name] : undefined) ?? createModelAccount()
  const model = findModel(event.model)
  const hasAsked = done === undefined || done.type === 'replace'
  const turn = hasAsked && event.usage ? addTurn(known, event.usage, model, event) : undefined
  const compaction =
    done?.type === 'answer' ? findCompaction(known, done.record, model, event) : undefined
  // That a request fits is expected.
  const pass = event.pass?.reason === 'fits' ? undefined : event.pass
  const isEntry =
    done && (done.type !== 'replace' || done.record.tokensAfter < done.record.tokensBefore)
  return {
    agent: event.agent ?? before.agent,
    began: Math.min(before.began, event.time),
    used: Math.max(before.used, event.time),
    requests: before.requests + (hasAsked ? 1 : 0),
    errors: before.errors + (hasAsked && event.status >= 400 ? 1 : 0),
    models: turn ? { ...before.models, [name]: turn.account } : before.models,
    compactions:
      done && compaction
        ? addCompaction(before.compactions, compaction, done.record)
        : before.compactions,
    refusals: before.refusals + (done?.type === 'refuse' ? 1 : 0),
    acts: isEntry
      ? keepNewest(before.acts, describeAct(done, turn?.lostTokens ?? 0, compaction))
      : before.acts,
    passes: pass
      ? { ...before.passes, [pass.reason]: (before.passes[pass.reason] ?? 0) + 1 }
      : before.passes,
    passed: pass ? keepNewest(before.passed, { time: event.time, ...pass }) : before.passed,
  }
}

/** Limits the names, because a client may name any number of models. */
function chooseName({ models }: SessionAccount, name: string): string {
  return Object.hasOwn(models, name) || Object.keys(models).length < MOST_MODELS
    ? name
    : OTHER_MODELS
}

function keepNewest<Entry extends { readonly time: number }>(
  entries: readonly Entry[],
  entry: Entry,
): Entry[] {
  return [...entries, entry].sort((left, right) => right.time - left.time).slice(0, MOST_ENTRIES)
}

interface AnsweredCompaction {
  /** What the model's own compaction would have cost, in US dollars, and taken, in milliseconds. */
  readonly dollars: number | undefined
  readonly milliseconds: number | undefined
}

/** The model's own compaction: the history read again, and a summary of the usual size. */
function findCompaction(
  known: ModelAccount,
  record: ActRecord,
  model: Model,
  event: AccountEvent,
): AnsweredCompaction {
  const { last, timed } = known
  // The provider's own count of the turn before is more accurate than ours, which is an upper
  // bound.
  const tokens = last
    ? Math.min(record.tokensBefore, last.promptTokens + last.outputTokens)
    : record.tokensBefore
  const summaryTokens = countModelSummary(tokens, model)
  const prices = model.pricesPerMillionTokens
  const pricing = prices && {
    prices,
    cache: last?.caches ? model.cache : undefined,
    isLongLived: event.isLongLived,
  }
  const read = pricing && billPrompt(tokens, findHeldTokens(known, model, event), pricing)
  return {
    dollars: read && prices && priceTokens({ ...read, output: summaryTokens }, prices),
    milliseconds:
      timed.answers > 0
        ? timed.firstByteMilliseconds / timed.answers +
          (summaryTokens * timed.outputMilliseconds) / timed.outputTokens
        : undefined,
  }
}

function addCompaction(
  before: CompactionAccount,
  { dollars, milliseconds }: AnsweredCompaction,
  { tokensBefore, tokensAfter, milliseconds: ownMilliseconds }: ActRecord,
): CompactionAccount {
  return {
    count: before.count + 1,
    inputTokens: before.inputTokens + tokensBefore,
    outputTokens: before.outputTokens + tokensAfter,
    milliseconds: before.milliseconds + ownMilliseconds,
    priced: before.priced + (dollars === undefined ? 0 : 1),
    dollars: before.dollars + (dollars ?? 0),
    timed: before.timed + (milliseconds === undefined ? 0 : 1),
    savedMilliseconds:
      before.savedMilliseconds + (milliseconds === undefined ? 0 : milliseconds - ownMilliseconds),
  }
}

function describeAct(
  { type, record }: NonNullable<AccountEvent['done']>,
  lostTokens: number,
  compaction: AnsweredCompaction | undefined,
): AccountedAct {
  const { milliseconds } = compaction ?? {}
  return {
    ...record,
    type,
    ...(lostTokens > 0 && { lostTokens }),
    ...(compaction?.dollars !== undefined && { modelDollars: compaction.dollars }),
    ...(milliseconds !== undefined && { modelMilliseconds: milliseconds }),
  }
}
