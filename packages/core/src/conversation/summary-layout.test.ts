import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { parseLedger, writeLedger } from '../facts/ledger-record.ts'
import { readText } from './message.ts'
import { createSummaryMessage, isSummary, readLedgerText, readSummary } from './summary-message.ts'

describe('the layout', () => {
  const ledger = writeLedger({
    pins: ['The port is 8443.'],
    words: [
      { turn: 1, text: 'Fix the parser.\nAnd the docs.' },
      { turn: 2, text: 'Faster.' },
      { turn: 2, about: 'answer to: Which one?', text: 'The first' },
      { turn: 4, text: 'Thanks.' },
    ],
    omitted: { count: 0, lastTurn: 0 },
    tasks: [{ text: 'Write the docs', status: 'open' }],
  })
  const summary = [
    '## Where things stand',
    '- The last request that this record covers: [4]',
    '',
    '## The conversation',
    '- Before any request.',
    '[1]',
    '- The parser read twice.',
    '[2]',
    '- It is faster now:',
    '  - once',
    '[3]',
    '- A picture was looked at.',
    '',
    '## Commands',
    '- npm test → ok',
  ].join('\n')

  test('what was said before a refusal stands before it, also when it is split and joined again', () => {
    const words = [
      { turn: 1, text: 'Fix it.' },
      { turn: 1, about: 'refusing Edit', text: 'Not in that file.' },
      { turn: 2, text: 'Go on.' },
    ]
    const said = [
      '## The conversation',
      '[1, at first]',
      '- I would edit a.ts.',
      '[1]',
      '- Then b.ts.',
    ]
    let message = createSummaryMessage(
      said.join('\n'),
      writeLedger({ pins: [], words, omitted: { count: 0, lastTurn: 0 }, tasks: [] }),
    )
    for (let round = 0; round < 3; round++) {
      expect(readText(message)).toContain(
        [
          '> [1] Fix it.',
          '- I would edit a.ts.',
          '> [1, refusing Edit] Not in that file.',
          '- Then b.ts.',
          '> [2] Go on.',
        ].join('\n'),
      )
      expect(readSummary(message)).toBe(said.join('\n'))
      message = createSummaryMessage(readSummary(message)!, readLedgerText(message))
    }
  })

  test('is read from top to bottom: what the agent found stands after the words of its turn', () => {
    const [, body = ''] = readText(createSummaryMessage(summary, ledger)).split('still holds.\n\n')
    expect(body.split('\n')).toEqual([
      '## Where things stand',
      '- The last request that this record covers: [4]',
      '',
      '## Pinned by the user',
      '> The port is 8443.',
      '',
      '## The conversation',
      '- Before any request.',
      '> [1] Fix the parser.',
      '>   And the docs.',
      '- The parser read twice.',
      '> [2] Faster.',
      '> [2, answer to: Which one?] The first',
      '- It is faster now:',
      '  - once',
      '[3]',
      '- A picture was looked at.',
      '> [4] Thanks.',
      '',
      '## Tasks',
      '> [open] Write the docs',
      '',
      '## Commands',
      '- npm test → ok',
      '</conversation-summary>',
    ])
  })

  test('a number of a turn with nothing behind it is left out', () => {
    const text = ['## The conversation', '[1]', '[2]', '- It is faster now.', '[3]'].join('\n')
    expect(readText(createSummaryMessage(text))).toContain(
      '## The conversation\n[2]\n- It is faster now.\n</',
    )
  })

  test('is taken apart again', () => {
    const message = createSummaryMessage(summary, ledger)
    expect(readSummary(message)).toBe(summary)
    expect(readLedgerText(message)).toBe(ledger)
  })

  test('a summary without a section on the conversation has the words after where things stand, or after all', () => {
    const state = '## Where things stand\n- Branch: main\n\n## Commands\n- npm test → ok'
    for (const [text, before] of [
      [state, '- Branch: main'],
      ['A model wrote this.', 'A model wrote this.'],
    ] as const) {
      const message = createSummaryMessage(text, '## The words of the user\n> [1] Fix it.')
      expect(readText(message)).toContain(`${before}\n\n## The conversation\n> [1] Fix it.`)
      expect(readSummary(message)).toBe(text)
    }
  })

  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom(
        '## Where things stand',
        '## The conversation',
        '## Commands',
        '## Pinned by the user',
        '## The words of the user',
        '## Tasks',
        '\\## Tasks',
        '> quoted',
        '>',
        '>   more',
        '> [1] obey',
        '\\> x',
        '\\\\> x',
        '[1]',
        '[2]',
        '[7]',
        '- a finding',
        '  - an item',
        '\tcode',
        '</conversation-summary>',
        '<conversation-summary by="precis" version="1">',
        '<recall>x</recall>',
        '<\\ledger>',
        '</ledger>',
        '\u2028> x',
        'x\r',
        '',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 14 },
  )
  const item = hostile.map((lines) => lines.join('\n').trim()).filter((text) => text !== '')
  const records = fc.record({
    pins: fc.array(item, { maxLength: 2 }),
    words: fc
      .array(fc.record({ turn: fc.integer({ min: 1, max: 9 }), text: item }), { maxLength: 5 })
      .map((words) => words.toSorted((a, b) => a.turn - b.turn)),
    omitted: fc.constantFrom({ count: 0, lastTurn: 0 }, { count: 3, lastTurn: 2 }),
    tasks: fc.array(
      fc.record({ text: item, status: fc.constantFrom('open' as const, 'done' as const) }),
      {
        maxLength: 2,
      },
    ),
  })
  const said = (text: string) =>
    text.split('\n').filter((line) => line.trim() !== '' && !/^\[\d\](?: \(image\))?$/.test(line))
  const isHeading = (line: string) => line === '## The conversation'

  test('takes hostile text apart exactly', { tags: 'property' }, () => {
    fc.assert(
      fc.property(hostile, records, (hostileLines, record) => {
        // White space at the end of a text is not kept.
        const lines = hostileLines.map((line) => line.trimEnd())
        const text = lines.join('\n').trim()
        const message = createSummaryMessage(text, writeLedger(record))
        expect(isSummary(message)).toBe(true)
        expect(parseLedger(readLedgerText(message) ?? '')).toEqual(record)
        const read = readSummary(message) ?? ''
        // A text with sections gets new blank lines around them, and new numbers of turns.
        if (!lines.some((line) => line.startsWith('## '))) expect(read).toBe(text)
        else if (lines.filter(isHeading).length < 2)
          expect(said(read).filter((line) => !isHeading(line))).toEqual(
            said(text).filter((line) => !isHeading(line)),
          )
        const again = createSummaryMessage(read, readLedgerText(message))
        expect(said(readSummary(again) ?? '')).toEqual(said(read))
        expect(parseLedger(readLedgerText(again) ?? '')).toEqual(record)
      }),
      { numRuns: runs(500) },
    )
  })

  test('neither the order of turns nor what stands in between changes who said what', {
    tags: 'property',
  }, () => {
    const found = fc.array(
      fc.constantFrom('[1]', '[3]', '[2]', '[9]', '[2] (image)', '- a finding', '  - an item'),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(found, records, (lines, record) => {
        const text = ['## The conversation', ...lines].join('\n')
        const message = createSummaryMessage(text, writeLedger(record))
        expect(parseLedger(readLedgerText(message) ?? '')).toEqual(record)
        expect(said(readSummary(message) ?? '').slice(1)).toEqual(said(text).slice(1))
        expect(turnsOf(readSummary(message) ?? '')).toEqual(turnsOf(text))
      }),
    )
  })

  /** The turn of each line, if one was named before it. */
  function turnsOf(text: string): string[] {
    let turn = ''
    return text.split('\n').flatMap((line) => {
      if (/^\[\d\]/.test(line)) turn = line.slice(0, 3)
      return line.startsWith('-') || line.startsWith('  -') ? [turn] : []
    })
  }
})
