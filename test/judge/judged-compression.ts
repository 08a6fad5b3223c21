/** Any compression of any request, held against the judge. One case at a time, for tests and for long runs alike. */
import type { CompressOptions, CompressResult, Ladder, Report, Strategy, Summarizer } from '@precis/core'
import fc from 'fast-check'
import { aiSdk } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { anthropicStage } from './anthropic-stage.ts'
import { compareBodies, type Finding, type FindingKind } from './compare-bodies.ts'
import { geminiContents } from './gemini-contents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { aiSdkStage, chatStage, geminiStage } from './other-stages.ts'
import type { JsonObject, ProviderRules, Violation } from './provider.ts'
import { responsesStage } from './responses-stage.ts'
import { createBodies } from './scenes.ts'

/** What is judged: the public library, of this or another checkout. */
export interface Library {
  compress(body: JsonObject, options: CompressOptions & { format: never }): Promise<CompressResult<JsonObject>>
  readonly strategies: Readonly<Record<string, Strategy>>
  readonly auto: Ladder
}

export interface JudgedCase {
  readonly rules: ProviderRules
  readonly body: JsonObject
  /** The name of a strategy, or `auto`. */
  readonly strategy: string
  /** Of the size, what may be left. */
  readonly share: number
  readonly summaries: 'extracted' | 'short' | 'none'
  readonly canRecall: boolean
}

// Single ones have a floor that few budgets lie above.
const STRATEGIES = [
  'auto',
  'auto',
  'auto',
  'middle-out',
  'top-down-truncation',
  'tail-summary',
  'one-shot',
  'high-density',
  'clear-tools',
  'bands',
]

const of = (rules: ProviderRules, bodies: fc.Arbitrary<JsonObject>) => bodies.map((body) => ({ rules, body }))

export const judgedCases: fc.Arbitrary<JudgedCase> = fc
  .record({
    given: fc.oneof(
      { weight: 4, arbitrary: of(anthropicMessages, createBodies(anthropicStage)) },
      { weight: 4, arbitrary: of(openaiResponses, createBodies(responsesStage)) },
      { weight: 1, arbitrary: of(openaiChat, createBodies(chatStage)) },
      { weight: 1, arbitrary: of(geminiContents, createBodies(geminiStage)) },
      { weight: 1, arbitrary: of(aiSdk, createBodies(aiSdkStage)) },
    ),
    strategy: fc.constantFrom(...STRATEGIES),
    share: fc.double({ min: 0.03, max: 0.95, noNaN: true }),
    summaries: fc.constantFrom<JudgedCase['summaries']>('extracted', 'extracted', 'short', 'none'),
    canRecall: fc.boolean(),
  })
  .map(({ given, ...rest }) => ({ ...given, ...rest }))

const SUMMARIES: Readonly<Record<JudgedCase['summaries'], Summarizer | undefined>> = {
  extracted: undefined,
  short: { name: 'short', summarize: async () => ({ text: 'The work went on.' }) },
  none: { name: 'none', summarize: async () => ({ text: '' }) },
}

/** One fault of a result. The same fault has the same kind in every case. */
export interface Fault {
  readonly kind: string
  readonly detail: string
}

export interface JudgedResult {
  readonly outcome: string
  readonly faults: readonly Fault[]
  readonly body: JsonObject
}

export async function judgeCompression(library: Library, given: JudgedCase): Promise<JudgedResult> {
  const { rules, body, strategy, share, summaries, canRecall } = given
  const original = JSON.stringify(body)
  const summarizer = SUMMARIES[summaries]
  const options = {
    format: rules.name as never,
    strategy: strategy === 'auto' ? library.auto : library.strategies[strategy],
    ...(summarizer && { summarizer }),
    ...(canRecall && { recall: { tool: 'recall', reference: '0123456789ab' } }),
  }
  const { report } = await library.compress(body, { ...options, budgetTokens: 1e9 })
  const budgetTokens = Math.floor(report.before.tokens * share)
  let result = await library.compress(body, { ...options, budgetTokens })
  // What cannot be reached is tried at the smallest size that can.
  if (result.outcome.type === 'cannot-fit') {
    const { smallestTokens } = result.outcome.refusal
    result = await library.compress(body, { ...options, budgetTokens: smallestTokens })
  }
  const faults = findFaults(rules, body, result)
  if (JSON.stringify(body) !== original) faults.push({ kind: 'original changed', detail: '' })
  return { outcome: result.outcome.type, faults, body: result.messages }
}

function findFaults(rules: ProviderRules, body: JsonObject, result: CompressResult<JsonObject>): Fault[] {
  const { outcome, messages, report } = result
  if (outcome.type !== 'compressed') return []
  const prefix = `${rules.name}:`
  // A call at the end of a live history is still to be answered: what is broken in what was given may stay so.
  const given = new Set(rules.judge(body).map(nameViolation))
  const broken = rules.judge(messages).filter((violation) => !given.has(nameViolation(violation)))
  const invalid = broken.map(({ rule, detail }) => ({ kind: `${prefix} invalid, ${rule}`, detail }))
  const findings = compareBodies(rules, body, messages)
  const losses = findings.flatMap(({ kind, detail }) =>
    isCounted(kind, report, findings) ? [] : [{ kind: `${prefix} ${kind}`, detail }],
  )
  return [...invalid, ...losses]
}

/** Wherever it is in the request. */
const nameViolation = ({ rule, detail }: Violation): string => `${rule} ${detail.replace(/\b[a-z]+\.\d+/g, '')}`

/** What does not fit may go where the report says so. */
function isCounted(kind: FindingKind, { rungs, receipt, ...report }: Report, findings: readonly Finding[]): boolean {
  switch (kind) {
    case 'newest-changed':
      return rungs.some(({ name }) => name === 'clip-parts' || name === 'clear-images')
    case 'compaction-lost':
      return Reflect.get(report, 'compaction') === 'lost'
    case 'operator-lost':
    case 'user-lost': {
      const { clipped, retrievable, missing } = receipt.words
      const lost = findings.filter((finding) => finding.kind === 'operator-lost' || finding.kind === 'user-lost')
      return clipped + retrievable + missing >= lost.length
    }
    default:
      return false
  }
}
