/**
 * The promises of strategies that clear parts and keep messages, and sessions of an agent at work
 * to test them.
 */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { apply } from '../conversation/apply.ts'
import type { AppliedEdit } from '../conversation/edit.ts'
import {
  agent,
  conversationOf,
  histories,
  injected,
  person,
  result,
  system,
} from '../conversation/histories.suite.ts'
import { checkInvariants, repairInvariants } from '../conversation/invariants/index.ts'
import type {
  AssistantMessage,
  ContentPart,
  Conversation,
  Message,
  Protocol,
  ToolMessage,
} from '../conversation/message.ts'
import { viewOf } from './strategy.suite.ts'
import type { Plan, Strategy } from './strategy.ts'

export const PROTOCOLS: readonly Protocol[] = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'gemini-contents',
]

export const lines = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index} of some output`).join('\n')

export const call = (
  callId: string,
  name: string,
  input: unknown,
  text = '',
): AssistantMessage => ({
  role: 'assistant',
  origin: 'agent',
  parts: [...agent(text).parts, { type: 'tool-call', callId, name, input }],
})

export const answer = (
  callId: string,
  output: string | readonly ContentPart[],
  isError = false,
): ToolMessage => ({
  role: 'tool',
  origin: 'environment',
  parts: [
    {
      type: 'tool-result',
      callId,
      output: typeof output === 'string' ? [{ type: 'text', text: output }] : output,
      isError,
    },
  ],
})

export const image = (bytes = 90_000): ContentPart => ({
  type: 'image',
  mediaType: 'image/png',
  bytes,
  width: 800,
  height: 600,
})

/** The text of every result, by its call. */
export function outputsOf({ messages }: Conversation): Record<string, string> {
  return Object.fromEntries(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool-result'
          ? [
              [
                part.callId,
                part.output
                  .map((content) => (content.type === 'text' ? content.text : content.type))
                  .join('|'),
              ],
            ]
          : [],
      ),
    ),
  )
}

/** The conversation that a plan makes; the same one when it is to be left alone. */
export function carryOut(conversation: Conversation, plan: Plan): Conversation {
  if ('noop' in plan) return conversation
  const edits = plan.edits.filter(
    (edit): edit is AppliedEdit => edit.type === 'drop' || edit.type === 'replace',
  )
  expect(edits).toHaveLength(plan.edits.length)
  return apply(conversation, edits)
}

export function clear(
  strategy: Strategy,
  conversation: Conversation,
  targetTokens = 0,
): Conversation {
  return carryOut(conversation, strategy.plan(viewOf(conversation), { targetTokens }))
}

export function countTokens(conversation: Conversation): number {
  return viewOf(conversation).tokensBefore.at(-1)!
}

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
const outputs = fc.oneof(
  words,
  fc
    .tuple(words, fc.integer({ min: 1, max: 200 }))
    .map(([text, count]) => `${text}\n`.repeat(count)),
  fc.integer({ min: 1, max: 300 }).map((count) => lines(count)),
  fc.integer({ min: 1, max: 9_000 }).map((size) => 'x'.repeat(size)),
  fc
    .array(words, { maxLength: 30 })
    .map((list) => JSON.stringify({ list, error: 'failed', count: 3 })),
)
const paths = fc.constantFrom('a.ts', './a.ts', 'src/b.ts', 'src/*.ts')
const actions = fc.oneof(
  fc.record({
    name: fc.constantFrom('read', 'edit', 'Write'),
    input: fc.record({ file_path: paths, content: outputs }),
  }),
  fc.record({
    name: fc.constant('bash'),
    input: outputs.map((command) => JSON.stringify({ command })),
  }),
  fc.record({ name: fc.constant('apply_patch'), input: outputs }),
)
const steps = fc.record({
  actions: fc.array(fc.tuple(actions, outputs, fc.boolean(), fc.boolean()), {
    minLength: 1,
    maxLength: 3,
  }),
  text: fc.oneof(fc.constant(''), words),
  signature: fc.constantFrom(0, 0, 400),
  steering: fc.boolean(),
})

function writeStep(
  { actions, text, signature, steering }: typeof steps extends fc.Arbitrary<infer T> ? T : never,
  id: () => string,
) {
  const ids = actions.map(id)
  const first: AssistantMessage = {
    role: 'assistant',
    origin: 'agent',
    parts: [
      ...(signature > 0
        ? [{ type: 'reasoning' as const, text: 'thought '.repeat(40), signatureLength: signature }]
        : []),
      ...agent(text).parts,
      ...actions.map(([action], index) => ({
        type: 'tool-call' as const,
        callId: ids[index]!,
        ...action,
      })),
    ],
  }
  const results = actions.map(([, output, hasImage, isError], index) =>
    answer(ids[index]!, [{ type: 'text', text: output }, ...(hasImage ? [image()] : [])], isError),
  )
  return [first, ...results, ...(steering ? [person(`steering ${text}`)] : [])]
}

const atWork = fc
  .record({
    steps: fc.array(fc.oneof({ weight: 5, arbitrary: steps }, words), { maxLength: 12 }),
    pending: fc.boolean(),
  })
  .map(({ steps, pending }) => {
    let used = 0
    const id = () => `call_${used++}`
    const body = steps.flatMap((step): Message[] =>
      typeof step === 'string' ? [person(step), injected(step), agent(step)] : writeStep(step, id),
    )
    return conversationOf([
      system('rules'),
      person('start'),
      ...body,
      ...(pending ? [agent('more', 'waiting')] : []),
    ])
  })

/** Valid for the protocol they have. */
export const sessions: fc.Arbitrary<Conversation> = fc
  .tuple(fc.oneof(atWork, histories), fc.constantFrom(...PROTOCOLS))
  .map(([conversation, protocol]) => repairInvariants({ ...conversation, protocol }))

interface Exceptions {
  /** It continues while its target is missed, and may miss it. */
  readonly goesOn?: boolean
}

export function testClearing(
  strategy: Strategy,
  label = strategy.name,
  { goesOn = false }: Exceptions = {},
): void {
  describe(`${label} clears, and breaks nothing`, { tags: 'property' }, () => {
    const share = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.9, noNaN: true }))
    const cleared = (
      check: (before: Conversation, after: Conversation, targetTokens: number) => void,
    ) =>
      fc.assert(
        fc.property(sessions, share, (conversation, part) => {
          const targetTokens = Math.floor(countTokens(conversation) * part)
          check(conversation, clear(strategy, conversation, targetTokens), targetTokens)
        }),
        { numRuns: runs(60) },
      )

    test('a valid history stays valid for every provider', () => {
      cleared((_, after) => expect(checkInvariants(after)).toEqual([]))
    })

    test('no message gets larger', () => {
      cleared((before, after) =>
        expect(countTokens(after)).toBeLessThanOrEqual(countTokens(before)),
      )
    })

    test('what was cleared once is not cleared again', () => {
      cleared((_, after, targetTokens) => {
        if ((goesOn || targetTokens > 0) && countTokens(after) > targetTokens) return
        expect(strategy.plan(viewOf(after), { targetTokens })).toHaveProperty('noop')
      })
    })

    test('messages that do not change are the same objects', () => {
      cleared((before, after) => {
        const known = new Set(before.messages)
        const said = new Set(before.messages.map((message) => JSON.stringify(message)))
        const copies = after.messages.filter(
          (message) => !known.has(message) && said.has(JSON.stringify(message)),
        )
        expect(copies).toEqual([])
      })
    })
  })
}

export { agent, conversationOf, injected, person, result, system }
