import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadSession } from '../../packages/precis/src/sessions/load-session.ts'
import { createRecordedSession } from '../evaluation/history.suite.ts'
import { createRecording } from '../evaluation/recording.ts'
import { aiSdkMethods } from './ai-sdk.ts'
import { type Comparison, compareMethods } from './compare.ts'
import { langChainMethods } from './langchain.ts'
import type { ComparedMethod } from './method.ts'
import { loadPiMethods } from './pi.ts'
import { renderComparisons } from './render-comparisons.ts'
import { compactThrice, renderSurvivals, SAID } from './three-compactions.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-comparison-'))
afterAll(() => rmSync(folder, { recursive: true }))

const methods = [...langChainMethods, ...aiSdkMethods]

const { AGENTS_BIN } = process.env

async function compareAll(methods: readonly ComparedMethod[]): Promise<Comparison[]> {
  const path = join(folder, 'session.jsonl')
  writeFileSync(path, createRecordedSession())
  const session = await loadSession(path)
  const comparisons: Comparison[] = []
  for await (const comparison of compareMethods(createRecording(session), methods))
    comparisons.push(comparison)
  session.document.close()
  return comparisons
}

/** The size that a method leaves at each place. */
const listSizes = (comparisons: readonly Comparison[], { name }: ComparedMethod) =>
  comparisons.filter(({ method }) => method === name).map(({ other }) => other?.sizeShare ?? 0)

function expectLonger(
  comparisons: readonly Comparison[],
  careful: ComparedMethod,
  empty: ComparedMethod,
): void {
  const [longer, shorter] = [listSizes(comparisons, careful), listSizes(comparisons, empty)]
  expect(longer.length).toBeGreaterThan(0)
  for (const [place, size] of longer.entries()) expect(size).toBeGreaterThan(shorter[place] ?? 1)
}

describe('the comparison', () => {
  test('runs every method and precis at the same places, and shows both', {
    tags: 'slow',
  }, async () => {
    const comparisons = await compareAll(methods)
    expect(new Set(comparisons.map(({ method }) => method))).toEqual(
      new Set(methods.map(({ name }) => name)),
    )
    for (const { other, precis } of comparisons) {
      // Without a result of the other one there is no size to ask for.
      if (!other) expect(precis).toBeUndefined()
      if (precis) expect(precis.brokenRules).toBe(0)
    }
    const page = renderComparisons(comparisons, 1)
    for (const { name } of methods) expect(page).toContain(`| ${name} | `)
    expect(page.split('\n').filter((line) => line.startsWith('| precis'))).toHaveLength(
      methods.length,
    )
    const [empty, ...careful] = langChainMethods.filter(({ stubsModel }) => stubsModel)
    for (const method of careful) expectLonger(comparisons, method, empty!)
  })

  test.skipIf(AGENTS_BIN === undefined)(
    'runs pi by its own code (skipped without AGENTS_BIN)',
    async () => {
      const [empty, careful] = await loadPiMethods(String(AGENTS_BIN))
      expectLonger(await compareAll([empty!, careful!]), careful!, empty!)
    },
  )
})

describe('three compactions of a real agent', { tags: 'agents' }, () => {
  test('leave every word of the user where precis answers them', async () => {
    expect(AGENTS_BIN).toBeDefined()
    for await (const survival of compactThrice(AGENTS_BIN ?? '')) {
      if (survival.writer !== 'precis') continue
      expect(survival).toMatchObject({ words: SAID.length, asked: 0 })
      expect(renderSurvivals([survival])).toContain('| precis | 4 of 4 |')
    }
  })
})
