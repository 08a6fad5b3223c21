/**
 * What VS Code 1.139 with GitHub Copilot 0.67 stored, and what it sent after the session was opened
 * again.
 */
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import { type Message, renderPart } from '../../conversation/message.ts'
import { readOutput, withMessages } from '../shared/format.suite.ts'
import { copilot } from './copilot.ts'
import {
  LOG,
  markdown,
  newSession,
  output,
  request,
  round,
  SESSION_ID,
  toBody,
  toLog,
  tool,
} from './session.suite.ts'
import { changeShownParts, listShownIds } from './write-request.ts'

const parse = (requests: readonly object[]) => copilot.parse(toBody(requests))
const texts = (messages: readonly Message[]) =>
  messages.map(({ parts }) => parts.map(renderPart).join('|'))

describe('reading', () => {
  test('lines of a tree that end themselves are not broken twice', () => {
    const children = ['# Project\n', '\n', 'Always', 'and ever'].map((text) => ({
      type: 1,
      children: [{ type: 2, text, lineBreakBefore: true }],
    }))
    const results = { c1: output({ node: { type: 1, children } }) }
    const { messages } = parse([
      request('r1', 'go', { rounds: [round('t1', '', ['c1'])], results }),
    ])
    expect(texts(messages).at(-1)).toBe('# Project\n\nAlways\nand ever')
  })

  test.each([
    'ERROR while calling tool: no such file',
    'ERROR: Your input to the tool was invalid',
  ])('a tool that failed says so in words: %s', (text) => {
    const { messages } = parse([
      request('r1', 'go', { rounds: [round('t1', '', ['c1'])], results: { c1: output(text) } }),
    ])
    expect(messages.at(-1)?.parts).toMatchObject([{ type: 'tool-result', isError: true }])
  })

  test('data of a result counts as little as what is sent of it', () => {
    const results = {
      c1: { $mid: 20, content: [{ $mid: 24, mimeType: 'image/png', data: 'A'.repeat(9999) }] },
    }
    const { messages } = parse([
      request('r1', 'go', { rounds: [round('t1', '', ['c1'])], results }),
    ])
    expect(texts(messages).at(-1)?.length).toBeLessThan(60)
  })

  test('files and symbols in an answer without rounds are part of its sentence', () => {
    const at = (path: string) => ({ $mid: 1, path, scheme: 'file' })
    const response = [
      markdown('See '),
      { kind: 'inlineReference', inlineReference: at('/work/a.ts') },
      markdown(' and '),
      {
        kind: 'inlineReference',
        inlineReference: { name: 'add', location: { uri: at('/work/b.ts'), range: {} } },
      },
      { kind: 'inlineReference', inlineReference: null },
    ]
    expect(texts(parse([request('r1', 'go', { response })]).messages)[1]).toBe(
      'See [`/work/a.ts`](/work/a.ts) and [`add`](/work/b.ts)',
    )
  })
})

describe('what the screen shows', () => {
  const edit = [
    { value: '\n```\n' },
    { id: 'u', kind: 'undoStop' },
    { kind: 'codeblockUri', uri: { path: '/a.ts' }, isEdit: true },
    { kind: 'textEditGroup', uri: { path: '/a.ts' }, edits: [[{ text: 'x' }]] },
    { value: '\n```\n' },
  ]
  const thought = { kind: 'thinking', value: '', metadata: { toolId: 'c1' } }
  const response = [
    markdown('I change it.'),
    thought,
    tool('c1'),
    ...edit,
    markdown('And again.'),
    tool('c2'),
    ...edit,
  ]
  const show = (ids: readonly string[]) =>
    changeShownParts(response, {
      text: undefined,
      callIds: listShownIds(ids),
      changedCallIds: new Set(),
    })

  test('has the ids of calls without what the extension adds to them', () => {
    expect(show(['c1__vscode-17', 'c2__vscode-18'])).toBe(response)
  })

  test('edits and thoughts go with the call that led to them, and only with it', () => {
    expect(show(['c2__vscode-18'])).toEqual([markdown('I change it.'), ...response.slice(8)])
    expect(show([])).toEqual([markdown('I change it.'), markdown('And again.')])
  })

  test('edits of several calls stay while one of them does', () => {
    const shown = [tool('c1'), tool('c2'), ...edit]
    const changes = {
      text: undefined,
      callIds: listShownIds(['c1']),
      changedCallIds: new Set<string>(),
    }
    expect(changeShownParts(shown, changes)).toEqual([tool('c1'), ...edit])
  })

  test('many calls take time in proportion to their number', { tags: 'slow' }, async () => {
    const listIds = (length: number) => Array.from({ length }, (_, at) => `call_${at}`)
    const change = (ids: readonly string[]) => {
      const callIds = listShownIds(ids.map((id) => `${id}__vscode-1`))
      const shown = ids.map((id) => tool(id))
      expect(changeShownParts(shown, { text: undefined, callIds, changedCallIds: new Set() })).toBe(
        shown,
      )
    }
    await expectLinearGrowth(listIds, change, 2_000)
  })
})

describe('writing', () => {
  const write = (messages: readonly Message[], session: ReturnType<typeof parse>) =>
    readOutput(copilot.serialize(withMessages(session, messages), newSession))

  test('counts beside the prompt go behind a change', () => {
    const counts = {
      promptTokens: 90_000,
      completionTokens: 10,
      promptTokenDetails: [{}],
      outputBuffer: 8192,
    }
    const session = parse([
      request('r1', 'go', { fields: counts }),
      request('r2', 'on', { fields: counts }),
    ])
    expect(write(session.messages.slice(1), session)).not.toMatch(
      /romptToken|completionTokens|outputBuffer/,
    )
  })

  test('reasoning goes with the calls that it led to', () => {
    const thinking = { thinking: { id: 'rs_1', text: '', encrypted: 'sealed' } }
    const rounds = [round('t1', 'both', ['c1', 'c2'], thinking), round('t2', 'done', [], thinking)]
    const session = parse([
      request('r1', 'go', { rounds, results: { c1: output('x'), c2: output('y') } }),
    ])
    const [asked, both, results, done] = session.messages
    if (both?.role !== 'assistant' || results?.role !== 'tool' || !asked || !done)
      throw new Error('a message is missing')
    const fewer = [
      asked,
      {
        ...both,
        parts: both.parts.filter((part) => part.type !== 'tool-call' || part.callId === 'c1'),
      },
      { ...results, parts: results.parts.slice(0, 1) },
      done,
    ]
    expect(write(fewer, session).match(/sealed/g)).toHaveLength(1)
    expect(write([...session.messages], session).match(/sealed/g)).toHaveLength(2)
  })

  test('a copy that nobody edited shares no id by which the extension finds the other', () => {
    const log = copilot.parse(toLog([...LOG, { kind: 7 }]))
    const clone = readOutput(copilot.serialize(log, newSession))
    expect(clone.trim().split('\n')).toHaveLength(1)
    expect(clone).not.toContain(SESSION_ID)
    expect(clone).not.toContain('"responseId":"r1"')
    expect(texts(copilot.parse(clone).messages)).toEqual(texts(log.messages))
  })

  test('a request of no other session names the agent that gets its rounds back', () => {
    const empty = copilot.parse(
      toLog([{ kind: 0, v: { version: 3, sessionId: SESSION_ID, requests: [] } }]),
    )
    const question: Message = {
      role: 'user',
      origin: 'user',
      parts: [{ type: 'text', text: 'go' }],
    }
    expect(write([question], empty)).toContain('"id":"github.copilot.editsAgent"')
  })
})
