import type Anthropic from '@anthropic-ai/sdk'
import type { Content } from '@google/genai'
import type { ModelMessage } from 'ai'
import type OpenAI from 'openai'
import { expect, expectTypeOf, test } from 'vitest'
import { createContext, restoreContext } from './create-context.ts'

const model: string = 'my-own-model'
const claude = createContext({ model: 'claude-opus-4-8' })

test('messages have the types of the official package of the API, without a type argument', () => {
  expectTypeOf(claude.messages).toEqualTypeOf<readonly Anthropic.MessageParam[]>()
  expectTypeOf(createContext({ model: 'gpt-5' }).messages).toEqualTypeOf<
    readonly OpenAI.ChatCompletionMessageParam[]
  >()
  expectTypeOf(createContext({ model: 'gemini-2.5-pro' }).messages).toEqualTypeOf<
    readonly Content[]
  >()
  expectTypeOf(createContext({ model, format: 'openai-responses' }).messages).toEqualTypeOf<
    readonly OpenAI.Responses.ResponseInputItem[]
  >()
  expectTypeOf(createContext({ model, format: 'ai-sdk' }).messages).toEqualTypeOf<
    readonly ModelMessage[]
  >()
  expect(claude.state.modelKnown).toBe(true)
})

test('messages of a model that only run time knows are not checked, and a client takes them', () => {
  const context = createContext({ model })
  const messages: Anthropic.MessageParam[] = [...context.messages]
  expect([messages, context.state.modelKnown]).toEqual([[], false])
})

test('a named type wins, and a restored context has the same types', () => {
  interface Own {
    readonly role: 'user'
    readonly content: string
  }
  expectTypeOf(createContext<Own>({ model: 'gpt-5' }).messages).toEqualTypeOf<readonly Own[]>()
  const restored = restoreContext(claude.snapshot(), { model: 'claude-opus-4-8' })
  expectTypeOf(restored.messages).toEqualTypeOf<readonly Anthropic.MessageParam[]>()
  expect(restored.messages).toEqual([])
})
