import type { Message } from '../conversation/message.ts'
import type { Generation, GenerationRequest, LanguageModel, SummaryRequest } from './summarizer.ts'

export const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0

export type Reply =
  | string
  | Partial<Extract<Generation, { type: 'text' }>>
  | Extract<Generation, { type: 'failed' }>

/** A model that says what the test says, and remembers what it was asked. */
export function createScriptedModel(
  reply: (request: GenerationRequest, number: number) => Reply,
  limits: { contextWindowTokens?: number; maxOutputTokens?: number } = {},
): LanguageModel & { readonly requests: GenerationRequest[]; readonly remembered: string[] } {
  const requests: GenerationRequest[] = []
  const remembered: string[] = []
  return {
    name: 'test/scripted',
    contextWindowTokens: limits.contextWindowTokens ?? 100_000,
    maxOutputTokens: limits.maxOutputTokens ?? 8000,
    countTokens: countWords,
    requests,
    remembered,
    generate: async (request) => {
      requests.push(request)
      const said = reply(request, requests.length)
      if (typeof said !== 'string' && said.type === 'failed') return said
      const given = typeof said === 'string' ? { text: said } : said
      const usage = {
        calls: 1,
        inputTokens: countWords(request.prompt),
        outputTokens: countWords(given.text ?? ''),
      }
      return { type: 'text', text: '', finishReason: 'stop', usage, ...given }
    },
    remember: async (_, text) => {
      remembered.push(text)
    },
  }
}

export const person = (text: string): Message => ({
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
})
export const agent = (text: string): Message => ({
  role: 'assistant',
  origin: 'agent',
  parts: [{ type: 'text', text }],
})
export const call = (callId: string, name: string, input: unknown): Message => ({
  role: 'assistant',
  origin: 'agent',
  parts: [{ type: 'tool-call', callId, name, input }],
})
export const result = (callId: string, text: string, isError = false): Message => ({
  role: 'tool',
  origin: 'environment',
  parts: [{ type: 'tool-result', callId, output: [{ type: 'text', text }], isError }],
})

/** A span with names in it, in English. */
export const span: readonly Message[] = [
  person(
    'Please fix the retry in src/net/retry.ts, and never touch the file config/limits.json while you are at it.',
  ),
  agent('I will look at the file first and then say what is wrong with it.'),
  call('1', 'read', { path: 'src/net/retry.ts' }),
  result('1', 'export function retryRequest() {\n  return waitBetweenAttempts()\n}\n'.repeat(20)),
  agent(
    'The delay is computed by waitBetweenAttempts, and it is never awaited; that is the reason for the failures.',
  ),
  call('2', 'bash', { command: 'npm test' }),
  result('2', 'Error: ETIMEDOUT in src/net/retry.ts', true),
]

export const goodSummary =
  'The person wants the retry in src/net/retry.ts to be fixed and config/limits.json not to be touched. The delay of waitBetweenAttempts is not awaited. The tests fail with ETIMEDOUT.'

export const tagged = (text: string): string => `<summary>\n${text}\n</summary>`

export function createRequest(change: Partial<SummaryRequest> = {}): SummaryRequest {
  return { span, kept: [], targetTokens: 100, brief: 'middle', countTokens: countWords, ...change }
}
