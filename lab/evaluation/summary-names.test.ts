import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { markUnknownNames } from '../../packages/core/src/summarizers/mark-names.ts'
import { loadSession } from '../../packages/precis/src/sessions/load-session.ts'
import { createRecording } from './recording.ts'

const data = resolve(fileURLToPath(new URL('../../../shared/data/claude-code', import.meta.url)))
const LEAST_CHARACTERS = 1_000

/** Every summary that an agent wrote by itself, with all that was said before it. */
async function listSummaries() {
  const found: { readonly summary: string; readonly sources: readonly string[] }[] = []
  for (const name of readdirSync(data)) {
    const { items, workingDirectory } = createRecording(await loadSession(join(data, name)))
    for (const [index, { kind, text: summary }] of items.entries()) {
      if (kind !== 'summary' || summary.length < LEAST_CHARACTERS) continue
      found.push({
        summary,
        sources: [workingDirectory, ...items.slice(0, index).map(({ text }) => text)],
      })
    }
  }
  return found
}

describe.skipIf(!existsSync(data))(
  'summaries that agents wrote (skipped without ../shared/data)',
  () => {
    test('have hardly a mark where the conversation is theirs, and many where it is not', {
      tags: 'slow',
    }, async () => {
      const summaries = await listSummaries()
      const sums = { checked: 0, marked: 0, markedElsewhere: 0 }
      for (const [index, { summary, sources }] of summaries.entries()) {
        const { checked, marked } = markUnknownNames(summary, { sources })
        const other = summaries[(index + Math.ceil(summaries.length / 2)) % summaries.length]!
        sums.checked += checked
        sums.marked += marked.length
        sums.markedElsewhere += markUnknownNames(summary, { sources: other.sources }).marked.length
      }
      expect(sums.checked).toBeGreaterThan(0)
      expect(sums.marked / sums.checked, JSON.stringify(sums)).toBeLessThan(0.03)
      expect(sums.markedElsewhere / sums.checked, JSON.stringify(sums)).toBeGreaterThan(0.3)
    })
  },
)
