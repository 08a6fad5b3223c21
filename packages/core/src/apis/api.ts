/**
 * The contract of the APIs of providers: what each calls a request, its usage, an error and an
 * answer. The messages themselves are read by the format of the same name.
 */
import type { Usage } from '../context/context.ts'
import type { HostRequest } from '../following/follower.ts'
import type { RequestFormat } from '../formats/index.ts'
import { isJsonObject, type JsonObject, readMember } from '../formats/shared/json.ts'

export interface Api {
  readonly format: RequestFormat
  /** The member of a request body that lists the messages. */
  readonly listKey: string
  /**
   * `model` is given if the address names it. Undefined for a request that does not contain its
   * history, or whose history is not a list of messages.
   */
  readRequest(body: JsonObject, model?: string): HostRequest | undefined
  /** The body with other messages. Everything else stays. */
  writeMessages(body: JsonObject, messages: readonly object[]): JsonObject
  readUsage(answer: unknown): Usage | undefined
  /** Called with every event of a stream in order, with what the events before it reported. */
  readEventUsage(event: unknown, before: Usage | undefined): Usage | undefined
  /** Whether an event comes before the model's first word. */
  isPrelude(event: unknown): boolean
  /** Reads the error out of an event that is not itself an error. */
  findFailure(event: unknown): unknown
  /** A text as the whole answer of the model, in the shape of an answer that is not streamed. */
  createAnswer(answer: TextAnswer): JsonObject
  /** The same as the events of a stream, in order. */
  createEvents(answer: TextAnswer): readonly ApiEvent[]
}

export interface TextAnswer {
  readonly text: string
  /** As the request names it: clients take another one for another model. */
  readonly model: string
  /** Letters and digits, unique. */
  readonly id: string
  /** Seconds since 1970. */
  readonly time: number
  readonly usage: Usage
}

/** One event of a stream: a line `event:` if it has a name, and a line `data:`. */
export interface ApiEvent {
  readonly name?: string
  /** JSON, or a word that ends the stream. */
  readonly data: JsonObject | string
}

/** A list of objects. Undefined for any other value that an API accepts in its place. */
export function readObjects(value: unknown): readonly object[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.every((entry: unknown) => typeof entry === 'object' && entry !== null)
    ? value
    : undefined
}

/** The members of a request that OpenAI and Anthropic name alike. */
export function readFrame({ model, tools }: JsonObject, longestAnswer: unknown) {
  return {
    // What is no text names no model, and its kind has a length.
    model: typeof model === 'string' ? model : typeof model,
    tools: readObjects(tools),
    answerTokens: readTokens(longestAnswer) || undefined,
  }
}

/** A whole number of tokens. 0 for anything else, because `1e400` in JSON is read as infinite. */
export function readTokens(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** For usage that OpenAI's APIs report alike, except the names of two members. */
export function createUsageReader(input: string, output: string, isReasoningSentAgain: boolean) {
  return (answer: unknown): Usage | undefined => {
    const usage = readMember(answer, 'usage')
    if (!isJsonObject(usage)) return undefined
    const [inputTokens, answerTokens] = [readTokens(usage[input]), readTokens(usage[output])]
    const reasoningTokens = isReasoningSentAgain
      ? 0
      : readTokens(readMember(usage[`${output}_details`], 'reasoning_tokens'))
    // xAI counts reasoning next to the answer, and both in the total.
    const isApart =
      reasoningTokens > 0 &&
      readTokens(usage.total_tokens) === inputTokens + answerTokens + reasoningTokens
    return {
      inputTokens,
      outputTokens: answerTokens + (isApart ? reasoningTokens : 0),
      ...(reasoningTokens > 0 && { reasoningTokens }),
      cachedInputTokens: readTokens(readMember(usage[`${input}_details`], 'cached_tokens')),
    }
  }
}
