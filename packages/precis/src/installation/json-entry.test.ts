import { describe, expect, test } from 'vitest'
import { COMMAND } from '../agents/scratch-home.suite.ts'
import type { JsonEntry } from '../agents/shared/agent.ts'
import { createHookEntry } from '../agents/shared/entry.ts'
import { applyTextEdits } from './agent-file.ts'
import { parseJsonDocument } from './json-document.ts'
import { insertJsonEntry, removeJsonEntry } from './json-entry.ts'

const server: JsonEntry = {
  type: 'json',
  path: '/settings.json',
  what: 'server',
  names: ['servers', 'precis'],
  isElement: false,
  value: { on: true },
  isOwn: () => true,
}
const hook = createHookEntry(
  { path: '/settings.json', event: 'PreCompact', agent: 'codex', timeout: 1, what: 'hook' },
  COMMAND,
)

function insert(text: string, entry: JsonEntry): string {
  const document = parseJsonDocument(text)
  if ('problem' in document) throw new Error(document.problem)
  return applyTextEdits(text, insertJsonEntry(document, entry).edits)
}

describe('insertJsonEntry', () => {
  test.each([
    [
      'a comment stays with the value it speaks of',
      '{\n  "a": 1 // why\n}\n',
      '{\n  "a": 1, // why\n  "servers": {\n    "precis": {\n      "on": true\n    }\n  }\n}\n',
    ],
    [
      'a trailing comma stays one',
      '{\n\t"servers": {\n\t\t"x": 1,\n\t},\n}',
      '{\n\t"servers": {\n\t\t"x": 1,\n\t\t"precis": {\n\t\t\t"on": true\n\t\t},\n\t},\n}',
    ],
    [
      'what stands on one line stays on one',
      '{"servers": {"x": 1}}',
      '{"servers": {"x": 1, "precis": { "on": true }}}',
    ],
    [
      'what has no spaces gets none',
      '{"servers":{"x":1}}',
      '{"servers":{"x":1,"precis":{"on":true}}}',
    ],
    [
      'an empty object opens',
      '{\r\n    "servers": {}\r\n}',
      '{\r\n    "servers": {\r\n        "precis": {\r\n            "on": true\r\n        }\r\n    }\r\n}',
    ],
    [
      'a comment alone in an object stays',
      '{ "servers": { // none\n} }',
      '{ "servers": { // none\n  "precis": {\n    "on": true\n  }\n} }',
    ],
    [
      'an empty file becomes an object',
      '',
      '{\n  "servers": {\n    "precis": {\n      "on": true\n    }\n  }\n}\n',
    ],
    [
      'of two members of one name the last counts',
      '{"servers":{},"servers":{"x":1}}',
      '{"servers":{},"servers":{"x":1,"precis":{"on":true}}}',
    ],
  ])('%s', (_, before, after) => {
    expect(insert(before, server)).toBe(after)
  })

  test('an element goes behind the others', () => {
    expect(insert('{"hooks":{"PreCompact":[{"hooks":[]}]}}', hook)).toBe(
      '{"hooks":{"PreCompact":[{"hooks":[]},{"hooks":[{"type":"command","command":"/opt/node/bin/node /opt/precis/bin/precis.js hook codex","timeout":1}]}]}}',
    )
  })
})

describe('removeJsonEntry', () => {
  test.each([
    [
      'the comma before the last one goes',
      '{\n  "servers": {\n    "x": 1,\n    "precis": {}\n  }\n}',
      '{\n  "servers": {\n    "x": 1\n  }\n}',
    ],
    [
      'what stands behind stays',
      '{\n  "servers": {\n    "precis": {},\n    "x": 1 // why\n  }\n}',
      '{\n  "servers": {\n    "x": 1 // why\n  }\n}',
    ],
    [
      'a comment before it does not swallow what follows',
      '{"servers":{ "x": 1, // why\n"precis": {}}}',
      '{"servers":{ "x": 1 // why\n}}',
    ],
    ['the only one leaves an empty object', '{"servers": { "precis": {} }}', '{"servers": {}}'],
    [
      'a comment in the object stays',
      '{"servers": { /* mine */ "precis": {} }}',
      '{"servers": { /* mine */  }}',
    ],
  ])('%s', (_, before, after) => {
    expect(removeJsonEntry(before, server)).toBe(after)
  })
})

describe('parseJsonDocument', () => {
  test.each([
    ['{"a": }', 'line 1 is no JSON (ValueExpected)'],
    ['{\n"a": 1\n', 'line 3 is no JSON (CloseBraceExpected)'],
    ['[]', 'it holds a list where an object should be'],
    [`{"a":${'['.repeat(100_000)}`, 'it is nested deeper than 200 levels'],
  ])('refuses what is no object: %#', (text, problem) => {
    expect(parseJsonDocument(text)).toEqual({ problem })
  })

  test.each([
    `{"a":${JSON.stringify('\u001b[31mred\u001b[0m "[" '.repeat(1000))}}`,
    `{ // ${'[ " '.repeat(1000)}\n"a": /* ${'{ " '.repeat(1000)} */ 1 }`,
  ])('does not count brackets in strings and comments: %#', (text) => {
    expect(parseJsonDocument(text)).toMatchObject({ text })
  })
})
