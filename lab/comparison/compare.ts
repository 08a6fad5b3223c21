/**
 * Other ways to make a history smaller, and precis at the same size, at the same places of the same
 * recorded sessions.
 */
import { auto, type Conversation, compressConversation } from '@precis/core'
import { isUserRequest, readText } from '@precis/core/conversation'
import { checkInvariants } from '@precis/core/conversation/invariants'
import { readConversationItems, renderItems } from '../../packages/precis/src/replay/items.ts'
import { prepareScorer, type Scorer } from '../evaluation/evaluate-points.ts'
import { type FoundPoint, findPoints } from '../evaluation/find-points.ts'
import { countSize } from '../evaluation/items/size.ts'
import { carriedReferences } from '../evaluation/measures/carried-references.ts'
import { editAnchors } from '../evaluation/measures/edit-anchors.ts'
import type { Score } from '../evaluation/measures/measure.ts'
import type { Recording } from '../evaluation/recording.ts'
import type { ComparedMethod } from './method.ts'

/** Of what is before the point. */
const SHARE = 0.3
// Below this share a result is no compression but an end.
const SMALLEST_SHARE = 0.02

/** One method at one point, and precis beside it. */
export interface Comparison {
  readonly method: string
  readonly takesSize: boolean
  /** Undefined where it leaves next to nothing. */
  readonly other: Measured | undefined
  /** Undefined where precis refuses that size, or there is none to ask for. */
  readonly precis: Measured | undefined
}

export interface Measured {
  /** Of the history. */
  readonly sizeShare: number
  readonly names: Score
  readonly editedLines: Score
  /** Messages of the user that stand word for word. */
  readonly userMessages: Score
  readonly brokenRules: number
  /** Undefined where a stub stood for a model. */
  readonly durationMs: number | undefined
}

export async function* compareMethods(
  recording: Recording,
  methods: readonly ComparedMethod[],
): AsyncGenerator<Comparison> {
  for (const point of findPoints(recording).points) {
    if (point.kind !== 'cuts') continue
    const conversation = recording.readBefore(point.row)
    // Counts every message once, so that no method pays for the others.
    recording.counter.countConversation(conversation)
    const measure = createMeasure(conversation, point)
    for (const { name, takesSize, stubsModel, compress } of methods) {
      const other = await measure(() =>
        compress(conversation, Math.floor(SHARE * measure.wholeSize)),
      )
      if (other === undefined || other.sizeShare < SMALLEST_SHARE) {
        yield { method: name, takesSize, other: undefined, precis: undefined }
        continue
      }
      const budgetTokens = Math.floor((takesSize ? SHARE : other.sizeShare) * measure.wholeSize)
      const precis = await measure(async () => {
        const options = { counter: recording.counter, strategy: auto, budgetTokens }
        const result = await compressConversation(conversation, options)
        return result.outcome.type === 'cannot-fit' ? undefined : result.conversation
      })
      yield {
        method: name,
        takesSize,
        other: stubsModel ? { ...other, durationMs: undefined } : other,
        precis,
      }
    }
  }
}

type Measure = ((run: () => Promise<Conversation | undefined>) => Promise<Measured | undefined>) & {
  wholeSize: number
}

function createMeasure(conversation: Conversation, point: FoundPoint): Measure {
  const score: Scorer = prepareScorer(point, [carriedReferences, editAnchors])
  const wholeSize = countSize(render(conversation))
  const said = conversation.messages.filter(isUserRequest).map(readText)
  const measure = async (run: () => Promise<Conversation | undefined>) => {
    const startedAt = performance.now()
    const result = await run()
    const durationMs = performance.now() - startedAt
    if (result === undefined) return undefined
    const text = render(result)
    const { [carriedReferences.name]: names, [editAnchors.name]: editedLines } = score(text)
    if (!names || !editedLines) throw new Error('Comparing: a measure gave no score.')
    const kept = said.filter((words) => text.includes(words)).length
    // The rules are those of the provider of the recording.
    const brokenRules = checkInvariants({ ...result, protocol: conversation.protocol }).length
    const sizeShare = countSize(text) / wholeSize
    return {
      sizeShare,
      names,
      editedLines,
      userMessages: { kept, total: said.length },
      brokenRules,
      durationMs,
    }
  }
  return Object.assign(measure, { wholeSize })
}

const render = (conversation: Conversation): string =>
  renderItems(readConversationItems(conversation))
