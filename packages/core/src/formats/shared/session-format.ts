/**
 * What the formats of agents that store sessions as lines share: copying, changing and rewriting a
 * session unchanged.
 */

import { parseJson } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import type { Conversation, Message, Protocol } from '../../conversation/message.ts'
import {
  type CompactionState,
  type Format,
  FormatError,
  type FormatInput,
  type LineAppend,
  type NewSession,
  type ProviderModel,
  refuseSession,
  type SessionStart,
} from './format.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { type JsonlSource, type OutputPiece, openJsonl, writePieces } from './lines.ts'
import { readBeginning } from './preview.ts'

/** The data that `parse` keeps for `serialize`. Formats add their own members. */
export interface SessionDocument {
  readonly format: string
  readonly source: JsonlSource
  readonly messages: readonly Message[]
}

export interface SessionCodec<Document extends SessionDocument>
  extends Pick<Format, 'name' | 'import' | 'isCompaction' | 'detect'> {
  readonly append?: LineAppend<Document>
  /** The conversation, and what is needed to write the session again. Throws `FormatError`. */
  readonly read: (source: JsonlSource) => {
    readonly conversation: Omit<Conversation, 'tools' | 'document'>
    readonly rest: Omit<Document, keyof SessionDocument>
  }
  /** The session with the edited messages of the conversation. A read-only format has none. */
  readonly write?: (
    document: Document,
    conversation: Conversation,
    newSession: NewSession | undefined,
  ) => Iterable<OutputPiece>
  /** All of a session without edits, under another id. A read-only format has none. */
  readonly clone?: (document: Document, newSession: NewSession) => Iterable<OutputPiece>
  /** All messages, including those that a compaction of the agent left out. */
  readonly readWhole?: (document: Document) => readonly Message[]
  /** See `Format.readCompactions`. */
  readonly readCompactions?: (document: Document) => readonly CompactionState[]
  /** See `Format.findStandIns`. */
  readonly findStandIns?: (document: Document) => ReadonlyMap<number, number>
}

export function createSessionFormat<Document extends SessionDocument>(
  codec: SessionCodec<Document>,
): Format<'session'> {
  const { name, read, write, clone, append, readWhole, readCompactions, findStandIns, ...others } =
    codec
  const findDocument = ({ document }: Conversation): Document => {
    if (isJsonObject(document) && document.format === name) return document as JsonObject & Document
    throw refuseSession(name, document)
  }
  return {
    ...others,
    name,
    kind: 'session',
    ...(!write && { isReadOnly: true }),
    parse(input) {
      const source = openJsonl(input, name)
      const { conversation, rest } = read(source)
      const { messages } = conversation
      return { ...conversation, tools: [], document: { ...rest, format: name, source, messages } }
    },
    serialize(conversation, newSession) {
      const document = findDocument(conversation)
      const { source } = document
      const isEdited = !isSameList(conversation.messages, document.messages)
      if (!isEdited && !newSession) return writePieces(source, [{ start: 0, end: source.length }])
      if (!write || !clone) throw refuseWriting(name)
      return writePieces(
        source,
        isEdited || !newSession
          ? write(document, conversation, newSession)
          : clone(document, newSession),
      )
    },
    append: append && {
      changesEarlier: append.changesEarlier && ((value) => append.changesEarlier?.(value) ?? false),
      findAdded:
        append.findAdded &&
        ((grown, messages) => append.findAdded?.(findDocument(grown), messages)),
      createAdapter: ({ base, grown, ...joint }) =>
        append.createAdapter({ ...joint, base: findDocument(base), grown: findDocument(grown) }),
    },
    readCompactions:
      readCompactions && ((conversation) => readCompactions(findDocument(conversation))),
    findStandIns: findStandIns && ((conversation) => findStandIns(findDocument(conversation))),
    readWhole:
      readWhole &&
      ((conversation) => ({ ...conversation, messages: readWhole(findDocument(conversation)) })),
  }
}

/** The state around a compaction in this line, read when it is asked for. */
export const createState = (
  readUntil: (line: number) => readonly Message[],
  line: number,
): CompactionState => ({
  get before() {
    return readUntil(line)
  },
  get after() {
    return readUntil(line + 1)
  },
})

function refuseWriting(name: string): FormatError {
  return new FormatError(
    'cannot-serialize',
    `Writing a ${name} session: precis only reads this format. Convert the session to another one.`,
  )
}

/** Agents create a new system prompt each time, so their sessions cannot hold one. */
export function refuseSystemMessage(name: string, agent: string): FormatError {
  return new FormatError(
    'cannot-serialize',
    `Writing a ${name} session: found a system message. ${agent} makes its system prompt anew; leave it out.`,
  )
}

/**
 * The value of the first line. Undefined for input that is not text, and for a line that is not
 * JSON.
 */
export function readFirstLine(input: FormatInput): unknown {
  return parseJson(readBeginning(input)?.trimStart().split('\n', 1)[0] ?? '')
}

const MOST_FIRST_LINE_UNITS = 1 << 16

/**
 * The value of a session that is one object. Undefined for a log, which has more lines after its
 * first object.
 */
export function readOnlyObject(source: JsonlSource): JsonObject | undefined {
  const beginning = source
    .readText(0, Math.min(source.length, MOST_FIRST_LINE_UNITS))
    .replace(/^\ufeff/, '')
  const lineEnd = beginning.indexOf('\n')
  const isLog =
    lineEnd >= 0 &&
    beginning.slice(lineEnd).trim() !== '' &&
    isJsonObject(parseJson(beginning.slice(0, lineEnd)))
  const value = isLog
    ? undefined
    : parseJson(source.readText(0, source.length).replace(/^\ufeff/, ''))
  return isJsonObject(value) ? value : undefined
}

/** The provider of a protocol, as agents with many providers name it. */
const PROVIDERS: Readonly<Record<Protocol, string>> = {
  'anthropic-messages': 'anthropic',
  'openai-chat': 'openrouter',
  'openai-responses': 'openai',
  'gemini-contents': 'google',
}

/** The recorded provider, or the best-known one for the session's protocol. */
export function findProviderModel({
  model = 'unknown',
  provider,
  protocol,
}: SessionStart): ProviderModel {
  return { provider: provider || PROVIDERS[protocol], model }
}
