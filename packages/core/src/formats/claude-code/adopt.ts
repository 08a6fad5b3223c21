import { deriveUuid } from '../content/derive-uuid.ts'
import type { MediaSource } from '../content/media-source.ts'
import { toInputObject } from '../content/tool-input.ts'
import type { Adoption } from '../conversion/adoption.ts'
import type { NativeBlock } from './native-block.ts'

/** Conversations of other agents as sessions of Claude Code. */
export const adoption: Adoption = {
  findProtocol: () => 'anthropic-messages',
  marksHost: true,
  marksFailures: true,
  encodeInput: toInputObject,
  encodeMedia(part, source) {
    const mediaType = source.mediaType ?? part.mediaType
    if (part.type === 'image')
      return isTakenImage(mediaType, source)
        ? locate({ type: 'image', source: encodeSource(mediaType, source) })
        : undefined
    if (mediaType !== 'application/pdf') return undefined
    const { filename } = source
    return locate({
      type: 'document',
      source: encodeSource(mediaType, source),
      ...(filename !== undefined && { title: filename }),
    })
  },
  encodeReasoning({ text }, seal) {
    switch (seal?.type) {
      case 'signature':
        return locate({ type: 'thinking', thinking: text, signature: seal.signature })
      case 'redacted':
        return locate({ type: 'redacted_thinking', data: seal.data })
      case undefined:
        return undefined
    }
  },
  createDocument({ workingDirectory }, { sessionId, timestamp }) {
    // Nothing of it is written: new entries take their envelope from it.
    const envelope = {
      parentUuid: null,
      isSidechain: false,
      userType: 'external',
      cwd: workingDirectory,
      sessionId,
      version: '2.1.100',
      type: 'system',
      subtype: 'informational',
      uuid: deriveUuid(sessionId),
      timestamp,
    }
    return `${JSON.stringify(envelope)}\n`
  },
}

// What the API takes.
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

function isTakenImage(mediaType: string, { isReference }: MediaSource): boolean {
  return isReference || IMAGE_TYPES.has(mediaType)
}

function encodeSource(mediaType: string, { data, isReference }: MediaSource): object {
  return isReference ? { type: 'url', url: data } : { type: 'base64', media_type: mediaType, data }
}

function locate(block: object): NativeBlock {
  return { record: -1, index: undefined, block }
}
