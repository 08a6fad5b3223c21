/** What part of a history is said in fewer words, and in how many. */

/** Names of the two levels, or what is to be left as a share of the text, above 0 and below 1. */
export type BandLevel = 'compress' | 'heavy-compress' | number

/** Turns at positions from `start` up to, but not at, `end`; both in percent of all turns, oldest first. */
export interface Band {
  readonly start: number
  readonly end: number
  readonly level: BandLevel
}

export interface BandOptions {
  /** Ordered and disjoint; they may touch and leave gaps. 0–50 heavy and 50–80 moderate by default. */
  readonly bands?: readonly Band[]
  /** Whether what the person said is rewritten too, which it is not by default; their last request never is. */
  readonly includeUser?: boolean
  /** Texts below this stay as they are; 50 by default. */
  readonly minTokens?: number
}

// coding-agent-manager: 35 % and 10 % of the text.
const LEVELS: Readonly<Record<'compress' | 'heavy-compress', number>> = { compress: 0.35, 'heavy-compress': 0.1 }

export function readLevel(level: BandLevel): number {
  return typeof level === 'number' ? level : LEVELS[level]
}

export function checkBands(bands: readonly Band[]): readonly Band[] {
  let previous: Band | undefined
  for (const band of bands) {
    checkBand(band)
    if (previous && band.start < previous.end) {
      const found = `${renderBand(band)} after ${renderBand(previous)}`
      throw new RangeError(
        `Reading bands: found ${found}. Bands must be in order and must not overlap; they may touch.`,
      )
    }
    previous = band
  }
  return bands
}

function checkBand(band: Band): void {
  const { start, end, level } = band
  if (!(start >= 0 && end <= 100 && start < end)) {
    throw new RangeError(
      `Reading bands: found ${renderBand(band)}. A band must start below its end, both from 0 to 100 percent of the turns.`,
    )
  }
  const ratio = readLevel(level)
  if (!(ratio > 0 && ratio < 1)) {
    throw new RangeError(
      `Reading bands: found level ${String(level)} in ${renderBand(band)}. Give "compress", "heavy-compress" or a share above 0 and below 1.`,
    )
  }
}

function renderBand({ start, end }: Band): string {
  return `${start}–${end}`
}

export function checkMinTokens(minTokens: number): number {
  if (minTokens >= 0) return minTokens
  throw new RangeError(`Reading bands: found minTokens ${minTokens}. Give a number of tokens, 0 or more.`)
}
