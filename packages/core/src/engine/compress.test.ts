import { describe, expect, test } from 'vitest'
import { FormatError } from '../formats/index.ts'
import { middleOut } from '../strategies/middle-out.ts'
import { compress } from './compress-conversation.ts'
import type { Ladder } from './ladder.ts'

const filler = 'the parser was looked at and is fine '.repeat(20)

const anthropic = Array.from({ length: 60 }, (_, index) =>
  index % 2 === 0
    ? { role: 'user', content: `Request ${index}: ${filler}` }
    : { role: 'assistant', content: [{ type: 'text', text: `Answer ${index}: ${filler}` }] },
)

describe('compress', () => {
  test('names a ladder with a rung of no type', async () => {
    const strategy = { name: 'own', rungs: [{ strategy: middleOut }] } as unknown as Ladder
    await expect(compress(anthropic, { budgetTokens: 4_000, strategy })).rejects.toThrow(
      'strategy is an object. Give a strategy',
    )
  })

  test('gives back native messages of the same format, kept ones the very same objects', async () => {
    const { messages, outcome } = await compress(anthropic, {
      model: 'claude-opus-4-5',
      budgetTokens: 4_000,
    })
    expect(outcome.type).toBe('compressed')
    expect(messages.length).toBeLessThan(anthropic.length)
    expect(messages[0]).toBe(anthropic[0])
    expect(messages.at(-1)).toBe(anthropic.at(-1))
  })

  test('a picture that the user has just sent stays where it fits, however much of the room it takes', async () => {
    const picture = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } }
    const messages = [
      ...anthropic.map(({ role }) => ({ role, content: role === 'user' ? 'Go on.' : filler })),
      { role: 'user', content: [picture] },
    ]
    const compressTo = (budgetTokens: number, given: readonly object[] = messages) =>
      compress(given, { format: 'openai-chat', budgetTokens })
    const { report } = await compressTo(1_000_000)
    const beside = await compressTo(1_000_000, messages.slice(0, -1))
    const pictureTokens = report.before.tokens - beside.report.before.tokens
    const result = await compressTo(Math.floor(pictureTokens * 1.2))
    expect(result.outcome.type).toBe('compressed')
    expect(result.messages.at(-1)).toBe(messages.at(-1))
  })

  test('gives back text for text', async () => {
    const text = JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 10, messages: anthropic })
    const { messages } = await compress(text, { budgetTokens: 4_000 })
    expect(JSON.parse(messages)).toMatchObject({ model: 'claude-opus-4-5', max_tokens: 10 })
    expect(messages.length).toBeLessThan(text.length)
  })

  test('messages that fit come back as the very value that was given', async () => {
    const { messages, outcome } = await compress(anthropic, {
      model: 'gpt-5',
      budgetTokens: 1_000_000,
    })
    expect(messages).toBe(anthropic)
    expect(outcome).toEqual({ type: 'unchanged', reason: 'already-under-target' })
  })

  test('a bare list of Responses items comes back as items, its images counted', async () => {
    const history = Array.from({ length: 30 }, (_, index) => [
      { role: 'user', content: `Request ${index}: ${filler}` },
      { type: 'function_call', call_id: `c${index}`, name: 'ls', arguments: '{}' },
      { type: 'function_call_output', call_id: `c${index}`, output: filler },
      {
        role: 'assistant',
        content: [{ type: 'output_text', text: `Answer ${index}`, annotations: [] }],
      },
    ]).flat()
    const { messages, outcome } = await compress(history, { model: 'gpt-5', budgetTokens: 3_000 })
    expect(outcome.type).toBe('compressed')
    expect(messages.length).toBeLessThan(history.length)
    expect(messages.at(-1)).toBe(history.at(-1))
    const image = {
      role: 'user',
      content: [{ type: 'input_image', image_url: 'https://example.com/a.png' }],
    }
    const options = { model: 'gpt-5', budgetTokens: 100_000 }
    const [seen, unseen] = await Promise.all([
      compress([image, ...history], options),
      compress(history, options),
    ])
    expect(seen.report.before.tokens - unseen.report.before.tokens).toBeGreaterThan(500)
  })

  test('the format that is named is the one that is read', async () => {
    const options = { model: 'claude-opus-4-5', budgetTokens: 1_000_000 }
    const plain = [{ role: 'user', content: 'hi' }]
    expect((await compress(plain, { ...options, format: 'anthropic-messages' })).messages).toBe(
      plain,
    )
    await expect(compress(plain, { ...options, format: 'gemini-contents' })).rejects.toThrow(
      'Reading gemini-contents: message 0 has "content" and no "parts". Give a list of parts.',
    )
    await expect(
      compress([{ type: 'function_call', call_id: 'c', name: 'ls', arguments: '{}' }], {
        ...options,
        format: 'openai-chat',
      }),
    ).rejects.toThrow(/Reading openai-chat: message 0 .*"function_call"/)
    const unknown = { ...options, ...JSON.parse('{"format":"responses"}') }
    await expect(compress(plain, unknown)).rejects.toThrow(
      /there is no such format. Give .*openai-responses/,
    )
  })

  test('an empty list has nothing to compress', async () => {
    const { messages, outcome } = await compress([], { model: 'gpt-5', budgetTokens: 100 })
    expect({ messages, type: outcome.type }).toEqual({ messages: [], type: 'unchanged' })
    expect((await compress('[]', { model: 'gpt-5', budgetTokens: 100 })).messages).toBe('[]')
  })

  test('something that is no conversation is refused with the reason', async () => {
    await expect(compress({ hello: 'world' }, { budgetTokens: 100 })).rejects.toThrow(FormatError)
    await expect(compress(JSON.parse('null'), { budgetTokens: 100 })).rejects.toThrow(FormatError)
  })
})
