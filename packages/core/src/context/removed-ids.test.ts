import { describe, expect, test } from 'vitest'
import { createFollower, createMemoryStore } from '../following/index.ts'
import { tailSummary } from '../strategies/tail-summary.ts'
import { createContext, restoreContext } from './create-context.ts'

type Native = Record<string, unknown>

const long = (text: string) => `${text} looks at the parser. `.repeat(60)
const NOTICE = '[It belongs to a part that was removed earlier: '

interface Wire {
  readonly format:
    | 'anthropic-messages'
    | 'openai-chat'
    | 'openai-responses'
    | 'gemini-contents'
    | 'ai-sdk'
  readonly say: (role: 'user' | 'assistant', text: string) => Native
  readonly first: Native
  readonly late: Native
}

const plain = (role: string, content: unknown) => ({ role, content })
const wires: readonly Wire[] = [
  {
    format: 'anthropic-messages',
    say: plain,
    first: plain('assistant', [{ type: 'tool_use', id: 'h1', name: 'bash', input: {} }]),
    late: plain('user', [{ type: 'tool_result', tool_use_id: 'h1', content: 'printed late' }]),
  },
  {
    format: 'anthropic-messages',
    say: plain,
    first: plain('assistant', [{ type: 'hologram', id: 'h1' }]),
    late: plain('user', [
      { type: 'hologram_end', of: { hologram_id: 'h1' }, text: 'printed late' },
    ]),
  },
  {
    format: 'anthropic-messages',
    say: plain,
    first: plain('assistant', [{ type: 'hologram', id: 'h1' }]),
    late: plain('user', [{ type: 'hologram_end', for: { hologram: 'h1' }, text: 'printed late' }]),
  },
  {
    format: 'openai-responses',
    say: (role, text) => plain(role, text),
    first: { type: 'lease', lease: 'h1' },
    late: { type: 'lease_result', for: { lease: 'h1' }, note: 'printed late' },
  },
  {
    format: 'openai-responses',
    say: (role, text) => plain(role, text),
    first: { type: 'function_call', call_id: 'h1', name: 'bash', arguments: '{}' },
    late: { type: 'function_call_output', call_id: 'h1', output: 'printed late' },
  },
  {
    format: 'openai-responses',
    say: (role, text) => plain(role, text),
    first: { type: 'hologram', id: 'h1' },
    late: { type: 'hologram_end', hologram_id: 'h1', note: 'printed late' },
  },
  {
    format: 'openai-chat',
    say: plain,
    first: {
      ...plain('assistant', null),
      tool_calls: [{ id: 'h1', type: 'function', function: { name: 'bash', arguments: '{}' } }],
    },
    late: { ...plain('tool', 'printed late'), tool_call_id: 'h1' },
  },
  {
    format: 'gemini-contents',
    say: (role, text) => ({ role: role === 'user' ? role : 'model', parts: [{ text }] }),
    first: { role: 'model', parts: [{ hologram: { id: 'h1' } }, { text: 'see' }] },
    late: { role: 'user', parts: [{ hologramEnd: { hologram_id: 'h1', said: 'printed late' } }] },
  },
  {
    format: 'ai-sdk',
    say: plain,
    first: plain('assistant', [
      { type: 'tool-call', toolCallId: 'h1', toolName: 'bash', input: {} },
    ]),
    late: plain('tool', [
      {
        type: 'tool-result',
        toolCallId: 'h1',
        toolName: 'bash',
        output: { type: 'text', value: 'printed late' },
      },
    ]),
  },
]

function begin({ format, say, first }: Wire) {
  const talk = [1, 2, 3].map((round) => [
    say('user', long(`${round}`)),
    say('assistant', long(`${round}`)),
  ])
  const messages = [...talk.flat(), say('user', 'run it'), first, say('user', 'stop that')]
  const options = {
    model: 'gpt-5',
    format,
    windowTokens: 4_000,
    reserveTokens: 10,
    strategy: tailSummary,
  }
  return { options, messages: [...messages, say('assistant', long('4')), ...talk.flat()] }
}

const read = (messages: readonly object[]) => {
  const text = JSON.stringify(messages)
  return { ids: text.match(/"h1"/g) ?? [], notices: text.split(NOTICE).length - 1, text }
}

describe.each(wires)('the second half of a pair in $format, $late.type', (wire) => {
  test('is words if a compression removed the first, and itself again after an undo', async () => {
    const { options, messages } = begin(wire)
    const context = createContext<Native>({ ...options, messages })
    expect((await context.compress({ budgetTokens: 900 })).outcome.type).toBe('compressed')
    expect(read(context.messages).text).not.toContain('h1')
    const restored = restoreContext<Native>(JSON.parse(JSON.stringify(context.snapshot())), options)
    for (const one of [context, restored]) {
      one.append(wire.late, wire.say('assistant', 'fine'))
      const { ids, notices, text } = read((await one.prepare()).messages)
      expect([ids, notices]).toEqual([[], 1])
      expect(text).toContain('printed late')
    }
    expect(context.undo()).toBe(true)
    expect(context.messages).toEqual([...messages, wire.late, wire.say('assistant', 'fine')])
  })

  test('is itself if the first stays or its id is used again', async () => {
    const { options, messages } = begin(wire)
    const context = createContext<Native>({ ...options, messages })
    context.append(wire.late)
    expect(context.messages.at(-1)).toBe(wire.late)
    const again = createContext<Native>({ ...options, messages })
    await again.compress({ budgetTokens: 900 })
    again.append(wire.say('user', 'again'), wire.first, wire.late)
    expect(again.messages.slice(-2)).toEqual([wire.first, wire.late])
  })

  test('is words in another process that gets the compression from a store', async () => {
    const { options, messages } = begin(wire)
    const { model, ...settings } = { ...options, windowTokens: 2_200 }
    const kept = {
      store: createMemoryStore(),
      onProblem: () => expect.fail('The store fails.'),
    }
    const list = [...messages, wire.say('user', 'go on')]
    const first = await createFollower<Native>({ ...settings, ...kept }).next({
      model,
      messages: list,
    })
    expect(read(first.messages).text).not.toContain('h1')
    const { messages: sent } = await createFollower<Native>({ ...settings, ...kept }).next({
      model,
      messages: [...list, wire.say('assistant', 'fine'), wire.late, wire.say('user', 'and now?')],
    })
    expect([read(sent).ids, read(sent).notices]).toEqual([[], 1])
  })
})
