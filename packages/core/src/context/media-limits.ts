/**
 * How providers and servers say that a request has too many images or pages, or one that is too
 * large.
 */
import type { RequestLimits } from '../conversation/request-limits.ts'

type LimitsOfError = (limit: number) => RequestLimits

const MEBIBYTE = 1_048_576

// Anthropic's limit. No other provider is known to accept only smaller images if there are many.
// Its error names only the size.
const MANY_IMAGES = 20

const images: LimitsOfError = (limit) => ({ images: limit })
const media: LimitsOfError = (limit) => ({ media: limit })
const pages: LimitsOfError = (limit) => ({ pages: limit })
const imageBytes: LimitsOfError = (limit) => ({ imageBytes: limit })
const imagePixels: LimitsOfError = (limit) => ({ imagePixels: limit })

/** Texts as they are reported (overflow-answers.jsonl), those with more words first. */
const MEDIA_TEXTS: readonly (readonly [pattern: RegExp, read: LimitsOfError])[] = [
  // Anthropic
  [/too much media: \d+ document pages? \+ \d+ images? > (\d{1,6})/i, media],
  [/too many images and documents: \d+ \+ \d+ > (\d{1,6})/i, media],
  [/a maximum of (\d{1,6}) pdf pages may be provided/i, media],
  [
    /dimensions exceed max allowed size for many-image requests: (\d{1,6}) pixels/i,
    (pixels) => ({ manyImages: { images: MANY_IMAGES, pixels } }),
  ],
  [/dimensions exceed max allowed size: (\d{1,6}) pixels/i, imagePixels],
  [/image exceeds [\d.]+ ?MB maximum: \d+ bytes > (\d{1,12}) bytes/i, imageBytes],
  [/image exceeds (\d{1,4}) ?MB maximum/i, (megabytes) => ({ imageBytes: megabytes * MEBIBYTE })],
  // Google
  [/document contains \d+ pages which exceeds the supported page limit of (\d{1,6})/i, pages],
  // vLLM
  [/at most (\d{1,6}) image(?:\(s\)|s)? may be provided/i, images],
  // GitHub Copilot, OpenRouter, LiteLLM's upstreams
  [/contains \d+ images, exceeding the maximum of (\d{1,6})/i, images],
  [/image count \d+ exceeds limit (\d{1,6})/i, images],
  [/too many images\b.{0,120}?\bmax(?:imum)?(?: allowed)?(?: is| of)?:? (\d{1,6})/i, images],
]

/** The limits that an answer names. Undefined if it names no limit. */
export function readMediaLimits(text: string): RequestLimits | undefined {
  let found: RequestLimits | undefined
  for (const [pattern, read] of MEDIA_TEXTS) {
    const match = pattern.exec(text)
    if (match) found = { ...read(Number(match[1])), ...found }
  }
  return found
}

/** An answer that names these limits, as `readMediaLimits` reads it. */
export function renderMediaLimits(limits: RequestLimits): string {
  const { images, media, pages, imageBytes, imagePixels, manyImages } = limits
  return [
    images !== undefined && `At most ${images} images may be provided.`,
    media !== undefined && `Too much media: 0 document pages + 0 images > ${media}`,
    pages !== undefined &&
      `The document contains 0 pages which exceeds the supported page limit of ${pages}.`,
    imageBytes !== undefined && `image exceeds 0 MB maximum: 0 bytes > ${imageBytes} bytes`,
    imagePixels !== undefined && `image dimensions exceed max allowed size: ${imagePixels} pixels`,
    manyImages &&
      `image dimensions exceed max allowed size for many-image requests: ${manyImages.pixels} pixels`,
  ]
    .filter((text) => typeof text === 'string')
    .join(' ')
}
