import { expect, test } from 'vitest'
import { agent, person, result } from '../conversation/histories.suite.ts'
import { atOnce } from '../conversation/steps.ts'
import { findAnswerLines } from './answer-lines.ts'

test('lines of answers are what was asked for, or spoken of later, in the closing words of a turn', () => {
  const history = [
    person('Which two options do we have? Name their risk.'),
    agent('Option C would be quick.', 'c1'),
    result('c1', 'Option D: nothing of the agent'),
    agent(
      '**Option A: a pass before**\n- Risk: low\n\n**Option B: one scanner**\n- Risk: it is new',
    ),
    person('B, but only for numbers.'),
    agent('The scanner reads numbers.'),
    person('Rename the folder.'),
    agent('The folder is renamed.'),
  ]
  expect(atOnce(findAnswerLines(history))).toEqual([
    { text: '**Option A: a pass before**', messages: [3] },
    { text: 'Risk: low', messages: [3] },
    { text: '**Option B: one scanner**', messages: [3] },
    { text: 'Risk: it is new', messages: [3] },
  ])
})
