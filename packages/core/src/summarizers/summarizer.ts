import {
  aText,
  checkValue,
  describeType,
  isObject,
  type Kind,
  withMethods,
} from '../conversation/check-options.ts'
import type { SummaryBrief } from '../conversation/edit.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import type { Pause } from '../conversation/steps.ts'

/** Makes a span of messages shorter. The only thing the engine waits for. */
export interface Summarizer {
  readonly name: string
  /**
   * The share of the space that the summarizer is asked to fill, 1 by default. Names and facts are
   * extracted into the rest.
   */
  readonly share?: number
  /** Rejects only if aborted or broken. If it cannot make a summary, the summary is empty. */
  summarize(request: SummaryRequest): Promise<Summary>
}

/** The input of a summarizer. */
export const aSummarizer: Kind = {
  ...withMethods('a summarizer, such as digest()', 'summarize'),
  members: { name: aText },
  needed: ['name'],
}

/** Everything that a summarizer may know. */
export interface SummaryRequest {
  /**
   * Everything the model saw in the part that is removed, calls and results included, oldest first.
   */
  readonly span: readonly Message[]
  /**
   * Messages that stay verbatim next to the summary, in order, including the ledger. The summary
   * need not repeat them.
   */
  readonly kept: readonly Message[]
  /** All of it, for a summarizer that sends it as its host does. Missing for a rewrite. */
  readonly conversation?: Conversation
  /** Upper limit of the summary, by `countTokens`. */
  readonly targetTokens: number
  readonly brief: SummaryBrief
  /** Says what to keep above all, from `/compress <focus>` or `--instructions`. */
  readonly instructions?: string
  readonly workingDirectory?: string
  /** The number of the user's request that a message belongs to, in the order of the messages. */
  readonly turns?: ReadonlyMap<Message, number>
  /** The counter of the model that will read the summary, by its upper bound. */
  readonly countTokens: (text: string) => number
  readonly signal?: AbortSignal
  /** For a summarizer that works in this thread: asked after each piece of work. */
  readonly pause?: Pause
}

/** Only the text. `summary-message.ts` has the text around it in the history. */
export interface Summary {
  /** Empty if no summary could be made. */
  readonly text: string
  /** The summarizer of a chain that made it. By default the summarizer that was asked. */
  readonly summarizer?: string
  /** Why attempts before this one, or all of them, failed, in words for the user. */
  readonly problems?: readonly string[]
  /** Tokens paid for it, including failed attempts. Undefined if no model was called. */
  readonly usage?: SummaryUsage
}

/** Tokens as the provider reported them. */
export interface SummaryUsage {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** The same for each model, since their prices differ. Undefined if it is not known of all. */
  readonly models?: readonly ModelUsage[]
}

/** What one model was asked, under its `LanguageModel.name`. */
export interface ModelUsage extends Omit<SummaryUsage, 'models'> {
  readonly model: string
}

/** Undefined when neither called a model. */
export function addUsage(
  sum: SummaryUsage | undefined,
  added: SummaryUsage | undefined,
): SummaryUsage | undefined {
  if (!sum || !added) return sum ?? added
  const models = sum.models && added.models?.reduce(addModel, sum.models)
  return { ...addCounts(sum, added), ...(models && { models }) }
}

const addCounts = (a: SummaryUsage, b: SummaryUsage) => ({
  calls: a.calls + b.calls,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
})

function addModel(models: readonly ModelUsage[], added: ModelUsage): readonly ModelUsage[] {
  const { model } = added
  const at = models.findIndex((known) => known.model === model)
  const known = models[at]
  return known ? models.with(at, { model, ...addCounts(known, added) }) : [...models, added]
}

/**
 * A model that answers text with text. The host that creates it handles retries, time-outs and the
 * number of concurrent calls.
 */
export interface LanguageModel {
  /** `provider/model`, for example `openai/gpt-5-mini`. */
  readonly name: string
  /** Prompt and answer together. */
  readonly contextWindowTokens: number
  readonly maxOutputTokens: number
  /** Upper bound of what the text costs this model. */
  readonly countTokens: (text: string) => number
  /** Rejects only when aborted: a failure is a value. */
  generate(request: GenerationRequest): Promise<Generation>
  /** Called with each answer that was used, so that the same request need not be paid for again. */
  remember?(request: GenerationRequest, text: string): Promise<void>
}

/** One call. */
export interface GenerationRequest {
  readonly system: string
  readonly prompt: string
  readonly maxOutputTokens: number
  /** A low one by default. */
  readonly temperature?: number
  readonly signal?: AbortSignal
}

/** The result of one call. */
export type Generation = GeneratedText | GenerationFailure

/** An answer. `length` if the output limit cut it off. */
export interface GeneratedText {
  readonly type: 'text'
  readonly text: string
  readonly finishReason: 'stop' | 'length' | 'other'
  readonly usage: SummaryUsage
}

/**
 * A failure instead of an answer. `overflow`: the prompt was too long for the model.
 * `misconfigured`: key, model name or address are wrong.
 */
export interface GenerationFailure {
  readonly type: 'failed'
  readonly reason:
    | 'overflow'
    | 'refused'
    | 'unavailable'
    | 'timed-out'
    | 'rejected-request'
    | 'misconfigured'
  /** For the user. Contains no key. */
  readonly message: string
  readonly usage?: SummaryUsage
}

/**
 * Asks one summarizer after the other until one returns text. The last is the one that never fails,
 * `digest`. It is not asked for a rewrite after others: the message stays unchanged, with the
 * reason, instead of becoming a list of names.
 */
export function chain(first: Summarizer, ...others: readonly Summarizer[]): Summarizer {
  const summarizers = [first, ...others]
  for (const [at, member] of summarizers.entries())
    checkValue('Chaining summarizers', `[${at}]`, member, aSummarizer)
  return {
    name: first.name,
    share: first.share,
    summarize: async (request) => {
      const asked = request.brief === 'rewrite' ? [first, ...others.slice(0, -1)] : summarizers
      const problems: string[] = []
      let usage: SummaryUsage | undefined
      let text = ''
      let summarizer = first.name
      for (const member of asked) {
        const summary = await attempt(member, request)
        request.signal?.throwIfAborted()
        usage = addUsage(usage, summary.usage)
        summarizer = summary.summarizer ?? member.name
        for (const problem of summary.problems ?? []) problems.push(`${summarizer}: ${problem}`)
        text = summary.text
        if (text.trim() !== '') break
      }
      return { text, summarizer, usage, problems: problems.length > 0 ? problems : undefined }
    },
  }
}

/** A summarizer that throws returns nothing, and the next one is asked. */
async function attempt(summarizer: Summarizer, request: SummaryRequest): Promise<Summary> {
  try {
    return readSummaryOf(summarizer, await summarizer.summarize(request))
  } catch (error) {
    request.signal?.throwIfAborted()
    return {
      text: '',
      problems: [`it broke: ${error instanceof Error ? error.message : String(error)}`],
    }
  }
}

/**
 * The members of a summary. Throws `TypeError` if it is none, because a host's own summarizer may
 * return anything.
 */
export function readSummaryOf({ name }: Summarizer, summary: unknown): Summary {
  const given = isObject(summary) ? (summary as Partial<Summary>) : undefined
  if (typeof given?.text !== 'string') {
    const found = given
      ? `an object whose text is ${describeType(given.text)}`
      : describeType(summary)
    throw new TypeError(
      `Summarizing with "${name}": it gave ${found}. A summarizer gives { text: string }.`,
    )
  }
  const { text, summarizer, usage, problems } = given
  return {
    text,
    summarizer: typeof summarizer === 'string' ? summarizer : undefined,
    usage,
    problems: Array.isArray(problems) ? problems.map(String) : undefined,
  }
}
