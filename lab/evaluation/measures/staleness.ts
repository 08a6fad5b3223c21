import type { Item } from '../../../packages/precis/src/replay/items.ts'
import { findPatch, findReplacements, normalizeLine, type Replacement } from './edited-lines.ts'
import type { Measure } from './measure.ts'

/** Lines shown as current that a later edit removed. */
export const staleness: Measure = {
  name: 'stale',
  title: 'lines shown as current that a later edit removed',
  lowerIsBetter: true,
  prepare({ past }) {
    const { removed, replacements } = findRemovedLines(past)
    return ({ text }) => {
      const lines = withoutOldText(text, replacements)
        .split('\n')
        .filter((line) => line.trim().length >= LEAST_LINE_CHARACTERS)
      const stale = lines.filter(
        (line) => !line.trimStart().startsWith('-') && removed.has(normalizeLine(line)),
      )
      return { kept: stale.length, total: lines.length }
    }
  },
}

const LEAST_LINE_CHARACTERS = 20

function findRemovedLines(past: readonly Item[]): {
  removed: Set<string>
  replacements: Replacement[]
} {
  const removed = new Set<string>()
  const replacements: Replacement[] = []
  for (const { kind, text, input } of past) {
    // A line that a tool shows again is there again.
    if (kind === 'result') for (const line of text.split('\n')) removed.delete(normalizeLine(line))
    if (kind !== 'call') continue
    const found = findReplacements(input)
    replacements.push(...found)
    const patch = findPatch(input)
    const gone = [...found.flatMap(({ old }) => old.split('\n')), ...marked(patch, '-')]
    const fresh = [
      ...found.flatMap((replacement) => replacement.fresh.split('\n')),
      ...marked(patch, '+'),
    ]
    for (const line of gone)
      if (line.trim().length >= LEAST_LINE_CHARACTERS) removed.add(line.trim())
    for (const line of fresh) removed.delete(line.trim())
  }
  return { removed, replacements }
}

function marked(patch: readonly string[], mark: string): string[] {
  return patch.filter((line) => line.startsWith(mark)).map((line) => line.slice(1))
}

/**
 * An edit call that is kept whole shows its old text as old: the new text follows right after it.
 */
function withoutOldText(text: string, replacements: readonly Replacement[]): string {
  let result = text
  for (const { old, fresh } of replacements) {
    const whole = `${old}\n${fresh}`
    if (old.trim().length < LEAST_LINE_CHARACTERS) continue
    const at = result.indexOf(whole)
    if (at >= 0) result = `${result.slice(0, at)}${result.slice(at + old.length)}`
  }
  return result
}
