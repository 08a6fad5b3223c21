/** The contract of the engine: its options, and the one object that a run passes on. */
import type { Conversation } from '../conversation/message.ts'
import type { RequestLimits } from '../conversation/request-limits.ts'
import type { Pause } from '../conversation/steps.ts'
import type { RecallPath } from '../conversation/summary-message.ts'
import type { Strategy, StrategyOptions } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { ChosenParts } from './choose-parts.ts'
import type { Ladder } from './ladder.ts'
import type { Limits } from './limits.ts'
import type { Outcome } from './report.ts'
import type { SummaryWork } from './summary-work.ts'

/** Options of every use of the engine. All are optional. */
export interface EngineOptions {
  /** The model that will read the result. By default the model of the conversation. */
  readonly model?: string
  /**
   * A counter that has already seen the conversation, so that nothing is counted twice. It
   * overrides `model`.
   */
  readonly counter?: TokenCounter
  /** `digest` by default. */
  readonly summarizer?: Summarizer
  /** Says what to keep above all in a summary. */
  readonly instructions?: string
  /**
   * Texts that are kept verbatim in the result, and in the result of every later compression until
   * `unpin` ends it.
   */
  readonly pins?: readonly string[]
  /**
   * How the model that reads the result looks up what was removed, if the host keeps it. It is
   * written into the summary.
   */
  readonly recall?: RecallPath
  /**
   * Whether the host keeps removed content, so that it can be looked up. By default true if
   * `recall` is given.
   */
  readonly isKept?: boolean
  /** Ends the compression, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called with the name of each step as it begins, and how many of its summaries and rewrites are
   * finished.
   */
  readonly onProgress?: (step: CompressStep, done?: number, total?: number) => void
}

/** In this order. A ladder may plan and summarize several times. */
export type CompressStep = 'measure' | 'plan' | 'summarize' | 'check'

/** Only the budget has to be given. */
export interface CompressOptions extends EngineOptions, ChosenParts {
  /** Upper limit of the whole result, by the counter of that model. */
  readonly budgetTokens: number
  /**
   * Upper limit of the whole request as JSON in UTF-8, as its format writes it. By default the
   * provider's limit.
   */
  readonly budgetBytes?: number
  /**
   * Upper limit of images, including images in results of tools. By default the provider's limit.
   */
  readonly budgetImages?: number
  /**
   * What the provider accepts in one request, in addition to tokens. By default the documented
   * limits of the model. `{}` for no limit.
   */
  readonly requestLimits?: RequestLimits
  /**
   * A size to aim at, by default the budget. To reach it, precis clips nothing unanswered and drops
   * nothing without a summary.
   */
  readonly targetTokens?: number
  /**
   * Up to this size, nothing is done. By default the target. A target well below it makes
   * compressions rare.
   */
  readonly triggerTokens?: number
  /** By default `auto`, the gentlest way that is enough. */
  readonly strategy?: Strategy | Ladder
  /** How much stays verbatim at both ends. By default the strategy decides. */
  readonly keep?: StrategyOptions['keep']
  /**
   * From 0 to 1: a result that keeps a smaller share of the facts in removed text is rejected.
   */
  readonly minRecall?: number
  /** Remembers what failed, so that it is not tried again before there is new content. */
  readonly memory?: CompressionMemory
}

/**
 * Remembers compressions that came to nothing, until there is new content, another limit, strategy
 * or summarizer.
 */
export interface CompressionMemory {
  /** `method` names the strategy and the summarizer. */
  find(conversation: Conversation, limits: Limits, method: string): Outcome | undefined
  remember(conversation: Conversation, limits: Limits, method: string, outcome: Outcome): void
}

/**
 * One run of the engine: the options with every default filled in, handed on whole from the entry
 * to the summarizer.
 */
export interface EngineRun extends EngineOptions {
  readonly counter: TokenCounter
  readonly summarizer: Summarizer
  readonly pins: readonly string[]
  /** Notes what was asked of summarizers, and what came of it. */
  readonly work: SummaryWork
  /** Asked after each piece of work. */
  readonly pause: Pause
}
