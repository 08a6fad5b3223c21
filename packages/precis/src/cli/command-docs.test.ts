import { describe, expect, test } from 'vitest'
import { buildCommandPages } from '../../../../scripts/build-command-docs.ts'

describe('command pages', () => {
  test('have the options of the code; npx tsx scripts/build-command-docs.ts writes them', async () => {
    for (const { current, built } of await buildCommandPages()) expect(current).toBe(built)
  })
})
