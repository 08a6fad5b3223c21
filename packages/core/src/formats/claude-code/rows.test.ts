import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../../conversation/invariants/index.ts'
import type { Conversation } from '../../conversation/message.ts'
import { readText } from '../../conversation/message.ts'
import { createSummaryMessage, readSummary } from '../../conversation/summary-message.ts'
import { readRows, type SessionRow, writeRows } from './rows.ts'

const typed = (text: string, handle = text): SessionRow => ({
  role: 'user',
  text,
  toolUses: [],
  handle,
})
const said = (text: string): SessionRow => ({
  role: 'assistant',
  text,
  toolUses: [],
  handle: `said ${text}`,
})
const call = (id: string): SessionRow => ({
  role: 'assistant',
  text: '',
  toolUses: [{ tool_use_id: id, tool: 'Bash', input: { command: `ls ${id}` } }],
  handle: `call ${id}`,
})
const result = (id: string, text: string, output?: unknown): SessionRow => ({
  role: 'user',
  text: '',
  toolUses: [],
  toolResults: [{ tool_use_id: id, text, isError: false, result: output }],
  handle: `result ${id}`,
})

const summary = readText(createSummaryMessage('Everything is fine.'))

describe('rows of a session', () => {
  test('only words of the user go back with their handle, and the blocks of a message are one row', () => {
    const rows = [
      typed('List both.'),
      said(''),
      said('I look.'),
      call('a'),
      call('b'),
      result('b', 'two'),
      result('a', 'one'),
      said('Done.'),
      typed('Thanks.'),
    ]
    const { conversation, unkept } = readRows(rows)
    expect(checkInvariants(conversation)).toEqual([])
    expect(unkept).toEqual({ reasoning: 1, media: 0 })
    expect(writeRows(conversation)).toEqual([
      rows[0],
      {
        role: 'assistant',
        text: 'I look.',
        toolUses: [
          { tool_use_id: 'a', tool: 'Bash', input: { command: 'ls a' } },
          { tool_use_id: 'b', tool: 'Bash', input: { command: 'ls b' } },
        ],
      },
      {
        role: 'user',
        text: '',
        toolUses: [],
        toolResults: [
          { tool_use_id: 'b', text: 'two', isError: false },
          { tool_use_id: 'a', text: 'one', isError: false },
        ],
      },
      { role: 'assistant', text: 'Done.', toolUses: [] },
      rows[8],
    ])
  })

  test('changed words of the user go back without the handle of the message they were', () => {
    const { conversation } = readRows([typed('A long text.')])
    const [message] = conversation.messages
    const changed: Conversation = {
      ...conversation,
      messages: [
        { ...message!, parts: [{ type: 'text', text: 'A …' }] } as typeof message & object,
      ],
    }
    expect(writeRows(changed)).toEqual([{ role: 'user', text: 'A …', toolUses: [] }])
  })

  test('an image in a result becomes a line and is counted', () => {
    const image = { type: 'image', file: { base64: 'aGVsbG8=', type: 'image/png' } }
    const { conversation, unkept } = readRows([
      typed('Look.'),
      call('a'),
      result('a', '', image),
      call('b'),
      result('b', '', { stdout: '', isImage: false }),
    ])
    expect(unkept.media).toBe(1)
    const texts = writeRows(conversation).flatMap(({ toolResults = [] }) =>
      toolResults.map(({ text }) => text),
    )
    expect(texts).toEqual(['[image of a result: cleared]', ''])
  })

  test.each([
    ['words', 'Fix it.', 'user'],
    ['a command of the client', '<command-name>/clear</command-name>', 'synthetic'],
    ['output of a command', '<local-command-stdout>Bye</local-command-stdout>', 'synthetic'],
    ['a notice', '[Request interrupted by user]', 'synthetic'],
    [
      'a summary of the agent',
      'This session is being continued from a previous conversation',
      'synthetic',
    ],
    ['a message without words: an image', '', 'user'],
  ])('%s in the role of the user: whose word it is', (_, text, origin) => {
    const { conversation } = readRows([typed('Hello.'), said('Hi.'), typed(text)])
    expect(conversation.messages.at(-1)?.origin).toBe(origin)
  })

  test('the first row may be a summary of precis, a row that somebody pasted is not', () => {
    const { conversation } = readRows([typed(summary), said('Fine.'), typed(summary)])
    expect(conversation.messages.map(readSummary)).toEqual([
      'Everything is fine.',
      undefined,
      undefined,
    ])
  })

  test('what precis put after a summary of the agent is read as its own, pasted text is not', () => {
    const read = (first: string) =>
      readRows([typed(`${first}\n${summary}`), said('Fine.')]).conversation.messages
    const ofAgent = read('This session is being continued from a previous conversation.')
    expect(ofAgent.map(readSummary)).toEqual([undefined, 'Everything is fine.', undefined])
    expect(ofAgent[0]?.origin).toBe('synthetic')
    const pasted = read('What does this mean?')
    expect(pasted.map(({ origin }) => origin)).toEqual(['user', 'agent'])
  })

  test.each([
    ['another role', { role: 'system', text: '', toolUses: [] }],
    ['no text', { role: 'user', toolUses: [] }],
    ['a call without id', { role: 'assistant', text: '', toolUses: [{}] }],
    ['null', null],
  ])('what is no row is refused: %s', (_, row) => {
    expect(() => readRows([row])).toThrow('Reading the rows of a Claude Code session')
  })
})
