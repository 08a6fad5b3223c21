import { describe, expect, test } from 'vitest'
import { splitBlocks } from './answer-blocks.ts'
import { Requests, readAnswer } from './answers.ts'
import { readReference, readWants } from './wants.ts'

const signalsOf = (turns: readonly string[], answer: string) =>
  readAnswer(
    { turn: 1, blocks: splitBlocks(answer, 1_000, () => true) },
    new Requests(new Map(turns.map((text, index) => [index + 1, text]))),
  )

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

describe('requests', () => {
  test('a question asks for an answer, an order for nothing', () => {
    expect([...readWants('How many tests are there?')]).toEqual(['number', 'answer'])
    expect([...readWants('Zeig mir die Tabelle.')]).toEqual(['table', 'answer'])
    expect(readWants('Rename the parser in all files.').size).toBe(0)
  })

  test('what is chosen is found by letter, number and ordinal', () => {
    const labelsOf = (text: string) => [...readReference(text).labels]
    expect(labelsOf("I'd rather take B, but only for numbers.")).toEqual(['B'])
    expect(labelsOf('A test is missing.')).toEqual([])
    expect(labelsOf('I like the second one better.')).toEqual(['2'])
    expect(labelsOf('Nimm Vorschlag 3.')).toEqual(['3'])
    expect(readReference('Do it as you suggested.').isGeneral).toBe(true)
    expect(readReference('Add a cache.').isGeneral).toBe(false)
  })
})

describe('what matters of an answer', () => {
  test('of proposals the chosen one pulls those that were turned down', () => {
    const signals = signalsOf(['Give me options A and B.', 'B, but only for numbers.'], PROPOSALS)
    expect(signals.map(({ isReferred }) => isReferred)).toEqual([true, true, true, false])
    expect(signals.map(({ isProposal }) => isProposal).slice(0, 2)).toEqual([true, true])
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

  test('a block whose title has a word of the request is named by it', () => {
    const answer = '**Final names**\n- `wait`\n\n**Files**\n- `index.ts`'
    const named = (request: string) => signalsOf([request], answer).map(({ isNamed }) => isNamed)
    expect(named('Rename it and tell me the final names.')).toEqual([true, false])
    expect(named('What do you think of it?')).toEqual([false, false])
  })
})
