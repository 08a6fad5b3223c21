import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf, runs } from '../../../../test/property-runs.ts'
import { assistant, call, exchange, fill, open, toolResult, user } from './context.suite.ts'
import type { Context, ContextOptions } from './context.ts'
import { createContext, restoreContext } from './create-context.ts'
import { nativeCases, type Said } from './native-histories.suite.ts'

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('turn' as const),
      size: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('open call' as const),
      size: fc.integer({ min: 1, max: 4 }),
    }),
  },
  ...(['snapshot', 'compress', 'undo', 'usage', 'pin', 'unpin', 'switch', 'wait'] as const).map(
    (type) => ({
      weight: type === 'snapshot' ? 5 : 1,
      arbitrary: fc.record({ type: fc.constant(type), size: fc.nat(9) }),
    }),
  ),
)

describe.each(casesOf(nativeCases))('$format', ({ format, model, sibling, write }) => {
  test('a context that is restored again and again sends what one sends that never ended', {
    tags: 'property',
    timeout: 60_000,
  }, async () => {
    let revisions = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }),
        async (steps) => {
          let now = 0
          const settings = {
            model,
            format,
            windowTokens: 2500,
            save: true,
            clock: { now: () => now },
          }
          const steady = createContext(settings)
          let restored = createContext(settings)
          let made = 0
          const both = async <Result>(act: (context: Context) => Result | Promise<Result>) => {
            const expected = await act(steady)
            const found = await act(restored)
            expect(JSON.stringify(found)).toBe(JSON.stringify(expected))
          }
          const say = (...said: readonly Said[]) => {
            const natives = said.flatMap(write)
            for (const context of [steady, restored]) context.append(...structuredClone(natives))
          }
          say({ type: 'request', text: 'Never touch the generated files. Begin.' })
          for (const { type, size } of steps) {
            const text = `the parser of module ${++made} reads line ${made * 7} `.repeat(size * 2)
            const ids = [`call${made}a`, `call${made}b`].slice(0, 1 + (size % 2))
            if (type === 'turn') {
              say({ type: 'calls', ids, text }, { type: 'results', ids, text })
              say(
                { type: 'answer', text: `Answer ${made}.` },
                { type: 'request', text: `Request ${made}: ${text}` },
              )
            }
            if (type === 'open call') {
              say({ type: 'calls', ids, text: 'Look.' })
              await both(async (context) => (await context.compress()).outcome.type)
              say(
                { type: 'results', ids, text },
                { type: 'answer', text: 'Done.' },
                { type: 'request', text: 'Next.' },
              )
            }
            if (type === 'snapshot')
              restored = restoreContext(JSON.parse(JSON.stringify(restored.snapshot())), settings)
            if (type === 'compress')
              await both(async (context) => (await context.compress()).outcome.type)
            if (type === 'undo') await both((context) => context.undo())
            if (type === 'pin') await both((context) => context.pin(`Rule ${size} holds.`))
            if (type === 'unpin') await both((context) => context.unpin(`Rule ${size} holds.`))
            if (type === 'switch') {
              await both(
                async (context) =>
                  (
                    await context.switchModel(size % 2 === 0 ? sibling : model, {
                      windowTokens: 2500,
                    })
                  ).outcome.type,
              )
            }
            if (type === 'usage') {
              await both((context) =>
                context.recordUsage({
                  inputTokens: 1500,
                  outputTokens: 20,
                  cachedInputTokens: 700,
                }),
              )
            }
            if (type === 'wait') now += size * 60_000
            await both(async (context) => (await context.prepare()).messages)
            await both((context) => [context.state, context.listPins(), context.advise()])
          }
          revisions += steady.state.revision
        },
      ),
      { numRuns: runs(12, 4) },
    )
    expect(revisions).toBeGreaterThan(20)
  })
})

test('what was compressed before a snapshot can be undone after it', async () => {
  const context = fill(open(), 3000)
  const before = JSON.stringify(context.messages)
  await context.compress()
  const restored = restoreContext(JSON.parse(JSON.stringify(context.snapshot())), options())
  expect(JSON.stringify(restored.messages)).toBe(JSON.stringify(context.messages))
  restored.append(...exchange())
  expect(restored.undo()).toBe(true)
  expect(JSON.stringify(restored.messages.slice(0, -2))).toBe(before)
})

test('messages that come after a compression are taken all or none', async () => {
  const context = open({ windowTokens: 40_000 })
  const file = 'a line of the file '.repeat(60)
  for (let step = 0; step < 40; step++)
    context.append(user(`step ${step}`), call(`call ${step}`), toolResult(`call ${step}`, file))
  await context.compress({ budgetTokens: 2000 })
  const { messages } = context
  const bad = { role: 'bogus', content: 'no' } as unknown as (typeof messages)[number]
  expect(() => context.append(user('one'), bad)).toThrow('bogus')
  expect(context.messages).toEqual(messages)
})

test('late results of calls that a compression closed leave what an undo gives back as it was', async () => {
  const context = createContext<object>({ model: 'claude-sonnet-4-5' })
  const ask = (...ids: string[]) => {
    const content = ids.map((id) => ({ type: 'tool_use', id, name: 'read', input: {} }))
    return { role: 'assistant', content }
  }
  const long = 'a line of the file with some words\n'.repeat(25)
  for (let step = 0; step < 60; step++) context.append(user(`step ${step}`), assistant(long))
  context.append(user('two at once'), ask('a', 'b'), user('meanwhile'), ask('c'))
  const given = context.messages
  await context.compress({ budgetTokens: 6000 })
  const results = ['c', 'a', 'b'].map((id) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: `content of ${id}` }],
  }))
  for (const result of results) context.append(result)
  expect(context.undo()).toBe(true)
  expect(context.messages.slice(0, given.length)).toEqual(given)
  const calls = JSON.stringify(context.messages).match(/"tool_use","id":"."/g)
  expect(calls).toHaveLength(3)
})

test('anything but a snapshot of these options is refused', () => {
  const snapshot = open().snapshot()
  for (const wrong of [
    undefined,
    {},
    { ...snapshot, type: 'other' },
    { ...snapshot, state: { ...snapshot.state, history: {} } },
  ]) {
    expect(() => restoreContext(wrong, options())).toThrow('snapshot()')
  }
  expect(() => restoreContext(snapshot, { model: 'claude-opus-4-8' })).toThrow('openai-chat')
})

test('a message that JSON cannot say is refused', () => {
  const context = createContext<object>({ model: 'gpt-5', format: 'ai-sdk' })
  context.append({ role: 'user', content: [{ type: 'image', image: new Uint8Array([1, 2, 3]) }] })
  expect(() => context.snapshot()).toThrow('JSON cannot say')
})

function options(): Pick<ContextOptions, 'model' | 'format' | 'windowTokens'> {
  return { model: 'gpt-5', format: 'openai-chat', windowTokens: 4000 }
}
