/** Recordings whose every size is known. */
import { findModel } from '@precis/core'
import type { RecordedSession, RecordedStep } from './recorded-session.ts'

export interface MadeStep {
  /** Words that the tool gave, or the user said. */
  readonly words: number
  readonly secondsLater?: number
  /** Used instead of made-up words. */
  readonly text?: string
  readonly answer?: string
}

/**
 * One request of the user, then a tool that answers again and again, as the Anthropic API has it.
 */
export function createRecordedSession(
  made: readonly MadeStep[],
  model = 'claude-opus-4-8',
): RecordedSession {
  let timeMs = Date.UTC(2026, 3, 1)
  const steps = made.map(
    ({ words, secondsLater = 10, text, answer = 'go on' }, index): RecordedStep => {
      timeMs += secondsLater * 1000
      const said = text ?? createWords(words, index)
      const callId = `call_${index}`
      const command = answer
      const isLast = index === made.length - 1
      const input =
        index === 0
          ? { role: 'user', content: said }
          : {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: `call_${index - 1}`, content: said }],
            }
      const call = { type: 'tool_use', id: callId, name: 'Bash', input: { command } }
      return {
        input: [input],
        answer: [{ role: 'assistant', content: isLast ? 'done' : [call] }],
        messages: [
          index === 0
            ? { role: 'user', origin: 'user', parts: [{ type: 'text', text: said }] }
            : {
                role: 'tool',
                origin: 'environment',
                parts: [
                  {
                    type: 'tool-result',
                    callId: `call_${index - 1}`,
                    output: [{ type: 'text', text: said }],
                    isError: false,
                  },
                ],
              },
          {
            role: 'assistant',
            origin: 'agent',
            parts: isLast
              ? [{ type: 'text', text: 'done' }]
              : [{ type: 'tool-call', callId, name: 'Bash', input: { command } }],
          },
        ],
        timeMs,
        startsTurn: index === 0,
      }
    },
  )
  return {
    name: 'made',
    format: 'claude-code',
    requestFormat: 'anthropic-messages',
    model,
    workingDirectory: '/work/shop',
    system: undefined,
    tools: [],
    steps,
    windowTokens: findModel(model).contextWindowTokens,
    notInFileTokens: 0,
    compactions: 0,
    hasTimes: true,
  }
}

const VOCABULARY = [
  'the',
  'cart',
  'adds',
  'tax',
  'to',
  'each',
  'price',
  'and',
  'rounds',
  'it',
  'up',
]

function createWords(words: number, seed: number): string {
  const line = (index: number) =>
    `${index % 8 === 7 ? '\n' : ' '}${VOCABULARY[(index * 7 + seed) % VOCABULARY.length]}`
  return Array.from({ length: words }, (_, index) => line(index)).join('')
}
