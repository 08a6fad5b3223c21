import type { Report } from '@precis/core'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import type { LocatedFact } from '../archive/locate-facts.ts'
import { listNotices, renderWork } from './compression.ts'
import { renderGone } from './facts.ts'

const LOST = 'The images or files of your last request had no room: 1,568 tokens.'
const none = { total: 0, verbatim: 0, clipped: 0, retrievable: 0, missing: 0 }

function report(failures: readonly string[], summarizer: string): Report {
  return {
    strategy: 'auto',
    summarizer,
    failures,
    problems: [...failures, LOST],
    before: { tokens: 2, messages: 2 },
    after: { tokens: 1, messages: 1 },
    spans: { head: 0, middle: 1, tail: 1 },
    rungs: [],
    receipt: { kinds: {}, facts: [], appended: [], words: none },
  } as unknown as Report
}

test('what had no room is a line of its own, and no reason why a summarizer failed', () => {
  expect(listNotices(report([], 'digest'))).toEqual([LOST])
  expect(listNotices(report([], 'digest'), 'openai/gpt-5')).toEqual([
    'digest replaced it, because openai/gpt-5 failed several times and is paused for a while.',
    LOST,
  ])
  expect(listNotices(report(['401 wrong key', 'timeout'], 'digest'))).toEqual([
    'digest replaced it, because 401 wrong key.',
    LOST,
  ])
  expect(listNotices(report(['no tag'], 'openai/gpt-5'))).toEqual([LOST])
})

test('the text of a report has a note for each problem that is no reason', () => {
  const lines = renderWork(report([], 'digest'))
  expect(lines).toContain(`note: ${LOST}`)
  expect(lines.join('\n')).not.toContain('replaced it')
  const failed = renderWork(report(['401 wrong key', 'timeout'], 'digest'))
  expect(failed).toContain('summarizer: digest replaced it, because 401 wrong key')
  expect(failed.filter((line) => line.startsWith('note: '))).toEqual([
    'note: timeout',
    `note: ${LOST}`,
  ])
})

test('facts have a column of commands only if there is an archive to search', () => {
  const fact = { kind: 'path', text: 'src/a.ts', state: 'retrievable', turn: 2, recall: null }
  const page = { columns: 80, colors: pc.createColors(false) }
  const render = (changes: object) => renderGone([{ ...fact, ...changes } as LocatedFact], page)
  expect(render({})).toBe('  gone  fact      turn\n  path  src/a.ts     2')
  expect(render({ recall: { command: 'precis recall 3f a.ts' } })).toContain(
    'precis recall 3f a.ts',
  )
  expect(render({ state: 'missing' })).toContain('it is not kept')
})
