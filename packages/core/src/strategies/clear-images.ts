import type { MediaPart } from '../conversation/message.ts'
import {
  countEncodedBytes,
  countMedia,
  countPages,
  findTooLarge,
  listMedia,
  type MediaSite,
} from '../conversation/request-limits.ts'
import { createPartSizes, type PieceChange, planPieceChanges, weighPart } from './clearing.ts'
import { renderMedia, textPart } from './clip-text.ts'
import type { Strategy, StrategyOptions, StrategyView } from './strategy.ts'

/**
 * Replaces images and files by a line of text, also inside results. Images above the
 * provider's limit for one image go first. Then the oldest go, until the request is within its
 * tokens and limits. Images that the agent has not seen yet come last, and images of the last
 * request after these.
 */
export const clearImages: Strategy = {
  name: 'clear-images',
  summarizes: false,
  plan(view, options) {
    const { messages } = view.conversation
    if (messages.length === view.cutPoints.fixedEnd) return { noop: 'empty-history' }
    const { limits = {} } = options
    const sites = findSites(view)
    const excess = measureExcess(view, options)
    const sizes = createPartSizes(view)
    const changes = new Map<MediaSite, PieceChange>()
    const clear = (site: MediaSite, advice?: string) => {
      const { media, ...place } = site
      excess.remove(
        media,
        () => weighPart(media) * sizes.rateOf(site.message) - view.countTokens(renderMedia(media)),
      )
      changes.set(site, { ...place, becomes: textPart(renderMedia(media, advice)) })
    }
    for (const site of sites) {
      const tooLarge = findTooLarge(site.media, limits)
      if (tooLarge) clear(site, tooLarge.advice)
    }
    for (const site of sites) if (!changes.has(site) && excess.isLess(site.media)) clear(site)
    const left = sites.filter((site) => !changes.has(site))
    for (const [site, advice] of listForMany(left, options, view)) clear(site, advice)
    if (changes.size > 0) return planPieceChanges(view, [...changes.values()])
    return { noop: excess.isOver ? 'nothing-eligible' : 'already-under-target' }
  },
}

/** The excess over each target, as far as media can lower it. */
function measureExcess(view: StrategyView, { targetTokens, limits = {} }: StrategyOptions) {
  const counted = countMedia(listMedia(view.conversation.messages).map(({ media }) => media))
  const toolBytes = () => view.conversation.tools.reduce((sum, tool) => sum + tool.length, 0)
  let tokens = view.tokensBefore.at(-1)! + view.fixedTokens - targetTokens
  let bytes = limits.bytes === undefined ? 0 : view.bytesBefore.at(-1)! + toolBytes() - limits.bytes
  let images = counted.images - (limits.images ?? Infinity)
  let media = counted.images + counted.pages - (limits.media ?? Infinity)
  return {
    get isOver() {
      return tokens > 0 || bytes > 0 || images > 0 || media > 0
    },
    /**
     * Whether removing this one makes it less. A file is not an image, and one that frees nothing
     * of the wanted size stays.
     */
    isLess(part: MediaPart): boolean {
      const isImage = part.type === 'image'
      return (
        tokens > 0 ||
        (bytes > 0 && part.bytes > 0) ||
        (images > 0 && isImage) ||
        (media > 0 && (isImage || countPages(part) > 0))
      )
    },
    remove(part: MediaPart, countTokens: () => number): void {
      const image = Number(part.type === 'image')
      if (tokens > 0) tokens -= Math.max(countTokens(), 0)
      bytes -= countEncodedBytes(part)
      images -= image
      media -= image + countPages(part)
    },
  }
}

/**
 * For a request with too many images for the size of some of them. Removes the images that are too
 * large. If that takes more images, or the agent has not seen one of them yet, it removes the
 * oldest images until there are few enough.
 */
function* listForMany(
  left: readonly MediaSite[],
  { limits = {} }: StrategyOptions,
  view: StrategyView,
): Generator<[site: MediaSite, advice?: string]> {
  const images = left.filter(({ media }) => media.type === 'image')
  const surplus = images.length - (limits.manyImages?.images ?? Infinity)
  if (surplus <= 0) return
  const large = images.filter(({ media }) => findTooLarge(media, limits, true))
  const isNew = large.some(({ message }) => findRank(view, message) > 0)
  if (large.length > surplus || isNew) for (const site of images.slice(0, surplus)) yield [site]
  else for (const site of large) yield [site, findTooLarge(site.media, limits, true)?.advice]
}

/** Every image and file that may be cleared, in the order in which they are. */
function findSites(view: StrategyView): MediaSite[] {
  const { messages } = view.conversation
  return listMedia(messages)
    .filter(({ message }) => messages[message]?.role !== 'system')
    .sort((a, b) => findRank(view, a.message) - findRank(view, b.message))
}

const findRank = ({ cutPoints, asked }: StrategyView, message: number): number =>
  asked.includes(message) ? 2 : Number(message >= (cutPoints.openStart ?? Infinity))
