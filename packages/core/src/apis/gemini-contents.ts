import type { Usage } from '../context/context.ts'
import { isJsonObject, readMember } from '../formats/shared/json.ts'
import { type Api, readObjects, readTokens, type TextAnswer } from './api.ts'

/**
 * Google's `POST …/models/{model}:generateContent` and `:streamGenerateContent`. The address names
 * the model.
 */
export const geminiContents: Api = {
  format: 'gemini-contents',
  listKey: 'contents',
  readRequest(body, model = '') {
    const messages = readObjects(body.contents)
    if (!messages?.every((content) => Array.isArray(readMember(content, 'parts')))) return undefined
    const answerTokens =
      readTokens(readMember(body.generationConfig, 'maxOutputTokens')) || undefined
    const system = body.systemInstruction ?? body.system_instruction
    return { model, messages, system, tools: readObjects(body.tools), answerTokens }
  },
  writeMessages: (body, contents) => ({ ...body, contents }),
  readUsage,
  readEventUsage: (chunk, before) => readUsage(chunk) ?? before,
  isPrelude: () => false,
  findFailure: () => undefined,
  createAnswer,
  createEvents: (answer) => [{ data: createAnswer(answer) }],
}

export function readUsage(answer: unknown): Usage | undefined {
  const usage = readMember(answer, 'usageMetadata')
  if (!isJsonObject(usage)) return undefined
  return {
    inputTokens: readTokens(usage.promptTokenCount),
    outputTokens: readTokens(usage.candidatesTokenCount) + readTokens(usage.thoughtsTokenCount),
    cachedInputTokens: readTokens(usage.cachedContentTokenCount),
  }
}

function createAnswer({ text, model, id, usage }: TextAnswer) {
  const { inputTokens, outputTokens } = usage
  return {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
    modelVersion: model,
    responseId: id,
  }
}
