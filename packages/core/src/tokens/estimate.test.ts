import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { get_encoding } from 'tiktoken'
import { describe, expect, test } from 'vitest'
import { findModel } from '../models/find-model.ts'
import type { Encoding } from '../models/model.ts'
import { estimateTokens, exactly } from './estimate.ts'

const ENCODINGS: readonly Encoding[] = [
  'o200k_base',
  'cl100k_base',
  'claude',
  'claude-2026',
  'gemini',
  'unknown',
]

describe('estimateTokens', () => {
  test('leaves an exact count as it is', () => {
    expect(estimateTokens(exactly(17), 'any text', 'o200k_base')).toEqual({ lower: 17, upper: 17 })
    expect(estimateTokens(exactly(17), 'any text', 'cl100k_base')).toEqual({ lower: 17, upper: 17 })
  })

  test('the vocabulary of 2026 takes more tokens than the one before', () => {
    const text = 'export function readFile(path: string): string'
    expect(estimateTokens(exactly(1_000), text, 'claude')).toEqual({ lower: 1_020, upper: 1_250 })
    expect(estimateTokens(exactly(1_000), text, 'claude-2026')).toEqual({
      lower: 1_400,
      upper: 1_780,
    })
  })

  test('Chinese is the same for both Claude vocabularies', () => {
    const text = '会话压缩的目标是让模型在有限的上下文窗口内继续工作'
    expect(estimateTokens(exactly(1_000), text, 'claude')).toEqual(
      estimateTokens(exactly(1_000), text, 'claude-2026'),
    )
    expect(estimateTokens(exactly(1_000), text, 'claude').upper).toBe(1_450)
  })

  test('Gemini needs fewer tokens for Chinese and Japanese', () => {
    expect(
      estimateTokens(exactly(1_000), '会話の圧縮は、コンテキスト', 'gemini').upper,
    ).toBeLessThanOrEqual(1_000)
  })

  test('mixed text lies between its scripts', () => {
    const mixed = estimateTokens(
      exactly(1_000),
      `${'word '.repeat(60)}${'字'.repeat(100)}`,
      'claude-2026',
    ).upper
    expect(mixed).toBe(1_615)
  })

  test('arrows and boxes are not another script', () => {
    expect(estimateTokens(exactly(1_000), '    12→\tconst a = 1 // ├── src', 'claude')).toEqual({
      lower: 1_020,
      upper: 1_250,
    })
  })

  test('an empty text has no tokens', () => {
    for (const encoding of ENCODINGS)
      expect(estimateTokens(exactly(0), '', encoding)).toEqual({ lower: 0, upper: 0 })
  })

  test('an interval is never upside down', { tags: 'property' }, () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.string({ unit: 'binary' }),
        fc.constantFrom(...ENCODINGS),
        (count, text, encoding) => {
          const { lower, upper } = estimateTokens(exactly(count), text, encoding)
          return Number.isInteger(lower) && Number.isInteger(upper) && lower >= 0 && lower <= upper
        },
      ),
    )
  })
})

const SESSIONS = new URL('../../../../../shared/data/claude-code/', import.meta.url)

// What Claude adds to the text of one call and its result; docs/tokens.md#overhead.
const CALL_AND_RESULT_TOKENS: Partial<Record<Encoding, number>> = { claude: 80, 'claude-2026': 91 }

describe.skipIf(!existsSync(SESSIONS))(
  'on recorded sessions (../shared/data)',
  { tags: 'slow' },
  () => {
    test.each([
      ['entireio-cli-paul-01.jsonl', 75],
      ['entireio-cli-robin-01.jsonl', 35],
      ['entireio-gitsync-soph-02.jsonl', 55],
    ])('the interval holds the billed tokens of %s', (file, leastSteps) => {
      const o200k = get_encoding('o200k_base')
      const steps = readSteps(readFileSync(new URL(file, SESSIONS), 'utf8'))
      const sum = { lower: 0, upper: 0, billed: 0 }
      for (const { model, texts, calls, billedTokens } of steps) {
        const { encoding } = findModel(model)
        const overhead = calls * (CALL_AND_RESULT_TOKENS[encoding] ?? Number.NaN)
        const estimates = texts.map((text) =>
          estimateTokens(exactly(o200k.encode_ordinary(text).length), text, encoding),
        )
        sum.lower += overhead + estimates.reduce((total, { lower }) => total + lower, 0)
        sum.upper += overhead + estimates.reduce((total, { upper }) => total + upper, 0)
        sum.billed += billedTokens
      }
      o200k.free()
      expect(steps.length).toBeGreaterThanOrEqual(leastSteps)
      expect(sum.billed).toBeGreaterThanOrEqual(sum.lower)
      expect(sum.billed).toBeLessThanOrEqual(sum.upper)
    })
  },
)

interface Block {
  readonly type: string
  readonly text?: string
  readonly name?: string
  readonly input?: unknown
  readonly content?: string | readonly Block[]
}

interface Usage {
  readonly input_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
}

interface Entry {
  readonly type: string
  readonly isSidechain?: boolean
  readonly message: {
    readonly id?: string
    readonly model?: string
    readonly content: string | readonly Block[]
    readonly usage?: Usage
  }
}

interface Step {
  readonly model: string
  readonly texts: readonly string[]
  readonly calls: number
  readonly billedTokens: number
}

/**
 * From one request to the next the prompt grows by the answer and the tool results: text that the
 * file shows.
 */
function readSteps(jsonl: string): Step[] {
  const steps: Step[] = []
  let answer: { id: string; promptTokens: number; blocks: Block[] } | undefined
  let appended: Block[] = []
  for (const line of jsonl.split('\n')) {
    const entry = line === '' ? undefined : (JSON.parse(line) as Entry)
    if (entry === undefined || entry.isSidechain) continue
    if (entry.type === 'attachment') appended.push({ type: 'attachment' })
    if (entry.type === 'user') appended.push(...blocksOf(entry.message.content))
    if (entry.type !== 'assistant') continue
    const { id = '', model = '', content, usage = {} } = entry.message
    if (answer?.id !== id) {
      const promptTokens = sumPrompt(usage)
      const billedTokens = promptTokens - (answer?.promptTokens ?? promptTokens)
      const step = answer && createStep(model, answer.blocks, appended, billedTokens)
      if (step) steps.push(step)
      answer = { id, promptTokens, blocks: [] }
      appended = []
    }
    answer.blocks.push(...blocksOf(content))
  }
  return steps
}

function sumPrompt(usage: Usage): number {
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage
  return input_tokens + cache_read_input_tokens + cache_creation_input_tokens
}

// These put more into the prompt than the file shows.
const TOOLS_WITH_HIDDEN_TEXT = new Set([
  'ToolSearch',
  'Skill',
  'Agent',
  'Task',
  'TodoWrite',
  'ExitPlanMode',
])

function createStep(
  model: string,
  answer: readonly Block[],
  appended: readonly Block[],
  billedTokens: number,
) {
  const calls = answer.filter(({ type }) => type === 'tool_use')
  const isPlain =
    billedTokens > 0 &&
    calls.length > 0 &&
    calls.length === appended.length &&
    answer.every(
      ({ type, name = '' }) => type !== 'thinking' && !TOOLS_WITH_HIDDEN_TEXT.has(name),
    ) &&
    appended.every(({ type, content }) => type === 'tool_result' && typeof content === 'string')
  if (!isPlain) return undefined
  const texts = [...answer, ...appended].map(textOf)
  return texts.some((text) => text.includes('REDACTED'))
    ? undefined
    : { model, texts, calls: calls.length, billedTokens }
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function textOf({ text, name, input, content }: Block): string {
  if (text !== undefined) return text
  if (typeof content === 'string') return content
  return `${name} ${JSON.stringify(input)}`
}
