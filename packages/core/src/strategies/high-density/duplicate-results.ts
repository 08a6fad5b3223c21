import { renderInput } from '../../conversation/message.ts'
import { findResult } from '../clear-result.ts'
import type { CallView, StrategyView } from '../strategy.ts'
import { LONGEST_STUB } from '../stub.ts'
import { isReadOfFiles } from './stale-reads.ts'

/** Calls whose result a later one repeats, with what to say of them. */
export function findDuplicateResults(view: StrategyView): Map<CallView, string> {
  const outputs = new Set<string>()
  const reads = new Set<string>()
  const found: [CallView, string][] = []
  for (let index = view.calls.length - 1; index >= 0; index--) {
    const call = view.calls[index]!
    const text = isText(view, call) ? call.output : undefined
    // A short one may be the stub of one that was cleared: it repeats nothing.
    if (text === undefined || text.length <= LONGEST_STUB) continue
    const output = `${call.name} ${call.exitCode ?? ''}\n${text}`
    if (outputs.has(output)) found.push([call, 'same output as a later call'])
    outputs.add(output)
    // The file may have changed between two reads of it: the later one tells how it is.
    if (!isReadOfFiles(call) || call.isPartial || call.failed) continue
    // All that was asked counts, not the paths alone: a directory or a filter may make it another read.
    const read = `${call.name}\n${renderAsked(view, call)}`
    if (reads.has(read)) found.push([call, 'read again later'])
    reads.add(read)
  }
  // A result may be both; what is said first holds.
  return new Map(found.reverse())
}

function renderAsked(view: StrategyView, { message, part }: CallView): string {
  const call = view.conversation.messages[message]?.parts[part]
  return call?.type === 'tool-call' ? renderInput(call.input) : ''
}

/** Whether there is a result, and nothing but text in it. */
function isText(view: StrategyView, call: CallView): boolean {
  return findResult(view, call)?.output.every(({ type }) => type === 'text') ?? false
}
