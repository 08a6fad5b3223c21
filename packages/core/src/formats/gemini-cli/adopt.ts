import type { ContentPart } from '../../conversation/message.ts'
import { deriveUuid } from '../content/derive-uuid.ts'
import { toInputObject } from '../content/tool-input.ts'
import type { Adoption } from '../conversion/adoption.ts'
import type { NativeBlock } from './blocks.ts'
import { isIgnored } from './read-messages.ts'

/** Conversations of other agents as sessions of Gemini CLI. */
export const adoption: Adoption = {
  findProtocol: () => 'gemini-contents',
  marksHost: false,
  marksFailures: true,
  encodeInput: toInputObject,
  encodeMedia(part, { data, isReference, mediaType = part.mediaType }) {
    return locate(
      isReference
        ? { fileData: { mimeType: mediaType, fileUri: data } }
        : { inlineData: { mimeType: mediaType, data } },
    )
  },
  // Thoughts are stored for the screen and never sent.
  encodeReasoning: () => undefined,
  adaptWords,
  createDocument({ workingDirectory, workingDirectoryHash }, { sessionId, timestamp }) {
    const projectHash = workingDirectoryHash ?? deriveUuid(workingDirectory).replaceAll('-', '')
    return `${JSON.stringify({ sessionId, projectHash, startTime: timestamp, lastUpdated: timestamp, kind: 'main' })}\n`
  },
}

const SPEAKER = 'User: '

/** Gemini CLI takes what begins like a command for one and does not send it. */
function adaptWords(parts: readonly ContentPart[]): readonly ContentPart[] {
  const blocks = parts.map((part) => (part.type === 'text' ? { text: part.text } : {}))
  const [first, ...rest] = parts
  if (first?.type !== 'text' || !isIgnored(blocks)) return parts
  return [{ type: 'text', text: `${SPEAKER}${first.text}` }, ...rest]
}

function locate(block: object): NativeBlock {
  return { record: -1, block }
}
