import type { Conversation, Message, SystemMessage } from '../conversation/message.ts'
import { readText } from '../conversation/message.ts'
import { FORMAT_NAME, type Rollout, readRollout } from './codex-rollout.ts'
import { writeRollout } from './codex-write.ts'
import { type Format, FormatError, type FormatInput, type NewSession } from './format.ts'
import { isJsonObject } from './json-object.ts'
import { type JsonlSource, openJsonl, writePieces } from './jsonl.ts'
import { readMessages } from './responses-items-messages.ts'

interface CodexDocument {
  readonly format: typeof FORMAT_NAME
  readonly source: JsonlSource
  readonly rollout: Rollout
  /** As they were parsed, to see whether anything was edited. */
  readonly messages: readonly Message[]
}

const BEGINNING_UNITS = 16_384

/** Sessions of the Codex command line: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export const codex: Format = {
  name: FORMAT_NAME,
  kind: 'session',
  detect(input) {
    const beginning = readBeginning(input)
    if (beginning === undefined) return 0
    if (/^\s*\{[^\n]{0,300}"type"\s*:\s*"session_meta"/.test(beginning)) return 1
    return /"type"\s*:\s*"(?:response_item|turn_context|event_msg)"/.test(beginning) && beginning.includes('"payload"')
      ? 0.6
      : 0
  },
  parse(input) {
    const source = openJsonl(input, FORMAT_NAME)
    const rollout = readRollout(source)
    const system = readInstructions(rollout)
    const history = readMessages(rollout.items)
    const messages = system ? [system, ...history] : history
    const { model, workingDirectory } = rollout
    const document: CodexDocument = { format: FORMAT_NAME, source, rollout, messages }
    return {
      protocol: 'openai-responses',
      messages,
      tools: [],
      ...(model !== undefined && { model }),
      ...(workingDirectory !== undefined && { workingDirectory }),
      document,
    }
  },
  serialize: serializeRollout,
}

function serializeRollout(conversation: Conversation, newSession?: NewSession) {
  const { document, messages } = conversation
  if (!isCodexDocument(document)) {
    throw new FormatError(
      'cannot-serialize',
      'Writing a codex session: the conversation was parsed from another format. Give one that was parsed from a rollout.',
    )
  }
  const { source, rollout } = document
  if (!newSession && isSameList(messages, document.messages)) {
    return writePieces(source, [{ start: 0, end: source.length }])
  }
  const isInstructions = (message: Message) => message.role === 'system' && message.records?.[0] === rollout.meta.index
  const system = messages.find(isInstructions)
  const instructions = system && system !== document.messages[0] ? readText(system) : undefined
  const edit = {
    messages: messages.filter((message) => !isInstructions(message)),
    ...(instructions !== undefined && { instructions }),
    ...(newSession && { newSession }),
  }
  return writePieces(source, writeRollout(source, rollout, edit))
}

/** Codex sends these as the first developer message of every request (0.169). */
function readInstructions({ meta }: Rollout): SystemMessage | undefined {
  const instructions = meta.payload.base_instructions
  const text = isJsonObject(instructions) ? instructions.text : undefined
  if (typeof text !== 'string' || text === '') return undefined
  return { role: 'system', origin: 'environment', parts: [{ type: 'text', text }], records: [meta.index] }
}

function readBeginning(input: FormatInput): string | undefined {
  try {
    const source = openJsonl(input, FORMAT_NAME)
    return source.readText(0, Math.min(source.length, BEGINNING_UNITS)).replace(/^\ufeff/, '')
  } catch {
    return undefined
  }
}

function isSameList(left: readonly Message[], right: readonly Message[]): boolean {
  return left.length === right.length && left.every((message, index) => message === right[index])
}

function isCodexDocument(document: unknown): document is CodexDocument {
  return typeof document === 'object' && document !== null && 'format' in document && document.format === FORMAT_NAME
}
