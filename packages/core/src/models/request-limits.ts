import type { RequestLimits } from '../conversation/request-limits.ts'
import type { Model } from './model.ts'

const MEGABYTE = 1_000_000
const MEBIBYTE = 1_048_576

const SMALL_WINDOW_TOKENS = 200_000

/**
 * Limits of a model's provider for one request, except tokens. The sources are in docs/limits.md. A
 * limit that is not documented is undefined. `windowTokens` is the window that the request has to
 * fit, by default the window of the model.
 */
export function findRequestLimits(
  { provider, contextWindowTokens }: Pick<Model, 'provider' | 'contextWindowTokens'>,
  windowTokens = contextWindowTokens,
): RequestLimits {
  switch (provider) {
    case 'anthropic':
      return {
        bytes: 32 * MEGABYTE,
        media: Math.min(windowTokens, contextWindowTokens) > SMALL_WINDOW_TOKENS ? 600 : 100,
        imageBytes: 10 * MEBIBYTE,
        imagePixels: 8_000,
        manyImages: { images: 20, pixels: 2_000 },
      }
    case 'openai':
      return { bytes: 512 * MEGABYTE, images: 1_500 }
    case 'google':
      return { bytes: 100 * MEGABYTE, images: 3_600, pages: 1_000 }
    case 'other':
      return {}
  }
}
