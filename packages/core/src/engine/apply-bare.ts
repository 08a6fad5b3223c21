import { apply } from '../conversation/apply.ts'
import type { Edit, SettledEdit, SummarizeEdit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import { settleWithLedger } from './fulfil.ts'

/** What edits leave without any summary: no summary can make a result that is smaller. */
export function applyBare(base: Conversation, edits: readonly Edit[], ledger: CarriedLedger): Conversation {
  const dropped = edits.flatMap((edit): SettledEdit[] => {
    if (edit.type === 'rewrite') return []
    return edit.type === 'summarize' ? dropAround(edit) : [edit]
  })
  return apply(base, settleWithLedger(base, dropped, ledger))
}

function dropAround({ start, end, keep }: SummarizeEdit): SettledEdit[] {
  const borders = [start - 1, ...keep, end]
  return borders.slice(1).flatMap((border, index) => {
    const from = borders[index]! + 1
    return from < border ? [{ type: 'drop' as const, start: from, end: border }] : []
  })
}
