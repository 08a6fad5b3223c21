import { createSummaryMessage, readText } from '@precis/core/conversation'
import { expect, test } from 'vitest'
import { createMemorySource } from '../../files/read-document.ts'
import { readSessionCompactions } from '../../sessions/compactions.ts'
import { claudeCode } from './claude-code.ts'

const record = (uuid: string, parentUuid: string | null, time: number, more: object) => ({
  uuid,
  parentUuid,
  isSidechain: false,
  sessionId: 's',
  cwd: '/project',
  timestamp: new Date(Date.UTC(2026, 10, 26) + time).toISOString(),
  ...more,
})
const words = (content: unknown) => ({ type: 'user', message: { role: 'user', content } })

test('of a compaction that a mod answered it counts what is kept, and not what was sent before it', () => {
  const lines = [
    record('u1', null, 1, words('Never touch src/gone/secret-plan.ts, please.')),
    record('a1', 'u1', 2, {
      type: 'assistant',
      message: {
        id: 'm1',
        role: 'assistant',
        model: 'claude-opus-4-5',
        content: [{ type: 'text', text: 'Done.' }],
      },
    }),
    record('u2', 'a1', 3, words('Go on.')),
    record('u2b', 'u2', 4, words('And this stays too.')),
    { type: 'last-prompt', leafUuid: 'u2b', sessionId: 's' },
    record('b', null, 10, {
      type: 'system',
      subtype: 'compact_boundary',
      logicalParentUuid: 'u2b',
      compactMetadata: { trigger: 'auto', preTokens: 9000 },
    }),
    record('s1', 'b', 9, {
      ...words(readText(createSummaryMessage('Work is done.'))),
      rowSource: 'hook',
    }),
    record('k2', 's1', 3, words('Go on.')),
    record('a2', 'k2', 9, {
      type: 'assistant',
      message: { id: 'm2', role: 'assistant', model: '<synthetic>', content: [] },
    }),
    record('k3', 'a2', 4, words('And this stays too.')),
    record('u3', 'k3', 20, words('And now?')),
  ]
  const source = createMemorySource(
    Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  )
  const [found, ...others] = readSessionCompactions(claudeCode, source)
  expect(others).toEqual([])
  expect(found).toMatchObject({
    by: 'precis',
    trigger: 'automatic',
    record: 5,
    lastRecord: 9,
    lost: { words: { total: 3, verbatim: 2, missing: 1 } },
  })
})

test('a summary of the agent with what it lost next to it, by precis, is verified', () => {
  const texts = [
    'We did it.',
    readText(createSummaryMessage('', '## The words of the user\n> [1] Never touch src/a.ts.')),
  ]
  const lines = [
    record('u1', null, 1, words('Never touch src/a.ts.')),
    record('b', null, 10, { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'u1' }),
    record('s1', 'b', 10, {
      ...words(texts.map((text) => ({ type: 'text', text }))),
      isCompactSummary: true,
    }),
    record('u2', 's1', 20, words('And now?')),
  ]
  const source = createMemorySource(
    Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
  )
  expect(readSessionCompactions(claudeCode, source)).toMatchObject([
    { by: 'verified', summary: 'We did it.', lost: { words: { total: 1, verbatim: 1 } } },
  ])
})
