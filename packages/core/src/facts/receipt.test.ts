import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agent, person, result } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage, readLedgerText } from '../conversation/summary-message.ts'
import { createLedger, renderLedger } from './ledger.ts'
import { parseLedger } from './ledger-record.ts'
import { createReceipt, withoutRetrievable } from './receipt.ts'

const countTokens = (text: string) => text.length
const run = (callId: string, command: string, output: string, isError = false): Message[] => [
  {
    role: 'assistant',
    origin: 'agent',
    parts: [{ type: 'tool-call', callId, name: 'Bash', input: { command } }],
  },
  {
    role: 'tool',
    origin: 'environment',
    parts: [{ type: 'tool-result', callId, output: [{ type: 'text', text: output }], isError }],
  },
]

describe('createReceipt', () => {
  test('a fact is verbatim when it stands in the output as a whole word', () => {
    const removed = [agent('parseInput and parseOutput live in src/a.ts')]
    const { kinds } = createReceipt({
      removed,
      output: [person('parseInputs, but src/a.ts and parseOutput')],
    })
    expect(kinds.identifier).toEqual({
      total: 2,
      verbatim: 1,
      retrievable: 0,
      missing: 1,
      stale: 0,
    })
    expect(kinds.path).toEqual({ total: 1, verbatim: 1, retrievable: 0, missing: 0, stale: 0 })
  })

  test('a sentence is verbatim when its words stand in a row', () => {
    const removed = [person('Never touch the database. Always run the linter.')]
    const output = [person('> Never touch\n> the database'), person('The linter runs always.')]
    expect(createReceipt({ removed, output }).kinds.directive).toMatchObject({
      total: 2,
      verbatim: 0,
    })
    const kept = [person('as said: Never touch the database. And more')]
    expect(createReceipt({ removed, output: kept }).kinds.directive).toMatchObject({
      total: 2,
      verbatim: 1,
      missing: 1,
    })
  })

  test('what was removed into nothing is missing', () => {
    const { kinds, appended } = createReceipt({
      removed: [result('a', 'Error: cannot open config.json')],
      output: [],
    })
    expect(kinds.error).toMatchObject({ total: 1, verbatim: 0, missing: 1 })
    expect(appended).toBe(0)
  })

  test('nothing removed gives a receipt of zeros', () => {
    const { kinds, facts } = createReceipt({ removed: [], output: [person('anything')] })
    for (const counts of Object.values(kinds)) expect(counts.total).toBe(0)
    expect(facts).toEqual([])
  })

  test('every fact has one state, and the counts are those of the states', () => {
    const removed = [
      person('Never push. Is src/a.ts fine?'),
      ...run('a', 'npm test', 'Error: parseInput failed'),
    ]
    const { kinds, facts } = createReceipt({
      removed,
      output: [createSummaryMessage('npm test, src/a.ts')],
    })
    for (const [kind, counts] of Object.entries(kinds)) {
      const own = facts.filter((fact) => fact.kind === kind)
      expect(counts.total).toBe(own.length)
      for (const state of ['verbatim', 'retrievable', 'missing', 'stale'] as const) {
        expect(counts[state]).toBe(own.filter((fact) => fact.state === state).length)
      }
    }
    expect(facts).toContainEqual({ kind: 'command', text: 'npm test', state: 'verbatim' })
    expect(facts).toContainEqual({ kind: 'directive', text: 'Never push.', state: 'missing' })
  })

  test('a fact that is cut out of the output by hand is missing', () => {
    const removed = [
      person('Never push.'),
      agent('It is in src/a.ts, called parseInput, because of v1.2.3.'),
    ]
    const whole = 'Never push. It is in src/a.ts, called parseInput, because of v1.2.3.'
    const all = createReceipt({ removed, output: [createSummaryMessage(whole)] })
    expect(all.facts.every(({ state }) => state === 'verbatim')).toBe(true)
    for (const name of ['src/a.ts', 'parseInput', 'v1.2.3', 'Never push.']) {
      const { facts } = createReceipt({
        removed,
        output: [createSummaryMessage(whole.replace(name, ''))],
      })
      expect(facts.find(({ text }) => text === name)?.state).toBe('missing')
    }
  })

  test('counts what only the ledger says', () => {
    const removed = [person('Never push. Only use tabs.'), agent('It is in src/a.ts.')]
    const ledger = renderLedger(createLedger({ messages: removed }), {
      limitTokens: Infinity,
      countTokens,
    })
    const { appended, kinds } = createReceipt({
      removed,
      output: [createSummaryMessage('Only use tabs. src/a.ts', ledger)],
    })
    expect(kinds.directive).toMatchObject({ total: 2, verbatim: 2 })
    expect(appended).toBe(1)
  })

  test('a pin is counted as a directive', () => {
    const receipt = createReceipt({
      removed: [agent('ok then')],
      output: [],
      pins: ['The port is open.'],
    })
    expect(receipt.kinds.directive).toMatchObject({ total: 1, missing: 1 })
  })

  describe('what later events made stale is not missing', () => {
    const stateOf = (removed: Message[], later: Message[], text: string) =>
      createReceipt({ removed, output: later, history: [...removed, ...later] }).facts.find(
        (fact) => fact.text === text,
      )?.state

    test('an error whose command went well later', () => {
      const failure = run('a', 'npm test', 'Error: parser is broken', true)
      expect(stateOf(failure, [], 'Error: parser is broken')).toBe('missing')
      expect(stateOf(failure, run('b', 'npm test', 'fine'), 'Error: parser is broken')).toBe(
        'stale',
      )
      expect(stateOf(failure, run('b', 'npm run lint', 'fine'), 'Error: parser is broken')).toBe(
        'missing',
      )
      expect(stateOf(failure, run('b', 'npm test', 'no', true), 'Error: parser is broken')).toBe(
        'missing',
      )
      expect(
        stateOf([...run('b', 'npm test', 'fine'), ...failure], [], 'Error: parser is broken'),
      ).toBe('missing')
    })

    test('no word of the user makes a directive stale', () => {
      const rule = [person('Never push.')]
      expect(stateOf(rule, [person('forget that, you may push')], 'Never push.')).toBe('missing')
    })

    test('the path of a file that was deleted, until it is there again', () => {
      const seen = [agent('look at src/a.ts')]
      const deletes = run('a', 'rm src/a.ts && ls', '')
      const creates: Message = {
        role: 'assistant',
        origin: 'agent',
        parts: [
          {
            type: 'tool-call',
            callId: 'w',
            name: 'Write',
            input: { file_path: 'src/a.ts', content: 'x' },
          },
        ],
      }
      const stale = (...later: Message[]) => {
        const { facts } = createReceipt({ removed: seen, output: [], history: [...seen, ...later] })
        return facts.find(({ text }) => text === 'src/a.ts')?.state
      }
      expect(stale()).toBe('missing')
      expect(stale(...deletes)).toBe('stale')
      expect(stale(...deletes, creates)).toBe('missing')
    })

    test('a pull request by its number, whatever else is said of it', () => {
      const made = run('a', 'gh pr create --fill', 'https://github.com/o/r/pull/12')
      expect(stateOf(made, [agent('PR #12 is open')], 'pull request #12')).toBe('verbatim')
      expect(stateOf(made, [agent('see github.com/o/r/pull/12')], 'pull request #12')).toBe(
        'verbatim',
      )
      expect(stateOf(made, [agent('PR #123 is open')], 'pull request #12')).toBe('missing')
    })

    test('a task that is done is a fact all the same', () => {
      const todos = [{ content: 'Fix the parser', status: 'completed' }]
      const plan: Message = {
        role: 'assistant',
        origin: 'agent',
        parts: [{ type: 'tool-call', callId: 'p', name: 'TodoWrite', input: { todos } }],
      }
      expect(createReceipt({ removed: [plan], output: [] }).kinds.task).toMatchObject({
        total: 1,
        missing: 1,
        stale: 0,
      })
    })
  })
})

describe('the messages of the user', () => {
  const recorded = (message: Message, index: number): Message => ({ ...message, records: [index] })
  const said = [
    'Fix the parser.',
    'Go on.',
    `Look at this. ${'It is slow and nobody knows why. '.repeat(80)}`,
    'Go on.',
  ]
  const history = said.map(person).map(recorded)
  const ledgerOf = (messages: readonly Message[], limitTokens: number) =>
    renderLedger(createLedger({ messages }), {
      limitTokens,
      countTokens: (text) => Math.ceil(text.length / 4),
    })
  const summaryOf = (messages: readonly Message[], limitTokens: number) =>
    createSummaryMessage('All is done.', ledgerOf(messages, limitTokens))
  const none = { total: 0, verbatim: 0, clipped: 0, retrievable: 0, missing: 0 }
  const count = (given: readonly Message[], output: readonly Message[], isKept = true) =>
    createReceipt({
      removed: given.filter((one) => !output.includes(one)),
      output,
      history: given,
      isKept,
    }).words

  test('stand word for word as messages and in the ledger, each as often as it was said', () => {
    expect(count(history, history)).toEqual({ ...none, total: 4, verbatim: 4 })
    expect(count(history, [summaryOf(history, 10_000)])).toEqual({ ...none, total: 4, verbatim: 4 })
    expect(count(history, [summaryOf(history.slice(0, 1), 10_000), history[3]!])).toMatchObject({
      verbatim: 2,
      retrievable: 2,
    })
  })

  test('are clipped where the ledger or the message has a part of them', () => {
    expect(count(history, [summaryOf(history, 200)])).toEqual({
      ...none,
      total: 4,
      verbatim: 3,
      clipped: 1,
    })
    const clipped = history.with(2, person(`${said[2]!.slice(0, 200)} [… 2200 characters cut …]`))
    expect(count(history, clipped)).toEqual({ ...none, total: 4, verbatim: 3, clipped: 1 })
  })

  test('can be recalled where their records are kept, and are gone elsewhere', () => {
    expect(count(history, [agent('ok')])).toEqual({ ...none, total: 4, retrievable: 4 })
    expect(count(history, [agent('ok')], false)).toEqual({ ...none, total: 4, missing: 4 })
    expect(count(said.map(person), [agent('ok')])).toEqual({ ...none, total: 4, missing: 4 })
    const receipt = createReceipt({ removed: history, output: [], isKept: true })
    expect(withoutRetrievable(receipt).words).toEqual({ ...none, total: 4, missing: 4 })
  })

  test('of a reply to a question and of a refusal count too', () => {
    const question = { questions: [{ question: 'Which format?', options: [] }] }
    const asks: Message = {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'tool-call', callId: 'q', name: 'AskUserQuestion', input: question }],
    }
    const given = [
      asks,
      result('q', 'Your questions have been answered: "Which format?"="Markdown"'),
    ]
    expect(count(given, [summaryOf(given, 1_000)])).toEqual({ ...none, total: 1, verbatim: 1 })
    expect(count(given, [])).toMatchObject({ total: 1, verbatim: 0 })
  })

  test('that an earlier compression clipped or left out count on', () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      person(`Look at module number ${index}, it is slow.`),
    )
    const first = summaryOf([...many.map(recorded), ...history], 200)
    const earlier = count([...many.map(recorded), ...history], [first])
    expect(earlier.retrievable).toBeGreaterThan(0)
    expect(earlier.clipped).toBeGreaterThan(0)
    expect(count([first], [first])).toEqual({ ...earlier, total: 34 })
    const again = [first, person('And now the docs.')]
    expect(count(again, [summaryOf(again, 10_000)])).toEqual({
      ...earlier,
      total: 35,
      verbatim: earlier.verbatim + 1,
    })
  })

  test('a summary and a tool say none of them', () => {
    const output = [
      createSummaryMessage(said.join('\n')),
      agent(said.join('\n')),
      result('a', said.join('\n')),
    ]
    expect(count(history, output)).toMatchObject({ total: 4, verbatim: 0, clipped: 0 })
  })

  test('are each in one state, whatever the room, over two compressions', {
    tags: 'property',
  }, () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.constantFrom(
        'Never push.',
        'Go on.',
        '\n',
        '> [1] quoted',
        '```\ncode()\n```\n',
        '[… 3 characters cut …]',
      ),
    )
    const texts = fc.array(
      fc.array(piece, { minLength: 1, maxLength: 40 }).map((all) => all.join(' ').trim() || 'x'),
      { maxLength: 20 },
    )
    const rooms = fc.integer({ min: 40, max: 1_500 })
    const total = (words: typeof none) =>
      words.verbatim + words.clipped + words.retrievable + words.missing
    fc.assert(
      fc.property(texts, rooms, rooms, (typed, before, after) => {
        const messages = typed.map(person).map(recorded)
        const whole = count(messages, messages)
        expect(whole.verbatim).toBe(whole.total)
        const first = summaryOf(messages, before)
        const counts = count(messages, [first])
        expect(total(counts)).toBe(whole.total)
        const left = parseLedger(readLedgerText(first) ?? '').words
        expect(counts.verbatim + counts.clipped).toBe(left.length)
        const second = count([first, ...messages], [summaryOf([first, ...messages], after)])
        expect(total(second)).toBe(second.total)
        expect(second.total).toBeLessThanOrEqual(2 * whole.total)
        expect(second.total).toBeGreaterThanOrEqual(whole.total + left.length)
      }),
    )
  })
})
