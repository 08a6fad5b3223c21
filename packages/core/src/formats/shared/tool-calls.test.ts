import { expect, test } from 'vitest'
import { toInputJson, toInputObject, toInputText } from './tool-calls.ts'

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
