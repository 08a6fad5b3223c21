import { describe, expect, test } from 'vitest'
import { encodePart, parseBlocks } from './anthropic-messages.ts'

const blocks = [
  { type: 'text', text: 'a', citations: [] },
  { type: 'thinking', thinking: 'hm', signature: 's' },
  { type: 'redacted_thinking', data: 'd' },
  { type: 'tool_use', id: 't', name: 'n', input: { a: [1] } },
  {
    type: 'tool_result',
    tool_use_id: 't',
    content: [{ type: 'text', text: 'r' }, { type: 'tool_reference' }],
  },
  { type: 'tool_result', tool_use_id: 'u', content: 'r', is_error: false },
  { type: 'tool_result', tool_use_id: 'v' },
  { type: 'image', source: { type: 'url', url: 'https://example.org' } },
  { type: 'document', source: { type: 'text', data: 'words' } },
  { type: 'text' },
  { type: 'tool_use', id: 7 },
  'stray',
  null,
]

test.each(['auto_compaction', 'compaction_20280101', 'conversationCompaction'])(
  '%s with content is a compaction, and one that is asked for is none',
  (type) => {
    const read = (block: object) => parseBlocks([block])[0]?.compaction
    expect(read({ type, content: 'It was fixed.' })).toEqual({ text: 'It was fixed.' })
    expect(read({ type, summary: 'It was fixed.' })).toEqual({ text: 'It was fixed.' })
    expect(read({ type, encrypted_content: 'gAAA' })).toEqual({ text: undefined })
    expect(read({ type })).toBeUndefined()
    expect(read({ type, content: '', summary: 'It was fixed.' })).toEqual({ text: 'It was fixed.' })
    expect(read({ type, content: '', summary: [] })).toBeUndefined()
  },
)

test.each([
  'compaction_request',
  'compactionRequest',
  'compaction_error',
  'compaction_failed',
  'pre_compaction_notice',
])('%s is no compaction', (type) => {
  expect(parseBlocks([{ type, content: 'Summarize.' }])[0]?.compaction).toBeUndefined()
})

test('a compaction replaces the past, and one that failed replaces nothing', () => {
  const read = (content: unknown) => parseBlocks([{ type: 'compaction', content }])[0]?.compaction
  expect(read('half done')).toEqual({ text: 'half done' })
  expect(read(undefined)).toEqual({})
  expect(read(null)).toBeUndefined()
  expect(read('')).toBeUndefined()
})

describe('encodePart', () => {
  test('an untouched part is the very block it was read from', () => {
    parseBlocks(blocks).forEach((part, index) => {
      expect(encodePart(part)).toBe(blocks[index])
    })
  })

  test('a part without a block is written from its fields', () => {
    expect(encodePart({ type: 'text', text: 'x' })).toEqual({ type: 'text', text: 'x' })
    expect(encodePart({ type: 'tool-call', callId: 'c', name: 'n', input: '{"a":1}' })).toEqual({
      type: 'tool_use',
      id: 'c',
      name: 'n',
      input: { a: 1 },
    })
    expect(
      encodePart({ type: 'tool-call', callId: 'c', name: 'n', input: '*** patch' }),
    ).toMatchObject({
      input: { input: '*** patch' },
    })
    const output = [{ type: 'text' as const, text: 'r' }]
    expect(encodePart({ type: 'tool-result', callId: 'c', output, isError: true })).toEqual({
      type: 'tool_result',
      tool_use_id: 'c',
      content: 'r',
      is_error: true,
    })
    expect(encodePart({ type: 'image', mediaType: 'image/png', bytes: 1 })).toMatchObject({
      type: 'text',
    })
  })

  test('reasoning of another provider has no block', () => {
    expect(encodePart({ type: 'reasoning', text: 'hm', signatureLength: 0 })).toBeUndefined()
  })

  test('fields that a part does not model stay beside an edit', () => {
    const [first] = parseBlocks([
      { type: 'tool_result', tool_use_id: 't', content: 'r', cache_control: { type: 'x' } },
    ])
    if (first?.type !== 'tool-result') throw new TypeError('a result was expected')
    expect(encodePart({ ...first, isError: true, output: [] })).toEqual({
      type: 'tool_result',
      tool_use_id: 't',
      content: '',
      cache_control: { type: 'x' },
      is_error: true,
    })
  })
})

test('a session format may keep more in `native` than the block', () => {
  const parts = parseBlocks(blocks, (block, index) => ({ block, index }))
  expect(parts[3]?.native).toEqual({ block: blocks[3], index: 3 })
  const find = (native: unknown) =>
    native instanceof Object && 'block' in native ? native.block : undefined
  parts.forEach((part, index) => {
    expect(encodePart(part, find)).toBe(blocks[index])
  })
})
