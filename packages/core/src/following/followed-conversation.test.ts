import { expect, test } from 'vitest'
import type { Context, PreparedRequest } from '../context/context.ts'
import { createContext } from '../context/create-context.ts'
import { FollowedConversation } from './followed-conversation.ts'

const say = (content: string, marks: object = {}) => ({
  role: 'user',
  content: [{ type: 'text', text: content, ...marks }],
})
const mark = { cache_control: { type: 'ephemeral' } }

/**
 * A conversation whose context gives out what a test wants, as if it came from so many
 * compressions.
 */
function follow(messages: readonly object[]) {
  let revision = 0
  const given: object[] = []
  const conversation = new FollowedConversation(messages, (first) => {
    given.push(...first)
    const context: Context = createContext({ model: 'claude-opus-4-8', messages: first })
    const state = () => ({ ...context.state, revision })
    const append: Context['append'] = (...messages) => void given.push(...messages)
    return Object.defineProperty(Object.create(context, { append: { value: append } }), 'state', {
      get: state,
    })
  })
  const present = (prepared: object[], list: object[]) => {
    revision++
    const request: Partial<PreparedRequest> = { messages: prepared }
    return conversation.present(request as PreparedRequest, list)
  }
  return { conversation, given, present }
}

test('what stands for messages of the host has none of the marks that they had at that time', () => {
  const list = [say('a'), say('b'), say('c', mark)]
  const { given, present } = follow(list)
  const sent = present([say('a and b, shorter', mark), ...given.slice(2)], list)
  expect(sent).toEqual([say('a and b, shorter'), say('c', mark)])
  expect(sent[1]).toBe(list[2])
})

test('a message that stands twice in the list is sent twice, each with its own marks', () => {
  const again = say('again')
  const list = [say('a'), say('b'), again, again]
  const { given, present } = follow(list)
  const newest = [...list.slice(0, 3), say('again', mark)]
  expect(present([say('a and b, shorter'), ...given.slice(2)], newest).slice(1)).toEqual([
    again,
    say('again', mark),
  ])
})

test('a request that others went on from is answered without what came later', () => {
  const list = [say('a'), say('b'), say('c')]
  const { conversation, given, present } = follow(list)
  const longer = [...list, say('d'), say('e')]
  conversation.extend(longer)
  const summary = say('a and b, shorter')
  expect(present([summary, ...given.slice(2)], list)).toEqual([summary, list[2]])
  expect(present([say('a to d, shorter'), ...given.slice(4)], list)).toBe(list)
})
