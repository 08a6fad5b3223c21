/** A conversation of one format for a session of another: what an agent began, another one goes on with. */
import { repairInvariants } from '../../conversation/invariants/index.ts'
import { answerPendingCalls } from '../../conversation/invariants/tool-call-without-result.ts'
import { type Conversation, isContentPart, type Message, type Part } from '../../conversation/message.ts'
import { type Format, FormatError } from '../format.ts'
import type { Adoption } from './adoption.ts'
import { noteCarriedRecords } from './carried-records.ts'
import {
  type ConversionContext,
  convertAnswerPart,
  convertContent,
  convertResult,
  wrapHostWords,
} from './convert-part.ts'
import { type ConversionLoss, LossTable } from './loss.ts'
import { createCallNames } from './rename-calls.ts'

export interface ConvertedConversation {
  /** Valid under the rules of the target; its messages still name the records of the source. */
  readonly conversation: Conversation
  readonly losses: readonly ConversionLoss[]
  /** The message of the source behind one that says all that it said. */
  readonly sources: ReadonlyMap<Message, Message>
}

/** Whether sessions of this format can take in conversations of others. */
export function canAdopt(format: Format): boolean {
  return format.adoption !== undefined
}

/** Throws `FormatError` when the target takes in no conversations of other formats. */
export function convertConversation(from: Conversation, target: Format): ConvertedConversation {
  const adoption = readAdoption(target)
  const losses = new LossTable()
  const context: ConversionContext = { from, adoption, losses, names: createCallNames() }
  const sources = new Map<Message, Message>()
  const messages: Message[] = []
  for (const message of from.messages) {
    const converted = convertMessage(message, context)
    if (!converted) continue
    messages.push(converted)
    if (saysTheSame(message, converted)) sources.set(converted, message)
  }
  if (from.tools.length > 0) losses.note('tool-schema', 'tool', from.tools.length)
  const { document: _document, ...facts } = from
  const protocol = adoption.findProtocol(from.protocol)
  const unrepaired: Conversation = { ...facts, tools: [], protocol, messages }
  // The agent that goes on never gets the results of what another one ran.
  const conversation = repairInvariants(answerPendingCalls(repairInvariants(unrepaired)))
  noteUnpaired(unrepaired, conversation, losses)
  noteCarriedRecords(from, losses)
  return { conversation, losses: losses.list(), sources }
}

export function readAdoption({ adoption, name }: Format): Adoption {
  if (adoption) return adoption
  throw new FormatError(
    'cannot-serialize',
    `Converting a session: a ${name} document takes in no conversation of another format. Give the format of an agent: claude-code, codex, copilot, gemini-cli, opencode or pi.`,
  )
}

function convertMessage(message: Message, context: ConversionContext): Message | undefined {
  const { adoption, losses } = context
  const { origin, records } = message
  const base = { origin, ...(records && { records }) }
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
      const told = origin === 'user' || adoption.marksHost ? parts : parts.map(wrapHostWords)
      return parts.length === 0 ? undefined : { ...base, role: 'user', parts: adoption.adaptWords?.(told) ?? told }
    }
    case 'assistant': {
      const parts = message.parts.flatMap((part) => convertAnswerPart(part, context))
      if (parts.some(({ type }) => type !== 'reasoning')) return { ...base, role: 'assistant', parts }
      // Reasoning alone is no answer to any API.
      if (parts.length > 0) losses.note('reasoning', 'without an answer', parts.length)
      return undefined
    }
    case 'tool': {
      const results = message.parts.flatMap((part) =>
        part.type === 'tool-result' ? [convertResult(part, context)] : [],
      )
      for (const part of message.parts) if (part.type === 'opaque') losses.note('provider-block', part.kind)
      return results.length === 0 ? undefined : { ...base, role: 'tool', parts: results }
    }
  }
}

function nameHostMessage(parts: readonly Part[]): string {
  return parts.find((part) => part.type === 'opaque')?.kind ?? 'surroundings'
}

/** Whether nothing of it was lost or reworded, reasoning and ids of calls aside. */
function saysTheSame(before: Message, after: Message): boolean {
  const [old, now] = [listSaid(before.parts), listSaid(after.parts)]
  return old.length === now.length && old.every((part, index) => isSamePart(part, now[index]))
}

function listSaid(parts: readonly Part[]): Part[] {
  const isSaid = (part: Part) => part.type !== 'text' || part.text.trim() !== ''
  return parts
    .filter((part) => part.type !== 'reasoning' && isSaid(part))
    .flatMap((part): Part[] => (part.type === 'tool-result' ? part.output.filter(isSaid) : [part]))
}

function isSamePart(before: Part, after: Part | undefined): boolean {
  if (!after || before.type !== after.type) return false
  if (before.type === 'text') return after.type === 'text' && before.text === after.text
  return before.type === 'tool-call' || isContentPart(before)
}

/** What the rules of the provider made go: results without a call, calls that are there twice. */
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
