/** Histories for tests: a short notation for manual ones, and fast-check for generated ones. */
import fc from 'fast-check'
import type {
  AssistantMessage,
  Conversation,
  Message,
  Protocol,
  ToolMessage,
  UserMessage,
} from './message.ts'

export const person = (text: string): UserMessage => ({
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
})

export const injected = (text: string): UserMessage => ({
  role: 'user',
  origin: 'synthetic',
  parts: [{ type: 'text', text }],
})

export const agent = (text: string, ...callIds: string[]): AssistantMessage => ({
  role: 'assistant',
  origin: 'agent',
  parts: [
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...callIds.map((callId) => ({
      type: 'tool-call' as const,
      callId,
      name: 'read',
      input: { path: `${callId}.ts` },
    })),
  ],
})

export const result = (callId: string, text = `content of ${callId}`): ToolMessage => ({
  role: 'tool',
  origin: 'environment',
  parts: [
    { type: 'tool-result', callId, name: 'read', output: [{ type: 'text', text }], isError: false },
  ],
})

export const system = (text: string): Message => ({
  role: 'system',
  origin: 'environment',
  parts: [{ type: 'text', text }],
})

export function conversationOf(
  messages: readonly Message[],
  protocol: Protocol = 'openai-chat',
): Conversation {
  return { protocol, messages, tools: [], model: 'gpt-5' }
}

/** `count` plain exchanges of about 40 tokens each. */
export function exchanges(count: number): Message[] {
  return Array.from({ length: count }, (_, index) => [
    person(`Request ${index}: ${'please look at the parser again '.repeat(3)}`),
    agent(`Answer ${index}: ${'the parser was looked at and is fine '.repeat(3)}`),
  ]).flat()
}

const words = fc.string({ minLength: 1, maxLength: 400 }).map((text) => text || 'x')

const rounds = fc
  .record({
    calls: fc.integer({ min: 1, max: 4 }),
    text: words,
    output: words,
    steering: fc.boolean(),
    split: fc.boolean(),
  })
  .map(({ calls, text, output, steering, split }) => (id: () => string): Message[] => {
    const callIds = Array.from({ length: calls }, id)
    const results = callIds.map((callId) => result(callId, output))
    const steered = steering ? [person(`steering: ${text}`)] : []
    return split
      ? [agent(text, ...callIds), ...results.slice(0, 1), ...steered, ...results.slice(1)]
      : [agent(text, ...callIds), ...results, ...steered]
  })

const steps: fc.Arbitrary<(id: () => string) => Message[]> = fc.oneof(
  { weight: 3, arbitrary: words.map((text) => () => [person(text)]) },
  { weight: 2, arbitrary: words.map((text) => () => [agent(text)]) },
  { weight: 5, arbitrary: rounds },
  { weight: 1, arbitrary: words.map((text) => () => [injected(text)]) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 2_000, max: 20_000 })
      .map((size) => () => [agent('word '.repeat(size / 5))]),
  },
)

/**
 * Histories as agents leave them, under the rules of OpenAI Chat: parallel calls, steering
 * messages, reused ids, pending calls, very long messages. They may break one rule,
 * `tool-results-follow-call`, by a steering message between the results of parallel calls. Only the
 * result of `repairInvariants` is always valid.
 */
export const histories: fc.Arbitrary<Conversation> = fc
  .record({
    steps: fc.array(steps, { minLength: 1, maxLength: 40 }),
    systemText: fc.option(words, { nil: undefined }),
    pending: fc.boolean(),
    reuseIds: fc.boolean(),
  })
  .map(({ steps, systemText, pending, reuseIds }) => {
    let used = 0
    const id = () => `call_${reuseIds ? used++ % 5 : used++}`
    const body = steps.flatMap((step) => step(id))
    const tail = pending ? [agent('one more', 'call_pending')] : []
    return conversationOf([
      ...(systemText ? [system(systemText)] : []),
      person('start'),
      ...body,
      ...tail,
    ])
  })
