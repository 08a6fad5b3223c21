import { describe, expect, test, vi } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  person,
  result,
  system,
} from '../conversation/histories.suite.ts'
import type { AssistantMessage, MediaPart, Message } from '../conversation/message.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from './counter.ts'

describe('createTokenCounter', () => {
  test('counts exactly for models of OpenAI', () => {
    const counter = createTokenCounter(findModel('gpt-5'))
    expect(counter.countText('hello world')).toEqual({ lower: 2, upper: 2 })
  })

  test('gives an interval for models of Anthropic', () => {
    const { lower, upper } = createTokenCounter(findModel('claude-opus-4-5')).countText(
      'hello world '.repeat(100),
    )
    expect(lower).toBeLessThan(upper)
    expect(lower).toBeGreaterThan(100)
  })

  test('an unknown model is never counted as nothing', () => {
    const counter = createTokenCounter(findModel('model-from-mars'))
    expect(counter.model.known).toBe(false)
    expect(counter.countText('hello world').upper).toBeGreaterThan(1)
  })

  test('a conversation is the sum of its messages and its tool schemas', () => {
    const counter = createTokenCounter(findModel('gpt-5'))
    const conversation = {
      ...conversationOf([...exchanges(3), agent('', 'c1'), result('c1')]),
      tools: ['{"name":"read"}'],
    }
    const messages = conversation.messages.reduce(
      (sum, message) => sum + counter.countMessage(message).upper,
      0,
    )
    expect(counter.countConversation(conversation).upper).toBe(
      messages + counter.countFixed(conversation).upper,
    )
    expect(counter.countFixed(conversation).upper).toBeGreaterThan(0)
  })

  test('a system prompt and tool schemas count where there is no other message', () => {
    const counter = createTokenCounter(findModel('gpt-5'))
    const schemas = { ...conversationOf([]), tools: ['{"name":"read"}'] }
    expect(counter.countConversation(conversationOf([])).upper).toBe(0)
    expect(counter.countConversation(schemas)).toEqual(counter.countFixed(schemas))
    expect(counter.countFixed(schemas).lower).toBeGreaterThan(3)
    expect(counter.countConversation(conversationOf([system('you are an agent')])).upper).toBe(8)
  })

  test('a message is counted once, however often it is asked for', () => {
    let reads = 0
    const message: Message = {
      role: 'user',
      origin: 'user',
      parts: [
        {
          type: 'text',
          get text() {
            reads++
            return 'hello'
          },
        },
      ],
    }
    const counter = createTokenCounter(findModel('gpt-5'))
    for (let pass = 0; pass < 5; pass++)
      counter.countConversation(conversationOf([person('a'), message]))
    expect(reads).toBe(1)
  })

  test('tool schemas are counted once, however often the conversation grows', () => {
    const tools = ['{"name":"read"}']
    const look = vi.spyOn(tools, 'map')
    const counter = createTokenCounter(findModel('gpt-5'))
    const conversation = { ...conversationOf(exchanges(1)), tools }
    const first = counter.countConversation(conversation).upper
    const grown = { ...conversation, messages: [...conversation.messages, person('more')] }
    expect(counter.countConversation(grown).upper).toBeGreaterThan(first)
    expect(look).toHaveBeenCalledTimes(1)
  })

  test('metadata costs nothing', () => {
    const counter = createTokenCounter(findModel('gpt-5'))
    const message = person('hello')
    expect(counter.countMessage({ ...message, records: [1, 2, 3] })).toEqual(
      counter.countMessage(message),
    )
  })

  test('hidden reasoning costs what its signature says', () => {
    const counter = createTokenCounter(findModel('claude-opus-4-8'))
    const message: AssistantMessage = {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'reasoning', text: '', signatureLength: 1000 }],
    }
    expect(counter.countMessage(message).upper).toBe(4 + 290)
  })

  test('a PDF costs what its pages cost, and another file what its bytes may', () => {
    const count = (model: string, part: Omit<MediaPart, 'type'>) =>
      createTokenCounter(findModel(model)).countPart({ type: 'file', ...part })
    const pdf = { mediaType: 'application/pdf', bytes: 10_000, pages: 140 }
    expect(count('claude-opus-4-5', pdf)).toEqual({ lower: 210_000, upper: 420_000 })
    expect(count('gemini-2.5-pro', pdf)).toEqual({ lower: 36_120, upper: 36_120 })
    expect(count('gemini-3-pro-preview', pdf)).toEqual({ lower: 78_400, upper: 156_800 })
    // It does not say how many pages it has: one for each 100 kB.
    expect(count('claude-opus-4-5', { mediaType: 'application/pdf', bytes: 950_000 })).toEqual({
      lower: 1_500,
      upper: 30_000,
    })
    expect(count('claude-opus-4-5', { mediaType: 'application/pdf', bytes: 0 }).upper).toBe(3_000)
    expect(count('claude-opus-4-5', { mediaType: 'audio/wav', bytes: 100_000 })).toEqual({
      lower: 0,
      upper: 3_000,
    })
  })

  test('an image costs what its pixels cost', () => {
    const counter = createTokenCounter(findModel('claude-opus-4-5'))
    const image = {
      type: 'image' as const,
      mediaType: 'image/png',
      bytes: 9_000,
      width: 280,
      height: 280,
    }
    expect(counter.countPart(image)).toEqual({ lower: 100, upper: 100 })
  })
})
