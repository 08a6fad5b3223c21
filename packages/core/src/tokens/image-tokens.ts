import type { MediaPart } from '../conversation/message.ts'
import { canonicalModelId } from '../models/find-model.ts'
import type { Model } from '../models/model.ts'

type MeasuredImage = Pick<MediaPart, 'width' | 'height' | 'bytes'>

type PixelSize = Required<Omit<MeasuredImage, 'bytes'>>

type ImageRule = (size: PixelSize) => number

// An image of unknown size counts as a large screenshot. Smaller files cannot contain that many
// pixels.
const ASSUMED_SIDE = 2_048

const MOST_PIXELS_PER_BYTE = 100

const LONGEST_SIDE = 65_535

/**
 * Tokens of an image in a prompt at the provider's default detail. The sources are in
 * docs/tokens.md#images.
 */
export function countImageTokens(image: MeasuredImage, model: Model): number {
  return Math.max(1, Math.ceil(findRule(model)(sizeOf(image))))
}

function sizeOf({ width, height, bytes }: MeasuredImage): PixelSize {
  if (width !== undefined && height !== undefined && width > 0 && height > 0) {
    return { width: Math.min(width, LONGEST_SIDE), height: Math.min(height, LONGEST_SIDE) }
  }
  const side =
    bytes > 0
      ? Math.min(ASSUMED_SIDE, Math.ceil(Math.sqrt(bytes * MOST_PIXELS_PER_BYTE)))
      : ASSUMED_SIDE
  return { width: side, height: side }
}

function findRule(model: Model): ImageRule {
  const id = canonicalModelId(model.id)
  const isOf = ([pattern]: (typeof OPENAI_RULES)[number]) => pattern.test(id)
  switch (model.provider) {
    case 'openai':
      return OPENAI_RULES.find(isOf)?.[1] ?? newestOpenAi
    case 'google':
      return TILED_GEMINI.test(id) ? countGeminiTiles : () => 1_120
    case 'anthropic':
    case 'other':
      // Open vision models use one token for a patch of 28 pixels too. Few servers allow more than
      // the newer models of Anthropic.
      return model.encoding === 'claude' ? claude(1_568, 1_568) : claude(2_576, 4_784)
  }
}

/** Patches of 28 pixels, after the image is made to fit both limits. */
export function claude(longestSide: number, mostTokens: number): ImageRule {
  return (size) => Math.min(mostTokens, countPatches(fitWithin(size, longestSide), 28))
}

const OPENAI_RULES: readonly (readonly [id: RegExp, rule: ImageRule])[] = [
  [/^gpt-4o-mini/, tiles(2_833, 5_667)],
  [/^gpt-4\.1-mini/, patches(1_536, 2_048, 1.62)],
  [/^gpt-4\.1-nano/, patches(1_536, 2_048, 2.46)],
  [/^o4-mini/, patches(1_536, 2_048, 1.72)],
  [/^(?:gpt-4|chatgpt-4)/, tiles(85, 170)],
  [/^o\d/, tiles(75, 150)],
  [/^gpt-5(?:\.4)?-mini/, patches(1_536, 2_048, 1.62)],
  [/^gpt-5(?:\.4)?-nano/, patches(1_536, 2_048, 2.46)],
  [/^gpt-5\.[123]|codex/, patches(1_536, 2_048, 1.2)],
  [/^gpt-5(?:-|$)/, tiles(70, 140)],
  [/^gpt-5\.4/, patches(2_500, 2_048, 1.2)],
  [/^gpt-5\.5/, patches(10_000, 6_000, 1.2)],
]

/** Since gpt-5.6 an image keeps its size, and an image of more than 30,000 patches is refused. */
const newestOpenAi = patches(30_000, LONGEST_SIDE, 1.2)

/**
 * Patches of 32 pixels, after the image is made to fit both limits, times what the model makes of
 * one.
 */
function patches(mostPatches: number, longestSide: number, tokensPerPatch: number): ImageRule {
  return (size) =>
    Math.min(mostPatches, countPatches(fitWithin(size, longestSide), 32)) * tokensPerPatch
}

/** Tiles of 512 pixels, after the image is made to fit 2 048 × 2 048 and its short side 768. */
function tiles(base: number, perTile: number): ImageRule {
  return (size) => {
    const fitted = fitWithin(size, 2_048)
    const scale = Math.min(1, 768 / Math.min(fitted.width, fitted.height))
    return (
      base +
      perTile * countPatches({ width: fitted.width * scale, height: fitted.height * scale }, 512)
    )
  }
}

export const TILED_GEMINI = /^gemini-(?:1|2|pro|flash)/

/**
 * Up to Gemini 2.5: 258 tokens for a small image, or for each tile of two thirds of its short side.
 */
function countGeminiTiles(original: PixelSize): number {
  if (original.width <= 384 && original.height <= 384) return 258
  const size = fitWithin(original, 3_072)
  const unit = Math.min(768, Math.max(256, Math.floor(Math.min(size.width, size.height) / 1.5)))
  return 258 * countPatches(size, unit)
}

function fitWithin({ width, height }: PixelSize, longestSide: number): PixelSize {
  const scale = Math.min(1, longestSide / Math.max(width, height))
  return { width: width * scale, height: height * scale }
}

function countPatches({ width, height }: PixelSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side)
}
