import { describe, expect, test } from 'vitest'
import { agent, injected, person, result } from './histories.suite.ts'
import type { ContentPart, UserMessage } from './message.ts'
import { createSummaryMessage } from './summary-message.ts'
import { findAsked, findLastUserRequest, findTurns } from './turns.ts'

describe('findTurns', () => {
  test('a turn runs from a request of the person to the next one', () => {
    expect(findTurns([person('a'), agent('b'), person('c'), agent('d')])).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 4 },
    ])
  })

  test('tool results and injected messages start no turn', () => {
    expect(
      findTurns([person('a'), agent('', 'c1'), result('c1'), injected('reminder'), agent('b')]),
    ).toEqual([{ start: 0, end: 5 }])
  })

  test('messages before the first request belong to no turn', () => {
    expect(findTurns([injected('summary'), agent('b'), person('c')])).toEqual([
      { start: 2, end: 3 },
    ])
  })

  test('a history without requests has no turns', () => {
    expect(findTurns([agent('a')])).toEqual([])
    expect(findLastUserRequest([agent('a')])).toBeUndefined()
  })
})

describe('findLastUserRequest', () => {
  const show = (...parts: ContentPart[]): UserMessage => ({ role: 'user', origin: 'user', parts })
  const picture: ContentPart = { type: 'image', mediaType: 'image/png', bytes: 10 }

  test('is the newest with words: what is shown in the turn of the agent asks for nothing', () => {
    const others: ContentPart[] = [
      picture,
      { type: 'file', mediaType: 'application/pdf', bytes: 10 },
      { type: 'opaque', kind: 'search_result', text: '{}' },
    ]
    const turn = [person('a'), agent('', 'c1'), result('c1')]
    for (const part of others) {
      expect(findLastUserRequest([...turn, show(part), agent('c')])).toBe(0)
      expect(findLastUserRequest([...turn, show(part)])).toBe(0)
      expect(findLastUserRequest([...turn, show(part), agent('', 'c2'), result('c2')])).toBe(0)
    }
    const inItems = [person('a'), agent('', 'c1'), agent('I look.'), result('c1'), show(picture)]
    expect(findLastUserRequest(inItems)).toBe(0)
  })

  test('is what was shown behind a finished answer, also while the agent works on it', () => {
    const shown = [person('a'), agent('b'), show(picture)]
    const working = [...shown, agent('', 'c1'), result('c1')]
    for (const messages of [shown, [...shown, agent('c')], working, [...working, show(picture)]]) {
      expect(findLastUserRequest(messages)).toBe(2)
      expect(findAsked(messages)).toContain(2)
    }
    expect(findLastUserRequest([person('a'), agent('b'), person('c'), show(picture)])).toBe(2)
    expect(findLastUserRequest([...shown, show(picture), agent('', 'c1')])).toBe(3)
  })

  test('has what was shown next to it beside it, whatever the agent did since', () => {
    for (const asked of [
      [person('a'), show(picture)],
      [show(picture), person('a')],
      [show(picture), show(picture)],
    ]) {
      const before = [person('x'), show(picture), agent('y')]
      const working = [...before, ...asked, agent('', 'c1'), result('c1')]
      expect(findAsked(working)).toEqual([3, 4])
      const seen = [...working, show(picture), agent('', 'c2'), result('c2')]
      expect(findAsked(seen)).toEqual([3, 4])
      expect(findAsked([...seen, show(picture)])).toEqual([3, 4, seen.length])
    }
  })

  test('has what was shown behind a summary beside it: the answer before may be in the summary', () => {
    const left = [person('a'), agent('', 'c1'), result('c1'), createSummaryMessage('It answered.')]
    const working = [...left, show(picture), agent('', 'c2'), result('c2')]
    expect(findAsked(working)).toEqual([0, 4])
    const later = [...working, show(picture), agent('c')]
    expect(findAsked(later)).toEqual([0, 4])
    expect(findAsked([...later, person('d'), agent('e')])).toEqual([9])
  })

  test('is one of a type that precis does not know, unless it answers another part', () => {
    const unknown: ContentPart = { type: 'opaque', kind: 'sketch', text: '{}' }
    const seen: ContentPart = { ...unknown, bonds: [{ key: 'sketch_id', id: 's' }] }
    expect(findLastUserRequest([person('a'), agent('b'), show(unknown), agent('c')])).toBe(2)
    expect(findLastUserRequest([person('a'), agent('b'), show(seen), agent('c')])).toBe(0)
  })

  test('is one that was spoken, and a picture where nothing was said at all', () => {
    const spoken = show({ type: 'file', mediaType: 'audio/wav', bytes: 10 })
    expect(findLastUserRequest([person('a'), agent('b'), spoken, agent('c')])).toBe(2)
    expect(findLastUserRequest([show(picture), agent('b')])).toBe(0)
  })
})
