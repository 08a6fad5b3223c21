/**
 * The common data that every format is parsed into and every strategy plans over.
 *
 * All of it is readonly. A message without edits is the object that the format parsed, so
 * "untouched" is identity. Untouched messages are written as the bytes that were read.
 */
import { toJsonText } from './json-text.ts'

/** The wire protocol whose rules a conversation follows. Named like its message format. */
export type Protocol = 'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'gemini-contents'

/**
 * Who wrote a message. Only `user` means the user's own words. `synthetic` is text written instead
 * of the user or the agent: a summary, a continuation, output of a slash command, a notice of an
 * interruption, an injected reminder. `agent` is the model. `environment` is tools and the host.
 */
export type Origin = 'user' | 'synthetic' | 'agent' | 'environment'

interface PartBase {
  /**
   * The native block that this part was parsed from, owned by its format. If undefined, the part is
   * encoded from its fields.
   */
  readonly native?: unknown
  /** The ids that tie it to other parts, except the id of a call. `findBondedParts` reads them. */
  readonly bonds?: readonly Bond[]
  /**
   * Short values under keys that are not called ids. One that is the id of another part ties it to
   * that part.
   */
  readonly mentions?: readonly Bond[]
  /** Whether it is a compaction of the provider, which replaces everything before it. */
  readonly compaction?: Compaction
}

/** An id that a part has or names. */
export interface Bond {
  /** The place of the id in its block: `id`, `tool_use_id`, `caller.tool_id`. */
  readonly key: string
  readonly id: string
}

export interface Compaction {
  /** Undefined if only the provider can read it. */
  readonly text?: string
}

/** Readable words, by anyone who wrote the message. */
export interface TextPart extends PartBase {
  readonly type: 'text'
  readonly text: string
}

/**
 * The model's reasoning. A signed or encrypted part must stay unchanged, and stay with the calls of
 * its message.
 */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning'
  readonly text: string
  /** Length in characters of the provider's signature or encrypted payload. 0 if there is none. */
  readonly signatureLength: number
  /**
   * Whether its provider requires it for what it led to. It stays or goes with its whole message.
   */
  readonly isNeeded?: boolean
}

/** The model asks for a tool to be run. */
export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call'
  readonly callId: string
  readonly name: string
  /**
   * In the provider's form: an object for Anthropic and Gemini, a string of JSON or free text for
   * OpenAI.
   */
  readonly input: unknown
  /** Like that of reasoning, for providers that sign calls too. 0 if the signature is lost. */
  readonly signatureLength?: number
  /** Where it runs, if the session records another folder than the conversation's. */
  readonly directory?: string
}

/** The result of a call. The host answers each call with one. */
export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result'
  readonly callId: string
  readonly name?: string
  readonly output: readonly ContentPart[]
  readonly isError: boolean
  /** How a command ended, if the host records it outside of the output. */
  readonly exitCode?: number
}

/** An image or a file. It contains only the measures, and the bytes stay in `native`. */
export interface MediaPart extends PartBase {
  readonly type: 'image' | 'file'
  readonly mediaType: string
  /** Size of the decoded data. 0 if it is only a reference. */
  readonly bytes: number
  readonly width?: number
  readonly height?: number
  /** For a PDF whose data contains the number. */
  readonly pages?: number
}

/** Anything that a format carries without understanding it. */
export interface OpaquePart extends PartBase {
  readonly type: 'opaque'
  /** The native type name, for example `server_tool_use`. */
  readonly kind: string
  /** The native block as JSON text, which is counted. */
  readonly text: string
}

/** Parts of any role. Reasoning, calls and results belong to one role each. */
export type ContentPart = TextPart | MediaPart | OpaquePart

interface MessageBase {
  readonly origin: Origin
  /**
   * Positions of this message's native records in its document, in ascending order, owned by its
   * format. Undefined if precis wrote the message.
   */
  readonly records?: readonly number[]
}

/** The system prompt, or a later instruction of the host. */
export interface SystemMessage extends MessageBase {
  readonly role: 'system'
  readonly parts: readonly ContentPart[]
  /**
   * Whether it is one of the listed messages of a request whose prompt is apart from them. Anthropic
   * takes such a message only in some places.
   */
  readonly isListed?: boolean
}

/** The user role. `origin` shows whether the user typed it. */
export interface UserMessage extends MessageBase {
  readonly role: 'user'
  readonly parts: readonly ContentPart[]
  /**
   * Whether the operator wrote it, because the provider accepts the operator's later words in no
   * other role.
   */
  readonly isOperator?: boolean
}

/** One answer of the model: text, reasoning, and the calls it asks for. */
export interface AssistantMessage extends MessageBase {
  readonly role: 'assistant'
  readonly parts: readonly (ContentPart | ReasoningPart | ToolCallPart)[]
}

/** Results. They are apart from the user role, even for providers that send them in that role. */
export interface ToolMessage extends MessageBase {
  readonly role: 'tool'
  readonly parts: readonly (ToolResultPart | OpaquePart)[]
}

/** The role decides which parts are allowed. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
/** The four roles. `tool` is anything that answers a call. */
export type Role = Message['role']
export type Part = Message['parts'][number]

/**
 * A history with its tools and its model. Plain data: `apply` makes new ones, and nothing
 * changes one.
 */
export interface Conversation {
  readonly protocol: Protocol
  readonly messages: readonly Message[]
  /**
   * Tool schemas as JSON text, one per tool. They are fixed overhead that is counted and never
   * edited.
   */
  readonly tools: readonly string[]
  /** The model that gave the latest answer, if the format records it. */
  readonly model?: string
  /** Who serves that model, under the agent's name for it, if the format records it. */
  readonly provider?: string
  /**
   * Whether the provider stores earlier messages, or some of these, and they are only named here.
   */
  readonly isContinued?: boolean
  /**
   * Edits of the context that the request asks for, by the provider's names:
   * `clear_tool_uses_20250919`.
   */
  readonly providerEdits?: readonly string[]
  /** Absolute path for relative paths in tool calls, if the format records it. */
  readonly workingDirectory?: string
  /**
   * Everything that the format needs to write the conversation again: original bytes and carried
   * entries. Owned by the format.
   */
  readonly document?: unknown
}

/**
 * The message with changed parts. Works for any role, although each role has its own types of
 * parts.
 */
export function changeParts(
  message: Message,
  change: <P extends Part>(parts: readonly P[]) => P[],
): Message {
  switch (message.role) {
    case 'system':
    case 'user':
      return { ...message, parts: change(message.parts) }
    case 'assistant':
      return { ...message, parts: change(message.parts) }
    case 'tool':
      return { ...message, parts: change(message.parts) }
  }
}

export function createSyntheticMessage(
  role: 'user' | 'assistant',
  text: string,
): UserMessage | AssistantMessage {
  return { role, origin: 'synthetic', parts: [{ type: 'text', text }] }
}

/** Whether it is not reasoning, not a call and not a result. */
export function isContentPart(part: Part): part is ContentPart {
  return (
    part.type === 'text' || part.type === 'image' || part.type === 'file' || part.type === 'opaque'
  )
}

/** All visible text of a part, as a reader of the conversation would see it. */
export function renderPart(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'opaque':
      return part.text
    case 'tool-call':
      return `${part.name} ${renderInput(part.input)}`
    case 'tool-result':
      return part.output.map(renderPart).join('\n')
    case 'image':
    case 'file':
      return `[${part.type} ${part.mediaType}]`
  }
}

/** The input of a tool call as text. JSON unless the provider already has a string. */
export function renderInput(input: unknown): string {
  if (input === undefined) return ''
  return typeof input === 'string' ? input : toJsonText(input)
}

/** Text parts of a message, joined by newlines. */
export function readText(message: Message): string {
  const texts: string[] = []
  for (const part of message.parts) if (part.type === 'text') texts.push(part.text)
  return texts.join('\n')
}
