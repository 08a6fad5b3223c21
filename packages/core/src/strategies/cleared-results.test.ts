import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation, ToolResultPart } from '../conversation/message.ts'
import { createClearTools } from './clear-tools.ts'
import {
  agent,
  answer,
  call,
  clear,
  conversationOf,
  lines,
  outputsOf,
  person,
} from './clearing.suite.ts'
import { createHighDensity } from './index.ts'

const CONTENT = lines(60, 'code')

/** A read of `a.ts`, then a write of it, then an answer. */
function readThenWrite(
  read: readonly [string, unknown],
  write: readonly [string, unknown],
): Conversation {
  const messages = [
    person('start'),
    call('r', ...read),
    answer('r', CONTENT),
    call('w', ...write),
    answer('w', 'ok'),
    agent('done'),
  ]
  return { ...conversationOf(messages), workingDirectory: '/work/shop' }
}

describe('a read before a write of its file', () => {
  const noRecency = createHighDensity({ keepResults: Infinity })
  const isCleared = (conversation: Conversation) =>
    outputsOf(clear(noRecency, conversation)).r?.includes('superseded') === true
  const oneWrite = ['write_file', { file_path: 'src/a.ts', content: 'x' }] as const
  const oneRead = ['read_file', { file_path: 'src/a.ts' }] as const

  test.each<readonly [string, unknown]>([
    ['read_file', { file_path: 'src/a.ts' }],
    ['read_file', { absolute_path: '/work/shop/src/a.ts' }],
    ['read_line_range', { absolute_path: '/work/shop/src/a.ts', start_line: 3, end_line: 40 }],
    ['ast_read_file', { path: './src/a.ts' }],
    ['Read', { file_path: '/work/shop/src/a.ts' }],
    ['view', { path: 'src/a.ts', view_range: [1, 40] }],
    ['read_many_files', { paths: ['./src/a.ts'] }],
    ['exec_command', { cmd: 'cat src/a.ts' }],
  ])('is stale whatever reads it: %s %j', (name, input) => {
    expect(isCleared(readThenWrite([name, input], oneWrite))).toBe(true)
  })

  test.each<readonly [string, unknown]>([
    ['write_file', { file_path: 'src/a.ts', content: 'x' }],
    ['write_file', { absolute_path: '/work/shop/src/a.ts', content: 'x' }],
    ['ast_edit', { file_path: './src/a.ts', old_string: 'x', new_string: 'y' }],
    ['replace', { file_path: 'src/a.ts', old_string: 'x', new_string: '' }],
    ['insert_at_line', { absolute_path: '/work/shop/src/a.ts', line_number: 3, content: 'x' }],
    ['MultiEdit', { file_path: 'src/a.ts', edits: [{ old_string: 'x', new_string: 'y' }] }],
    [
      'str_replace_based_edit_tool',
      { command: 'str_replace', path: 'src/a.ts', old_str: 'x', new_str: 'y' },
    ],
    ['delete_file', { path: 'src/a.ts' }],
    ['apply_patch', '*** Begin Patch\n*** Delete File: src/a.ts\n*** End Patch'],
  ])('is stale whatever writes it: %s %j', (name, input) => {
    expect(isCleared(readThenWrite(oneRead, [name, input]))).toBe(true)
  })

  test('stays when only the letters of the path are the same', () => {
    expect(isCleared(readThenWrite(['read_file', { file_path: 'src/A.ts' }], oneWrite))).toBe(false)
  })
})

describe('a cleared result', () => {
  const bytes = 'iVBORw0KGgo'.repeat(40)
  const native = { type: 'tool_result', cache_control: { type: 'ephemeral' } }
  const result: ToolResultPart = {
    type: 'tool-result',
    callId: 'a',
    name: 'Read',
    output: [
      { type: 'text', text: CONTENT.repeat(3) },
      { type: 'image', mediaType: 'image/png', bytes: 90_000, native: { source: { data: bytes } } },
    ],
    isError: true,
    native,
  }
  const base = conversationOf([
    person('start'),
    call('a', 'Read', { file_path: 'a.ts' }),
    { role: 'tool', origin: 'environment', parts: [result] },
    call('b', 'Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' }),
    answer('b', 'ok'),
    agent('done'),
  ])

  test.each([
    ['masked', createClearTools({ zone: { fraction: 1 } })],
    ['truncated', createClearTools({ mode: 'truncate', zone: { fraction: 1 } })],
    ['called stale', createHighDensity({ keepResults: 0 })],
  ])(
    'that is %s answers the same call, is still an error, and holds no byte of a picture',
    (_, strategy) => {
      const after = clear(strategy, base)
      const [part] = after.messages[2]!.parts
      expect(part).toMatchObject({
        type: 'tool-result',
        callId: 'a',
        name: 'Read',
        isError: true,
        native,
      })
      expect(JSON.stringify(part)).not.toContain('iVBOR')
      expect(JSON.stringify(part).length).toBeLessThan(JSON.stringify(result).length / 2)
      expect(after.messages).toHaveLength(base.messages.length)
      expect(checkInvariants(after)).toEqual([])
    },
  )

  test('is of the tool it came from: results of two tools count apart', () => {
    const steps = ['Bash', 'Grep', 'Bash', 'Grep', 'Bash'].flatMap((name, index) => [
      call(`${index}`, name, { command: `${index}`, pattern: `${index}` }),
      answer(`${index}`, `${index} ${CONTENT}`),
    ])
    const conversation = conversationOf([person('start'), ...steps, agent('done')])
    const outputs = outputsOf(clear(createHighDensity({ keepResults: 1 }), conversation))
    expect(
      Object.entries(outputs).flatMap(([id, text]) => (text.startsWith('[') ? [id] : [])),
    ).toEqual(['0', '1', '2'])
  })

  test('can be cleared again in another way, with its call', () => {
    const steps = ['x', 'y'].flatMap((id) => [
      call(id, 'Bash', { command: id }),
      answer(id, CONTENT),
    ])
    const masked = clear(
      createClearTools({ zone: { fraction: 1 } }),
      conversationOf([person('start'), ...steps, agent('done')]),
    )
    const removed = clear(createClearTools({ mode: 'remove', zone: { fraction: 1 } }), masked)
    expect(outputsOf(masked)).not.toEqual({ x: CONTENT, y: CONTENT })
    expect(outputsOf(removed)).toEqual({})
    expect(checkInvariants(removed)).toEqual([])
  })
})
