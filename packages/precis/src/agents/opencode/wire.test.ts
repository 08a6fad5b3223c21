import type { Message } from '@precis/core'
import { formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { createOpencodeRequest, OPENCODE_NEW } from '../compaction-requests.suite.ts'
import { wire } from './wire.ts'

const user = (content: string) => ({ role: 'user', content })
const said = (content: string) => ({ role: 'assistant', content })
const call = (id: string, path: string) => [
  {
    role: 'assistant',
    content: '',
    tool_calls: [
      { id, type: 'function', function: { name: 'read', arguments: JSON.stringify({ path }) } },
    ],
  },
  { role: 'tool', tool_call_id: id, content: `what ${path} says` },
]
const called = (path: string) =>
  `[Assistant tool call]: read(${JSON.stringify({ path })})\n[Tool result]: what ${path} says`

/** Where the text of a compaction ends among the messages of the latest request. */
function place(entries: readonly string[], sent: readonly object[]) {
  const request = createOpencodeRequest('openai-chat', OPENCODE_NEW, entries.join('\n\n'))
  const messages: readonly Message[] = formats['openai-chat'].parse({ messages: sent }).messages
  return wire.readCompaction(request)?.placeHistory?.(messages)
}

describe('a text with history is found among what was sent', () => {
  test('if it has all words of the user, whole and in order', () => {
    const sent = [user('Look at the token'), said('I did.'), user('ok'), said('Done.'), user('Now')]
    const entries = ['[User]: Look at the token', '[Assistant]: I did.', '[User]: ok']
    expect(place(entries, sent)).toEqual({ last: 2, newest: '' })
    expect(place([...entries, '[Assistant]: Done.'], sent)).toEqual({
      last: 2,
      newest: '[Assistant]: Done.',
    })
  })

  test('not if words of the user went another way, though others contain them', () => {
    const sent = [user('Look at the token'), said('I did.'), user('Write tests for the token')]
    const before = ['[User]: Look at the token', '[User]: Write tests for the token']
    expect(place([...before, '[User]: Never touch billing.ts.', '[User]: ok'], sent)).toBe(
      undefined,
    )
    expect(place([...before, '[User]: ok'], sent)).toBe(undefined)
    expect(place([before[1] ?? '', before[0] ?? ''], sent)).toBe(undefined)
  })

  test('also with lines, files, and parts that its provider gets beside them', () => {
    const parts = ['First.\n\nThen [this].\n', 'Added.'].map((text) => ({ type: 'text', text }))
    const sent = [{ role: 'user', content: parts }, said('Yes.'), user('Go on.')]
    const entries = ['[User]: First.\n\nThen [this].\n\n[Attached image/png: a.png]']
    expect(place([...entries, '[Assistant]: Yes.', '[User]: Go on.'], sent)?.last).toBe(2)
  })

  test('also if messages in a row became the parts of one', () => {
    const join = (...texts: string[]) => ({
      role: 'user',
      content: texts.map((text) => ({ type: 'text', text })),
    })
    const sent = [join('Look at it.', 'And\nthis.', 'yes'), said('Done.'), user('Now')]
    const entries = ['[User]: Look at it.', '[User]: And\nthis.', '[User]: yes']
    expect(place(entries, sent)).toEqual({ last: 0, newest: '' })
    expect(place([...entries, '[Assistant]: Done.', '[User]: Now'], sent)?.last).toBe(2)
    // Each part is found once, as a whole and in order.
    expect(place([...entries, '[User]: yes'], sent)).toBe(undefined)
    expect(place(['[User]: Look at it.', '[User]: this.'], sent)).toBe(undefined)
    expect(place(['[User]: yes', '[User]: Look at it.'], sent)).toBe(undefined)
  })

  test('each in a message of its own: none in a file, or behind a bracket, that came with an earlier one', () => {
    const file = 'Look at this\n[x] first\nyes\nread({"path":"a.ts"})\nno'
    const sent = [user(file), said('Shall I?'), user('yes'), ...call('a', 'a.ts'), user('Now')]
    const entries = [`[User]: ${file}`, '[Assistant]: Shall I?', '[User]: yes']
    expect(place(entries, sent)?.last).toBe(2)
    expect(place([...entries, called('a.ts')], sent)).toEqual({ last: 3, newest: '' })
    expect(place([entries[0] ?? '', called('a.ts')], [user(file), user('Now')])).toEqual({
      last: 1,
      newest: called('a.ts'),
    })
    expect(place([...entries, '[User]: yes'], sent)).toBe(undefined)
  })

  test('also without words before a line in brackets, or a file', () => {
    const sent = [user('Begin'), said('Yes.'), user('\n[ERROR] x\nmend it'), user('Now')]
    const entries = ['[User]: Begin', '[Assistant]: Yes.', '[User]: \n[ERROR] x\nmend it']
    expect(place(entries, sent)?.last).toBe(2)
  })

  test('with the calls after them: those that were not sent yet are the newest', () => {
    const sent = [user('Read.'), ...call('a', 'a.ts'), ...call('b', 'b.ts')]
    const entries = ['[User]: Read.', called('a.ts')]
    expect(place(entries, sent)).toEqual({ last: 1, newest: '' })
    expect(place([...entries, called('b.ts')], sent)).toEqual({ last: 3, newest: '' })
    // The same call once more is another one.
    expect(place([...entries, called('b.ts'), called('a.ts')], sent)).toEqual({
      last: 4,
      newest: called('a.ts'),
    })
  })
})
