/** How much of what was needed a text still tells. */
import { countShared, findContentWords } from '../../packages/precis/src/replay/carried-names.ts'
import { normalizeLine } from '../evaluation/measures/edited-lines.ts'
import { survives } from './context-words.ts'
import type { Needs } from './needs.ts'

export const measures = [
  'carried',
  'rare',
  'anchors',
  'commands',
  'demands',
  'errors',
  'conclusions',
] as const
export type Measure = (typeof measures)[number]
/** Share from 0 to 1; undefined where nothing was needed. */
export type Scores = Readonly<Record<Measure, number | undefined>>

export function scoreText(text: string, needs: Needs): Scores {
  const lines = text.split('\n')
  const whole = new Set(lines.map(normalizeLine))
  const kept = needs.carried.filter(({ entity, sources }) => survives(entity, sources, text))
  const flat = text.replace(/[ \t]+/g, ' ')
  const sentences = text.split(/\n+|(?<=[.!?])\s+/).map(findContentWords)
  const lineWords = lines.map(findContentWords)
  return {
    carried: share(kept.length, needs.carried.length),
    rare: share(
      kept.filter(({ isRare }) => isRare).length,
      needs.carried.filter(({ isRare }) => isRare).length,
    ),
    anchors: share(needs.anchors.filter((line) => whole.has(line)).length, needs.anchors.length),
    commands: share(
      needs.commands.filter((command) => flat.includes(command)).length,
      needs.commands.length,
    ),
    demands: shareSaid(needs.demands, sentences, 0.7),
    errors: shareSaid(needs.errors, lineWords, 0.8),
    conclusions: shareSaid(needs.conclusions, sentences, 0.7),
  }
}

function share(kept: number, needed: number): number | undefined {
  return needed === 0 ? undefined : kept / needed
}

function shareSaid(
  needed: readonly ReadonlySet<string>[],
  said: readonly ReadonlySet<string>[],
  part: number,
): number | undefined {
  const kept = needed.filter((words) =>
    said.some(
      (line) => line.size >= words.size * part && countShared(words, line) >= words.size * part,
    ),
  )
  return share(kept.length, needed.length)
}
