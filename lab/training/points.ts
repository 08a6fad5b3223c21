/**
 * Points in recorded sessions at which a history might have been compressed, and what was needed
 * after each.
 */
import { basename } from 'node:path'
import {
  type Conversation,
  compressConversation,
  middleOut,
  type SummaryRequest,
} from '@precis/core'
import { findCutPoints } from '@precis/core/conversation'
import { detectFormat, type Format, FormatError, formats } from '@precis/core/formats'
import { findNeeds, type Needs } from './needs.ts'
import { readRows, readSteps, renderStep, type Step } from './record.ts'

export interface Point {
  readonly session: string
  readonly project: string
  readonly agent: string
  /** Share of the history that has passed, or `summary` for a compaction of the agent itself. */
  readonly at: string
  /** The request to the digest there. */
  readonly request: SummaryRequest
  /** Text that stays beside it. */
  readonly keptText: string
  readonly needs: Needs
}

/** A history up to a point, and what followed. */
interface Cut {
  readonly at: string
  readonly budgetTokens: number
  readonly conversation: Conversation
  readonly after: readonly Step[]
}

export interface Recording {
  readonly session: string
  readonly agent: string
  readonly project: string
  readonly cuts: readonly Cut[]
}

const SHARES = [0.4, 0.6, 0.8]
const BUDGETS_TOKENS = [2_000, 4_000, 8_000]
const SMALLEST_HISTORY_TOKENS = 15_000
const SMALLEST_SUMMARY_CHARACTERS = 1_500
const LONGEST_KNOWN_TEXT = 2_000

export function readRecording(path: string, project?: string): Recording | undefined {
  const rows = readRows(path)
  const format = findSessionFormat(rows)
  if (!format) return undefined
  const parse = (end: number) => format.parse(rows.slice(0, end).join('\n'))
  const boundaries = [...rows.keys()].filter((row) => isBoundary(rows[row]!))
  const first = parse(boundaries[0] ?? rows.length)
  const steps = readSteps(first)
  return {
    // Sessions of two agents may have files of one name.
    session: `${format.name} ${basename(path)}`,
    agent: format.name,
    project: project ?? basename(first.workingDirectory ?? ''),
    cuts: [
      ...cutByShare(first, steps),
      ...boundaries.flatMap((row, index) =>
        cutAtSummary(parse, row, boundaries[index + 1] ?? rows.length),
      ),
    ],
  }
}

/** Undefined for what is no session, or one of an agent that is not supported. */
function findSessionFormat(rows: readonly string[]): Format | undefined {
  try {
    const format = formats[detectFormat(rows.join('\n'))]
    return format.kind === 'session' ? format : undefined
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

function isBoundary(row: string): boolean {
  return (
    row.includes('"subtype":"compact_boundary"') || /"type":\s*"compacted"/.test(row.slice(0, 200))
  )
}

function cutByShare(conversation: Conversation, steps: readonly Step[]): Cut[] {
  const cutPoints = findCutPoints(conversation.messages)
  let total = 0
  const passedTokens = steps.map((step) => {
    total += Math.ceil(step.text.length / 4)
    return total
  })
  if (total < SMALLEST_HISTORY_TOKENS) return []
  return SHARES.flatMap((share): Cut[] => {
    const at = steps.findIndex(
      ({ kind }, index) => passedTokens[index]! >= share * total && kind === 'result',
    )
    const passed = passedTokens[at] ?? 0
    const step = steps[at]
    const end = step && cutPoints.nearestCut(step.message + 1, 'forward')
    if (end === undefined || end >= conversation.messages.length) return []
    const before = { ...conversation, messages: conversation.messages.slice(0, end) }
    const after = steps.filter((other) => other.message >= end)
    return BUDGETS_TOKENS.filter((budgetTokens) => budgetTokens <= passed / 2).map(
      (budgetTokens) => ({
        at: String(share),
        budgetTokens,
        conversation: before,
        after,
      }),
    )
  })
}

/** A summary that the agent's own model wrote: what it was made from, at its size. */
function cutAtSummary(parse: (end: number) => Conversation, row: number, end: number): Cut[] {
  const conversation = parse(row)
  const later = readSteps(parse(end))
  const summary = later.find((step) => step.kind === 'summary')
  if (!summary || summary.text.length < SMALLEST_SUMMARY_CHARACTERS) return []
  return [
    {
      at: 'summary',
      budgetTokens: Math.ceil(summary.text.length / 4),
      conversation,
      after: later.filter((step) => step.message > summary.message),
    },
  ]
}

/** The request of the engine to a digest there. Undefined where too little follows. */
export async function createPoint(
  { session, agent, project }: Recording,
  { at, conversation, budgetTokens, after }: Cut,
): Promise<Point | undefined> {
  const needs = findNeeds(readSteps(conversation), after)
  if (!needs) return undefined
  const requests: SummaryRequest[] = []
  await compressConversation(conversation, {
    budgetTokens,
    strategy: middleOut,
    summarizer: {
      name: 'recorder',
      summarize: async (request) => {
        requests.push(request)
        return { text: '' }
      },
    },
  })
  const request = requests[0]
  if (!request) return undefined
  const keptText = request.kept.flatMap((message) => message.parts.map(renderStep)).join('\n')
  return {
    session,
    agent,
    project,
    at,
    request: { ...request, countTokens: memoize(request.countTokens) },
    keptText,
    needs,
  }
}

/** The same lines are counted again for every set of weights. */
function memoize(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>()
  return (text) => {
    const tokens = known.get(text) ?? count(text)
    if (text.length < LONGEST_KNOWN_TEXT) known.set(text, tokens)
    return tokens
  }
}
