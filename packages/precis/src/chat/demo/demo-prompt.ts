import type { CallOptions } from './scripted-model.ts'

/** What the demo was sent, as its script reads it. */
export interface DemoPrompt {
  readonly model: string
  readonly windowTokens: number
  readonly tokens: number
  readonly messages: number
  /** Of the person, oldest first; without what precis wrote. */
  readonly requests: readonly string[]
  /** What stands for an earlier part; empty when nothing was compressed. */
  readonly summary: string
  readonly answers: readonly string[]
  /** Something follows the last request, if only the summary of what did. */
  readonly isBegun: boolean
  /** Since the last request, in order. */
  readonly steps: readonly DemoStep[]
  /** Of every call that is still there, the file it was about. */
  readonly files: readonly string[]
  readonly tools: ReadonlySet<string>
}

export interface DemoStep {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output: string
  readonly isError: boolean
}

export const SUMMARY_OPENING = '<conversation-summary'

type PromptMessage = CallOptions['prompt'][number]

/** Sorts a prompt by what the script asks for. */
export function readDemoPrompt(
  { prompt, tools = [] }: CallOptions,
  { model, windowTokens, tokens }: Pick<DemoPrompt, 'model' | 'windowTokens' | 'tokens'>,
): DemoPrompt {
  const requests: string[] = []
  const answers: string[] = []
  const files = new Set<string>()
  const calls = new Map<string, { tool: string; input: Record<string, unknown> }>()
  let steps: DemoStep[] = []
  let summary = ''
  let isBegun = false
  for (const message of prompt) {
    isBegun = true
    if (message.role === 'user') {
      const [written, said] = splitTexts(readTexts(message))
      if (written.length > 0) summary = written.join('\n')
      if (said.length === 0) continue
      requests.push(said.join('\n'))
      steps = []
      isBegun = false
    } else if (message.role === 'assistant') {
      const text = readTexts(message).join('\n')
      if (text !== '') answers.push(text)
      for (const part of message.content) {
        if (part.type !== 'tool-call') continue
        const input = toRecord(part.input)
        calls.set(part.toolCallId, { tool: part.toolName, input })
        if (typeof input.path === 'string') files.add(input.path)
      }
    } else if (message.role === 'tool') {
      for (const part of message.content) {
        const call = part.type === 'tool-result' ? calls.get(part.toolCallId) : undefined
        if (call && part.type === 'tool-result') steps.push({ ...call, ...readOutput(part.output) })
      }
    }
  }
  return {
    model,
    windowTokens,
    tokens,
    messages: prompt.length,
    requests,
    summary,
    answers,
    isBegun,
    steps,
    files: [...files],
    tools: new Set(tools.map(({ name }) => name)),
  }
}

/** All text of a prompt: what it costs. */
export function renderPrompt({ prompt, tools = [] }: CallOptions): string {
  const messages = prompt.map((message) => {
    if (typeof message.content === 'string') return message.content
    return message.content
      .map((part) => ('text' in part ? part.text : JSON.stringify('output' in part ? part.output : part)))
      .join('\n')
  })
  return [...messages, ...tools.map((tool) => JSON.stringify(tool))].join('\n')
}

function readTexts({ content }: PromptMessage): string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function splitTexts(texts: readonly string[]): [written: string[], said: string[]] {
  const isWritten = (text: string) => text.trimStart().startsWith(SUMMARY_OPENING)
  return [texts.filter(isWritten), texts.filter((text) => !isWritten(text) && text.trim() !== '')]
}

function toRecord(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? { ...input } : {}
}

type ToolOutput = Extract<
  Extract<PromptMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function readOutput(output: ToolOutput): { output: string; isError: boolean } {
  const isError = output.type.startsWith('error')
  if ('value' in output)
    return { output: typeof output.value === 'string' ? output.value : JSON.stringify(output.value), isError }
  return { output: output.reason ?? 'denied', isError: true }
}
