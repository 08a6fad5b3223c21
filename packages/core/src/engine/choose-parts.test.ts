import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Message } from '../conversation/message.ts'
import { strategies } from '../strategies/index.ts'
import { createPathMatcher } from './choose-parts.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'

const files = ['src/cart.ts', 'src/tax.ts', 'docs/notes.md']

/** Twelve turns: a request, one file read, one command, an answer. */
const messages = Array.from({ length: 12 }, (_, turn): Message[] => {
  const file_path = files[turn % 3]
  const [read, run] = [`read${turn}`, `run${turn}`]
  const text = (value: string) => [{ type: 'text', text: value } as const]
  return [
    { role: 'user', origin: 'user', parts: text(`Look at part ${turn}.`) },
    {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'tool-call', callId: read, name: 'Read', input: { file_path } }],
    },
    {
      role: 'tool',
      origin: 'environment',
      parts: [
        {
          type: 'tool-result',
          callId: read,
          output: text(`line of ${turn}\n`.repeat(150)),
          isError: false,
        },
      ],
    },
    {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'tool-call', callId: run, name: 'Bash', input: { command: 'make' } }],
    },
    {
      role: 'tool',
      origin: 'environment',
      parts: [
        {
          type: 'tool-result',
          callId: run,
          output: text(`built ${turn}\n`.repeat(150)),
          isError: false,
        },
      ],
    },
    { role: 'assistant', origin: 'agent', parts: text(`Part ${turn} is fine.`) },
  ]
}).flat()
const conversation = {
  protocol: 'anthropic-messages' as const,
  messages,
  tools: [],
  model: 'claude-opus-4-8',
}

const compress = (options: Partial<Parameters<typeof compressConversation>[1]>) =>
  compressConversation(conversation, { budgetTokens: 12_000, strategy: auto, ...options })

describe('files that stay', () => {
  // "high-density" alone cannot free enough beside them.
  const names = ['auto', ...Object.keys(strategies)].filter((name) => name !== 'high-density')

  test.each(names)(
    'are verbatim after %s, within the budget, and the result is valid',
    async (name) => {
      const strategy = name === 'auto' ? auto : strategies[name as keyof typeof strategies]
      const {
        outcome,
        conversation: result,
        report,
      } = await compress({ strategy, keepPaths: ['src/tax.ts'] })
      if (outcome.type !== 'compressed') return expect(outcome.type).toMatch(/cannot-fit|unchanged/)
      expect(report.after.tokens).toBeLessThanOrEqual(12_000)
      expect(checkInvariants(result)).toEqual([])
      expect(report.keptFiles).toEqual([{ path: 'src/tax.ts', calls: 4, verbatim: 4 }])
      for (const turn of [1, 4, 7, 10])
        expect(JSON.stringify(result.messages)).toContain(`line of ${turn}\\n`.repeat(150))
    },
  )

  test('give way to the budget, the oldest first, and the report says how many', async () => {
    const {
      outcome,
      report,
      conversation: result,
    } = await compress({ keepPaths: ['src/*'], budgetTokens: 4000 })
    expect([outcome.type, report.after.tokens <= 4000]).toEqual(['compressed', true])
    const verbatim = report.keptFiles?.reduce((sum, file) => sum + file.verbatim, 0) ?? 0
    expect(verbatim).toBeGreaterThan(0)
    expect(verbatim).toBeLessThan(8)
    expect(JSON.stringify(result.messages)).not.toContain('line of 0\\n'.repeat(150))
  })

  test('turns stay whole too, and the report names those that did', async () => {
    const { conversation: result, report } = await compress({ keepTurns: [3, 99] })
    expect(report.keptTurns).toEqual([3])
    expect(report.problems).toEqual(['There is no turn 99 to keep: the history has 12 turns.'])
    expect(checkInvariants(result)).toEqual([])
    expect(JSON.stringify(result.messages)).toContain('built 2\\n'.repeat(150))
    const { report: small } = await compress({ keepTurns: [4, 5], budgetTokens: 3000 })
    expect(small.keptTurns).toEqual([])
    expect(small.problems).toEqual([
      'Turn 4 did not fit the budget as a whole.',
      'Turn 5 did not fit the budget as a whole.',
    ])
  })

  test('turns keep their reasoning, though it is removed everywhere else', async () => {
    const thought = (turn: number) => `I think about part ${turn}. `.repeat(40)
    const thinking = messages.map((message, position): Message => {
      if (position % 6 !== 1 || message.role !== 'assistant') return message
      const text = thought(Math.floor(position / 6))
      const reasoning = { type: 'reasoning', text, signatureLength: 40 } as const
      return { ...message, parts: [reasoning, ...message.parts] }
    })
    const { conversation: result, report } = await compressConversation(
      { ...conversation, messages: thinking },
      { budgetTokens: 12_000, strategy: auto, keepTurns: [3] },
    )
    expect(report.rungs.map(({ name }) => name)).toContain('clear-reasoning')
    expect(report.keptTurns).toEqual([3])
    const thoughts = result.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'reasoning' ? part.text : [])),
    )
    expect(thoughts).toContain(thought(2))
    expect(thoughts).not.toContain(thought(3))
  })

  test('are none where no call names one', async () => {
    expect((await compress({ keepPaths: ['nowhere.ts'] })).report.keptFiles).toEqual([])
    expect((await compress({})).report.keptFiles).toBeUndefined()
  })
})

describe('tools that go', () => {
  test('go first: where that is enough nothing is summarized', async () => {
    const { conversation: result, report } = await compress({
      dropTools: ['bash'],
      budgetTokens: 20_000,
    })
    expect(report.rungs[0]?.name).toBe('drop-tools')
    expect(report.summarizer).toBeUndefined()
    const text = JSON.stringify(result.messages)
    expect(text).toContain('line of 0\\n'.repeat(150))
    expect(text).not.toContain('built 0\\n')
  })

  test('go with all of their calls, however small the excess is', async () => {
    const { before } = (await compress({})).report
    const { conversation: result } = await compress({
      dropTools: ['Bash'],
      budgetTokens: before.tokens - 1,
    })
    expect(JSON.stringify(result.messages)).not.toContain('"name":"Bash"')
  })
})

describe('a path that is chosen', () => {
  test.each([
    ['src/cart.ts', 'src/cart.ts', true],
    ['cart.ts', 'src/cart.ts', true],
    ['art.ts', 'src/cart.ts', false],
    ['src', 'src/shop/cart.ts', true],
    ['./src/', 'src/cart.ts', true],
    ['src/*.ts', 'src/cart.ts', true],
    ['src/*.ts', 'src/shop/cart.ts', false],
    ['src/**/*.ts', 'src/shop/deep/cart.ts', true],
    ['ca?t.ts', 'cart.ts', true],
    ['ca?t.ts', 'ca/t.ts', false],
    ['src/(a|b).ts', 'src/a.ts', false],
    ['*'.repeat(40), 'a'.repeat(2000), true],
  ])('%s and %.20s: %s', (pattern, path, isMatched) => {
    expect(createPathMatcher([pattern])(path)).toBe(isMatched)
  })
})
