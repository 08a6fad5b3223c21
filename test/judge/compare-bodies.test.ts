import { describe, expect, test } from 'vitest'
import { anthropicMessages } from './anthropic-messages.ts'
import { compareBodies } from './compare-bodies.ts'
import { openaiResponses } from './openai-responses.ts'
import type { JsonObject } from './provider.ts'

type List = readonly JsonObject[]
const kinds = (findings: readonly { readonly kind: string }[]) => findings.map(({ kind }) => kind)
const compare = (before: List, after: List) =>
  kinds(compareBodies(anthropicMessages, { messages: before }, { messages: after }))
const compareItems = (before: List, after: List) =>
  kinds(compareBodies(openaiResponses, { input: before }, { input: after }))

const user = (...content: JsonObject[]) => ({ role: 'user', content })
const assistant = (...content: JsonObject[]) => ({ role: 'assistant', content })
const text = (said: string) => ({ type: 'text', text: said })
const summary = user(text('A summary of what was.'))
const request = user(text('And now?'))

describe('a pair is torn where one half is left, whatever its type', () => {
  const code = { type: 'server_tool_use', id: 's', name: 'code_execution', input: {} }
  const call = {
    type: 'tool_use',
    id: 'a',
    name: 'f',
    input: {},
    caller: { type: 'code_execution', tool_id: 's' },
  }
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'long' }
  const done = { type: 'code_execution_tool_result', tool_use_id: 's', content: {} }
  const before = [request, assistant(code, call), user(result), assistant(done, text('5')), request]

  test('all of it may stay, shortened, or go', () => {
    const shorter = { ...result, content: '' }
    expect(
      compare(before, [request, assistant(code, call), user(shorter), assistant(done), request]),
    ).toEqual([])
    expect(compare(before, [summary, request])).toEqual([])
  })

  test.each([
    ['the result of the server', [summary, assistant(done, text('5')), request], 1],
    [
      'a call that names the server call that is gone',
      [request, assistant(call), user(result), request],
      1,
    ],
    ['the server call', [request, assistant(code), request], 2],
    [
      'a call that no longer names it',
      [request, assistant({ ...call, caller: undefined }), user(result), request],
      1,
    ],
  ])('%s alone is left', (_, after, count) => {
    expect(compare(before, after)).toEqual(Array(count).fill('pair-torn'))
  })

  test('a type that does not exist yet names another by any short value outside of its payload', () => {
    const part = { type: 'hologram', id: 'h1', lease: 'L1' }
    for (const later of [
      { type: 'seen', hologram_id: 'h1' },
      { type: 'seen', of: { hologramId: 'h1' } },
      { type: 'seen', about: [{ hologram: 'h1' }] },
      { type: 'seen_result', for: { lease: 'L1' } },
    ]) {
      const given = [request, assistant(part), user(later), request]
      expect(compare(given, [request, assistant(part), request])).toEqual(['pair-torn'])
      expect(compare(given, [summary, user(later), request])).toEqual(['pair-torn'])
      expect(compare(given, [summary, request])).toEqual([])
    }
  })

  test('a piece may name one that comes after it', () => {
    const [naming, named] = [assistant({ type: 'x', of: 'h1' }), user({ type: 'y', id: 'h1' })]
    const given = [request, naming, request, named, request]
    expect(compare(given, [summary, named, request])).toEqual(['pair-torn'])
    expect(compare(given, [request, naming, request])).toEqual(['pair-torn'])
  })

  test('words about a piece name nothing', () => {
    const given = [
      request,
      assistant({ type: 'x', id: 'completed' }),
      assistant({ type: 'y', status: 'completed', lease: 'L1' }),
      assistant({ type: 'y_result', for: { place: 'L1' } }),
    ]
    expect(compare(given, [request, ...given.slice(2)])).toEqual([])
    expect(compare(given, given.slice(0, 3))).toEqual([])
  })

  test('what a tool was given or returned names nothing', () => {
    const given = [
      assistant({ ...call, caller: null }),
      user({ ...result, content: [{ type: 'x', id: 'b' }] }),
    ]
    const later = assistant({ type: 'tool_use', id: 'b', name: 'f', input: { tool_id: 'a' } })
    expect(compare([request, ...given, later], [request, ...given])).toEqual([])
  })

  test('a reference to a stored item stays with the outputs right after it', () => {
    const reference = { type: 'item_reference', id: 'fc' }
    const output = { type: 'function_call_output', call_id: 'a', output: '' }
    const given = [
      { role: 'user', content: 'a' },
      reference,
      output,
      { role: 'user', content: 'b' },
    ]
    expect(compareItems(given, given)).toEqual([])
    expect(compareItems(given, given.toSpliced(2, 1))).toEqual(['pair-torn'])
    expect(compareItems(given, given.toSpliced(1, 1))).toEqual(['pair-torn'])
    expect(compareItems(given, given.toSpliced(1, 2))).toEqual([])
  })
})

test('an item that keeps its id stays with its reasoning', () => {
  const items = [
    { type: 'reasoning', id: 'rs', summary: [] },
    { type: 'web_search_call', id: 'ws' },
    {
      type: 'message',
      role: 'assistant',
      id: 'msg',
      content: [{ type: 'output_text', text: 'yes' }],
    },
  ]
  const given = [{ role: 'user', content: 'a' }, ...items, { role: 'user', content: 'b' }]
  expect(compareItems(given, given)).toEqual([])
  expect(compareItems(given, given.toSpliced(1, 1))).toEqual(['reasoning-torn', 'reasoning-torn'])
  const untied = given.map((item): JsonObject => ({ ...item, id: undefined }))
  expect(compareItems(given, [untied[0]!, untied[3]!, untied[4]!])).toEqual([])
})

describe('a compaction of the provider', () => {
  const compacted = (content: string) =>
    assistant({ type: 'compaction', content }, text('Going on.'))
  const before = [text('x'), 'old', 'new'].map((one) =>
    typeof one === 'string' ? compacted(one) : user(one),
  )

  test('the newest stays, or its text is quoted', () => {
    expect(compare([...before, request], [before[2]!, request])).toEqual([])
    expect(compare([...before, request], [user(text('It said:\n> new')), request])).toEqual([])
    expect(compare([...before, request], [before[1]!, request])).toEqual(['compaction-lost'])
    expect(compare([...before, request], [summary, request])).toEqual(['compaction-lost'])
  })

  test('nothing new stands before it', () => {
    expect(compare([...before, request], [summary, before[2]!, request])).toEqual([
      'written-before-compaction',
    ])
    expect(compare([...before, request], [before[0]!, before[2]!, summary, request])).toEqual([])
  })

  test('of a picture before it, a line may be left', () => {
    const line = '[image image/png 40×30, 1 KB: cleared]'
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
    const shown: JsonObject = { role: 'user', content: [{ type: 'image', source }] }
    const rest = [before[2]!, request]
    expect(compare([shown, ...rest], [user(text(line)), ...rest])).toEqual([])
    expect(compare(rest, [user(text(line)), ...rest])).toEqual(['written-before-compaction'])
  })

  test('a part before it whose other half went earlier may be told in words', () => {
    const late = { type: 'hologram_end', of: 'holo_1' }
    const line = `[It belongs to a part that was removed earlier: hologram_end ${JSON.stringify(late)}]`
    const said: JsonObject = { role: 'assistant', content: [text(line)] }
    const ended: JsonObject = { role: 'assistant', content: [late] }
    const rest = [before[2]!, request]
    expect(compare([ended, ...rest], [said, ...rest])).toEqual([])
    expect(compare(rest, [said, ...rest])).toEqual(['written-before-compaction'])
  })

  test('one that only the provider can read stays', () => {
    const item = { type: 'compaction', id: 'cmp', encrypted_content: 'gAAA' }
    const given = [item, { role: 'user', content: 'b' }]
    expect(compareItems(given, [{ role: 'user', content: 'gAAA' }, given[1]!])).toEqual([
      'compaction-lost',
    ])
    expect(compareItems(given, given)).toEqual([])
  })

  test('one that failed is none', () => {
    const given = [
      user(text('x')),
      assistant({ type: 'compaction', content: null }, text('y')),
      request,
    ]
    expect(compare(given, [user(text('> x')), request])).toEqual([])
  })

  test('words before it are gone already', () => {
    const given = [
      request,
      { role: 'system', content: 'Frozen.' },
      compacted('all'),
      user(text('Now?')),
    ]
    expect(compare(given, [compacted('all'), user(text('Now?'))])).toEqual([])
  })
})

describe('words', () => {
  const before = [
    user(text('first')),
    { role: 'system', content: 'Deploys are\nfrozen.' },
    assistant(text('ok')),
    request,
  ]

  test('of the operator and the user stand, or are quoted in any lines', () => {
    expect(compare(before, before)).toEqual([])
    expect(compare(before, [user(text('- first\n> Deploys are frozen.')), request])).toEqual([])
    expect(compare(before, [user(text('first')), request])).toEqual(['operator-lost'])
    expect(compare(before, [user(text('Deploys are frozen.')), request])).toEqual(['user-lost'])
  })

  test('the newest message of the user is what it was, but for its cache mark', () => {
    const marked = user({ ...text('And now?'), cache_control: { type: 'ephemeral' } })
    expect(compare([...before.slice(0, 3), marked], before)).toEqual([])
    expect(compare(before, [...before.slice(0, 3), user(text('And'))])).toEqual([
      'user-lost',
      'newest-changed',
    ])
  })
})
