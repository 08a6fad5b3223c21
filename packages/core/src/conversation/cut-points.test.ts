import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findCutPoints } from './cut-points.ts'
import { agent, histories, person, result } from './histories.suite.ts'
import type { Message, OpaquePart } from './message.ts'

/** The legal cuts of a history, as positions. */
function legalCuts(messages: readonly Message[]): number[] {
  const cutPoints = findCutPoints(messages)
  return Array.from({ length: messages.length + 1 }, (_, index) => index).filter((index) =>
    cutPoints.isLegal(index),
  )
}

describe('findCutPoints', () => {
  test('an empty history can be cut at its only position', () => {
    expect(legalCuts([])).toEqual([0])
  })

  test('messages without calls can be cut anywhere', () => {
    expect(legalCuts([person('a'), agent('b'), person('c')])).toEqual([0, 1, 2, 3])
  })

  test('a call and its result stay together, also at the end', () => {
    expect(legalCuts([person('a'), person('b'), agent('', 'c1'), result('c1')])).toEqual([
      0, 1, 2, 4,
    ])
  })

  test('a request for an approval at the end waits for it, and one that the user wrote after does not', () => {
    const request: Message = {
      role: 'assistant',
      origin: 'agent',
      parts: [
        {
          type: 'opaque',
          kind: 'mcp_approval_request',
          text: '{}',
          bonds: [{ key: 'id', id: 'mcpr_1' }],
        },
      ],
    }
    expect(findCutPoints([person('a'), request]).pendingStart).toBe(1)
    expect(findCutPoints([person('a'), request, person('b')]).pendingStart).toBeUndefined()
  })

  test('parallel calls stay with all their results', () => {
    expect(
      legalCuts([person('a'), agent('b'), agent('', 'c1', 'c2'), result('c1'), result('c2')]),
    ).toEqual([0, 1, 2, 5])
  })

  test('a steering message between a call and its result is part of the unit', () => {
    expect(
      legalCuts([person('a'), agent('', 'c1'), person('steer'), result('c1'), agent('z')]),
    ).toEqual([0, 1, 4, 5])
  })

  test('a steering message between two results is part of the unit', () => {
    const messages = [
      person('a'),
      agent('', 'c1', 'c2'),
      result('c1'),
      person('steer'),
      result('c2'),
      agent('z'),
    ]
    expect(legalCuts(messages)).toEqual([0, 1, 5, 6])
  })

  test('a call that still waits binds everything behind it', () => {
    const messages = [person('a'), agent('b', 'c1'), agent('more')]
    expect(legalCuts(messages)).toEqual([0, 1, 3])
    expect(findCutPoints(messages).pendingStart).toBe(1)
  })

  test('a call that still waits at the end of a unit keeps the unit from its start', () => {
    const part = (key: string): OpaquePart => ({
      type: 'opaque',
      kind: 'hologram',
      text: '',
      bonds: [{ key, id: 'h1' }],
    })
    const messages = [
      person('a'),
      { ...agent(''), parts: [part('id')] },
      person('b'),
      { ...agent(''), parts: [part('hologram_id'), ...agent('', 'c1').parts] },
    ]
    expect(findCutPoints(messages)).toMatchObject({ pendingStart: 1, openStart: 1 })
  })

  test('a call that the person interrupted binds nothing', () => {
    const messages = [person('a'), agent('b', 'c1'), person('stop'), agent('ok')]
    expect(legalCuts(messages)).toEqual([0, 1, 2, 3, 4])
    expect(findCutPoints(messages).pendingStart).toBeUndefined()
  })

  test('a reused id pairs with the nearest open call', () => {
    const messages = [agent('', 'x'), result('x'), person('a'), agent('', 'x'), result('x')]
    expect(legalCuts(messages)).toEqual([0, 2, 3, 5])
  })

  test('overlapping units merge', () => {
    const messages = [agent('', 'a'), agent('', 'b'), result('a'), result('b'), person('z')]
    expect(findCutPoints(messages).units).toEqual([{ start: 0, end: 4 }])
  })

  test('a history of nothing but 200 tool rounds has a cut between any two', () => {
    const messages = Array.from({ length: 200 }, (_, index) => [
      agent('', `c${index}`),
      result(`c${index}`),
    ]).flat()
    expect(legalCuts(messages)).toHaveLength(201)
  })

  test('nearestCut snaps out of a unit in the direction asked for and respects the floor', () => {
    const cutPoints = findCutPoints([
      person('a'),
      agent('', 'c1', 'c2'),
      result('c1'),
      result('c2'),
      agent('z'),
    ])
    expect(cutPoints.nearestCut(2, 'backward')).toBe(1)
    expect(cutPoints.nearestCut(2, 'forward')).toBe(4)
    expect(cutPoints.nearestCut(2, 'backward', 2)).toBeUndefined()
    expect(cutPoints.nearestCut(99, 'backward')).toBe(5)
    expect(cutPoints.nearestCut(-3, 'forward')).toBe(0)
  })

  test('no legal cut separates a call from its result', { tags: 'property' }, () => {
    fc.assert(
      fc.property(histories, ({ messages }) => {
        for (const cut of legalCuts(messages)) {
          const behind = messages.slice(cut).flatMap((message) => [...message.parts])
          const calls = new Set(behind.map((part) => part.type === 'tool-call' && part.callId))
          for (const part of behind)
            if (part.type === 'tool-result') expect(calls).toContain(part.callId)
        }
      }),
    )
  })
})
