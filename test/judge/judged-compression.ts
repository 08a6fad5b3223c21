/**
 * Any compression of any request, held against the judge. One case at a time, for tests and for
 * long runs alike.
 */
import type { Receipt, Report, Summarizer } from '@precis/core'
import fc from 'fast-check'
import { aiSdk } from './ai-sdk.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { anthropicStage } from './anthropic-stage.ts'
import {
  compareBodies,
  type Finding,
  type FindingKind,
  findNewViolations,
} from './compare-bodies.ts'
import { geminiContents } from './gemini-contents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { aiSdkStage, chatStage, geminiStage } from './other-stages.ts'
import type { JsonObject, ProviderName, ProviderRules } from './provider.ts'
import { responsesStage } from './responses-stage.ts'
import { createBodies } from './scenes.ts'

/** What is judged: the public library, of this or another checkout. */
export type Library = Pick<typeof import('@precis/core'), 'compress' | 'strategies' | 'auto'>

/** Where the list of a request stands in its body. */
export const LISTS: Readonly<Record<ProviderName, string>> = {
  'anthropic-messages': 'messages',
  'openai-chat': 'messages',
  'openai-responses': 'input',
  'gemini-contents': 'contents',
  'ai-sdk': 'messages',
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
  /** Whether calls of some tools are removed first. */
  readonly dropsTools: boolean
  /** Of what is left, how much another compression may leave; none where undefined. */
  readonly shareAgain: number | undefined
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

const of = (rules: ProviderRules, bodies: fc.Arbitrary<JsonObject>) =>
  bodies.map((body) => ({ rules, body }))

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
    dropsTools: fc.constantFrom(false, false, false, true),
    shareAgain: fc.option(fc.double({ min: 0.3, max: 0.95, noNaN: true }), {
      nil: undefined,
      freq: 2,
    }),
  })
  .map(({ given, ...rest }) => ({ ...given, ...rest }))

const SUMMARIES: Readonly<Record<JudgedCase['summaries'], Summarizer | undefined>> = {
  extracted: undefined,
  short: { name: 'short', summarize: async () => ({ text: 'The work went on.' }) },
  none: { name: 'none', summarize: async () => ({ text: '' }) },
}

/** What a report has to say of losses. */
export type JudgedReport = Pick<Report, 'receipt' | 'compaction'> & Partial<Pick<Report, 'rungs'>>

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

/** Gives the outcome. Throws an error that lists the faults of the result. */
export async function checkCompression(library: Library, given: JudgedCase): Promise<string> {
  const { outcome, faults } = await judgeCompression(library, given)
  if (faults.length === 0) return outcome
  throw new Error(
    `The judge refuses: ${faults.map(({ kind, detail }) => `${kind} (${detail})`).join('; ')}`,
  )
}

export async function judgeCompression(library: Library, given: JudgedCase): Promise<JudgedResult> {
  const { rules, body, strategy, share, summaries, canRecall, dropsTools, shareAgain } = given
  const original = JSON.stringify(body)
  const summarizer = SUMMARIES[summaries]
  const options = {
    format: rules.name,
    strategy: strategy === 'auto' ? library.auto : library.strategies[strategy],
    ...(summarizer && { summarizer }),
    ...(canRecall && { recall: { tool: 'recall', reference: '0123456789ab' } }),
    ...(dropsTools && { dropTools: ['read_file', 'grep'] }),
  }
  const compressTo = async (size: number, from: JsonObject) => {
    const { report } = await library.compress(from, { ...options, budgetTokens: 1e9 })
    const result = await library.compress(from, {
      ...options,
      budgetTokens: Math.floor(report.before.tokens * size),
    })
    // What cannot be reached is tried at the smallest size that can.
    if (result.outcome.type !== 'cannot-fit') return result
    return await library.compress(from, {
      ...options,
      budgetTokens: result.outcome.refusal.smallestTokens,
    })
  }
  // A second compression is held against what was given to the first.
  const findFaultsOf = (
    { outcome, messages, report }: Awaited<ReturnType<typeof compressTo>>,
    ...earlier: Report[]
  ) =>
    outcome.type === 'compressed' ? findFaults(rules, body, messages, [report, ...earlier]) : []
  const result = await compressTo(share, body)
  const faults = findFaultsOf(result)
  if (shareAgain !== undefined && result.outcome.type === 'compressed' && faults.length === 0) {
    const second = await compressTo(shareAgain, result.messages)
    faults.push(...findFaultsOf(second, result.report))
  }
  if (JSON.stringify(body) !== original) faults.push({ kind: 'original changed', detail: '' })
  return { outcome: result.outcome.type, faults, body: result.messages }
}

/** What is wrong with `after`, and was not told by any of the reports of what made it. */
export function findFaults(
  rules: ProviderRules,
  before: JsonObject,
  after: JsonObject,
  reports: readonly JudgedReport[],
): Fault[] {
  const prefix = `${rules.name}:`
  const invalid = findNewViolations(rules, before, after).map(({ rule, detail }) => ({
    kind: `${prefix} invalid, ${rule}`,
    detail,
  }))
  const findings = compareBodies(rules, before, after)
  const losses = findings.flatMap(({ kind, detail }) =>
    isCounted(kind, reports, findings) ? [] : [{ kind: `${prefix} ${kind}`, detail }],
  )
  return [...invalid, ...losses]
}

/**
 * What does not fit may go where the report says so: that of this compression, or of the one
 * before.
 */
function isCounted(
  kind: FindingKind,
  reports: readonly JudgedReport[],
  findings: readonly Finding[],
): boolean {
  switch (kind) {
    case 'newest-changed':
      return reports.some(({ rungs = [] }) =>
        rungs.some(({ name }) => name === 'clip-parts' || name === 'clear-images'),
      )
    case 'compaction-lost':
      // What the earlier one quoted is part of a summary since, and that may become shorter. What
      // is quoted counts with the words.
      return reports.some(
        ({ compaction, receipt }, index) =>
          compaction === 'lost' ||
          (compaction === 'quoted' && (index > 0 || countGone(receipt) > 0)),
      )
    case 'operator-lost':
    case 'user-lost': {
      const lost = findings.filter(
        (finding) => finding.kind === 'operator-lost' || finding.kind === 'user-lost',
      )
      return reports.reduce((sum, { receipt }) => sum + countGone(receipt), 0) >= lost.length
    }
    default:
      return false
  }
}

const countGone = ({ words }: Receipt): number => words.clipped + words.retrievable + words.missing
