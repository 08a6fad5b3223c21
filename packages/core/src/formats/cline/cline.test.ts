import { describe, expect, test } from 'vitest'
import { readText, type ToolResultPart } from '../../conversation/message.ts'
import { claudeCode } from '../claude-code/claude-code.ts'
import { convert } from '../conversion/convert.suite.ts'
import { readOutput, testFormat } from '../shared/format.suite.ts'
import { createNewSession } from '../shared/new-session.suite.ts'
import { cline } from './cline.ts'
import {
  answer,
  call,
  copySample,
  hostWords,
  printed,
  RICH,
  result,
  session,
  user,
} from './session.suite.ts'

testFormat(cline, {
  copySample,
  hostWords,
  documents: {
    'a session': session(RICH),
    'a session in tabs': session(RICH).replaceAll('  ', '\t'),
  },
})

const PICTURE = { type: 'image', data: 'iVBORw0KGgoAAAA=', mediaType: 'image/png' }
const failed = (text: string, error: string) => ({
  query: 'npm test',
  result: text,
  error,
  success: false,
})

describe('cline', () => {
  test.each<[string, unknown, readonly unknown[], boolean]>([
    ['text', 'left', ['left'], false],
    [
      'an entry for each command',
      [printed('one\n'), failed('[Command exited with code 2]\nout', 'Command exited with code 2')],
      ['one\n', '[Command exited with code 2]\nout'],
      false,
    ],
    ['entries that failed', [failed('', 'File not found')], ['File not found'], true],
    ['an empty entry', [printed('')], [''], false],
    [
      'an entry with a picture',
      [
        {
          query: '/work/a.png',
          result: [{ type: 'text', text: 'Successfully read image' }, PICTURE],
          success: true,
        },
      ],
      ['image'],
      false,
    ],
    ['a picture', [{ type: 'text', text: 'shot' }, PICTURE], ['shot', 'image'], false],
    [
      'an entry as JSON text',
      JSON.stringify({ query: 'edit:/work/a.ts', result: 'Edited', success: true }),
      ['Edited'],
      false,
    ],
    [
      'an entry that failed as JSON text',
      JSON.stringify(failed('', 'No match')),
      ['No match'],
      true,
    ],
    ['only an error as JSON text', '{"error":"It was rejected"}', ['It was rejected'], false],
    [
      'the report of a sub-agent',
      '{"text":"Found it.","iterations":1,"finishReason":"completed","usage":{"outputTokens":6}}',
      ['Found it.'],
      false,
    ],
    [
      'JSON of another tool',
      '{"result":"one","success":true,"more":"two"}',
      ['{"result":"one","success":true,"more":"two"}'],
      false,
    ],
    ['an object of another tool', [{ rows: [1] }], ['{"rows":[1]}'], false],
    [
      'an entry whose result is an object',
      [{ query: 'x', result: { rows: [1] }, success: true }],
      ['{"query":"x","result":{"rows":[1]},"success":true}'],
      false,
    ],
  ])(
    'a result that is %s is what its tool showed, and is written as it was',
    (_, content, shown, isError) => {
      const other = [printed('other')]
      const source = session([
        answer(call('c1'), call('c2')),
        user(result('c1', content), result('c2', other)),
      ])
      const before = cline.parse(source)
      const [first, second] = before.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'tool-result' ? [part] : [])),
      )
      expect(first?.output.map((part) => ('text' in part ? part.text : part.type))).toEqual(shown)
      expect(first?.isError).toBe(isError)
      // The record is written again, since the result next to it changed.
      const cut = { ...second!, output: [{ ...second!.output[0]!, text: 'cut' }] } as ToolResultPart
      const messages = before.messages.map((message) =>
        message.role === 'tool'
          ? {
              ...message,
              parts: message.parts.map((part) =>
                'callId' in part && part.callId === 'c2' ? cut : part,
              ),
            }
          : message,
      )
      const written = JSON.parse(readOutput(cline.serialize({ ...before, messages })))
      expect(written.messages[1].content).toEqual([
        result('c1', content),
        result('c2', [{ ...other[0], result: 'cut' }]),
      ])
    },
  )

  test.each<[string, unknown, unknown, boolean]>([
    [
      'output',
      [failed('out', 'Command exited with code 2')],
      [failed('cut', 'Command exited with code 2')],
      false,
    ],
    ['an error', [failed('', 'No file: '.repeat(9))], [failed('', 'cut')], false],
    ['a report', [{ text: 'Found it.', iterations: 1 }], [{ text: 'cut', iterations: 1 }], false],
    ['an error as JSON text', JSON.stringify(failed('', 'No match')), 'cut', true],
  ])(
    '%s that is cut is gone, and is still a failure if it was one',
    (_, content, cut, isMarked) => {
      const before = cline.parse(session([answer(call('c1')), user(result('c1', content))]))
      const messages = before.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.type === 'tool-result'
            ? { ...part, output: [{ ...part.output[0]!, type: 'text' as const, text: 'cut' }] }
            : part,
        ),
      })) as unknown as typeof before.messages
      const text = readOutput(cline.serialize({ ...before, messages }))
      expect(JSON.parse(text).messages[1].content).toEqual([
        { ...result('c1', cut), ...(isMarked && { is_error: true }) },
      ])
      const [read] = before.messages[1]!.parts as readonly ToolResultPart[]
      expect(cline.parse(text).messages[1]?.parts).toMatchObject([
        { output: [{ text: 'cut' }], isError: read?.isError },
      ])
    },
  )

  test('other formats get the picture that a tool read', () => {
    const read = { query: '/work/a.png', result: [{ type: 'text', text: 'Read' }, PICTURE] }
    const source = session([
      answer(call('c1'), call('c2')),
      user(result('c1', [{ ...read, success: true }]), result('c2', [PICTURE])),
    ])
    const copied = convert(cline.parse(source), claudeCode)
    expect(copied.losses.map(({ kind }) => kind)).not.toContain('media')
    const image = { output: [{ type: 'image', bytes: 11 }] }
    const parts = copied.written.messages.flatMap((message) => [...message.parts])
    expect(parts.filter(({ type }) => type === 'tool-result')).toMatchObject([image, image])
    const { messages } = JSON.parse(convert(copied.written, cline).text)
    const blocks = messages.flatMap(({ content }: { content: unknown }) => content)
    expect(blocks.slice(-2)).toMatchObject([{ content: [PICTURE] }, { content: [PICTURE] }])
  })

  test('a picture of the user is a picture, and other formats get it', () => {
    const conversation = cline.parse(session([user({ type: 'text', text: 'Look.' }, PICTURE)]))
    expect(conversation.messages[0]?.parts[1]).toMatchObject({ type: 'image', bytes: 11 })
    const [copied] = convert(conversation, claudeCode).written.messages
    expect(copied?.parts[1]).toMatchObject({ type: 'image', bytes: 11 })
    const back = convert({ ...conversation, messages: [copied!] }, cline).text
    const [written] = JSON.parse(back).messages
    expect(written.content[1]).toEqual(PICTURE)
  })

  test('what the user typed is read without the element around it, which an edit keeps', () => {
    const before = cline.parse(session(RICH))
    const [first, ...others] = before.messages
    expect(first && [first.origin, readText(first)]).toEqual(['user', 'Find the bug.'])
    expect(before).toMatchObject({ model: 'claude-sonnet-4-6', provider: 'anthropic' })
    const edited = { ...first!, parts: [{ ...first!.parts[0]!, type: 'text', text: 'Other.' }] }
    const output = readOutput(
      cline.serialize({ ...before, messages: [edited as typeof first & object, ...others] }),
    )
    expect(output).toContain('<user_input mode=\\"act\\">Other.</user_input>')
  })

  test('an empty result has a content and the name of its tool', () => {
    const before = cline.parse(session(RICH))
    const messages = before.messages.map((message) =>
      message.role === 'tool'
        ? {
            ...message,
            parts: message.parts.map((part) => ({ ...part, output: [], native: undefined })),
          }
        : message,
    )
    const { messages: written } = JSON.parse(readOutput(cline.serialize({ ...before, messages })))
    expect(written[2].content).toEqual([
      { type: 'tool_result', tool_use_id: 'c1', name: 'run_commands', content: '' },
    ])
  })

  test('a clone has another id, and a changed copy counts nothing of the old history', () => {
    const before = cline.parse(session(RICH))
    const newSession = createNewSession(cline)
    const clone = JSON.parse(readOutput(cline.serialize(before, newSession)))
    expect(clone).toEqual({ ...JSON.parse(session(RICH)), sessionId: newSession.sessionId })
    const copy = readOutput(
      cline.serialize({ ...before, messages: before.messages.slice(3) }, newSession),
    )
    expect(copy).not.toContain('metrics')
    expect(cline.parse(copy).messages.map(readText)).toEqual(before.messages.slice(3).map(readText))
  })
})
