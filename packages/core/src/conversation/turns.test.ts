import { describe, expect, test } from 'vitest'
import { agent, injected, person, result } from './histories.suite.ts'
import type { ContentPart, UserMessage } from './message.ts'
import { findLastUserRequest, findTurns } from './turns.ts'

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

  test('is the newest with words: a picture, a document or a search result asks for nothing', () => {
    const others: ContentPart[] = [
      picture,
      { type: 'file', mediaType: 'application/pdf', bytes: 10 },
      { type: 'opaque', kind: 'search_result', text: '{}' },
    ]
    for (const part of others)
      expect(findLastUserRequest([person('a'), agent('b'), show(part), agent('c')])).toBe(0)
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
