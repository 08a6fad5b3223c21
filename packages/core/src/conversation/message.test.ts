import { describe, expect, test } from 'vitest'
import { renderInput, renderPart } from './message.ts'

const DEPTH = 100_000
const deepText = `${'{"a":['.repeat(DEPTH)}${']}'.repeat(DEPTH)}`
const deepInput: unknown = JSON.parse(deepText)

describe('renderInput', () => {
  test('a string stays as it is, anything else is JSON, nothing is nothing', () => {
    expect(['ls -l', { cmd: ['ls'] }, null, undefined].map(renderInput)).toEqual([
      'ls -l',
      '{"cmd":["ls"]}',
      'null',
      '',
    ])
  })

  test('an input deeper than the stack is rendered', () => {
    expect(renderInput(deepInput) === deepText).toBe(true)
  })
})

describe('renderPart', () => {
  test('a call is its name and its input, however deep', { tags: 'slow' }, () => {
    const part = { type: 'tool-call', callId: 'a', name: 'read', input: deepInput } as const
    expect(renderPart(part) === `read ${deepText}`).toBe(true)
  })

  test('a result is its output line by line, media by their type', () => {
    const output = [
      { type: 'text', text: 'done' } as const,
      { type: 'image', mediaType: 'image/png', bytes: 5 } as const,
    ]
    expect(renderPart({ type: 'tool-result', callId: 'a', output, isError: false })).toBe(
      'done\n[image image/png]',
    )
  })
})
