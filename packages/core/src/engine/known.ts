import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Violation } from '../conversation/invariants/invariant.ts'
import type { Conversation } from '../conversation/message.ts'
import { inSteps, type Pause } from '../conversation/steps.ts'
import { readingsOfRun } from '../facts/readings.ts'
import { type FactSurvey, surveyFacts } from '../facts/survey.ts'
import { findModel } from '../models/find-model.ts'
import type { StrategyView } from '../strategies/strategy.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import type { TokenCount } from '../tokens/estimate.ts'
import type { CompressOptions } from './options.ts'
import { createView } from './view.ts'

interface Findings {
  readonly views: Map<boolean, StrategyView>
  violations?: readonly Violation[]
  survey?: FactSurvey
}

/** The given counter, or that of the model, with its vocabulary. */
export async function openCounter(
  given: Conversation,
  { counter, model }: Pick<CompressOptions, 'counter' | 'model'>,
): Promise<TokenCounter> {
  const opened = counter ?? createTokenCounter(findModel(model ?? given.model ?? ''))
  if (!opened.isLoaded) await opened.load()
  return opened
}

/** A counter that counts each conversation once, by identity. */
export function countOnce(counter: TokenCounter): TokenCounter {
  const known = new WeakMap<Conversation, TokenCount>()
  return {
    ...counter,
    countConversation(conversation) {
      const count = known.get(conversation) ?? counter.countConversation(conversation)
      known.set(conversation, count)
      return count
    },
  }
}

/** What attempts have found out about histories. One search computes nothing twice. */
export class Known {
  readonly #counter: TokenCounter
  readonly #found = new WeakMap<Conversation, Findings>()

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  viewOf(conversation: Conversation, isOpenFree = false): StrategyView {
    const { views } = this.#of(conversation)
    const view = views.get(isOpenFree) ?? createView(conversation, this.#counter, isOpenFree)
    views.set(isOpenFree, view)
    return view
  }

  /** The rules of its provider that it breaks. */
  violationsOf(conversation: Conversation): readonly Violation[] {
    const found = this.#of(conversation)
    found.violations ??= checkInvariants(conversation)
    return found.violations
  }

  /** The facts of a history, to count what its results lose. Reading them all takes long. */
  async surveyOf(
    conversation: Conversation,
    pins: readonly string[],
    pause: Pause,
  ): Promise<FactSurvey> {
    const found = this.#of(conversation)
    if (found.survey) return found.survey
    const { messages, workingDirectory } = conversation
    const options = { workingDirectory, pins, readings: readingsOfRun(pause) }
    found.survey = await inSteps(surveyFacts(messages, options), pause)
    return found.survey
  }

  #of(conversation: Conversation): Findings {
    const found = this.#found.get(conversation) ?? { views: new Map() }
    this.#found.set(conversation, found)
    return found
  }
}
