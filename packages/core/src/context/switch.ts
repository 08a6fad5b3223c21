import type { Refusal } from '../engine/report.ts'
import type { ContextCompression } from './context-compression.ts'

export interface SwitchOptions {
  /** Of the model to switch to, where the catalogue is to be overruled. */
  readonly windowTokens?: number
}

/** What a switch to a model would do. */
export interface SwitchPreview {
  readonly from: string
  readonly to: string
  readonly verdict: SwitchVerdict
  /** Counted for the model to switch to. */
  readonly tokens: number
  readonly windowTokens: number
  /** What the history may have there: 0.9 of the window. */
  readonly safeTokens: number
  /** What is left after clearing or the summary that the verdict names. */
  readonly tokensAfter: number
  readonly losses: readonly SwitchLoss[]
  /** What is too large, when the verdict is `cannot-fit`. */
  readonly refusal?: Refusal
}

export type SwitchVerdict =
  | 'same-model'
  | 'fits'
  | 'fits-after-clearing'
  | 'fits-after-summary'
  | 'cannot-fit'
  /** A compression runs. */
  | 'busy'

/** Something that the new model cannot use, or will not see word for word. */
export interface SwitchLoss {
  /** `messages` are removed or summarized, `parts` is of messages that lose some of their content, `request` of the last one. */
  readonly of: 'images' | 'reasoning' | 'cache' | 'messages' | 'parts' | 'request'
  /** Images, reasoning parts or messages; tokens of the cached prefix or of the last request. */
  readonly amount: number
  /** In words for the person. */
  readonly explanation: string
}

export type SwitchResult =
  | { readonly type: 'switched'; readonly preview: SwitchPreview; readonly compression?: ContextCompression }
  | { readonly type: 'unchanged' }
  | {
      readonly type: 'refused'
      readonly reason: 'busy' | 'cannot-fit' | 'aborted' | 'vetoed' | 'failed'
      readonly explanation: string
      readonly preview: SwitchPreview
    }
