import { describe, expect, test } from 'vitest'
import { createMemorySource } from './read-document.ts'
import { readTitle } from './read-title.ts'

const toSource = (...entries: object[]) =>
  createMemorySource(Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')))

const FILLER = Array.from({ length: 100 }, () => ({ type: 'user', message: { content: 'x'.repeat(2000) } }))

describe('the title of a session', () => {
  test('is what the person chose before what a model made up, and the newest of them', () => {
    const summary = { type: 'summary', summary: 'made up' }
    const ai = { type: 'ai-title', aiTitle: 'better' }
    const custom = (customTitle: string) => ({ type: 'custom-title', customTitle })
    expect(readTitle(toSource(summary), 'claude-code')).toBe('made up')
    expect(readTitle(toSource(ai, summary), 'claude-code')).toBe('better')
    expect(readTitle(toSource(custom('first'), ...FILLER, custom('last'), ai), 'claude-code')).toBe('last')
    expect(readTitle(toSource(custom('first'), ...FILLER), 'claude-code')).toBe('first')
    expect(
      readTitle(toSource({ type: 'user', message: { content: '"type":"summary"' } }), 'claude-code'),
    ).toBeUndefined()
  })

  test('is read as each agent writes it', () => {
    expect(readTitle(toSource({ sessionId: 'a', summary: 'G' }), 'gemini-cli')).toBe('G')
    expect(readTitle(toSource({ sessionId: 'a' }, { $set: { summary: 'G' } }), 'gemini-cli')).toBe('G')
    expect(readTitle(toSource({ type: 'session_info', name: 'P' }), 'pi')).toBe('P')
    expect(readTitle(toSource({ kind: 0, v: { customTitle: 'C' } }), 'copilot')).toBe('C')
    expect(readTitle(toSource({ kind: 0, v: {} }, { kind: 1, k: ['customTitle'], v: 'D' }), 'copilot')).toBe('D')
    expect(readTitle(toSource({ type: 'custom-title', customTitle: 'X' }), 'codex')).toBeUndefined()
  })
})
