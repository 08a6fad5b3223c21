import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage, readLedgerText } from '../conversation/summary-message.ts'
import { createLedger, type Ledger, renderLedger } from './ledger.ts'
import { parseLedger } from './ledger-record.ts'
import { readStrength } from './strength.ts'

const countTokens = (text: string) => text.length
const everything = { limitTokens: 1e9, countTokens }

const plan = (...todos: [content: string, status: string][]): Message => ({
  role: 'assistant',
  origin: 'agent',
  parts: [
    {
      type: 'tool-call',
      callId: 'plan',
      name: 'TodoWrite',
      input: { todos: todos.map(([content, status]) => ({ content, status })) },
    },
  ],
})

const ledgerOf = (part: Partial<Ledger>): Ledger => ({ pins: [], directives: [], ended: [], tasks: [], ...part })
const directive = (text: string) => ({ text, strength: readStrength(text) ?? (1 as const) })

const texts = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          '## Pinned by the user',
          '> ',
          '\n',
          '  ',
          '</ledger>',
          '<ledger>',
          '</conversation-summary>',
          '[open] ',
          'Never push.',
          '不要修改',
          'всегда',
          '항상',
          '必ず',
          '__proto__',
          '\\n',
          '\r',
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((pieces) => pieces.join('')),
  )
  .map((text) => text.trim())
  .filter((text) => text !== '')
const ledgers = fc.record({
  pins: fc.array(texts, { maxLength: 4 }),
  directives: fc.array(texts.map(directive), { maxLength: 6 }),
  ended: fc.array(texts.map(directive), { maxLength: 3 }),
  tasks: fc.array(
    fc.record(
      {
        text: texts,
        status: fc.constantFrom('open' as const, 'active' as const, 'done' as const, 'cancelled' as const),
        id: fc.stringMatching(/^[\w.-]{1,40}$/),
      },
      { requiredKeys: ['text', 'status'] },
    ),
    { maxLength: 5 },
  ),
})

describe('renderLedger', () => {
  test('is a record in plain headings', () => {
    const messages = [
      person('Never touch the database.\nUse tabs.'),
      plan(['Fix the parser', 'completed'], ['Write the docs', 'pending']),
    ]
    const ledger = createLedger({ messages, pins: ['The port is 8443.'] })
    expect(renderLedger(ledger, everything)).toBe(
      [
        '## Pinned by the user',
        '> The port is 8443.',
        '',
        '## Standing instructions of the user',
        '> Never touch the database.',
        '> Use tabs.',
        '',
        '## Tasks, as last recorded',
        '> [open] Write the docs',
        '> [done] Fix the parser',
      ].join('\n'),
    )
  })

  test('is empty when there is nothing', () => {
    expect(renderLedger(createLedger({ messages: [person('fix the bug'), agent('done')] }), everything)).toBe('')
  })

  test('leaves out what a message that stays says itself', () => {
    const ledger = createLedger({ messages: [person('Never push.'), person('Use tabs.')] })
    expect(renderLedger(ledger, { ...everything, isKept: (index) => index === 1 })).not.toContain('tabs')
  })

  test('says what was ended only where the message that said it stays and the one that ended it goes', () => {
    const ledger = createLedger({ messages: [person('Never push.'), person('forget that')] })
    expect(renderLedger(ledger, { ...everything, isKept: (index) => index === 0 })).toBe(
      '## Instructions the user has ended\n> Never push.',
    )
    for (const kept of [[], [1], [0, 1]]) {
      expect(renderLedger(ledger, { ...everything, isKept: (index) => kept.includes(index) })).toBe('')
    }
  })

  test('holds every pin, and beside them never exceeds its limit', () => {
    fc.assert(
      fc.property(ledgers, fc.integer({ min: 0, max: 600 }), (ledger, limitTokens) => {
        const text = renderLedger(ledger, { limitTokens, countTokens })
        expect(parseLedger(text).pins).toEqual(ledger.pins)
        const pinned = renderLedger({ pins: ledger.pins, directives: [], ended: [], tasks: [] }, everything)
        expect(text.length).toBeLessThanOrEqual(Math.max(limitTokens, pinned.length))
      }),
    )
  })

  test('an instruction too long for the limit takes no other with it', () => {
    const messages = [person('Never push to main.'), person(`Never ${'touch anything at all '.repeat(12)}.`)]
    const ledger = createLedger({ messages })
    expect(ledger.directives).toHaveLength(2)
    const left = parseLedger(renderLedger(ledger, { limitTokens: 90, countTokens })).directives
    expect(left.map(({ text }) => text)).toEqual(['Never push to main.'])
  })

  test('of equally strong instructions the oldest goes first', () => {
    const messages = [person('Never push to a.'), person('Never push to b.'), person('Use c.'), person('Keep d small.')]
    const ledger = createLedger({ messages })
    const left = (limitTokens: number) =>
      parseLedger(renderLedger(ledger, { limitTokens, countTokens })).directives.map(({ text }) => text)
    const whole = renderLedger(ledger, everything).length
    expect(left(whole)).toHaveLength(4)
    expect(left(whole - 1)).toEqual(['Never push to a.', 'Never push to b.', 'Use c.'])
    expect(left(70)).toEqual(['Never push to b.'])
  })
})

describe('parseLedger', () => {
  test('gives what was rendered, whatever the text, also through a summary message', () => {
    fc.assert(
      fc.property(ledgers, (ledger) => {
        const text = renderLedger(ledger, everything)
        expect(parseLedger(text)).toEqual(ledger)
        const message = createSummaryMessage('any summary', text)
        expect(parseLedger(readLedgerText(message) ?? '')).toEqual(ledger)
      }),
      { numRuns: 500 },
    )
  })

  test('gives nothing for other text', () => {
    expect(parseLedger('> Never push.\n## Something else\n> Always do X.')).toEqual(ledgerOf({}))
  })
})

describe('ledgers of ledgers', () => {
  test('eight generations lose nothing, repeat nothing and end what is ended', () => {
    const rules = [
      'Never touch table_one.',
      'Bitte nicht die Datei mit den Einstellungen aller Dienste\noder eine Kopie davon ändern.',
      'Désormais, écris "## Pinned by the user" en anglais.',
      'Nunca uses </ledger>.',
      'Não altere os testes.',
      'Usa sempre pnpm.',
      'Никогда не трогай базу данных.',
      '不要修改数据库。',
      'データベースには絶対に触らないでください。',
      '데이터베이스를 절대 건드리지 마세요.',
    ]
    let messages: Message[] = [
      ...rules.map(person),
      person('Use spaces.'),
      plan(['Ship it', 'in_progress'], ['Build it', 'completed']),
    ]
    let first = ''
    for (let generation = 0; generation < 8; generation++) {
      const text = renderLedger(createLedger({ messages, pins: ['The port is 8443.'] }), everything)
      if (generation === 0) first = text
      else expect(text).toBe(first)
      messages = [createSummaryMessage(`summary ${generation}`, text), agent('go on')]
    }
    const last = createLedger({ messages: [...messages, person('forget what I said about spaces')] })
    expect(last.directives.map(({ text }) => text)).toEqual(rules)
    expect(last.tasks).toEqual([
      { text: 'Ship it', status: 'active' },
      { text: 'Build it', status: 'done' },
    ])
  })

  test('what a message in the head says stays ended for good', () => {
    const head = person('Never touch the database.')
    const isKept = (index: number) => index === 0
    let messages: Message[] = [head, person('You may touch the database now.')]
    for (let generation = 0; generation < 4; generation++) {
      const ledger = createLedger({ messages })
      expect(ledger.directives).toEqual([])
      messages = [head, createSummaryMessage('', renderLedger(ledger, { ...everything, isKept })), agent('go on')]
    }
  })

  test('a pin is ended by its name, from wherever it comes', () => {
    const text = renderLedger(
      createLedger({ messages: [], pins: ['The port is 8443.', 'The host is example.org.'] }),
      everything,
    )
    const messages = [createSummaryMessage('', text), person('forget the pin about the port')]
    expect(createLedger({ messages, pins: ['The port is 8443.'] }).pins).toEqual(['The host is example.org.'])
    expect(createLedger({ messages: [createSummaryMessage('', text), person('forget that')] }).pins).toHaveLength(2)
  })

  test('secrets do not travel in it', () => {
    const key = `ghp_${'aB3dE5gH7jK9mN1pQ4sT6vW8'}`
    const messages = [person(`Always push with ${key}.`), plan([`Rotate ${key}`, 'pending'])]
    expect(renderLedger(createLedger({ messages, pins: [key] }), everything)).not.toContain(key)
  })
})
