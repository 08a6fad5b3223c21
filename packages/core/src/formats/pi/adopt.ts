import { toInputObject } from '../content/tool-input.ts'
import type { Adoption } from '../conversion/adoption.ts'
import { findProviderModel } from '../conversion/provider-ids.ts'
import type { NativeBlock } from './blocks.ts'

/** Conversations of other agents as sessions of pi. */
export const adoption: Adoption = {
  // pi speaks to every provider: it goes on with the one the session was with.
  findProtocol: (from) => from,
  marksHost: true,
  marksFailures: true,
  // pi 0.73 would send "(see attached image)".
  emptyResult: '(no output)',
  encodeInput: toInputObject,
  encodeMedia(part, { data, isReference, mediaType = part.mediaType }) {
    return part.type === 'file' || isReference ? undefined : locate({ type: 'image', data, mimeType: mediaType })
  },
  encodeReasoning({ text }, seal) {
    if (seal?.type === 'signature')
      return locate({ type: 'thinking', thinking: text, thinkingSignature: seal.signature })
    if (seal) return locate({ type: 'thinking', thinking: text, thinkingSignature: seal.data, redacted: true })
    // What nobody signed, pi sends as words of the answer.
    return undefined
  },
  findModel: findProviderModel,
  createDocument(start, { sessionId, timestamp }) {
    const { provider, model } = findProviderModel(start)
    const header = { type: 'session', version: 3, id: sessionId, timestamp, cwd: start.workingDirectory }
    const change = {
      type: 'model_change',
      id: '00000000',
      parentId: null,
      timestamp,
      provider,
      modelId: model,
    }
    return [header, change].map((entry) => `${JSON.stringify(entry)}\n`).join('')
  },
}

const OTHER_API = 'openai-completions'

/** Which API pi speaks to a provider; every other one takes Chat Completions. */
const APIS: ReadonlyMap<unknown, string> = new Map([
  ['anthropic', 'anthropic-messages'],
  ['openai', 'openai-responses'],
  ['google', 'google-generative-ai'],
  ['google-vertex', 'google-vertex'],
  ['azure', 'azure-openai-responses'],
  ['amazon-bedrock', 'bedrock-converse-stream'],
])

export function findApi(provider: unknown, model: unknown): string {
  const api = APIS.get(provider)
  if (api !== undefined || typeof provider !== 'string') return api ?? OTHER_API
  // Gateways speak to Claude as Anthropic does; only then pi sends signed reasoning as reasoning.
  const isClaude = provider.startsWith('opencode') && typeof model === 'string' && model.includes('claude')
  return isClaude || provider.includes('anthropic') ? 'anthropic-messages' : OTHER_API
}

function locate(block: object): NativeBlock {
  return { record: -1, block }
}
