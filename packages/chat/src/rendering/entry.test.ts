import pc from 'picocolors'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { createTestPalette } from '../ports.suite.ts'
import { renderToolRun, summarizeInput, toToolOutput } from './entry.ts'

const palette = createTestPalette(pc.createColors(false))
const read = { name: 'read_file', input: { path: 'src/cart.ts', limit: 40 } }

describe('a tool call', () => {
  test('runs, is done, or was left', () => {
    expect(renderToolRun(read, 80, palette)).toEqual(['○ read_file src/cart.ts · …'])
    expect(renderToolRun({ ...read, result: toToolOutput('a\nb\n', false) }, 80, palette)).toEqual([
      '● read_file src/cart.ts · 2 lines, 4 B',
    ])
    expect(renderToolRun({ ...read, isAbandoned: true }, 80, palette)).toEqual([
      '◌ read_file src/cart.ts · stopped',
    ])
    expect(renderToolRun({ ...read, result: toToolOutput('', false) }, 80, palette)).toEqual([
      '● read_file src/cart.ts · empty',
    ])
  })

  test('shows the first lines of an error', () => {
    const run = { ...read, result: toToolOutput('1\n\n2\n3\n4\n', true) }
    expect(renderToolRun(run, 80, palette)).toEqual([
      '✗ read_file src/cart.ts · 5 lines, 9 B',
      '  │ 1',
      '  │ 2',
      '  │ 3',
    ])
  })

  test('fits any width, whatever it is called with', () => {
    const input = { command: 'x\u001b[2J日本語'.repeat(500) }
    const run = {
      name: 'n\u202ename'.repeat(30),
      input,
      result: toToolOutput('日本語\t\u009b'.repeat(500), true),
    }
    for (const columns of [20, 38, 100]) {
      for (const line of renderToolRun(run, columns, palette)) {
        expect(stringWidth(line)).toBeLessThanOrEqual(columns)
        expect(line).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u)
      }
    }
  })

  test('is summed up by what says most of it', () => {
    expect(summarizeInput({ pattern: 'TODO', path: 'src' }, palette)).toBe('src')
    expect(summarizeInput({ depth: 2, deep: { a: 1 } }, palette)).toBe('depth=2')
    expect(summarizeInput('free text\nmore', palette)).toBe('free text more')
    expect(summarizeInput(undefined, palette)).toBe('')
  })
})
