import type { JsonObject } from '../../packages/core/src/formats/shared/json.ts'
import type { FakeAnswer, FakeRequest, WireName } from './fake-model.ts'

/** How one provider's API looks from outside. */
export interface Wire {
  readonly name: WireName
  /** Whether a path, without its query, asks for an answer. */
  readonly isAnswerPath: (path: string) => boolean
  /** Whether it asks for a number of tokens only. */
  readonly isCountPath: (path: string) => boolean
  readonly findModel: (path: string, body: JsonObject) => string
  readonly isStream: (path: string, body: JsonObject) => boolean
  readonly writeCount: (tokens: number) => JsonObject
  readonly writeAnswer: (turn: FakeTurn) => JsonObject
  readonly writeStream: (turn: FakeTurn) => readonly StreamEvent[]
  readonly writeError: (error: WireError) => JsonObject
  /** What it answers to a request that is too long, word for word but for the numbers. */
  readonly writeOverflow: (requestTokens: number, windowTokens: number) => WireFailure
  /** Where the overflow of a streamed request comes as an event behind status 200. */
  readonly writeOverflowStream?: (turn: FakeTurn) => readonly StreamEvent[]
}

/** What is to be written. */
export interface FakeTurn {
  readonly request: FakeRequest
  /** Counts requests from 1. */
  readonly number: number
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly {
    readonly id: string
    readonly name: string
    readonly input: JsonObject
  }[]
  readonly stop: NonNullable<FakeAnswer['stop']>
  readonly usage: FakeUsage
}

/** A quarter of the characters, which is near enough for a fake. */
export interface FakeUsage {
  /** All of the request. */
  readonly input: number
  /** Of it, what an earlier request began with. */
  readonly cached: number
  readonly output: number
  readonly reasoning: number
}

export interface WireError {
  readonly status: number
  readonly message: string
  readonly type: string
}

export interface WireFailure {
  readonly status: number
  readonly body: JsonObject
}

export interface StreamEvent {
  /** The line before the data, where the API has one. */
  readonly event?: string
  readonly data: JsonObject | '[DONE]'
}

const PIECE_CHARACTERS = 24

/** A text in the pieces in which a stream brings it. */
export function cutPieces(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; start += PIECE_CHARACTERS) {
    pieces.push(text.slice(start, start + PIECE_CHARACTERS))
  }
  return pieces
}
