/**
 * The data in the middle: what every format is parsed into and every strategy plans over.
 *
 * All of it is readonly. A message without edits is the very object that the format parsed,
 * so "untouched" is identity, and untouched messages go out as the bytes that came in.
 */
import { toJsonText } from './json-text.ts'

/** The wire protocol whose rules a conversation has to obey. Named as its message format. */
export type Protocol = 'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'gemini-contents'

/**
 * Whose word a message is. Only `user` is the user's own word; `synthetic` is text written in the
 * user's or the agent's place (summary, continuation, slash-command output, interruption notice,
 * injected reminder); `agent` is the model's; `environment` comes from tools and the host.
 */
export type Origin = 'user' | 'synthetic' | 'agent' | 'environment'

interface PartBase {
  /**
   * The native block this part was parsed from, owned by its format. A part without one is encoded
   * from its fields.
   */
  readonly native?: unknown
  /** The ids that tie it to other parts, beside that of a call; `findBondedParts` reads them. */
  readonly bonds?: readonly Bond[]
  /** Whether it is a compaction of the provider, which stands for all that came before it. */
  readonly compaction?: Compaction
}

/** An id that a part has or names. */
export interface Bond {
  /** Where its block has it: `id`, `tool_use_id`, `caller.tool_id`. */
  readonly key: string
  readonly id: string
}

export interface Compaction {
  /** Undefined where only the provider can read it. */
  readonly text?: string
}

/** Words in the clear, of whoever the message is. */
export interface TextPart extends PartBase {
  readonly type: 'text'
  readonly text: string
}

/**
 * The model's reasoning. A signed or encrypted part may travel only unchanged and only with the
 * calls of its message.
 */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning'
  readonly text: string
  /**
   * Length in characters of the provider's signature or encrypted payload; 0 when there is none.
   */
  readonly signatureLength: number
  /**
   * Whether its provider takes what it led to only together with it: it goes with all of its
   * message or stays.
   */
  readonly isNeeded?: boolean
}

/** The model asks for a tool to be run. */
export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call'
  readonly callId: string
  readonly name: string
  /**
   * As the provider has it: an object for Anthropic and Gemini, a string of JSON or free text for
   * OpenAI.
   */
  readonly input: unknown
  /** As of reasoning, where the provider signs calls too; 0 for one that lost its signature. */
  readonly signatureLength?: number
}

/** The result of a call; the host answers each call with one. */
export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result'
  readonly callId: string
  readonly name?: string
  readonly output: readonly ContentPart[]
  readonly isError: boolean
}

/** An image or a file. Only its measures live here; its bytes stay in `native`. */
export interface MediaPart extends PartBase {
  readonly type: 'image' | 'file'
  readonly mediaType: string
  /** Size of the decoded data; 0 when it is only a reference. */
  readonly bytes: number
  readonly width?: number
  readonly height?: number
  /** Of a PDF, where its data says so. */
  readonly pages?: number
}

/** Anything a format carries without understanding it. */
export interface OpaquePart extends PartBase {
  readonly type: 'opaque'
  /** The native type name, for example `server_tool_use`. */
  readonly kind: string
  /** The native block as JSON text: what is counted. */
  readonly text: string
}

/** Parts of any role; reasoning, calls and results belong to one role each. */
export type ContentPart = TextPart | MediaPart | OpaquePart

interface MessageBase {
  readonly origin: Origin
  /**
   * Positions of this message's native records in its document, ascending, owned by its format.
   * Absent: precis wrote it.
   */
  readonly records?: readonly number[]
}

/** The system prompt, or a later instruction of the host. */
export interface SystemMessage extends MessageBase {
  readonly role: 'system'
  readonly parts: readonly ContentPart[]
}

/** The user role; `origin` says whether the user typed it. */
export interface UserMessage extends MessageBase {
  readonly role: 'user'
  readonly parts: readonly ContentPart[]
  /**
   * Whether it is the operator's, of whom the provider takes words in the middle in no other role.
   */
  readonly isOperator?: boolean
}

/** One answer of the model: text, reasoning, and the calls it asks for. */
export interface AssistantMessage extends MessageBase {
  readonly role: 'assistant'
  readonly parts: readonly (ContentPart | ReasoningPart | ToolCallPart)[]
}

/** Results, apart from the user role also for providers that send them in it. */
export interface ToolMessage extends MessageBase {
  readonly role: 'tool'
  readonly parts: readonly (ToolResultPart | OpaquePart)[]
}

/** The role decides which parts there may be. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
/** The four roles; `tool` is whoever answers a call. */
export type Role = Message['role']
export type Part = Message['parts'][number]

/**
 * A history with what counts beside it. Plain data: `apply` makes new ones, nothing changes one.
 */
export interface Conversation {
  readonly protocol: Protocol
  readonly messages: readonly Message[]
  /** Tool schemas as JSON text, one each: fixed overhead that counts and is never edited. */
  readonly tools: readonly string[]
  /** The model that gave the newest answer, where the format says. */
  readonly model?: string
  /** Who serves that model, by the agent's own name for it, where the format says. */
  readonly provider?: string
  /**
   * Whether messages before these, or some among them, lie at the provider and are only named here.
   */
  readonly isContinued?: boolean
  /**
   * Edits of the context that the request asks of the provider, by its names for them:
   * `clear_tool_uses_20250919`.
   */
  readonly providerEdits?: readonly string[]
  /** Absolute path that relative paths in tool calls resolve against, where the format says. */
  readonly workingDirectory?: string
  /**
   * Everything the format needs to write the conversation again: original bytes, carried entries.
   * Owned by the format.
   */
  readonly document?: unknown
}

/**
 * The message with what becomes of its parts, whatever its role: each role has parts of its own
 * types.
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

/** Whether it is neither reasoning nor a call nor a result. */
export function isContentPart(part: Part): part is ContentPart {
  return (
    part.type === 'text' || part.type === 'image' || part.type === 'file' || part.type === 'opaque'
  )
}

/** All visible text of a part: what a reader of the conversation would see of it. */
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

/** The input of a tool call as text; JSON unless the provider already has it as a string. */
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
