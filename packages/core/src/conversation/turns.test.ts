import { describe, expect, test } from 'vitest'
import { agent, injected, person, result } from './histories.suite.ts'
import { findLastUserRequest, findTurns } from './turns.ts'

describe('findTurns', () => {
  test('a turn runs from a request of the person to the next one', () => {
    expect(findTurns([person('a'), agent('b'), person('c'), agent('d')])).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 4 },
    ])
  })

  test('tool results and injected messages start no turn', () => {
    expect(findTurns([person('a'), agent('', 'c1'), result('c1'), injected('reminder'), agent('b')])).toEqual([
      { start: 0, end: 5 },
    ])
  })

  test('messages before the first request belong to no turn', () => {
    expect(findTurns([injected('summary'), agent('b'), person('c')])).toEqual([{ start: 2, end: 3 }])
  })

  test('a history without requests has no turns', () => {
    expect(findTurns([agent('a')])).toEqual([])
    expect(findLastUserRequest([agent('a')])).toBeUndefined()
  })
})
