import { parseTimestamp } from '../content/parse-timestamp.ts'
import { toInputObject } from '../content/tool-input.ts'
import type { Adoption } from '../conversion/adoption.ts'
import { findProviderModel } from '../conversion/provider-ids.ts'

/** Conversations of other agents as sessions of OpenCode. */
export const adoption: Adoption = {
  // OpenCode speaks to every provider: it goes on with the one the session was with.
  findProtocol: (from) => from,
  marksHost: true,
  marksFailures: true,
  encodeInput: toInputObject,
  encodeMedia(part, { data, isReference, mediaType = part.mediaType, filename }) {
    const url = isReference ? data : `data:${mediaType};base64,${data}`
    // Of plain text OpenCode sends the copy in a part of its own, not the file.
    if (mediaType === 'text/plain') return undefined
    return { type: 'file', mime: mediaType, ...(filename !== undefined && { filename }), url }
  },
  encodeReasoning({ text }, seal) {
    const base = { type: 'reasoning', text, time: { start: 0, end: 0 } }
    if (seal?.type === 'signature') return { ...base, metadata: { anthropic: { signature: seal.signature } } }
    if (seal) return { ...base, metadata: { anthropic: { redactedData: seal.data } } }
    // What nobody signed, OpenCode sends as words of the answer.
    return undefined
  },
  findModel: findProviderModel,
  createDocument(start, { sessionId, timestamp, title }) {
    const { provider, model } = findProviderModel(start)
    const timeMs = parseTimestamp(timestamp) ?? 0
    const info = {
      id: sessionId,
      slug: sessionId,
      projectID: 'global',
      directory: start.workingDirectory,
      title,
      version: '1.18.33',
      model: { id: model, providerID: provider },
      time: { created: timeMs, updated: timeMs },
    }
    return `${JSON.stringify({ info, messages: [] }, null, 2)}\n`
  },
}
