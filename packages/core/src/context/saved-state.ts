import type { RequestLimits } from '../conversation/request-limits.ts'
import type { ContextWindow } from '../models/model.ts'
import type { SavedCooldown, Vain } from './cooldown.ts'
import type { SpendingSoFar } from './decision.ts'
import type { SavedHistory } from './live-history.ts'
import type { SavedMeasure } from './measure.ts'

/** Everything in a context that its options do not contain, as plain values. */
export interface SavedState extends ContextWindow {
  readonly model: string
  readonly history: SavedHistory
  readonly pins: readonly string[]
  readonly unpins: readonly string[]
  /** Limits that the host gave or the provider named, without the known limits of the model. */
  readonly limits: RequestLimits
  readonly measure: SavedMeasure
  readonly cooldown: SavedCooldown
  readonly compressions: number
  readonly sent?: SavedRequest | undefined
  readonly sentAt?: number | undefined
  readonly hasCacheReports: boolean
  readonly spending: SpendingSoFar
  readonly vain?: Vain | undefined
}

/** The request that was last given out to be sent. */
export interface SavedRequest {
  readonly tokens: number
  readonly revision: number
}
