import { visibleWidth } from '@mariozechner/pi-tui'
import fc from 'fast-check'
import pc from 'picocolors'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { createTestPalette } from '../ports.suite.ts'
import { AnswerEntry, createRequestEntry, ToolEntry } from '../rendering/entry.ts'
import { fit } from '../rendering/wrap.ts'
import { ScreenTranscript } from './transcript.ts'

const palette = createTestPalette(pc.createColors(false))

describe('the transcript', () => {
  test('puts a line between entries, but none between calls', () => {
    const transcript = new ScreenTranscript(palette)
    transcript.add(createRequestEntry('one\ntwo'))
    transcript.add(new ToolEntry({ name: 'a', input: {} }))
    transcript.add(new ToolEntry({ name: 'b', input: {} }))
    transcript.add(new AnswerEntry('done'))
    expect(transcript.render(40)).toEqual([
      '› one',
      '  two',
      '',
      '  ○ a · …',
      '  ○ b · …',
      '',
      '  done',
      '',
    ])
  })

  test('takes up what an entry became', () => {
    const transcript = new ScreenTranscript(palette)
    const answer = new AnswerEntry()
    transcript.add(answer)
    expect(transcript.render(40)).toEqual([])
    answer.append('hello')
    expect(transcript.render(40)).toEqual(['  hello', ''])
    answer.clear()
    expect(transcript.render(40)).toEqual([])
  })

  test('finds at a new width a line that is not behind the old one', () => {
    const transcript = new ScreenTranscript(palette)
    for (let entry = 0; entry < 20; entry++)
      transcript.add(new AnswerEntry(`entry${entry} ${'word '.repeat(60)}`))
    const wide = transcript.render(100)
    const top = wide.findIndex((line) => line.includes('entry12')) + 1
    const narrow = transcript.render(40)
    const line = transcript.findLine(top)
    const start = narrow.findIndex((candidate) => candidate.includes('entry12'))
    expect(line).toBeGreaterThanOrEqual(start)
    expect(line).toBeLessThan(start + 4)
  })

  test('keeps no more than the newest entries', () => {
    const transcript = new ScreenTranscript(palette)
    for (let entry = 0; entry < 5000; entry++) transcript.add(createRequestEntry(`entry ${entry}`))
    const lines = transcript.render(80)
    expect(lines.length).toBeLessThan(1000)
    expect(lines.at(-2)).toBe('› entry 4999')
  })
})

describe('a line', () => {
  test('fits as the screen library measures it when it writes, whatever is in it', {
    tags: 'property',
  }, () => {
    const letters = [
      'ำ',
      'ก',
      'ຳ',
      'a',
      '日',
      '👩‍👩‍👧',
      '\u0301',
      '\u200d',
      '🇩',
      '⚠️',
      'ﷺ',
      '\ufffd',
      'ᄀ',
      'ᅡ',
      '\u001b[1m',
      '\u001b[0m',
    ]
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...letters), { maxLength: 20 }),
        fc.integer({ min: 2, max: 20 }),
        (parts, columns) => {
          const written = fit(parts.join(''), columns)
            .replaceAll('\u0e33', '\u0e4d\u0e32')
            .replaceAll('\u0eb3', '\u0ecd\u0eb2')
          expect(visibleWidth(written)).toBeLessThanOrEqual(columns)
        },
      ),
      { numRuns: runs(2000) },
    )
  })
})
