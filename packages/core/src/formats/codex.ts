import type { Conversation, Message } from '../conversation/message.ts'
import { adoption } from './codex/adopt.ts'
import { cloneSession } from './codex/clone-session.ts'
import { continuation } from './codex/continuation.ts'
import { readRollout } from './codex/read-rollout.ts'
import { FORMAT_NAME, type Rollout } from './codex/rollout.ts'
import { writeSession } from './codex/write-session.ts'
import { readBeginning } from './detection/glimpse.ts'
import { type Format, FormatError, type NewSession } from './format.ts'
import { type JsonlSource, openJsonl, writePieces } from './json/lines.ts'
import { isSameList } from './json/same-list.ts'
import { readMessages } from './openai-responses/read-messages.ts'

interface CodexDocument {
  readonly format: typeof FORMAT_NAME
  readonly source: JsonlSource
  readonly rollout: Rollout
  /** As they were parsed, to see whether anything was edited. */
  readonly messages: readonly Message[]
}

const BEGINNING_UNITS = 1 << 14

/** Sessions of the Codex command line: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export const codex: Format = {
  name: FORMAT_NAME,
  kind: 'session',
  adoption,
  continuation,
  isCompaction: ({ type }) => type === 'compacted',
  detect(input) {
    const beginning = readBeginning(input, BEGINNING_UNITS)
    if (beginning === undefined) return 0
    if (/^\s*\{[^\n]{0,300}"type"\s*:\s*"session_meta"/.test(beginning)) return 1
    return /"type"\s*:\s*"(?:response_item|turn_context|event_msg)"/.test(beginning) && beginning.includes('"payload"')
      ? 0.6
      : 0
  },
  parse(input) {
    const source = openJsonl(input, FORMAT_NAME)
    const rollout = readRollout(source)
    const messages = readMessages(rollout.items)
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
  if (!isSameList(messages, document.messages)) {
    return writePieces(source, writeSession(source, rollout, messages, newSession))
  }
  if (newSession) return writePieces(source, cloneSession(source, rollout, newSession))
  return writePieces(source, [{ start: 0, end: source.length }])
}

function isCodexDocument(document: unknown): document is CodexDocument {
  return typeof document === 'object' && document !== null && 'format' in document && document.format === FORMAT_NAME
}
