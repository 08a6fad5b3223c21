import type { JsonObject } from '../../packages/core/src/formats/shared/json.ts'
import { cutPieces, type FakeTurn, type Wire } from './wire.ts'

/** `POST /v1beta/models/{model}:generateContent`, `:streamGenerateContent` and `:countTokens`. */
export const geminiContents: Wire = {
  name: 'gemini-contents',
  isAnswerPath: (path) =>
    path.endsWith(':generateContent') || path.endsWith(':streamGenerateContent'),
  isCountPath: (path) => path.endsWith(':countTokens'),
  findModel: (path) => path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf(':')),
  isStream: (path) => path.endsWith(':streamGenerateContent'),
  writeCount: (tokens) => ({ totalTokens: tokens }),
  writeAnswer: (turn) => writeResponse(turn, writeParts(turn), true),
  writeStream(turn) {
    const pieces = writeParts(turn).flatMap((part) =>
      typeof part.text === 'string'
        ? cutPieces(part.text).map((text) => ({ ...part, text }))
        : [part],
    )
    return pieces.map((part, index) => ({
      data: writeResponse(turn, [part], index === pieces.length - 1),
    }))
  },
  writeError: ({ status, message, type }) => ({
    error: { code: status, message, status: type.toUpperCase() },
  }),
  writeOverflow: (requestTokens, windowTokens) => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: `The input token count (${requestTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`,
        status: 'INVALID_ARGUMENT',
      },
    },
  }),
}

function writeParts({ reasoning, text, calls, number }: FakeTurn): JsonObject[] {
  return [
    ...(reasoning ? [{ text: reasoning, thought: true }] : []),
    ...(text ? [{ text }] : []),
    ...calls.map(({ name, input }, index) => ({
      functionCall: { name, args: input },
      // The first call of an answer carries the signature of all of it.
      ...(index === 0 && { thoughtSignature: `c2lnbmF0dXJl${String(number).padStart(4, '0')}` }),
    })),
  ]
}

function writeResponse(turn: FakeTurn, parts: readonly JsonObject[], isLast: boolean): JsonObject {
  const { usage, request, number, stop } = turn
  const finishReason = { end: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' }[stop]
  return {
    candidates: [{ content: { role: 'model', parts }, ...(isLast && { finishReason }), index: 0 }],
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output - usage.reasoning,
      totalTokenCount: usage.input + usage.output,
      ...(usage.cached > 0 && { cachedContentTokenCount: usage.cached }),
      ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
    },
    modelVersion: request.model,
    responseId: `response-${number}`,
  }
}
