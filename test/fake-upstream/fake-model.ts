import type { JsonObject } from '../../packages/core/src/formats/shared/json.ts'

/** The four ways to ask a model, named as their message formats. */
export type WireName = 'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'gemini-contents'

/** One request as it came over the wire. */
export interface FakeRequest {
  readonly protocol: WireName
  /** Path and query. */
  readonly url: string
  readonly model: string
  readonly body: JsonObject
  /** The body byte for byte. */
  readonly raw: string
  readonly isStream: boolean
}

/** What the scripted model says to one request. Without anything it says `FAKE-REPLY-OK`. */
export interface FakeAnswer {
  readonly reasoning?: string
  readonly text?: string
  readonly toolCalls?: readonly FakeToolCall[]
  /** By default what follows from the calls. */
  readonly stop?: 'end' | 'length' | 'refusal'
  /** From 300 on an error in the provider's shape instead of an answer. */
  readonly status?: number
  readonly error?: { readonly message: string; readonly type?: string }
  readonly headers?: Readonly<Record<string, string>>
  /** Before anything is sent. */
  readonly delayMs?: number
  /** Between two events of a stream. */
  readonly pauseMs?: number
  /** Before the events of a stream, as they are. */
  readonly comments?: readonly string[]
  /**
   * Never answers, cuts the connection, cuts it in the middle of the answer, or ends a stream there
   * as if it were whole.
   */
  readonly connection?: 'hang' | 'reset' | 'break' | 'end'
}

export interface FakeToolCall {
  readonly name: string
  readonly input: JsonObject
  /** By default one that never comes twice from the same upstream. */
  readonly id?: string
}

/**
 * The script; `number` counts the requests that it is asked to answer from 1: not those that are
 * too long.
 */
export type FakeModel = (request: FakeRequest, number: number) => FakeAnswer | Promise<FakeAnswer>
