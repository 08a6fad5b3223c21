import { describe, expect, test } from 'vitest'
import { agent, person, result } from '../conversation/histories.suite.ts'
import { createReceipt } from './receipt.ts'

describe('createReceipt', () => {
  test('a fact is verbatim when it stands in the output as a whole word', () => {
    const removed = [agent('parseInput and parseOutput live in src/a.ts')]
    const { kinds } = createReceipt(removed, [person('parseInputs, but src/a.ts and parseOutput')])
    expect(kinds.identifier).toEqual({ total: 2, verbatim: 1, retrievable: 0, missing: 1 })
    expect(kinds.path).toEqual({ total: 1, verbatim: 1, retrievable: 0, missing: 0 })
  })

  test('a sentence is verbatim when its words stand in a row', () => {
    const removed = [person('Never touch the database. Always run the linter.')]
    const output = [person('> Never touch\n> the database'), person('The linter runs always.')]
    expect(createReceipt(removed, output).kinds.directive).toMatchObject({ total: 2, verbatim: 0 })
    const kept = [person('as said: Never touch the database. And more')]
    expect(createReceipt(removed, kept).kinds.directive).toMatchObject({ total: 2, verbatim: 1, missing: 1 })
  })

  test('what was removed into nothing is missing', () => {
    const { kinds, appended } = createReceipt([result('a', 'Error: cannot open config.json')], [])
    expect(kinds.error).toMatchObject({ total: 1, verbatim: 0, missing: 1 })
    expect(appended).toBe(0)
  })

  test('nothing removed gives a receipt of zeros', () => {
    const { kinds } = createReceipt([], [person('anything')])
    for (const counts of Object.values(kinds)) expect(counts.total).toBe(0)
  })
})
