/** Makes one attempt: a strategy is asked for a plan, the plan is fulfilled, its edits applied. */
import { apply } from '../conversation/apply.ts'
import { type AppliedEdit, type Edit, isApplied, type SummarizeEdit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import { inSteps } from '../conversation/steps.ts'
import type { NoopReason, Strategy, StrategyOptions, StrategyView } from '../strategies/strategy.ts'
import { type FulfilRun, fulfil } from './fulfil.ts'

export interface AttemptOptions {
  /** The history, as the strategy sees it. */
  readonly view: StrategyView
  readonly options: StrategyOptions
  /** Whether what summarizers would do is left out. */
  readonly withoutSummaries?: boolean
  /**
   * Changes the plan before it is fulfilled. If it returns undefined, the plan is not fulfilled.
   */
  readonly change?: (edits: readonly Edit[]) => readonly Edit[] | undefined
}

/** What a strategy asked for, and what came of it. */
export interface Attempted {
  /** Why it asked for nothing. */
  readonly noop?: NoopReason
  /** Its plan. Empty if it asked for nothing. */
  readonly planned: readonly Edit[]
  /** The edits that were applied. Undefined if there were none, or if no summary was made. */
  readonly edits?: readonly AppliedEdit[]
  /** The history after them. */
  readonly conversation?: Conversation
}

/** One strategy over one history. The search for a size and a clone of a session both use it. */
export async function attempt(
  strategy: Strategy,
  { view, options, withoutSummaries = false, change = (edits) => edits }: AttemptOptions,
  run: FulfilRun,
): Promise<Attempted> {
  const { onProgress, pause, signal } = run
  const base = view.conversation
  onProgress?.('plan')
  await pause()
  const plan = strategy.planInSteps
    ? await inSteps(strategy.planInSteps(view, options), pause)
    : strategy.plan(view, options)
  await pause()
  if ('noop' in plan) return { noop: plan.noop, planned: [] }
  if (withoutSummaries) {
    const edits = plan.edits.filter(isApplied)
    return { planned: plan.edits, edits, conversation: apply(base, edits) }
  }
  const planned = change(plan.edits)
  if (!planned) return { planned: [] }
  if (!planned.every(isApplied)) onProgress?.('summarize')
  const edits = await fulfil(base, planned, run)
  signal?.throwIfAborted()
  if (!edits) return { planned }
  await pause()
  return { planned, edits, conversation: apply(base, edits) }
}

export const isSummarizeEdit = (edit: Edit): edit is SummarizeEdit => edit.type === 'summarize'

/** The same edit with more space for its summary. */
export const widen = (edit: Edit, tokens: number): Edit =>
  isSummarizeEdit(edit) ? { ...edit, targetTokens: Math.max(edit.targetTokens + tokens, 0) } : edit

/** The same edit without its summary: no summary can make a result that is smaller. */
export function toBare(edit: Edit): AppliedEdit[] {
  if (edit.type === 'rewrite') return []
  if (edit.type !== 'summarize') return [edit]
  const borders = [edit.start - 1, ...edit.keep, edit.end]
  return borders.slice(1).flatMap((border, index) => {
    const start = borders[index]! + 1
    return start < border ? [{ type: 'drop' as const, start, end: border }] : []
  })
}
