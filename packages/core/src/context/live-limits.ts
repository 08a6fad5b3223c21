import type { RequestLimits } from '../conversation/request-limits.ts'
import { findRequestLimits } from '../models/request-limits.ts'
import type { ContextOptions } from './context.ts'
import type { Settings } from './settings.ts'

// The share of images and bytes that is used after a provider refused too many of them.
const LEFT_SHARE = 0.8

type LimitOptions = Pick<ContextOptions, 'budgetBytes' | 'budgetImages'>

/**
 * Limits of a request except tokens: the known limits of the model, limits that the provider named,
 * and limits that the host gave.
 */
export class LiveLimits {
  readonly #ofHost: RequestLimits
  #own: RequestLimits

  constructor({ budgetBytes: bytes, budgetImages: images }: LimitOptions) {
    this.#ofHost = {
      ...(bytes !== undefined && { bytes }),
      ...(images !== undefined && { images }),
    }
    this.#own = this.#ofHost
  }

  find({ model, windowTokens }: Pick<Settings, 'model' | 'windowTokens'>): RequestLimits {
    return { ...findRequestLimits(model, windowTokens), ...this.#own }
  }

  /**
   * Less than is allowed, so that the next image does not change the history again. Limits that the
   * host gave stay unchanged.
   */
  findRoomy(settings: Pick<Settings, 'model' | 'windowTokens'>): RequestLimits {
    const limits = this.find(settings)
    const { manyImages } = limits
    const lower = (most: number) => Math.floor(most * LEFT_SHARE)
    const roomy = (name: 'bytes' | 'images' | 'media') => {
      const { [name]: most } = limits
      return most === undefined ? {} : { [name]: most === this.#ofHost[name] ? most : lower(most) }
    }
    const many = manyImages && { manyImages: { ...manyImages, images: lower(manyImages.images) } }
    return { ...limits, ...roomy('bytes'), ...roomy('images'), ...roomy('media'), ...many }
  }

  /**
   * Records the limits that the provider named when it refused a request. A smaller known limit
   * stays.
   */
  learn(limits: RequestLimits): void {
    const { bytes = Infinity, images = Infinity } = this.#own
    this.#own = {
      ...this.#own,
      ...limits,
      ...(limits.bytes !== undefined && { bytes: Math.min(limits.bytes, bytes) }),
      ...(limits.images !== undefined && { images: Math.min(limits.images, images) }),
    }
  }

  /** The limits without the known limits of the model. */
  save(): RequestLimits {
    return this.#own
  }

  load(saved: RequestLimits): void {
    this.#own = saved
  }
}
