import { toInputJson } from '../content/tool-input.ts'
import type { Adoption } from '../conversion/adoption.ts'

/** Conversations of other agents as rollouts of Codex. */
export const adoption: Adoption = {
  findProtocol: () => 'openai-responses',
  marksHost: false,
  marksFailures: false,
  // Codex 0.169 cuts the middle out of longer ones; for some models it leaves more.
  longestResult: 12_000,
  encodeInput: toInputJson,
  encodeMedia(part, { data, isReference, mediaType = part.mediaType, filename = 'file' }) {
    const url = isReference ? data : `data:${mediaType};base64,${data}`
    if (part.type === 'image') return { type: 'input_image', image_url: url }
    return isReference || mediaType !== 'application/pdf' ? undefined : { type: 'input_file', filename, file_data: url }
  },
  // The API takes back what it encrypted itself, and nothing else.
  encodeReasoning: () => undefined,
  createDocument({ workingDirectory }, { sessionId, timestamp }) {
    // Without a model and a provider: Codex goes on with those of its configuration.
    const payload = {
      id: sessionId,
      timestamp,
      cwd: workingDirectory,
      originator: 'precis',
      cli_version: '0.125.0',
      source: 'cli',
    }
    return `${JSON.stringify({ timestamp, type: 'session_meta', payload })}\n`
  },
}
