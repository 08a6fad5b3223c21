import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readToolCall } from '../../actions/tool-calls.ts'
import { apply } from '../../conversation/apply.ts'
import { findCutPoints } from '../../conversation/cut-points.ts'
import type { Conversation, Part } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { createSource, readOutput, testFormat } from '../shared/format.suite.ts'
import { FormatError } from '../shared/format.ts'
import { claudeCode } from './claude-code.ts'
import {
  assistant,
  call,
  copySample,
  createRichSession,
  hostWords,
  result,
  text,
  thinking,
  toJsonl,
  user,
  uuidOf,
} from './session.suite.ts'

const encoder = new TextEncoder()
const recordings = fileURLToPath(
  new URL('../../../../../../shared/data/claude-code/', import.meta.url),
)

function expectRoundTrip(document: string | Uint8Array): void {
  const bytes = typeof document === 'string' ? encoder.encode(document) : document
  if (typeof document === 'string')
    expect(claudeCode.serialize(claudeCode.parse(document)) === document).toBe(true)
  const output = claudeCode.serialize(claudeCode.parse(bytes))
  expect(output instanceof Uint8Array && Buffer.compare(output, bytes)).toBe(0)
  const chunks = claudeCode.serialize(claudeCode.parse(createSource(bytes))) as Iterable<Uint8Array>
  expect(Buffer.compare(Buffer.concat([...chunks]), bytes)).toBe(0)
}

const rich = toJsonl(createRichSession())
const oneCall = [
  user('u1', null, 'q'),
  assistant('a1', 'u1', [call('t')]),
  result('r1', 'a1', 't', 'o'),
]

// Has no usage, which every edit empties, and nothing next to the chain, which an edit leaves out.
const chain = [
  ...oneCall,
  assistant('a2', 'r1', [thinking('so', 'sig'), text('two files')]),
  user('u2', 'a2', 'next?'),
]
const withoutUsage = (key: string, value: unknown) => (key === 'usage' ? undefined : value)

testFormat(claudeCode, {
  copySample,
  hostWords,
  documents: {
    'a chain of entries': toJsonl(
      chain.map((entry) => JSON.parse(JSON.stringify(entry, withoutUsage))),
    ),
    'an answer and a question as another client spells them': `{ "type":"assistant", "uuid":"a", "parentUuid": null ,"sessionId":"s", "message":{"id":"m","content":[ {"type":"text","text":"\\u00fc \\/"} ]},"n":1.0e5 }
{ "type":"user","sessionId" :"s","parentUuid":"a","uuid":"b","message":{"content":"x"} }
`,
  },
})

describe('claude-code', () => {
  test.each([
    ['a session with branches, side chains, parallel calls and an image', rich],
    ['CRLF line ends', toJsonl(createRichSession(), '\r\n')],
    ['a byte order mark', `\ufeff${rich}`],
    ['a missing last line break', rich.trimEnd()],
    ['a cut-off last line', `${rich}{"type":"user","message":{"role":"us`],
    [
      'blank lines, malformed lines and NUL bytes between',
      rich.replace('\n', '\n\n  \nnot json\n\0\0\0\n'),
    ],
    [
      'odd spelling of numbers, escapes and spaces',
      '{ "type":"user" ,"uuid":"\\u0061","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"\\u00fc \\/ ü"},"n":1.0e5}\n',
    ],
    [
      '__proto__ keys',
      '{"type":"user","__proto__":{"isMeta":true},"uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"x","__proto__":1}}\n',
    ],
    ['reused uuids', toJsonl([...oneCall, ...oneCall])],
  ])('gives back the same bytes for %s', (_, document) => expectRoundTrip(document))

  test('gives back bytes that are no UTF-8', () => {
    const bytes = encoder.encode(rich)
    bytes[rich.indexOf('please') + 1] = 0xff
    expectRoundTrip(bytes)
  })

  test('reports a cut-off last line and reads the rest', () => {
    const conversation = claudeCode.parse(`${toJsonl(oneCall)}{"type":"assistant","uuid"`)
    expect(conversation.messages).toHaveLength(3)
    expect(conversation.document).toMatchObject({
      warnings: ['Line 4 is cut off; it is carried, not read.'],
    })
  })

  test('tells model and working directory', () => {
    const synthetic = assistant(
      'a2',
      'r1',
      [text('No response requested.')],
      'msg_x',
      '<synthetic>',
    )
    const conversation = claudeCode.parse(toJsonl([...oneCall, synthetic]))
    expect(conversation).toMatchObject({
      protocol: 'anthropic-messages',
      model: 'claude-opus-4-6',
      workingDirectory: '/work/project',
    })
    expect(conversation.messages.at(-1)?.origin).toBe('synthetic')
  })

  test('a call says where it runs after the agent went to another folder', () => {
    const edit = (id: string, path: string) => call(id, { command: `sed -i s/a/b/ ${path}` })
    const entries = [
      user('u1', null, 'go on'),
      assistant('a1', 'u1', [edit('t1', 'src/a.ts')]),
      result('r1', 'a1', 't1', ''),
      { ...assistant('a2', 'r1', [edit('t2', 'a.ts ../b.ts')]), cwd: '/work/project/src' },
    ]
    const { messages, workingDirectory } = claudeCode.parse(toJsonl(entries))
    expect(workingDirectory).toBe('/work/project')
    const paths = messages.flatMap(({ parts }) =>
      parts.flatMap((part: Part) =>
        part.type === 'tool-call' ? [readToolCall(part, workingDirectory).paths] : [],
      ),
    )
    expect(paths).toEqual([['src/a.ts'], ['src/a.ts', 'b.ts']])
  })

  test('reads a session that holds no messages', () => {
    const document = toJsonl([
      { type: 'queue-operation', operation: 'enqueue', sessionId: 's', timestamp: 't' },
    ])
    expect(claudeCode.parse(document).messages).toEqual([])
    expectRoundTrip(document)
  })

  test.each([
    ['empty', ''],
    ['unknown-format', '{"timestamp":"2026","type":"session_meta","payload":{"id":"x"}}\n'],
    ['unknown-format', '{"type":"session","version":3,"id":"x","cwd":"/"}\n'],
    [
      'unknown-format',
      toJsonl(oneCall.map((entry) => ({ ...entry, isSidechain: true, agentId: 'x' }))),
    ],
    ['malformed', 'hello\nworld\n'],
    ['binary', '\0\u0001\u0002'],
  ])('refuses with %s', (code, document) => {
    expect(() => claudeCode.parse(document)).toThrow(
      expect.objectContaining({ name: 'FormatError', code }),
    )
  })

  test('knows its own sessions from their beginning', () => {
    expect(claudeCode.detect(rich)).toBeGreaterThan(0.9)
    const long = toJsonl([user('u1', null, 'x'.repeat(100_000))])
    expect(claudeCode.detect(encoder.encode(`\ufeff${long}`))).toBe(1)
    expect(
      claudeCode.detect(toJsonl([{ type: 'permission-mode', sessionId: 's' }]) + long),
    ).toBeGreaterThan(0.4)
    expect(
      claudeCode.detect('{"type":"session_meta","timestamp":"t","payload":{"id":"s"}}\n'),
    ).toBe(0)
    expect(
      claudeCode.detect(
        '{"type":"session","id":"s","version":3}\n{"type":"message","id":"a","parentId":null}\n',
      ),
    ).toBe(0)
    expect(claudeCode.detect('{"messages":[]}')).toBe(0)
    expect(claudeCode.detect({ messages: [] })).toBe(0)
    expect(claudeCode.detect('')).toBe(0)
  })

  test('any graph of entries is read without a loop, and written back byte for byte', {
    tags: 'property',
  }, () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
    const entry = fc.record({
      type: fc.constantFrom(
        'user',
        'assistant',
        'system',
        'attachment',
        'progress',
        'last-prompt',
        'future',
      ),
      name,
      parent: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'missing')),
      isSidechain: fc.boolean(),
      subtype: fc.constantFrom(undefined, 'compact_boundary', 'local_command'),
      id: fc.constantFrom('m1', 'm2'),
      content: fc.oneof(
        fc.string(),
        fc.array(
          fc.oneof(
            fc.constantFrom(text('t'), call('x'), { type: 'tool_result', tool_use_id: 'x' }, null),
            fc.jsonValue(),
          ),
        ),
        fc.jsonValue(),
      ),
      preserved: fc.option(fc.record({ headUuid: name, anchorUuid: name, tailUuid: name })),
    })
    const lineBreak = fc.constantFrom('\n', '\r\n')
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), lineBreak, (list, end) => {
        const document = toJsonl(
          list.map((each) => ({
            type: each.type,
            uuid: uuidOf(each.name),
            parentUuid: each.parent && uuidOf(each.parent),
            leafUuid: uuidOf(each.name),
            isSidechain: each.isSidechain,
            subtype: each.subtype,
            sessionId: 's',
            content: each.content,
            attachment: each.content,
            message: { id: each.id, content: each.content },
            compactMetadata: each.preserved && { preservedSegment: each.preserved },
          })),
          end,
        )
        try {
          const conversation = claudeCode.parse(document)
          expect(claudeCode.serialize(conversation)).toBe(document)
          const edited = { ...conversation, messages: conversation.messages.slice(1) }
          expect(() => claudeCode.serialize(edited)).not.toThrow()
        } catch (error) {
          if (!(error instanceof FormatError)) throw error
        }
      }),
    )
  })

  test('two hundred thousand brackets in a block do no harm', { tags: 'slow' }, () => {
    const line = (content: string) =>
      `{"type":"assistant","uuid":"a","parentUuid":null,"sessionId":"s","message":{"content":[{"type":"new","x":${content}},{"type":"text","text":"t"}]}}\n`
    const document = line('['.repeat(200_000) + ']'.repeat(200_000))
    const conversation = claudeCode.parse(document)
    expect(conversation.messages[0]?.parts[0]).toMatchObject({ type: 'opaque', kind: 'new' })
    const [message] = conversation.messages
    const copy = message && { ...message, parts: message.parts.map((part) => ({ ...part })) }
    const edited = { ...conversation, messages: copy ? [copy as typeof message] : [] }
    expect(readOutput(claudeCode.serialize(edited)).length).toBeGreaterThan(400_000)
  })

  test('50 000 entries in one chain with one message id are read in linear time', {
    tags: 'slow',
  }, () => {
    const entries = Array.from({ length: 50_000 }, (_, index) =>
      assistant(`n${index}`, index === 0 ? null : `n${index - 1}`, [text('x')], 'msg_1'),
    )
    expect(claudeCode.parse(toJsonl(entries)).messages).toHaveLength(1)
  })

  describe.skipIf(!existsSync(recordings))(
    'recorded sessions (skipped where ../shared/data is missing)',
    { tags: 'slow' },
    () => {
      const files = existsSync(recordings)
        ? readdirSync(recordings).filter((file) => file.endsWith('.jsonl'))
        : []
      test.each(files)('gives back the same bytes for %s', (file) => {
        const bytes = readFileSync(recordings + file)
        expectRoundTrip(bytes.toString('utf8'))
        expectRoundTrip(new Uint8Array(bytes))
        const conversation = claudeCode.parse(bytes)
        expect(conversation.messages.length).toBeGreaterThan(10)
        expect(claudeCode.detect(bytes)).toBeGreaterThan(0.9)
        expect(conversation.document).toMatchObject({ warnings: [] })
        const middle = Math.floor(conversation.messages.length / 2)
        const cut = findCutPoints(conversation.messages).nearestCut(middle, 'forward') ?? middle
        const edited = apply(conversation, [
          { type: 'replace', start: 0, end: cut, messages: [createSummaryMessage('so far')] },
        ])
        let created = 0
        const newSession = {
          sessionId: 'new',
          timestamp: '2026-11-21T00:00:00.000Z',
          title: 't',
          createId: () => `fresh-${created++}`,
        }
        const again = claudeCode.parse(claudeCode.serialize(edited, newSession))
        const describeParts = (messages: Conversation['messages']) =>
          JSON.stringify(
            messages.map(({ role, parts }) => [role, parts]),
            (key, value: unknown) => (key === 'native' ? undefined : value),
          )
        expect(describeParts(again.messages)).toBe(describeParts(edited.messages))
      })
    },
  )
})
