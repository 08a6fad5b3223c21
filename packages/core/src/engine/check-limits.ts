import { aConversation, anObject, checkValue } from '../conversation/check-options.ts'
import type { Violation } from '../conversation/invariants/invariant.ts'
import type { Conversation, MediaPart } from '../conversation/message.ts'
import {
  countEncodedBytes,
  countMedia,
  countPages,
  findTooLarge,
  hasUnknownPages,
  listMedia,
  type MediaSite,
  type RequestLimits,
  writeCount,
} from '../conversation/request-limits.ts'
import { findRequestExcess } from './limits.ts'

/** Every limit that a request does not keep, in the order of its messages. */
export function checkLimits(conversation: Conversation, limits: RequestLimits): Violation[] {
  checkValue('Checking limits', 'conversation', conversation, aConversation)
  checkValue('Checking limits', 'limits', limits, anObject)
  const bytes = findRequestExcess(conversation, { bytes: limits.bytes })?.amount ?? 0
  const sites = listMedia(conversation.messages)
  const { images, pages } = countMedia(sites.map(({ media }) => media))
  const isAmongMany = images > (limits.manyImages?.images ?? Infinity)
  const found = sites.flatMap(({ media, message }): Violation[] => {
    const large = findTooLarge(media, limits, isAmongMany)
    return large ? [{ rule: large.rule, message, detail: large.detail }] : []
  })
  const tooMany = (count: (media: MediaPart) => number, most: number, detail: string) => {
    let sum = 0
    const first = sites.find(({ media }) => {
      sum += count(media)
      return sum > most
    })
    if (first) found.push({ rule: 'too-many-images', message: first.message, detail })
  }
  const {
    images: mostImages = Infinity,
    media: mostMedia = Infinity,
    bytes: mostBytes = Infinity,
  } = limits
  const isImage = ({ type }: MediaPart) => Number(type === 'image')
  tooMany(
    isImage,
    mostImages,
    `${writeCount(images)} images, ${writeCount(mostImages)} are allowed`,
  )
  // If only documents are too long, each is named already.
  if (
    images + pages > mostMedia &&
    (images > 0 || !found.some(({ rule }) => rule === 'document-too-long'))
  ) {
    const about = sites.some(({ media }) => hasUnknownPages(media)) ? 'about ' : ''
    const detail = `${writeCount(images)} images and ${about}${writeCount(pages)} pages of documents, ${writeCount(mostMedia)} are allowed together`
    tooMany((media) => isImage(media) + countPages(media), mostMedia, detail)
  }
  if (bytes > mostBytes) {
    const largest = findLargest(sites)
    const most = largest
      ? `; the largest image or document has ${writeCount(countEncodedBytes(largest.media))}`
      : ''
    const detail = `a request of ${writeCount(bytes)} bytes, ${writeCount(mostBytes)} are allowed${most}`
    found.push({ rule: 'request-too-large', message: largest?.message ?? 0, detail })
  }
  return found.sort((a, b) => a.message - b.message)
}

/**
 * Positions of messages with a PDF whose pages cannot be counted, if there is a limit for pages.
 * `checkLimits` counts one page for each 100 kB.
 */
export function findUncounted(
  { messages }: Conversation,
  { pages, media }: RequestLimits,
): number[] {
  if (pages === undefined && media === undefined) return []
  const sites = listMedia(messages).filter((site) => hasUnknownPages(site.media))
  return [...new Set(sites.map(({ message }) => message))]
}

function findLargest(sites: readonly MediaSite[]): MediaSite | undefined {
  return sites.reduce<MediaSite | undefined>(
    (largest, site) => (largest && largest.media.bytes >= site.media.bytes ? largest : site),
    undefined,
  )
}
