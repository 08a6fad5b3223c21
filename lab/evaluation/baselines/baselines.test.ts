import { describe, expect, test } from 'vitest'
import { knowEntities } from '../../../packages/precis/src/replay/items.ts'
import { call, result, user } from '../history.suite.ts'
import { countSize } from '../items/size.ts'
import { baselines } from './index.ts'
import { linePerCall } from './line-per-call.ts'
import { maskedAndNewest } from './masked-and-newest.ts'
import { newest } from './newest.ts'
import { usersAndNewest } from './users-and-newest.ts'

const items = knowEntities(
  [
    user('Fix the tax, please'),
    ...Array.from({ length: 60 }, (_, at) => [
      call('Read', { file_path: `src/file_${at}.ts` }),
      result(`const netPrice_${at} = 1\n`.repeat(20)),
    ]).flat(),
  ],
  '',
)

describe('a baseline', () => {
  test.each(baselines.map((baseline) => [baseline.name, baseline] as const))(
    '%s keeps to its size',
    (_, { render }) => {
      for (const size of [300, 1000, 4000])
        expect(countSize(render(items, size))).toBeLessThanOrEqual(size + 4)
    },
  )

  test.each(baselines.map((baseline) => [baseline.name, baseline] as const))(
    '%s is the same each time',
    (_, { render }) => {
      expect(render(items, 500)).toBe(render(items, 500))
    },
  )

  test('of the newest ends as the history ends', () => {
    expect(newest.render(items, 500).endsWith('const netPrice_59 = 1\n')).toBe(true)
    expect(newest.render(items, 500)).not.toContain('Fix the tax')
  })

  test("of users' words has them however old they are", () => {
    expect(usersAndNewest.render(items, 500)).toContain('Fix the tax, please')
  })

  test('of masked results has every call and no result', () => {
    expect(maskedAndNewest.render(items, 2000)).toContain('file_0.ts')
    expect(maskedAndNewest.render(items, 2000)).not.toContain('netPrice_')
  })

  test('of one line per call has a line for each', () => {
    expect(linePerCall.render(items, 2000).match(/^Read: src\/file_\d+\.ts$/gm)?.length).toBe(60)
  })
})
