import { toJsonText } from '../conversation/json-text.ts'
import type { Conversation } from '../conversation/message.ts'
import { aiSdk } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { chooseFormat } from './detection/choose-format.ts'
import type { Format, FormatInput, FormatName } from './format.ts'
import { geminiCli } from './gemini-cli.ts'
import { geminiContents } from './gemini-contents.ts'
import { readMember } from './json/object.ts'
import { langchain } from './langchain.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'

export { type ModelMessage, toModelMessages } from './ai-sdk/model-messages.ts'
export {
  beginsWith,
  describeMessages,
  describeParts,
  findGrowth,
  type Growth,
  type JoinedSession,
  joinSessions,
  readWhole,
} from './continuation/join-sessions.ts'
export type { Adoption, SessionStart } from './conversion/adoption.ts'
export { type ConvertedConversation, canAdopt, convertConversation } from './conversion/convert-conversation.ts'
export type { ConversionLoss, LossKind } from './conversion/loss.ts'
export { serializeConverted } from './conversion/serialize-converted.ts'
export {
  type ByteSource,
  type Format,
  FormatError,
  type FormatErrorCode,
  type FormatInput,
  type FormatName,
  type FormatOutput,
  type NewSession,
} from './format.ts'

/** Every format by its name. */
export const formats: Readonly<Record<FormatName, Format>> = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'gemini-contents': geminiContents,
  'ai-sdk': aiSdk,
  langchain,
  'claude-code': claudeCode,
  codex,
  opencode,
  'gemini-cli': geminiCli,
  pi,
  copilot,
}

/** The format of a document, by its beginning alone. Throws `FormatError` with a reason when there is none. */
export function detectFormat(input: FormatInput): FormatName {
  return chooseFormat(Object.values(formats), input)
}

/** The bytes of a request body as its format writes it; undefined for a conversation that was parsed from no such body. */
export function measureRequest(conversation: Conversation): number | undefined {
  const name = readMember(conversation.document, 'formatName')
  const format = Object.values(formats).find((one) => one.kind === 'messages' && one.name === name)
  if (!format) return undefined
  const output = format.serialize(conversation)
  if (output instanceof Uint8Array) return output.byteLength
  return new TextEncoder().encode(typeof output === 'string' ? output : toJsonText(output)).byteLength
}
