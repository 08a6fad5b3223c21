import { describe, expect, test } from 'vitest'
import { findBondedParts, findEnds, findTorn } from './bonds.ts'
import { findCutPoints } from './cut-points.ts'
import { agent, person, result } from './histories.suite.ts'
import type { AssistantMessage, Message } from './message.ts'
import { readBonds, readTies } from './read-ties.ts'

/** An answer with parts that are only carried. */
const carrying = (
  ...blocks: readonly { readonly type: string; readonly [key: string]: unknown }[]
): AssistantMessage => ({
  role: 'assistant',
  origin: 'agent',
  parts: blocks.map((block) => ({
    type: 'opaque',
    kind: block.type,
    text: JSON.stringify(block),
    ...readTies(block),
  })),
})

const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { id: 'not an id' } }
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }

const listUnits = (messages: readonly Message[]) =>
  findCutPoints(messages).units.map(({ start, end }) => [start, end])
const listBroken = (messages: readonly Message[]) =>
  findBondedParts(messages).broken.map(({ message, id, problem }) => [message, id, problem])

describe('readBonds', () => {
  test('ids are found under any key that ends like one, not in what a tool was given or gave', () => {
    expect(readBonds(search)).toEqual([{ key: 'id', id: 's1' }])
    expect(
      readBonds({ caller: { type: 'x', tool_id: 'a' }, approvalId: 'b', call_ids: ['c', 'd'] }),
    ).toEqual([
      { key: 'caller.tool_id', id: 'a' },
      { key: 'approvalId', id: 'b' },
      { key: 'call_ids', id: 'c' },
      { key: 'call_ids', id: 'd' },
    ])
    expect(
      readBonds({ output: { id: 'x' }, content: [{ id: 'y' }], file_id: 'z', container_id: 'c' }),
    ).toBeUndefined()
  })

  test('so are those with longer names, except of places and owners', () => {
    expect(readBonds({ uid: 'a', task_uuid: 'b', jobGuids: ['c'], runUUID: 'd' })).toEqual([
      { key: 'uid', id: 'a' },
      { key: 'task_uuid', id: 'b' },
      { key: 'jobGuids', id: 'c' },
      { key: 'runUUID', id: 'd' },
    ])
    expect(readBonds({ user_uuid: 'a', fluid: 'b', isValid: 'c', accountUid: 'd' })).toBeUndefined()
    const messages = [carrying({ type: 'probe', uid: 'u1' }), person('a')]
    const ended = carrying({ type: 'probe_reading', uid: 'u1' })
    expect(listUnits([...messages, ended])).toEqual([[0, 3]])
  })

  test('a number is an id too', () => {
    expect(readBonds({ id: 7, of: { probe_ids: [8, true, null] } })).toEqual([
      { key: 'id', id: '7' },
      { key: 'of.probe_ids', id: '8' },
    ])
  })

  test('of a call only what it names beside itself', () => {
    const block = { id: 'fc_1', call_id: 'c1', caller: { caller_id: 'p1' } }
    expect(readBonds(block, 'c1')).toEqual([{ key: 'caller.caller_id', id: 'p1' }])
  })

  test('inside a member of a part of Gemini as far as in a block of others', () => {
    const bonds = [{ key: 'end.link.to.ref_id', id: 'a' }]
    expect(readBonds({ end: { link: { to: { ref_id: 'a' } } } })).toEqual(bonds)
  })

  test('a block 100 000 levels deep is looked at for a few of them', () => {
    let deep: unknown = { id: 'far' }
    for (let level = 0; level < 100_000; level++) deep = { inner: deep }
    expect(readBonds(deep)).toBeUndefined()
  })
})

describe('findBondedParts', () => {
  test('a call of a server and its result in the next answer are one unit', () => {
    const messages = [person('a'), carrying(search), carrying(found), person('b'), agent('c')]
    expect(listUnits(messages)).toEqual([[1, 3]])
    expect(listBroken(messages)).toEqual([])
  })

  test('code that calls a tool is one unit with the call, its result and its own', () => {
    const called: AssistantMessage = {
      ...carrying({ ...search, name: 'code_execution' }),
      parts: [
        ...carrying(search).parts,
        {
          type: 'tool-call',
          callId: 't1',
          name: 'f',
          input: {},
          bonds: [{ key: 'caller.tool_id', id: 's1' }],
        },
      ],
    }
    const messages = [
      person('a'),
      called,
      result('t1'),
      carrying({ ...found, type: 'code_execution_tool_result' }),
    ]
    expect(listUnits(messages)).toEqual([[1, 4]])
    expect(listBroken(messages)).toEqual([])
    expect(
      listBroken([person('a'), { ...called, parts: called.parts.slice(1) }, result('t1')]),
    ).toEqual([[1, 's1', 'loose']])
  })

  test('types that nobody knows yet are tied by what they name', () => {
    const messages = [
      carrying({ type: 'dream_begin', id: 'd1' }),
      person('meanwhile'),
      carrying({ type: 'dream_end', dream_id: 'd1' }),
    ]
    expect(listUnits(messages)).toEqual([[0, 3]])
    expect(listBroken([carrying({ type: 'dream_result', dream_id: 'd1' })])).toEqual([
      [0, 'd1', 'loose'],
    ])
  })

  test('a part inside a result ties the result to the part that names it', () => {
    const ticket = { type: 'ticket', ticket_id: 'k1' }
    const given = carrying(ticket).parts.filter((part) => part.type === 'opaque')
    const messages = [
      person('a'),
      agent('', 'c1'),
      {
        ...result('c1'),
        parts: [{ type: 'tool-result' as const, callId: 'c1', isError: false, output: given }],
      },
      agent('b'),
      person('c'),
      carrying({ type: 'ticket_use', uses: { ticket_id: 'k1' } }),
      person('d'),
    ]
    expect(listUnits(messages)).toEqual([[1, 6]])
  })

  test('a part names another under keys that are not called ids, in both directions', () => {
    const lease = { type: 'lease', id: 'L1' }
    const [before, between, after] = [person('a'), agent('b'), person('c')]
    for (const naming of [
      { type: 'x_result', for: { lease: 'L1' } },
      { type: 'x_end', of: 'L1' },
      { type: 'x_note', about: [{ what: ['L1'] }] },
      { type: 'x_seen', item_id: 'L1' },
      { type: 'x_note', about: [{ lease_id: 'L1' }, { lease_id: 'L2' }] },
      { type: 'x_note', links: [[{ id: 'L1' }]] },
      { type: 'x_note', by_lease: { L1: { verdict: 'kept' } } },
      { type: 'x_note', source: { lease_id: 'L1' } },
      { type: 'x_note', a: { b: { c: { d: { e: { lease: 'L1' } } } } } },
    ]) {
      for (const [first, second] of [
        [lease, naming],
        [naming, lease],
      ] as const) {
        const messages = [before, carrying(first), between, carrying(second), after]
        expect(listUnits(messages)).toEqual([[1, 4]])
        expect(listBroken(messages)).toEqual([])
      }
      const called = [before, carrying(naming), after, agent('d', 'L1'), result('L1')]
      expect(listUnits(called)).toEqual([[1, 5]])
    }
  })

  test('words about a part, and values that are no id of another, tie nothing', () => {
    const lease = { type: 'lease', id: 'completed', model: 'gpt-5' }
    for (const other of [
      { type: 'completed', status: 'completed', name: 'completed' },
      { type: 'x', note: 'It is completed', content: 'completed', input: { of: 'completed' } },
      { type: 'x', model: 'gpt-5', size: 'L' },
    ])
      expect(listUnits([carrying(lease), person('a'), carrying(other)])).toEqual([])
  })

  test('a part about a hundred others is tied to each', () => {
    const ids = Array.from({ length: 100 }, (_, index) => ({ probe_id: `p${index}` }))
    const note = carrying({ type: 'x_note', about: ids })
    const last = carrying({ type: 'probe', id: 'p99' })
    expect(listUnits([person('a'), last, person('b'), note])).toEqual([[1, 4]])
  })

  test('an answer that names no id goes with the newest part that has its value', () => {
    const grant = { type: 'x_grant', lease: 'L1', mode: 'read' }
    const given = { type: 'x_result', for: { lease: 'L1', mode: 'read' } }
    const grants = [person('a'), carrying(grant), agent('b'), carrying(grant)]
    expect(listUnits([...grants, person('c'), carrying(given)])).toEqual([[3, 6]])
    const word = { type: 'x_result', for: { mode: 'read' } }
    expect(listUnits([...grants, person('c'), carrying(word)])).toEqual([])
  })

  test('what is mentioned and never comes is no fault', () => {
    const given = { type: 'x_result', for: { lease: 'L1' } }
    expect(listBroken([person('a'), carrying(given), carrying(given)])).toEqual([])
  })

  test('a result whose call is only named goes with the name, whatever is between them', () => {
    const messages = [
      carrying({ type: 'item_reference', id: 'fc_1' }),
      agent('between'),
      result('c1'),
      agent('b'),
    ]
    expect(listUnits(messages)).toEqual([[0, 3]])
  })

  test('an id that is given again begins anew', () => {
    const pair = [carrying(search), carrying(found)]
    expect(listUnits([...pair, person('a'), ...pair])).toEqual([
      [0, 2],
      [3, 5],
    ])
  })

  test('a call that was never answered is told, and nothing from there on may go until the user asks again', () => {
    const paused = [person('a'), agent('b'), carrying(search)]
    expect(listBroken(paused)).toEqual([[2, 's1', 'unanswered']])
    expect(findCutPoints(paused).pendingStart).toBe(2)
    expect(findCutPoints([...paused, person('go on')]).pendingStart).toBeUndefined()
  })
})

describe('findTorn', () => {
  test('tells of a part that went without its other, whatever else both have in common', () => {
    const granted = carrying({ type: 'x_grant', id: 'L1' })
    const revoked = carrying({ type: 'x_revoke', of: { lease: 'L1' }, zone: 'eu-1' })
    const other = carrying({ type: 'x_revoke', of: { lease: 'L9' }, zone: 'eu-1' })
    const before = [person('a'), granted, revoked, other, person('b')]
    expect(findTorn(before, [person('a'), granted, other, person('b')])).toMatchObject({
      part: { kind: 'x_grant' },
    })
    expect(findTorn(before, [person('a'), other, person('b')])).toBeUndefined()
  })
})

describe('findEnds', () => {
  const called: AssistantMessage = {
    role: 'assistant',
    origin: 'agent',
    parts: [
      {
        type: 'tool-call',
        callId: 't1',
        name: 'f',
        input: {},
        bonds: [{ key: 'caller.tool_id', id: 's1' }],
      },
    ],
  }
  const answered = agent('Done.')
  const said = person('b')
  const output = result('t1', 'r')

  const listEnds = (messages: readonly Message[]) => [...findEnds(messages)]

  test('words end what runs, unless results of the same turn are before them', () => {
    expect(listEnds([])).toEqual([])
    expect(listEnds([said, said, answered])).toEqual([0, 1])
    expect(listEnds([said, answered, output, said, said])).toEqual([0])
    expect(listEnds([said, answered, said, output, said])).toEqual([0, 2])
  })

  test('words after results end code that waits for them', () => {
    expect(listEnds([called, output, said, said, answered, output, said])).toEqual([2, 3])
  })

  test('each message is read once, however many are in one turn', () => {
    let reads = 0
    const turn = Array.from({ length: 1000 }, () => ({
      ...said,
      get role() {
        reads++
        return 'user' as const
      },
    }))
    expect(listEnds([answered, output, ...turn])).toEqual([])
    expect(reads).toBe(1000)
  })
})
