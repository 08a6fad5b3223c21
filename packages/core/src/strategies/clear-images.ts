import type { ContentPart, MediaPart, Part } from '../conversation/message.ts'
import { findSystemEnd } from './ends.ts'
import { type PartChange, planPartChanges } from './part-changes.ts'
import { createPartSizes, weighPart } from './part-sizes.ts'
import type { Strategy, StrategyOptions, StrategyView } from './strategy.ts'
import { renderMedia, textPart } from './stub.ts'

/**
 * Puts a line of text in the place of images and files, inside results too: the oldest first, until tokens, images and
 * bytes are within their targets. Those that the agent has not seen yet, and then those of the last request, go only when
 * nothing else is left.
 */
export const clearImages: Strategy = {
  name: 'clear-images',
  summarizes: false,
  plan(view, options) {
    const { messages } = view.conversation
    if (messages.length === findSystemEnd(view)) return { noop: 'empty-history' }
    const excess = measureExcess(view, options)
    if (!isOver(excess)) return { noop: 'already-under-target' }
    const outputs = new Map<string, OutputChange>()
    const changes: PartChange[] = []
    for (const site of findMedia(view)) {
      if (!isOver(excess)) break
      // A file is no image; one that frees nothing of what is wanted stays.
      if (!helps(site.media, excess)) continue
      excess.tokens -= site.tokens
      excess.images -= site.media.type === 'image' ? 1 : 0
      excess.bytes -= toBase64Bytes(site.media)
      const cleared = textPart(renderMedia(site.media))
      if (site.place === undefined) changes.push({ message: site.message, part: site.part, becomes: [cleared] })
      else noteOutput(outputs, site.message, site.part, site.place, cleared)
    }
    return planPartChanges(view, [...changes, ...[...outputs.values()].flatMap((change) => writeOutput(view, change))])
  },
}

/** What lies above each target; not limited is minus infinity. */
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

function isOver({ tokens, images, bytes }: Excess): boolean {
  return tokens > 0 || images > 0 || bytes > 0
}

function helps(media: MediaPart, { tokens, images, bytes }: Excess): boolean {
  return tokens > 0 || (bytes > 0 && media.bytes > 0) || (images > 0 && media.type === 'image')
}

interface MediaSite {
  readonly message: number
  readonly part: number
  /** Place in the output of a result; undefined for a part of the message itself. */
  readonly place: number | undefined
  readonly media: MediaPart
  readonly tokens: number
}

/** In the order in which they go. */
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
  const rank = ({ message }: MediaSite) => (message === view.lastUserRequest ? 2 : message >= openStart ? 1 : 0)
  return [0, 1, 2].flatMap((wanted) => sites.filter((site) => rank(site) === wanted))
}

interface OutputChange {
  readonly message: number
  readonly part: number
  readonly places: Map<number, ContentPart>
}

function noteOutput(
  outputs: Map<string, OutputChange>,
  message: number,
  part: number,
  place: number,
  content: ContentPart,
): void {
  const key = `${message} ${part}`
  const known = outputs.get(key)
  if (known) known.places.set(place, content)
  else outputs.set(key, { message, part, places: new Map([[place, content]]) })
}

function writeOutput(view: StrategyView, { message, part, places }: OutputChange): PartChange[] {
  const result = view.conversation.messages[message]?.parts[part]
  if (result?.type !== 'tool-result') return []
  const output = result.output.map((content, place) => places.get(place) ?? content)
  return [{ message, part, becomes: [{ ...result, output }] }]
}

function toBase64Bytes({ bytes }: MediaPart): number {
  return Math.ceil(bytes / 3) * 4
}
