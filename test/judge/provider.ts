/**
 * The contract of the judge: the rules of providers a second time, written from their documentation
 * and their errors. It reads raw JSON with readers of its own and knows nothing of precis, so it
 * does not share the mistakes of the cutter.
 */

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * A rule of a provider that a request breaks. The same rule has the same name for every provider.
 */
export interface Violation {
  readonly rule: string
  readonly detail: string
}

/** One block, part or item of a request, with the place that it has there. */
export interface Piece {
  /** Position in the list of messages, contents or items. */
  readonly message: number
  /** Whose word it is: results of tools stand apart from what a person writes in the same role. */
  readonly side: 'user' | 'model' | 'result' | 'operator'
  readonly type: string
  readonly value: JsonObject
  /** The id of the message that it is a block of, where messages have one. */
  readonly messageId?: string
}

/** The name that precis gives the format. */
export type ProviderName =
  | 'anthropic-messages'
  | 'openai-chat'
  | 'openai-responses'
  | 'gemini-contents'
  | 'ai-sdk'

/** The rule that a call breaks if its history ends before its result. */
export const AWAITED = 'call-awaits-result'
export const EMPTY = 'no-messages'

/**
 * What a history may lack that its provider demands of a request: the agent sends its next message
 * or the results of its calls with it.
 */
export const UNFINISHED: ReadonlySet<string> = new Set([AWAITED, EMPTY])

export interface ProviderRules {
  readonly name: ProviderName
  /** Every piece in order; the system prompt beside the list is none. */
  readPieces(body: JsonObject): Piece[]
  /** What the provider would refuse, in the order of the request. */
  judge(body: JsonObject): Violation[]
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects of a list; a text as one block of it. */
export function readList(value: unknown): JsonObject[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export const readText = (value: JsonObject, key: string): string | undefined => {
  const text = value[key]
  return typeof text === 'string' && text !== '' ? text : undefined
}

export const roleOf = (value: JsonObject | undefined): string =>
  (value && readText(value, 'role')) ?? 'no role'

export const typeOf = (value: JsonObject): string => readText(value, 'type') ?? 'no type'

/** Collects violations under the name of their rule. */
export class Sentence {
  readonly violations: Violation[] = []

  demand(isKept: boolean, rule: string, detail: string): void {
    if (!isKept) this.violations.push({ rule, detail })
  }
}
