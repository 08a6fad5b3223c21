import { expect, test } from 'vitest'
import { agent, result } from '../../conversation/histories.suite.ts'
import type { Part } from '../../conversation/message.ts'
import { matchResults, toInputJson, toInputObject, toInputText } from './tool-calls.ts'

test.each([
  [{ path: 'a' }, { path: 'a' }],
  ['{"path":"a"}', { path: 'a' }],
  ['ls -l', { input: 'ls -l' }],
  ['[1]', { input: '[1]' }],
  ['', { input: '' }],
  [['a'], {}],
  [undefined, {}],
])('%j as an object is %j', (input, object) => {
  expect(toInputObject(input)).toEqual(object)
})

test('an object goes in as it is', () => {
  const input = { path: 'a' }
  expect(toInputObject(input)).toBe(input)
})

test.each([
  ['{"a": 1.0}', '{"a": 1.0}'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, '{}'],
])('%j as text is %j', (input, text) => {
  expect(toInputText(input)).toBe(text)
})

test.each([
  ['{"a": 1.0}', '{"a": 1.0}'],
  ['{"path": "a', '{"input":"{\\"path\\": \\"a"}'],
  ['*** Begin Patch', '{"input":"*** Begin Patch"}'],
  ['', '{}'],
  [undefined, '{}'],
])('%j as JSON is %j', (input, json) => {
  expect(toInputJson(input)).toBe(json)
})

test('results belong to calls with their id in the order of the newest answer that has any', () => {
  const history = [agent('', 'c'), agent('', 'c', 'c'), result('c', 'one'), result('c', 'two')]
  const [, first, second] = history.flatMap(({ parts }) =>
    parts.filter((part: Part) => part.type === 'tool-call'),
  )
  expect([...matchResults([...history, result('c', 'three')])]).toMatchObject([
    [first, { output: [{ text: 'one' }] }],
    [second, { output: [{ text: 'two' }] }],
  ])
})
