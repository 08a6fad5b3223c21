import { toJsonText } from '../../conversation/json-text.ts'
import type { Message, Part } from '../../conversation/message.ts'
import { isSummary } from '../../conversation/summary-message.ts'
import { shrinkCopy } from '../content/shrink-copy.ts'
import { FormatError, type NewSession } from '../format.ts'
import { type JsonlSource, type OutputPiece, spliceLine } from '../json/lines.ts'
import type { JsonObject } from '../json/object.ts'
import { findArrayElements, findValue, type Replacement } from '../json/spans.ts'
import type { KeptDraft } from './drafts.ts'
import type { Entry } from './entries.ts'
import { encodeBlock, isNativeBlock } from './native-block.ts'

// A client that finds the usage of an older, larger request takes the session for full and compacts it at once:
// the newest usage above zero counts, so all of them are emptied.
const NO_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
}

/** Fields of an envelope that a new entry has in common with its neighbour. */
const SHARED_FIELDS = ['userType', 'entrypoint', 'cwd', 'sessionId', 'version', 'gitBranch', 'timestamp']

/** Where an entry stands in the session that is written. */
export interface Placement {
  readonly uuid: string
  readonly parentUuid: string | undefined
  readonly newSession: NewSession | undefined
  readonly isLast: boolean
}

/** An entry of the source with its envelope, and where somebody edited it its content, replaced in place. */
export function spliceKeptEntry(
  source: JsonlSource,
  entry: Entry,
  draft: KeptDraft,
  { uuid, parentUuid, newSession, isLast }: Placement,
): OutputPiece[] {
  const replacements: Replacement[] = [
    { path: ['uuid'], json: JSON.stringify(uuid) },
    { path: ['parentUuid'], json: JSON.stringify(parentUuid ?? null), append: true },
  ]
  if (newSession) replacements.push({ path: ['sessionId'], json: JSON.stringify(newSession.sessionId), append: true })
  // The list of sessions is sorted by the time of the last entry, not of the file: a new session belongs on top.
  if (newSession && isLast) replacements.push({ path: ['timestamp'], json: JSON.stringify(newSession.timestamp) })
  if (entry.type === 'assistant') replacements.push({ path: ['message', 'usage'], json: JSON.stringify(NO_USAGE) })
  if (draft.parts)
    replacements.push(...replaceContent(source.readText(entry.start, entry.end), draft.parts, draft.untouched))
  return spliceLine(source, entry, replacements)
}

function replaceContent(line: string, parts: readonly Part[], untouched: ReadonlySet<Part>): Replacement[] {
  const elements = findArrayElements(line, ['message', 'content'])
  const [first] = parts
  let content: string
  if (!elements && parts.length === 1 && first?.type === 'text') content = JSON.stringify(first.text)
  else {
    const blocks = withoutBlankText(parts).map((part) => {
      const index = isNativeBlock(part.native) ? part.native.index : undefined
      const element = index === undefined || !untouched.has(part) ? undefined : elements?.[index]
      return element ? line.slice(element.start, element.end) : toJsonText(encodeBlock(part))
    })
    content = `[${blocks.join(',')}]`
  }
  const replacements: Replacement[] = [{ path: ['message', 'content'], json: content }]
  const copy = findValue(line, ['toolUseResult'])
  if (copy && parts.some((part) => part.type === 'tool-result' && !untouched.has(part))) {
    replacements.push({ path: ['toolUseResult'], json: shrinkCopy(line.slice(copy.start, copy.end)) })
  }
  return replacements
}

/** The API refuses blank text blocks, and with them every later resume. */
function withoutBlankText(parts: readonly Part[]): readonly Part[] {
  const filled = parts.filter((part) => part.type !== 'text' || part.text.trim() !== '')
  return filled.length > 0 ? filled : parts
}

/** The line of an entry that no session had before. `envelope` is the entry of a neighbour. */
export function renderNewEntry(
  message: Message,
  { uuid, parentUuid, newSession }: Placement,
  envelope: JsonObject,
  model: string | undefined,
): string {
  if (message.role === 'system') {
    throw new FormatError(
      'cannot-serialize',
      'Writing a claude-code session: found a system message. Claude Code makes its system prompt anew; leave it out.',
    )
  }
  const shared = Object.fromEntries(SHARED_FIELDS.flatMap((key) => (key in envelope ? [[key, envelope[key]]] : [])))
  return toJsonText({
    parentUuid: parentUuid ?? null,
    isSidechain: false,
    ...shared,
    ...(newSession && { sessionId: newSession.sessionId, timestamp: newSession.timestamp }),
    ...(message.role === 'assistant'
      ? renderAnswer(message.parts, uuid, model)
      : (renderNotice(message.parts) ?? renderWords(message))),
    uuid,
  })
}

function renderAnswer(parts: readonly Part[], uuid: string, model: string | undefined): object {
  return {
    type: 'assistant',
    message: {
      id: `msg_precis_${uuid.replaceAll('-', '')}`,
      type: 'message',
      role: 'assistant',
      model: model ?? '<synthetic>',
      content: withoutBlankText(parts).map(encodeBlock),
      stop_reason: parts.some((part) => part.type === 'tool-call') ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: NO_USAGE,
    },
  }
}

/** A notice that Claude Code keeps as an attachment: as a block of a message the API would refuse it. */
function renderNotice([part, ...others]: readonly Part[]): object | undefined {
  if (part?.type !== 'opaque' || others.length > 0) return undefined
  const { native } = part
  return isNativeBlock(native) && native.index === undefined
    ? { type: 'attachment', attachment: native.block }
    : undefined
}

/** Flags keep the client from showing or counting as typed what nobody typed. */
function renderWords(message: Message): object {
  const [first] = message.parts
  const isText = message.parts.length === 1 && first?.type === 'text'
  const content = isText ? first.text : withoutBlankText(message.parts).map(encodeBlock)
  const flags = isSummary(message)
    ? { isVisibleInTranscriptOnly: true, isCompactSummary: true }
    : message.role === 'user' && message.origin !== 'user'
      ? { isMeta: true }
      : {}
  return { type: 'user', message: { role: 'user', content }, ...flags }
}

export function renderTitle({ sessionId, title }: NewSession): string {
  return JSON.stringify({ type: 'custom-title', customTitle: title, sessionId })
}
