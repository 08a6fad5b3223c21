import type { MediaPart, Part } from '../conversation/message.ts'
import { createPartSizes, type PieceChange, planPieceChanges, weighPart } from './clearing.ts'
import { renderMedia, textPart } from './clip-text.ts'
import type { Strategy, StrategyOptions, StrategyView } from './strategy.ts'

/**
 * Replaces images and files by a line of text, inside results too: the oldest first, until tokens, images and bytes are
 * within their targets. Those that the agent has not seen yet come last, and after them those of the last request.
 */
export const clearImages: Strategy = {
  name: 'clear-images',
  summarizes: false,
  plan(view, options) {
    const { messages } = view.conversation
    if (messages.length === view.cutPoints.fixedEnd) return { noop: 'empty-history' }
    const excess = measureExcess(view, options)
    if (!isOver(excess)) return { noop: 'already-under-target' }
    const changes: PieceChange[] = []
    for (const { media, tokens, ...place } of findMedia(view)) {
      if (!isOver(excess)) break
      // A file is no image; one that frees nothing of what is wanted stays.
      if (!helps(media, excess)) continue
      excess.tokens -= tokens
      excess.images -= media.type === 'image' ? 1 : 0
      // As base64.
      excess.bytes -= Math.ceil(media.bytes / 3) * 4
      changes.push({ ...place, becomes: textPart(renderMedia(media)) })
    }
    return planPieceChanges(view, changes)
  },
}

/** The excess over each target; minus infinity where there is no limit. */
interface Excess {
  tokens: number
  images: number
  bytes: number
}

function measureExcess(view: StrategyView, options: StrategyOptions): Excess {
  const { targetTokens, targetImages, targetBytes } = options
  const toolBytes = () => view.conversation.tools.reduce((sum, tool) => sum + tool.length, 0)
  return {
    tokens: view.tokensBefore.at(-1)! + view.fixedTokens - targetTokens,
    images: targetImages === undefined ? -Infinity : view.imagesBefore.at(-1)! - targetImages,
    bytes: targetBytes === undefined ? -Infinity : view.bytesBefore.at(-1)! + toolBytes() - targetBytes,
  }
}

const isOver = ({ tokens, images, bytes }: Excess): boolean => tokens > 0 || images > 0 || bytes > 0

function helps(media: MediaPart, { tokens, images, bytes }: Excess): boolean {
  return tokens > 0 || (bytes > 0 && media.bytes > 0) || (images > 0 && media.type === 'image')
}

interface MediaSite extends Omit<PieceChange, 'becomes'> {
  readonly media: MediaPart
  readonly tokens: number
}

/** In the order in which they are cleared. */
function findMedia(view: StrategyView): MediaSite[] {
  const sizes = createPartSizes(view)
  const sites: MediaSite[] = []
  view.conversation.messages.forEach(({ role, parts }, message) => {
    if (role === 'system') return
    const add = (media: Part, part: number, place: number | undefined) => {
      if (media.type !== 'image' && media.type !== 'file') return
      const tokens = Math.max(weighPart(media) * sizes.rateOf(message) - view.countTokens(renderMedia(media)), 0)
      sites.push({ message, part, place, media, tokens })
    }
    parts.forEach((part, index) => {
      if (part.type === 'tool-result') {
        for (const [place, content] of part.output.entries()) add(content, index, place)
      } else add(part, index, undefined)
    })
  })
  const openStart = view.cutPoints.openStart ?? Infinity
  const rank = ({ message }: MediaSite) => (message === view.lastUserRequest ? 2 : Number(message >= openStart))
  return sites.sort((a, b) => rank(a) - rank(b))
}
