/** Short notation for spans that a digest is made of in tests. */
import type { AssistantMessage, Message, ToolMessage } from '../conversation/message.ts'
import type { SummaryRequest } from '../summarizers/summarizer.ts'
import { digest } from './digest.ts'

export const countTokens = (text: string) => Math.ceil(text.length / 4)

let used = 0

/** A call with its result, after the agent's words if there are any. */
export function step(
  name: string,
  input: unknown,
  output: string,
  { words = '', isError = false } = {},
): Message[] {
  const callId = `call_${used++}`
  const call: AssistantMessage = {
    role: 'assistant',
    origin: 'agent',
    parts: [
      ...(words ? [{ type: 'text' as const, text: words }] : []),
      { type: 'tool-call', callId, name, input },
    ],
  }
  const answer: ToolMessage = {
    role: 'tool',
    origin: 'environment',
    parts: [
      { type: 'tool-result', callId, name, output: [{ type: 'text', text: output }], isError },
    ],
  }
  return [call, answer]
}

export async function digestOf(
  span: readonly Message[],
  request: Partial<SummaryRequest> = {},
): Promise<string> {
  const defaults = { kept: [], targetTokens: 2_000, brief: 'tail', countTokens } as const
  const { text } = await digest().summarize({ span, ...defaults, ...request })
  return text
}

/** The last steps as they stand: commands, calls of tools and what was said before them. */
export function stepsOf(text: string): string[] {
  const lines = sectionOf(text, /Where things stand/)
  return lines
    .slice(lines.indexOf('- The last steps:') + 1)
    .map((line) => line.slice(line.startsWith('\t') ? 1 : 0))
}

/** Lines below a heading, up to the next one. */
export function sectionOf(text: string, heading: RegExp): string[] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith('## ') && heading.test(line))
  if (start < 0) return []
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '))
  return lines.slice(start + 1, end < 0 ? undefined : end).filter((line) => line !== '')
}
