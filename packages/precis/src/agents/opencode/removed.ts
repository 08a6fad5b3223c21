/** A session of OpenCode as its own client returns it: what is sent, and what compactions removed. */
import type { Conversation, Message } from '@precis/core'
import { opencode } from '@precis/core/formats'
import { asObject } from '../../files/lines.ts'
import type { RemovedPart } from '../shared/summarize-removed.ts'

/** `{ info, parts }`, oldest first. */
export type OpencodeRecords = readonly unknown[]

/**
 * What a compaction removes, up to the last record that OpenCode gives to its model. Undefined if
 * that record is not among those that are sent.
 *
 *   stored   a   question   summary   b   c   d   question
 *   sent         summary   b   c   d                    removed up to c, d stays
 */
export function readRemoval(records: OpencodeRecords, lastId: unknown): RemovedPart | undefined {
  const conversation = parse(records)
  const { messages } = conversation
  const last = messages.findLastIndex(({ records: own = [] }) =>
    own.some((index) => asObject(asObject(records[index])?.info)?.id === lastId),
  )
  if (last < 0) return undefined
  return {
    conversation,
    removed: messages.slice(0, last + 1),
    staying: messages.slice(last + 1),
  }
}

/** Everything that compactions removed from the session, or that OpenCode pruned. It keeps both. */
export function readRemoved(records: OpencodeRecords): readonly Message[] {
  const conversation = parse(records)
  const live = new Set(conversation.messages.flatMap((message) => message.records ?? []))
  const pruned = new Set<unknown>()
  const whole = opencode.readWhole?.(parse(records.map((record) => restorePruned(record, pruned))))
  return (whole?.messages ?? []).filter(
    ({ records: own = [], parts }) =>
      !own.some((index) => live.has(index)) ||
      parts.some((part) => part.type === 'tool-result' && pruned.has(part.callId)),
  )
}

/** The record without the mark that OpenCode puts on outputs that it no longer sends. */
function restorePruned(record: unknown, pruned: Set<unknown>): unknown {
  const { info, parts } = asObject(record) ?? {}
  if (!Array.isArray(parts)) return record
  const restored = parts.map((part: unknown) => {
    const { state, ...call } = asObject(part) ?? {}
    const { time, ...outcome } = asObject(state) ?? {}
    if (!asObject(time)?.compacted) return part
    pruned.add(call.callID)
    return { ...call, state: outcome }
  })
  return { info, parts: restored }
}

/** Without the questions that OpenCode puts before its summaries. */
function parse(records: OpencodeRecords): Conversation {
  const conversation = opencode.parse({ info: {}, messages: [...records] })
  return { ...conversation, messages: conversation.messages.filter((one) => !isQuestion(one)) }
}

const isQuestion = ({ parts }: Message): boolean =>
  parts.some(({ native }) => asObject(native)?.type === 'compaction')
