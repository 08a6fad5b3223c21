import { describe, expect, test } from 'vitest'
import { FormatError } from '../formats/index.ts'
import { compress } from './compress.ts'

const filler = 'the parser was looked at and is fine '.repeat(20)

const anthropic = Array.from({ length: 60 }, (_, index) =>
  index % 2 === 0
    ? { role: 'user', content: `Request ${index}: ${filler}` }
    : { role: 'assistant', content: [{ type: 'text', text: `Answer ${index}: ${filler}` }] },
)

describe('compress', () => {
  test('gives back native messages of the same format, kept ones the very same objects', async () => {
    const { messages, outcome } = await compress(anthropic, { model: 'claude-opus-4-5', budgetTokens: 4_000 })
    expect(outcome.type).toBe('compressed')
    expect(messages.length).toBeLessThan(anthropic.length)
    expect(messages[0]).toBe(anthropic[0])
    expect(messages.at(-1)).toBe(anthropic.at(-1))
  })

  test('gives back text for text', async () => {
    const text = JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 10, messages: anthropic })
    const { messages } = await compress(text, { budgetTokens: 4_000 })
    expect(JSON.parse(messages)).toMatchObject({ model: 'claude-opus-4-5', max_tokens: 10 })
    expect(messages.length).toBeLessThan(text.length)
  })

  test('messages that fit come back as the very value that was given', async () => {
    const { messages, outcome } = await compress(anthropic, { model: 'gpt-5', budgetTokens: 1_000_000 })
    expect(messages).toBe(anthropic)
    expect(outcome).toEqual({ type: 'unchanged', reason: 'already-under-target' })
  })

  test('something that is no conversation is refused with the reason', async () => {
    await expect(compress({ hello: 'world' }, { budgetTokens: 100 })).rejects.toThrow(FormatError)
  })
})
