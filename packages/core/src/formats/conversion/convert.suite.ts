/**
 * For tests: the content of a conversation, described the same way for every format, and sessions
 * of one agent written for another.
 */
import { parseJson, toJsonText } from '../../conversation/json-text.ts'
import type { Conversation, Message, Part } from '../../conversation/message.ts'
import { readOutput } from '../shared/format.suite.ts'
import type { Format, SessionStart } from '../shared/format.ts'
import { createNewSession } from '../shared/new-session.suite.ts'
import { type ConvertedConversation, convertConversation, serializeConverted } from './convert.ts'

export interface WrittenConversion extends ConvertedConversation {
  readonly text: string
  /** The conversation as the target reads it. */
  readonly written: Conversation
}

export function convert(from: Conversation, target: Format): WrittenConversion {
  const converted = convertConversation(from, target)
  const text = write(converted.conversation, from, target)
  return { ...converted, text, written: target.parse(text) }
}

export function write(conversation: Conversation, from: Conversation, target: Format): string {
  const start: SessionStart = {
    workingDirectory: from.workingDirectory ?? '/work/project',
    protocol: from.protocol,
    ...(from.model !== undefined && { model: from.model }),
    ...(from.provider !== undefined && { provider: from.provider }),
  }
  return readOutput(serializeConverted(conversation, target, start, createNewSession(target)))
}

/**
 * One line for each part, with results last. Some agents store results with their calls, whatever
 * came in between.
 */
export function listWords({ messages }: Pick<Conversation, 'messages'>): string[] {
  const lines = messages.flatMap(describeMessage)
  const isResult = (line: string) => line.startsWith('result ')
  return [...lines.filter((line) => !isResult(line)), ...lines.filter(isResult).sort()]
}

function describeMessage({ role, origin, parts }: Message): string[] {
  const speaker = role === 'user' && origin !== 'user' ? 'host' : role
  return parts.map((part) => `${describePart(part, speaker)}`)
}

function describePart(part: Part, speaker: string): string {
  switch (part.type) {
    case 'text':
      return `${speaker}: ${part.text}`
    case 'reasoning':
      return `reasoning: ${part.text} ${part.signatureLength > 0}`
    case 'tool-call':
      return `call ${part.callId} ${part.name} ${toJsonText(readInput(part.input))}`
    case 'tool-result':
      return `result ${part.callId} ${part.output.map(describeOutput).join('\n')}`
    case 'image':
    case 'file':
      return `${speaker}: ${part.type} ${part.mediaType} ${part.bytes}`
    case 'opaque':
      return `${speaker}: ${part.kind}`
  }
}

/** Several texts in a row count as one, because some agents store results as one text. */
function describeOutput(part: Part): string {
  return part.type === 'text' ? part.text : describePart(part, 'output')
}

function readInput(input: unknown): unknown {
  return typeof input === 'string' ? (parseJson(input) ?? input) : input
}
