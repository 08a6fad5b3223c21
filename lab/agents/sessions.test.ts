import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Message, readText } from '../../packages/core/src/conversation/message.ts'
import { readWhole } from '../../packages/core/src/formats/join-sessions.ts'
import { agents } from '../../packages/precis/src/agents/index.ts'
import { AFTER_COMPACTION, FIRST_WORDS } from './driver.ts'
import { drivers, undriven } from './drivers/index.ts'
import { readKnown, readSessions } from './known.ts'
import { describeRecords, findUnknown, mergeShapes } from './shapes.ts'
import { findFormat, readRecords } from './survey.ts'

const names = readdirSync(new URL('known/', import.meta.url)).map((name) =>
  name.replace('.json', ''),
)

test('every agent has a driver and a noted session, or a reason why not', () => {
  const driven = drivers.map(({ agent }) => agent)
  expect([...driven, ...Object.keys(undriven)].toSorted()).toEqual(
    agents.map(({ name }) => name).toSorted(),
  )
  expect(names.toSorted()).toEqual(driven.toSorted())
})

test('the newest version that precis knows has its session', () => {
  const without = names.filter((agent) => !readSessions(agent).has(readKnown(agent).version))
  expect(without).toEqual([])
})

const recorded = names.flatMap((agent) =>
  Array.from(readSessions(agent), ([version, text]) => ({ agent, version, text })),
)

describe.each(recorded)('the scripted session of $agent $version', ({ agent, version, text }) => {
  const format = findFormat(agent)!
  const conversation = format.parse(text)

  test('is recognised, and comes out as it went in', () => {
    expect(format.detect(text)).toBeGreaterThan(0.5)
    expect(format.serialize(conversation)).toBe(text)
  })

  test('is made of what precis knows', () => {
    const { records } = readKnown(agent)
    expect(version).toMatch(/^\d+\.\d+\.\d+/)
    expect(findUnknown(describeRecords(readRecords(text)), records)).toEqual({})
  })

  test('has the words of the user once, and as the words of the user', () => {
    const messages = readWhole(format, conversation)
    const findTyped = (words: string) =>
      messages.filter(
        (message: Message) => message.origin === 'user' && readText(message).trim() === words,
      )
    expect(findTyped(AFTER_COMPACTION)).toHaveLength(1)
    expect(findTyped(FIRST_WORDS).length).toBeGreaterThanOrEqual(1)
  })

  test('has its calls, each with its result', () => {
    const parts = readWhole(format, conversation).flatMap(
      (message): readonly Message['parts'][number][] => message.parts,
    )
    const calls = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? part.callId : [])))
    const results = new Set(
      parts.flatMap((part) => (part.type === 'tool-result' ? part.callId : [])),
    )
    expect(calls.size).toBeGreaterThanOrEqual(3)
    expect([...calls].filter((id) => !results.has(id))).toEqual([])
  })
})

describe('shapes', () => {
  const known = describeRecords([
    { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'hi' }] } },
  ])

  test('tell a new kind of record, a new field, a new type of block and a new role', () => {
    const found = describeRecords([
      {
        type: 'user',
        flag: true,
        message: { role: 'user', content: [{ type: 'sound', data: 'x' }] },
      },
      { type: 'user', message: { role: 'system', content: 'x' } },
      { type: 'of-next-week', id: 1 },
    ])
    expect(findUnknown(found, known)).toEqual({
      user: [
        'flag',
        'message.content[sound]',
        'message.content[sound].data',
        'message.content[sound].type',
      ],
      'user/system': ['message', 'message.content', 'message.role', 'type'],
      'of-next-week': ['id', 'type'],
    })
    expect(findUnknown(known, mergeShapes(known, found))).toEqual({})
  })

  test('say nothing of what tools and names are made of', () => {
    const found = describeRecords([
      { type: 'call', input: { secret: { deep: 1 } }, byFile: { '/a b/c.ts': { size: 1 } } },
    ])
    expect(found).toEqual({ call: ['byFile', 'byFile.*', 'byFile.*.size', 'input', 'type'] })
  })
})
