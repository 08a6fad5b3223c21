import { describe, expect, test } from 'vitest'
import { agent, conversationOf, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { findCallViews } from './view.ts'

const call = (callId: string, name: string, input: unknown): Message => ({
  ...agent(''),
  parts: [{ type: 'tool-call', callId, name, input }],
})
const answer = (callId: string, text: string, isError = false): Message => ({
  role: 'tool',
  origin: 'environment',
  parts: [{ type: 'tool-result', callId, output: [{ type: 'text', text }], isError }],
})
const view = (name: string, input: unknown, output = 'ok') => {
  const [found] = findCallViews({
    ...conversationOf([person('start'), call('a', name, input), answer('a', output)]),
    workingDirectory: '/home/me/project',
  })
  return found!
}

describe('findCallViews', () => {
  test('says where a call and its result stand', () => {
    expect(view('Read', { file_path: 'a.ts' })).toMatchObject({
      message: 1,
      part: 0,
      resultMessage: 2,
      resultPart: 0,
    })
  })

  test('pairs an id that is used again with its nearest call', () => {
    const messages = [
      call('a', 'x', {}),
      answer('a', 'one'),
      call('a', 'x', {}),
      answer('a', 'two'),
      call('a', 'x', {}),
    ]
    expect(findCallViews(conversationOf(messages)).map(({ output }) => output)).toEqual([
      'one',
      'two',
      undefined,
    ])
  })

  test.each([
    ['Read', { file_path: 'a.ts' }, false],
    ['Read', { file_path: 'a.ts', offset: 1 }, false],
    ['Read', { file_path: 'a.ts', offset: 40, limit: 10 }, true],
    ['view', { path: 'a.ts', view_range: [1, 20] }, true],
    ['exec_command', { cmd: 'cat a.ts' }, false],
    ['exec_command', { cmd: "sed -n '1,20p' a.ts" }, true],
    ['exec_command', { cmd: 'nl -ba a.ts | sed -n 5,9p' }, true],
  ])('%s %j reads a range: %s', (name, input, isPartial) => {
    expect(view(name, input)).toMatchObject({ kind: 'read', paths: ['a.ts'], isPartial })
  })

  test.each([
    ['cat a.ts && npm test', []],
    ['cat a.ts | grep x', []],
    ['cat $(ls) a.ts', []],
    ['cat a.ts; rm a.ts', ['a.ts']],
    ['cat a.ts > b.ts', ['b.ts']],
  ])('takes `%s` for more than a read, and names what it changes', (cmd, paths) => {
    expect(view('exec_command', { cmd })).toMatchObject({ kind: 'command', paths })
  })

  test('finds the files of a list', () => {
    expect(
      view('read_many_files', { paths: ['/home/me/project/a.ts', './b.ts', 3] }).paths,
    ).toEqual(['a.ts', 'b.ts'])
  })

  test.each([
    ['Error: string not found', true],
    ['<tool_use_error>File does not exist', true],
    ['The file was updated. No error.', false],
    ['Process exited with code 1\nOutput:\nx', true],
  ])('tells from %j that a call failed: %s', (output, failed) => {
    expect(view('edit', { path: 'a.ts' }, output).failed).toBe(failed)
  })

  test('knows no outcome of a call that waits', () => {
    const [found] = findCallViews(conversationOf([person('start'), call('a', 'Bash', {})]))
    expect(found).toMatchObject({ failed: undefined })
    expect(found).not.toHaveProperty('output')
  })
})
