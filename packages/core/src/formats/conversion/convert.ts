/**
 * Converts a conversation of one format to a session of another, so that another agent can continue
 * it.
 */

import {
  aConversation,
  aFormat,
  anObject,
  checkArguments,
  checkValue,
} from '../../conversation/check-options.ts'
import { duplicateCallId } from '../../conversation/invariants/duplicate-call-id.ts'
import { repairInvariants } from '../../conversation/invariants/index.ts'
import { answerPendingCalls } from '../../conversation/invariants/tool-call-without-result.ts'
import {
  type Conversation,
  isContentPart,
  type Message,
  type Part,
} from '../../conversation/message.ts'
import {
  type Format,
  FormatError,
  type FormatOutput,
  type NewSession,
  type SessionImport,
  type SessionStart,
} from '../shared/format.ts'
import { withoutRecords } from '../shared/records.ts'
import { createCallNames } from '../shared/tool-calls.ts'
import {
  type ConversionContext,
  type ConversionLoss,
  convertAnswerPart,
  convertContent,
  convertResult,
  LossTable,
  noteCarriedRecords,
  wrapHostWords,
} from './convert-part.ts'

export interface ConvertedConversation {
  /** Valid under the rules of the target. Its messages still name the records of the source. */
  readonly conversation: Conversation
  readonly losses: readonly ConversionLoss[]
  /** Maps each message without losses to the message of the source that it was made from. */
  readonly sources: ReadonlyMap<Message, Message>
}

export function canImport(format: Format): boolean {
  checkValue('Looking at a format', 'format', format, aFormat)
  return format.import !== undefined
}

/** Throws `FormatError` if the target does not import conversations of other formats. */
export function convertConversation(from: Conversation, target: Format): ConvertedConversation {
  checkArguments('Converting', { from, target }, { from: aConversation, target: aFormat })
  const rules = findImport(target)
  const losses = new LossTable()
  const context: ConversionContext = { from, rules, losses, names: createCallNames() }
  const sources = new Map<Message, Message>()
  const messages: Message[] = []
  // Where calls of one answer share an id, the order of the results tells which is whose.
  const { messages: named } = duplicateCallId.repair(from)
  for (const [index, message] of from.messages.entries()) {
    const converted = convertMessage(named[index] ?? message, context)
    if (!converted) continue
    messages.push(converted)
    if (hasSameWords(message, converted)) sources.set(converted, message)
  }
  if (from.tools.length > 0) losses.note('tool-schema', 'tool', from.tools.length)
  // Only its provider knows what a request continues. A session of an agent is whole.
  const { document: _document, isContinued: _isContinued, ...facts } = from
  const protocol = rules.findProtocol(from.protocol)
  const unrepaired: Conversation = { ...facts, tools: [], protocol, messages }
  // The agent that continues never gets the results of calls that another agent ran.
  const conversation = repairInvariants(answerPendingCalls(repairInvariants(unrepaired)))
  noteUnpaired(unrepaired, conversation, losses)
  noteCarriedRecords(from, losses)
  return { conversation, losses: losses.list(), sources }
}

function findImport({ import: rules, name }: Format): SessionImport {
  if (rules) return rules
  throw new FormatError(
    'cannot-serialize',
    `Converting a session: a ${name} document takes in no conversation of another format. Give the format that an agent stores its sessions in.`,
  )
}

function convertMessage(message: Message, context: ConversionContext): Message | undefined {
  const { rules, losses } = context
  const { origin, records } = message
  const base = { origin, records }
  switch (message.role) {
    case 'system':
      losses.note('system-prompt', message.role)
      return undefined
    case 'user': {
      if (origin === 'environment') {
        losses.note('host-message', nameHostMessage(message.parts))
        return undefined
      }
      const parts = message.parts.flatMap((part) => convertContent(part, context))
      const marked = origin === 'user' || rules.marksHost ? parts : parts.map(wrapHostWords)
      return parts.length === 0
        ? undefined
        : { ...base, role: 'user', parts: rules.adaptWords?.(marked) ?? marked }
    }
    case 'assistant': {
      const parts = message.parts.flatMap((part) => convertAnswerPart(part, context))
      if (parts.some(({ type }) => type !== 'reasoning'))
        return { ...base, role: 'assistant', parts }
      // No API accepts an answer that is only reasoning.
      if (parts.length > 0) losses.note('reasoning', 'without an answer', parts.length)
      return undefined
    }
    case 'tool': {
      const results = message.parts.flatMap((part) =>
        part.type === 'tool-result' ? [convertResult(part, context)] : [],
      )
      for (const part of message.parts)
        if (part.type === 'opaque') losses.note('provider-block', part.kind)
      return results.length === 0 ? undefined : { ...base, role: 'tool', parts: results }
    }
  }
}

function nameHostMessage(parts: readonly Part[]): string {
  return parts.find((part) => part.type === 'opaque')?.kind ?? 'surroundings'
}

/** Whether all words are the same. Ignores reasoning and ids of calls. */
function hasSameWords(before: Message, after: Message): boolean {
  const [old, now] = [listWords(before.parts), listWords(after.parts)]
  return old.length === now.length && old.every((part, index) => isSamePart(part, now[index]))
}

function listWords(parts: readonly Part[]): Part[] {
  const hasWords = (part: Part) => part.type !== 'text' || part.text.trim() !== ''
  return parts
    .filter((part) => part.type !== 'reasoning' && hasWords(part))
    .flatMap((part): Part[] =>
      part.type === 'tool-result' ? part.output.filter(hasWords) : [part],
    )
}

function isSamePart(before: Part, after: Part | undefined): boolean {
  if (!after || before.type !== after.type) return false
  if (before.type === 'text') return after.type === 'text' && before.text === after.text
  return before.type === 'tool-call' || isContentPart(before)
}

/** Notes what the rules of the provider removed: results without a call, and duplicate calls. */
function noteUnpaired(before: Conversation, after: Conversation, losses: LossTable): void {
  if (before === after) return
  const kept = new Set(after.messages.flatMap(({ parts }): readonly Part[] => parts))
  for (const { type } of before.messages.flatMap(({ parts }): readonly Part[] =>
    parts.filter((part) => !kept.has(part)),
  )) {
    if (type === 'reasoning') losses.note('reasoning', type)
    else if (type === 'tool-call' || type === 'tool-result') losses.note('unpaired', type)
  }
}

/**
 * Writes a converted conversation, compressed or not, as a new session of `target`. Returns bytes
 * in pieces.
 */
export function serializeConverted(
  conversation: Conversation,
  target: Format,
  start: SessionStart,
  newSession: NewSession,
): FormatOutput {
  checkArguments(
    'Writing a converted session',
    { conversation, target, start, newSession },
    { conversation: aConversation, target: aFormat, start: anObject, newSession: anObject },
  )
  const document = new TextEncoder().encode(findImport(target).createDocument(start, newSession))
  const empty = target.parse({
    byteLength: document.length,
    read: (from, to) => document.subarray(from, to),
  })
  const messages = conversation.messages.map(withoutRecords)
  const model = conversation.model ?? start.model ?? empty.model
  return target.serialize({ ...empty, messages, model }, newSession)
}
