import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apply } from '../../conversation/apply.ts'
import { findCutPoints } from '../../conversation/cut-points.ts'
import type { AppliedEdit } from '../../conversation/edit.ts'
import {
  type Conversation,
  createSyntheticMessage,
  type Message,
} from '../../conversation/message.ts'
import { createSummaryMessage, isSummary } from '../../conversation/summary-message.ts'
import { readOutput } from '../shared/format.suite.ts'
import type { NewSession } from '../shared/format.ts'
import { claudeCode } from './claude-code.ts'
import {
  assistant,
  createRichSession,
  SESSION_ID,
  text,
  thinking,
  toJsonl,
  user,
  uuidOf,
} from './session.suite.ts'

const NEW_ID = '99999999-8888-4777-8666-555555555555'

function createNewSession(): NewSession {
  let count = 0
  return {
    sessionId: NEW_ID,
    timestamp: '2026-11-21T00:00:00.000Z',
    title: 'A "title" — précis',
    createId: () => `abcdef00-0000-4000-8000-${String(++count).padStart(12, '0')}`,
  }
}

interface WrittenEntry {
  readonly type: string
  readonly uuid?: string
  readonly parentUuid?: string | null
  readonly sessionId?: string
  readonly timestamp?: string
  readonly customTitle?: string
  readonly isCompactSummary?: boolean
  readonly isMeta?: boolean
  readonly message?: {
    readonly role: string
    readonly content: unknown
    readonly usage?: Record<string, number>
    readonly model?: string
  }
  readonly toolUseResult?: {
    readonly stdout: string
    readonly stderr: string
    readonly interrupted: boolean
    readonly lines: string[]
  }
}

function write(
  conversation: Conversation,
  newSession?: NewSession,
): { output: string; entries: WrittenEntry[] } {
  const output = readOutput(claudeCode.serialize(conversation, newSession))
  return {
    output,
    entries: output
      .trim()
      .split(/\r?\n/)
      .map((line): WrittenEntry => JSON.parse(line)),
  }
}

function expectOneChain(entries: readonly WrittenEntry[]): void {
  let parent: string | null = null
  for (const entry of entries.filter((each) => each.uuid !== undefined)) {
    expect(entry.parentUuid).toBe(parent)
    parent = entry.uuid ?? null
  }
  const uuids = entries.flatMap((entry) => entry.uuid ?? [])
  expect(new Set(uuids).size).toBe(uuids.length)
}

/**
 * Everything in a message except its position, to compare what was written with what is read again.
 */
function describeMessages(messages: readonly Message[]): unknown {
  return JSON.parse(
    JSON.stringify(messages, (key, value: unknown) =>
      key === 'native' || key === 'records' ? undefined : value,
    ),
  )
}

const rich = toJsonl(createRichSession())
const parsed = claudeCode.parse(rich)
const summarized = apply(parsed, [
  { type: 'replace', start: 1, end: 5, messages: [createSummaryMessage('ls was run')] },
])

function maskResults(conversation: Conversation): Conversation {
  const edits = conversation.messages.flatMap((message, index): AppliedEdit[] => {
    if (message.role !== 'tool') return []
    const parts = message.parts.map((part) =>
      part.type === 'tool-result'
        ? { ...part, output: [{ type: 'text', text: '[masked]' } as const] }
        : part,
    )
    return [{ type: 'replace', start: index, end: index + 1, messages: [{ ...message, parts }] }]
  })
  return apply(conversation, edits)
}

describe('a new session', () => {
  test('holds the kept entries and the summary as one chain under its own id and title', () => {
    const { entries } = write(summarized, createNewSession())
    expectOneChain(entries)
    expect(entries[0]).toEqual({
      type: 'custom-title',
      customTitle: 'A "title" — précis',
      sessionId: NEW_ID,
    })
    expect(new Set(entries.map((entry) => entry.sessionId))).toEqual(new Set([NEW_ID]))
    expect(entries.map((entry) => entry.type)).toEqual([
      'custom-title',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'attachment',
      'user',
      'assistant',
      'some-future-type',
    ])
    expect(entries[3]).toMatchObject({
      isSidechain: false,
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
      userType: 'external',
      cwd: '/work/project',
      version: '2.1.100',
      gitBranch: 'main',
      timestamp: '2026-11-21T00:00:00.000Z',
      uuid: 'abcdef00-0000-4000-8000-000000000002',
    })
  })

  test('is read again as what was written', () => {
    for (const conversation of [summarized, maskResults(summarized), maskResults(parsed)]) {
      const again = claudeCode.parse(write(conversation, createNewSession()).output)
      expect(describeMessages(again.messages)).toEqual(describeMessages(conversation.messages))
    }
    expect(
      claudeCode.parse(write(summarized, createNewSession()).output).messages.filter(isSummary),
    ).toHaveLength(1)
  })

  test('keeps message objects, blocks and unknown fields byte for byte', () => {
    const { output } = write(summarized, createNewSession())
    for (const line of rich.split('\n')) {
      if (!line.includes(uuidOf('u2')) && !line.includes(uuidOf('r3'))) continue
      const message = line.slice(line.indexOf('"message":'), line.indexOf('}]}') + 3)
      if (line.includes(`"uuid":"${uuidOf('u2')}"`) || line.includes(`"uuid":"${uuidOf('r3')}"`))
        expect(output).toContain(message)
    }
    expect(output).toContain(
      '"content":[{"type":"thinking","thinking":"done","signature":"sig-three"},{"type":"text","text":"Done."}]',
    )
  })

  test('claims no usage, so that the agent does not take it for full', () => {
    for (const entry of write(summarized, createNewSession()).entries) {
      if (entry.type !== 'assistant') continue
      expect(
        Object.values(entry.message?.usage ?? { missing: 1 }).every((count) => count === 0),
      ).toBe(true)
    }
  })

  test('stands on top of the list: its last entry carries its time, the others keep theirs', () => {
    const { entries } = write(summarized, createNewSession())
    expect(entries.findLast(({ uuid }) => uuid)?.timestamp).toBe('2026-11-21T00:00:00.000Z')
    expect(entries[1]?.timestamp).toBe('2026-01-02T03:04:05.000Z')
  })

  test('carries nothing of dead branches, side chains, old titles and last prompts', () => {
    const { output } = write(summarized, createNewSession())
    expect(output).not.toContain(SESSION_ID)
    for (const gone of [
      'took back',
      'nobody remembers',
      'sub-agent',
      'Old title',
      'ai-title',
      'queue-operation',
      'progress',
    ]) {
      expect(output).not.toContain(gone)
    }
  })

  test('of a session nobody edited is every line under the new id', () => {
    const { entries } = write(parsed, createNewSession())
    const expected = createRichSession()
      .filter((entry) => entry.type !== 'summary' && entry.type !== 'ai-title')
      .map((entry) => ('sessionId' in entry ? { ...entry, sessionId: NEW_ID } : entry))
    expect(entries.slice(1)).toEqual(expected)
    expect(entries[0]?.customTitle).toBe('A "title" — précis')
  })

  test('goes out as bytes and as chunks when the source came so, with the line breaks it had', () => {
    const crlf = toJsonl(createRichSession(), '\r\n')
    const bytes = new TextEncoder().encode(`\ufeff${crlf}`)
    const edit = (conversation: Conversation) =>
      apply(conversation, [{ type: 'drop', start: 1, end: 5 }])
    const written = write(edit(claudeCode.parse(crlf)), createNewSession()).output
    expect(written.split('\r\n')).toHaveLength(written.split('\n').length)
    const fromBytes = claudeCode.serialize(edit(claudeCode.parse(bytes)), createNewSession())
    expect(Buffer.from(fromBytes as Uint8Array).toString()).toBe(written)
    const source = {
      byteLength: bytes.length,
      read: (start: number, end: number) => bytes.subarray(start, end),
    }
    const chunks = claudeCode.serialize(
      edit(claudeCode.parse(source)),
      createNewSession(),
    ) as Iterable<Uint8Array>
    expect(Buffer.concat([...chunks]).toString()).toBe(written)
  })
})

describe('an edited entry', () => {
  test('a masked result takes the client’s copy of the output with it, in the same shape', () => {
    const { entries, output } = write(maskResults(parsed), createNewSession())
    expect(output).not.toContain('output '.repeat(20).trim())
    const copy = entries.find((entry) => entry.toolUseResult)?.toolUseResult
    expect(Object.keys(copy ?? {})).toEqual(['stdout', 'stderr', 'interrupted', 'lines'])
    expect(copy?.stdout.length).toBeLessThan(200)
    expect(copy?.interrupted).toBe(false)
    expect(copy?.lines).toHaveLength(20)
    expect(output).toContain('"content":"[masked]","is_error":false')
  })

  test('an answer that lost a call keeps its other entries untouched', () => {
    const [, answer, first] = parsed.messages
    if (answer?.role !== 'assistant' || !first) throw new Error('The session begins otherwise.')
    const parts = answer.parts.filter(
      (part) => part.type !== 'tool-call' || part.callId !== 'toolu_2',
    )
    const edited = apply(parsed, [
      { type: 'replace', start: 1, end: 4, messages: [{ ...answer, parts }, first] },
    ])
    const { entries, output } = write(edited, createNewSession())
    expectOneChain(entries)
    expect(output).not.toContain('toolu_2')
    expect(output).toContain('"input":{"command":"ls","number":1.5}')
    expect(output).toContain('{"type":"thinking","thinking":"which files?","signature":"sig-one"}')
    const again = claudeCode.parse(output)
    expect(describeMessages(again.messages)).toEqual(describeMessages(edited.messages))
  })

  test('an entry that held results and words can lose either', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 't', content: 'out' },
      text('and now this'),
    ]
    const call = assistant('a1', 'u1', [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }])
    const mixed = claudeCode.parse(
      toJsonl([user('u1', null, 'q'), call, user('u2', 'a1', content)]),
    )
    expect(mixed.messages).toHaveLength(4)
    const onlyWords = write(apply(mixed, [{ type: 'drop', start: 1, end: 3 }])).entries
    expect(onlyWords.map((entry) => entry.message?.content)).toEqual([
      'q',
      [text('Understood.')],
      [text('and now this')],
    ])
    const onlyResult = write(apply(mixed, [{ type: 'drop', start: 3, end: 4 }])).entries
    expect(onlyResult.at(-1)?.message?.content).toEqual([content[0]])
    const between = [createSyntheticMessage('assistant', 'noted')]
    const split = write(
      apply(mixed, [{ type: 'replace', start: 3, end: 3, messages: between }]),
    ).entries
    expectOneChain(split)
    expect(split.map((entry) => entry.type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
  })

  test('text blocks that became empty are left out, because the API refuses them', () => {
    const conversation = claudeCode.parse(
      toJsonl([
        user('u1', null, 'q'),
        assistant('a1', 'u1', [thinking('t', 's'), text('long'), text('b')]),
      ]),
    )
    const answer = conversation.messages[1]
    if (answer?.role !== 'assistant') throw new Error('The answer is missing.')
    const parts = answer.parts.map((part) =>
      part.type === 'text' && part.text === 'long' ? { ...part, text: '' } : part,
    )
    const { entries } = write(
      apply(conversation, [
        { type: 'replace', start: 1, end: 2, messages: [{ ...answer, parts }] },
      ]),
    )
    expect(entries[1]?.message?.content).toEqual([thinking('t', 's'), text('b')])
  })

  test('without a new session the id, titles and snapshots of what is left stay', () => {
    const { entries, output } = write(summarized)
    expectOneChain(entries)
    expect(new Set(entries.flatMap((entry) => entry.sessionId ?? []))).toEqual(
      new Set([SESSION_ID]),
    )
    expect(output).toContain('"aiTitle":"Files"')
    expect(output).toContain('file-history-snapshot')
    expect(output).toContain('some-future-type')
    expect(output).not.toContain('Old title')
    expect(output).not.toContain('queue-operation')
    expect(write(summarized).output).toBe(output)
  })

  test('notes of precis are marked as not typed, its answers name the model of the session', () => {
    const messages = [
      createSyntheticMessage('user', 'go on'),
      createSyntheticMessage('assistant', 'I will'),
    ]
    const { entries } = write(
      apply(parsed, [{ type: 'replace', start: 0, end: 10, messages }]),
      createNewSession(),
    )
    expect(entries[1]).toMatchObject({ isMeta: true, message: { role: 'user', content: 'go on' } })
    expect(entries[2]?.message).toMatchObject({
      model: 'claude-opus-4-6',
      content: [text('I will')],
      stop_reason: 'end_turn',
    })
  })

  test('a conversation of another format is refused', () => {
    const foreign: Conversation = { protocol: 'anthropic-messages', messages: [], tools: [] }
    expect(() => claudeCode.serialize(foreign)).toThrow(
      expect.objectContaining({ code: 'cannot-serialize' }),
    )
  })

  test('any legal drop is read again as what was written', { tags: 'property' }, () => {
    const cuts = findCutPoints(parsed.messages)
    fc.assert(
      fc.property(
        fc.nat(parsed.messages.length),
        fc.nat(parsed.messages.length),
        fc.boolean(),
        (a, b, withSummary) => {
          const start = cuts.nearestCut(Math.min(a, b), 'backward') ?? 0
          const end = cuts.nearestCut(Math.max(a, b), 'forward') ?? parsed.messages.length
          const messages = withSummary ? [createSummaryMessage('s')] : []
          const edited = apply(parsed, [{ type: 'replace', start, end, messages }])
          if (edited.messages.length === 0 || (start === end && !withSummary)) return
          const { output, entries } = write(edited, createNewSession())
          expectOneChain(entries)
          expect(describeMessages(claudeCode.parse(output).messages)).toEqual(
            describeMessages(edited.messages),
          )
        },
      ),
    )
  })
})
