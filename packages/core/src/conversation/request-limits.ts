/** The limits of a request other than tokens, and which of its images and documents exceed them. */
import type { MediaPart, Message, Part } from './message.ts'

/**
 * Upper limits of a request other than tokens. An undefined limit does not exist. The sources are
 * in docs/limits.md.
 */
export interface RequestLimits {
  /** Size of the whole request as JSON in UTF-8. */
  readonly bytes?: number
  /** Number of images, including those in results of tools. */
  readonly images?: number
  /** Number of images and pages of PDFs together. */
  readonly media?: number
  /** Number of pages of one PDF. */
  readonly pages?: number
  /** Size of one image as base64. */
  readonly imageBytes?: number
  /** The longer side of an image, in pixels. */
  readonly imagePixels?: number
  /** The limit of pixels in a request with more images than `images`. */
  readonly manyImages?: { readonly images: number; readonly pixels: number }
}

/** An image or a file of a message. With `place`, it is in the result at that position. */
export interface MediaSite {
  readonly message: number
  readonly part: number
  readonly place: number | undefined
  readonly media: MediaPart
}

/** Every image and file, in order. */
export function listMedia(messages: readonly Message[]): MediaSite[] {
  const sites: MediaSite[] = []
  const add = (media: Part, message: number, part: number, place: number | undefined) => {
    if (media.type === 'image' || media.type === 'file') sites.push({ message, part, place, media })
  }
  messages.forEach(({ parts }, message) => {
    parts.forEach((own: Part, part) => {
      if (own.type !== 'tool-result') add(own, message, part, undefined)
      else for (const [place, content] of own.output.entries()) add(content, message, part, place)
    })
  })
  return sites
}

/** How many images and pages there are. */
export function countMedia(media: Iterable<MediaPart>): { images: number; pages: number } {
  let images = 0
  let pages = 0
  for (const one of media) {
    if (one.type === 'image') images++
    else pages += countPages(one)
  }
  return { images, pages }
}

/** Whether a document has an unknown number of pages, because it is encrypted or elsewhere. */
export const hasUnknownPages = ({ type, mediaType, pages }: MediaPart): boolean =>
  type === 'file' && mediaType === 'application/pdf' && pages === undefined

/**
 * Pages of a PDF. An unknown number is one page for each 100 kB, as for tokens: a limit of all pages
 * together may remove an old document too early, but the provider refuses the whole request.
 */
export function countPages(media: MediaPart): number {
  if (media.type !== 'file') return 0
  return hasUnknownPages(media)
    ? Math.max(Math.ceil(media.bytes / BYTES_PER_PAGE), 1)
    : (media.pages ?? 0)
}

const BYTES_PER_PAGE = 100_000

/** A limit that a single image or document exceeds. */
export interface TooLarge {
  readonly rule: 'image-too-large' | 'document-too-long'
  /** What was found, and what is allowed. */
  readonly detail: string
  /** How to look at it again. */
  readonly advice: string
}

/**
 * Undefined if it keeps them. `isAmongMany`: its request has more images than `limits.manyImages`
 * allows.
 */
export function findTooLarge(
  media: MediaPart,
  limits: RequestLimits,
  isAmongMany = false,
): TooLarge | undefined {
  if (media.type === 'file') return findTooLong(media, limits)
  const { width = 0, height = 0 } = media
  const pixels = isAmongMany ? limits.manyImages?.pixels : undefined
  const most = Math.min(limits.imagePixels ?? Infinity, pixels ?? Infinity)
  const rule = 'image-too-large'
  if (Math.max(width, height) > most) {
    const where =
      most === pixels ? ` in a request with more than ${limits.manyImages?.images} images` : ''
    const detail = `an image of ${writeCount(width)}×${writeCount(height)} pixels, ${writeCount(most)} a side are allowed${where}`
    return {
      rule,
      detail,
      advice: `look at it again with at most ${writeCount(most)} pixels a side`,
    }
  }
  const bytes = countEncodedBytes(media)
  const { imageBytes = Infinity } = limits
  if (bytes <= imageBytes) return undefined
  const detail = `an image of ${writeCount(bytes)} bytes as base64, ${writeCount(imageBytes)} are allowed`
  return { rule, detail, advice: 'look at it again smaller, or as a JPEG' }
}

/** Of an unknown number of pages this cannot be said. */
function findTooLong(
  media: MediaPart,
  { pages = Infinity, media: together = Infinity }: RequestLimits,
) {
  const most = Math.min(pages, together)
  if (hasUnknownPages(media) || countPages(media) <= most) return undefined
  const detail = `a document of ${writeCount(countPages(media))} pages, ${writeCount(most)} are allowed`
  return {
    rule: 'document-too-long',
    detail,
    advice: `read at most ${writeCount(most)} of its pages at a time`,
  } as const
}

/** `10,000` */
export const writeCount = (count: number): string => count.toLocaleString('en-US')

export const countEncodedBytes = ({ bytes }: MediaPart): number => Math.ceil(bytes / 3) * 4

/** Whether a request with these media keeps all limits except the size in bytes. */
export function keepsLimits(media: readonly MediaPart[], limits: RequestLimits): boolean {
  const { images, pages } = countMedia(media)
  if (images > (limits.images ?? Infinity) || images + pages > (limits.media ?? Infinity))
    return false
  const isAmongMany = images > (limits.manyImages?.images ?? Infinity)
  return !media.some((one) => findTooLarge(one, limits, isAmongMany))
}
