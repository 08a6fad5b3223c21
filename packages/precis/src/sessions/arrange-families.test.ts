import { expect, test } from 'vitest'
import { arrangeFamilies } from './arrange-families.ts'

const session = (id: string, from?: string) => ({
  id,
  origin: from === undefined ? undefined : { sessionId: from },
})
const arrange = (sessions: readonly ReturnType<typeof session>[], isNewestLast = false) =>
  arrangeFamilies(sessions, { isNewestLast }).map(({ id, isChild }) => (isChild ? `└ ${id}` : id))

test('a session stands below the one that it was made from, where the newest of them is', () => {
  expect(arrange([session('d', 'a'), session('c'), session('b', 'a'), session('a')])).toEqual([
    'a',
    '└ b',
    '└ d',
    'c',
  ])
})

test('the newest family is last where the list ends beside the prompt', () => {
  expect(arrange([session('d', 'a'), session('c'), session('a')], true)).toEqual(['c', 'a', '└ d'])
})

test('one whose original is not listed, and a circle, stand for themselves', () => {
  expect(arrange([session('b', 'gone'), session('a', 'a')])).toEqual(['b', 'a'])
  expect(arrange([session('b', 'a'), session('a', 'b')])).toHaveLength(2)
})
