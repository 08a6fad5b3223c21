/**
 * Contexts for tests: histories to fill them with, summarizers of every kind, and a record of what
 * they tell.
 */
import type { Summarizer, SummaryRequest } from '../summarizers/summarizer.ts'
import type { CompressionEnd } from './compressions.ts'
import type { Context, ContextOptions } from './context.ts'
import { createContext } from './create-context.ts'

export const WINDOW = 4_000
export const THRESHOLD = 3_200
export const TARGET = 1_600

export interface ChatMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly unknown[]
  readonly tool_call_id?: string
}

export const user = (content: string): ChatMessage => ({ role: 'user', content })
export const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })
export const call = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'read', arguments: '{"path":"src/a.ts"}' },
  })),
})
export const toolResult = (id: string, content = `content of ${id}`): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
})

let made = 0

/** A request and its answer, of about 100 tokens together. */
export function exchange(): ChatMessage[] {
  made++
  return [
    user(`Request ${made}: ${'please look at the parser once more '.repeat(6)}`),
    assistant(`Answer ${made}: ${'the parser was looked at and it is fine '.repeat(5)}`),
  ]
}

export function open(options: Partial<ContextOptions<ChatMessage>> = {}): Context<ChatMessage> {
  // A clock that stands: nothing is interrupted because the machine is busy.
  const clock = { now: () => 0 }
  return createContext<ChatMessage>({
    model: 'gpt-5',
    format: 'openai-chat',
    windowTokens: WINDOW,
    clock,
    ...options,
  })
}

/** Appends exchanges until the next request has so many tokens. */
export function fill(context: Context<ChatMessage>, tokens: number): Context<ChatMessage> {
  while (context.state.tokens < tokens) context.append(...exchange())
  return context
}

export interface Gate {
  readonly summarizer: Summarizer
  readonly requests: SummaryRequest[]
  /** Lets all that wait go on. */
  release(): void
  /** Resolves when it is asked for so many summaries in all. */
  asked(count?: number): Promise<void>
}

/** Answers only on command. */
export function createGate(text = 'They looked at the parser again and again; it is fine.'): Gate {
  const requests: SummaryRequest[] = []
  const waiting: (() => void)[] = []
  return {
    requests,
    release: () => {
      for (const go of waiting.splice(0)) go()
    },
    asked: async (count = 1) => await until(() => requests.length >= count),
    summarizer: {
      name: 'slow',
      summarize: async (request) => {
        requests.push(request)
        await new Promise<void>((resolve) => waiting.push(resolve))
        return { text }
      },
    },
  }
}

export const working: Summarizer = {
  name: 'working',
  summarize: async () => ({ text: 'The parser is fine.' }),
}
export const throwing: Summarizer = {
  name: 'throwing',
  summarize: async () => {
    throw new Error('overloaded')
  },
}
export const empty: Summarizer = { name: 'empty', summarize: async () => ({ text: ' ' }) }
/** Says more than it was asked to shorten. */
export const lying: Summarizer = {
  name: 'lying',
  summarize: async () => ({ text: 'word '.repeat(20_000) }),
}
/** Hears no signal and never answers. */
export const hung: Summarizer = { name: 'hung', summarize: () => new Promise(() => undefined) }

export async function until(isSo: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 30_000; attempt++) {
    if (isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  throw new Error('It did not come to that within half a minute.')
}

/**
 * The events of a context, in order: the short name of the event, its trigger, and what came of it.
 */
export function listen(context: Context<ChatMessage>): string[] {
  const told: string[] = []
  const end = (name: string) => (event: CompressionEnd) => {
    told.push(
      `${name} ${event.trigger} ${event.compression.outcome.type}${event.isAhead ? ' ahead' : ''}`,
    )
  }
  context.on('compression-planned', ({ trigger, isAhead }) =>
    told.push(`planned ${trigger}${isAhead ? ' ahead' : ''}`),
  )
  context.on('compression-applied', end('applied'))
  context.on('compression-skipped', end('skipped'))
  context.on('compression-failed', end('failed'))
  context.on('compression-deferred', ({ decision }) => told.push(`deferred ${decision.reason}`))
  context.on('model-switched', ({ from, to }) => told.push(`switched ${from} ${to}`))
  return told
}
