import { describe, expect, test } from 'vitest'
import { splitBlocks } from './answer-blocks.ts'
import { readAnswer, separateOptions } from './answers.ts'
import { Requests } from './requests.ts'
import { readReference, readWants } from './wants.ts'

const signalsOf = (turns: readonly string[], answer: string) => {
  const requests = new Requests(new Map(turns.map((text, index) => [index + 1, text])))
  const blocks = splitBlocks(answer, 1_000, () => true)
  return readAnswer({ turn: 1, blocks: separateOptions({ turn: 1, blocks }, requests) }, requests)
}

const PROPOSALS = [
  '**A: a pre-pass**',
  '- touches `parseRawArgs`',
  '',
  '**B: tokens of Node**',
  '- touches `parseArgs`',
  '',
  'I would take A.',
  '',
  'The weather in the office is nice today.',
].join('\n')

test('a table or code that was asked for is more of the answer than the words beside it', () => {
  const answer = [
    'It reads `a.ts:3` in 12 ms.',
    '',
    '| Run | ms |',
    '|---|---|',
    '| 1 | 12 |',
    '| 2 | 14 |',
    '',
    'The rest of `a.ts:9` takes 40 ms, since it is read twice.',
  ].join('\n')
  const asked = (request: string) => signalsOf([request], answer).map((one) => one.asked)
  expect(asked('How long does each run take, and where? Show it as a table.').at(-1)).toBe(0.5)
  expect(asked('How long does each run take, and where?').at(-1)).toBe(1)
  const [, code] = signalsOf(['Name its signature.'], 'It is done.\n\n```\nf(a: string)\n```')
  expect(code).toMatchObject({ asked: 1, isWantedForm: true })
})

describe('requests', () => {
  test('a question asks for an answer, an order for nothing', () => {
    expect([...readWants('How many tests are there?')]).toEqual(['number', 'answer'])
    expect([...readWants('Zeig mir die Tabelle.')]).toEqual(['table', 'answer'])
    expect(readWants('Rename the parser in all files.').size).toBe(0)
    expect(readWants('how do we detect other sessions').has('answer')).toBe(true)
    expect(readWants('Good. And where is it read from').has('place')).toBe(true)
    expect(readWants('Do it where it is possible.').size).toBe(0)
    expect(readWants('What a mess, revert it.').size).toBe(0)
  })

  test('options of a program are no proposals, alternatives are', () => {
    const asksForChoice = (text: string) => readWants(text).has('proposal')
    const program = [
      'Show the help of a command with 12 options.',
      'How are unknown options handled?',
      'Explain why every new option needs an entry.',
    ]
    expect(program.filter(asksForChoice)).toEqual([])
    const choice = [
      'Give me options A, B and C.',
      'Which option is better?',
      'Suggest two different designs.',
      'What options do we have?',
    ]
    expect(choice.filter(asksForChoice)).toEqual(choice)
  })

  test('what is chosen is found by letter, number and ordinal', () => {
    const labelsOf = (text: string) => [...readReference(text).labels]
    expect(labelsOf("I'd rather take B, but only for numbers.")).toEqual(['B'])
    expect(labelsOf('A test is missing.')).toEqual([])
    expect(labelsOf('I like the second one better.')).toEqual(['2'])
    expect(labelsOf('Nimm Vorschlag 3.')).toEqual(['3'])
    expect(readReference('Do it as you suggested.').isGeneral).toBe(true)
    expect(readReference('Add a cache.').isGeneral).toBe(false)
    expect(readReference('Now please fix it, and run the tests.').isGeneral).toBe(true)
    expect(readReference("Don't do it yet.").isGeneral).toBe(false)
  })
})

describe('what matters of an answer', () => {
  test('of proposals the chosen one pulls those that were turned down', () => {
    const signals = signalsOf(['Give me options A and B.', 'B, but only for numbers.'], PROPOSALS)
    expect(signals.map(({ isReferred }) => isReferred)).toEqual([true, true, true, false])
    expect(signals.map(({ isProposal }) => isProposal).slice(0, 2)).toEqual([true, true])
  })

  test('proposals and what was recommended know where all of them are named', () => {
    const of = (next: string) => signalsOf(['Give me options A and B.', next], PROPOSALS)
    for (const next of ['B, but only for numbers.', 'I like the second one better.', 'Go on.'])
      expect(of(next).map(({ proposals }) => proposals)).toEqual([[0, 1], [0, 1], [0, 1], []])
    const list = 'I see two ways:\n- A: a pre-pass\n- B: tokens\n\nI would take A.'
    const signals = signalsOf(['How would you do it?', 'B, please.'], list)
    expect(signals.map(({ isChosen, proposals }) => [isChosen, proposals])).toEqual([
      [false, [0, 1]],
      [true, [0, 1]],
      [false, [0, 1]],
    ])
  })

  test('what the agent would do, what it turned down and what it takes back is told apart', () => {
    const answer = [
      'I would drop the closure.',
      '**What I decided against**\n- `Date.now()`: it jumps.\n- A buffer: nothing to gain.',
      '**Correction:** last time I said 8 %.',
      'Fix: remove line 103.',
      'I would not call it slow.',
    ].join('\n\n')
    const signals = signalsOf(['Where is it slow? What would you do?'], answer)
    expect(signals.map(({ isAdvice }) => isAdvice)).toEqual([true, false, false, true, false])
    expect(signals.map(({ settles }) => settles)).toEqual([false, true, true, false, false])
  })

  test('how numbers were measured is asked for as they are', () => {
    const answer = 'The median is 641.6 ms.\n\n**Set-up:** each run in a process of its own.'
    const of = (request: string) => signalsOf([request], answer).map(({ isMethod }) => isMethod)
    expect(of('Tell me the median.')).toEqual([false, true])
    expect(of('Tell me the name.')).toEqual([false, false])
    const [number, method] = signalsOf(['Tell me the median.'], answer)
    expect(method?.asked).toBe(number?.asked)
  })

  test('bugs with numbers belong together as designs do', () => {
    const answer =
      '**Bug 1: the cap.** It is ignored.\n\n**Bug 2, the worse one:** it starts twice.'
    const signals = signalsOf(['Is there a bug?', 'Fix the second one.'], answer)
    expect(signals.map(({ proposals }) => proposals)).toEqual([
      [0, 1],
      [0, 1],
    ])
    expect(signals.map(({ isChosen }) => isChosen)).toEqual([false, true])
    expect(signals.some(({ isOption }) => isOption)).toBe(false)
    expect(signalsOf(['Give me options.'], PROPOSALS).map(({ isOption }) => isOption)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('lines that the user wants quoted, and a list, are asked for whole', () => {
    const answer =
      'Yes, both are shown.\n\nThe lines:\n```\n-f, --force\n```\n\nWorst:\n- queue.ts:1\n- main.ts:2'
    const of = (request: string) => signalsOf([request], answer)
    expect(of('What do you see? Quote the two lines.')[1]?.asked).toBe(1)
    expect(of('What do you see? Why?')[1]?.asked).toBe(0)
    const isList = (request: string) => of(request).map(({ isWantedList }) => isWantedList)
    expect(isList('Which are the worst?')).toEqual([false, false, true])
    expect(isList('Is it slow?')).toEqual([false, false, false])
  })

  test('a file that the user mentions later was not named by the answer', () => {
    const answer = 'The parser is in `src/parser.ts`.\n\nIt calls `readTokens`.'
    const signals = signalsOf(['Look around.', 'Read src/parser.ts and readTokens.'], answer)
    expect(signals.map(({ isReferred }) => isReferred)).toEqual([false, true])
  })

  test('what only leads up to an answer does not open it', () => {
    const signals = signalsOf(
      ['Why is it slow?'],
      'Let me go through it:\n\nThe lock is slow.\n\nIt is old.',
    )
    expect(signals.map(({ isOpening }) => isOpening)).toEqual([true, false])
    const code = '```\nconst a = 1\n```\n\nThe lock is slow.'
    expect(signalsOf(['Why is it slow?'], code).map(({ isOpening }) => isOpening)).toEqual([
      false,
      true,
    ])
  })

  test('numbers in a named proposal name no other one', () => {
    const answer =
      '**Design A: events**\n1. It is small.\n\n2. It is new.\n\n**Design B: totals**\n1. It is fast.'
    const signals = signalsOf(['Suggest two designs.', 'I like the second one.'], answer)
    expect(signals.map(({ isChosen }) => isChosen)).toEqual([false, true])
  })

  test('nothing is referred to where later words speak of something else', () => {
    const signals = signalsOf(['Give me options A and B.', 'Update the readme now.'], PROPOSALS)
    expect(signals.some(({ isReferred }) => isReferred)).toBe(false)
  })

  test('a name that the agent coined and the user takes up refers to its block', () => {
    const answer = 'All is fine here.\n\nI call it `waitRunStats` from now on.'
    const referred = (next: string) =>
      signalsOf(['What is its name?', next], answer).map(({ isReferred }) => isReferred)
    expect(referred('Document waitRunStats in the readme.')).toEqual([false, true])
    expect(referred('Document the option in the readme.')).toEqual([false, false])
  })

  test('a table is what was asked for, a question is one', () => {
    const answer =
      'Measured today:\n\n| run | ms |\n|---|---|\n| 1 | 641.6 |\n\nShould I repeat it?'
    const [table, question] = signalsOf(['Show the medians in a table, how long is it?'], answer)
    expect(table).toMatchObject({ asked: 1, isOpening: true, isQuestion: false })
    expect(question).toMatchObject({ isQuestion: true, isOpening: false })
  })

  test('a table that was asked for is all that was asked for, whatever else the request says', () => {
    const answer = 'It parses.\n\n## Today\n\n| input | result |\n|---|---|\n| `-o -5` | `"-5"` |'
    const request = 'Tell me exactly where and why it fails. Show the results as a table.'
    expect(signalsOf([request], answer)[1]).toMatchObject({ asked: 1 })
    const other = request.replace('Show the results as a table.', '')
    expect(signalsOf([other], answer)[1]!.asked).toBeLessThan(1)
  })

  test('code has the name that was asked for', () => {
    const answer = 'It is done.\n\n```\nfunction suggest(input: string): string[]\n```'
    expect(signalsOf(['Tell me its signature.'], answer)[1]).toMatchObject({ asked: 1 })
  })

  test.each([
    'Name the three worst.',
    'Nenne mir die drei schlimmsten.',
    'Cuáles son las tres peores, dime.',
    '列出最差的三个测试。',
    'Какие три теста хуже всех?',
  ])('a list with as many items as were asked for is counted: %s', (request) => {
    const isCounted = (items: readonly string[]) =>
      signalsOf([request], `They are:\n\n${items.map((item) => `- ${item}`).join('\n')}`)[0]!
        .isCounted
    expect(isCounted(['a.ts', 'b.ts', 'c.ts'])).toBe(true)
    expect(isCounted(['a.ts', 'b.ts'])).toBe(false)
  })

  test('a block whose title has a word of the request is named by it', () => {
    const answer = '**Final names**\n- `wait`\n\n**Files**\n- `index.ts`'
    const named = (request: string) => signalsOf([request], answer).map(({ isNamed }) => isNamed)
    expect(named('Rename it and tell me the final names.')).toEqual([true, false])
    expect(named('What do you think of it?')).toEqual([false, false])
  })
})
